/* SPDX-License-Identifier: MIT */
/* Pauses for loops that wait for another thread. */
#ifndef PROBE_SIMGPU_BASE_BACKOFF_H
#define PROBE_SIMGPU_BASE_BACKOFF_H

#include <stdint.h>

/* State of a wait loop; zero-initialise. */
struct sim_backoff {
	uint32_t rounds;
};

/* Pauses once: spins at first, then yields, then sleeps. */
void sim_backoff_pause(struct sim_backoff *backoff);

void sim_sleep_us(uint64_t us);

#endif
