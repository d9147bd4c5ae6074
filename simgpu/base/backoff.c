/* SPDX-License-Identifier: MIT */
#include "simgpu/base/backoff.h"

#include <sched.h>
#include <time.h>

void sim_sleep_us(uint64_t us)
{
	struct timespec span = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};

	nanosleep(&span, NULL);
}

void sim_backoff_pause(struct sim_backoff *backoff)
{
	uint32_t round = backoff->rounds++;

	if (round < 64)
		__builtin_ia32_pause();
	else if (round < 96)
		sched_yield();
	else
		sim_sleep_us(round < 160 ? 10 : 50);
}
