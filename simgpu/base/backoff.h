/* SPDX-License-Identifier: MIT */
/* Pauses of loops that wait for something another thread does. */
#ifndef PROBE_SIMGPU_BASE_BACKOFF_H
#define PROBE_SIMGPU_BASE_BACKOFF_H

#include <stdint.h>

/* State of a wait loop; zero-initialise. */
struct sim_backoff {
	uint32_t rounds;
};

/* One pause of a wait loop: spins first, then yields, then sleeps. */
void sim_backoff_pause(struct sim_backoff *backoff);

void sim_sleep_us(uint64_t us);

#endif
