/* SPDX-License-Identifier: MIT */
#include "sim_clock.h"

#include <time.h>

#include "sim_device.h"

/*
 * CLOCK_BOOTTIME is what the kernel driver returns as system clock, so HSA time stamps compare
 * with those other profilers take on the host. The clocks share one zero: ROCr fits GPU against
 * system time from pairs of readings and any skew between two bases would show as drift.
 */
uint64_t sim_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t sim_clock_ticks(void)
{
	return sim_clock_ns() / (1000000000u / SIM_GPU_CLOCK_HZ);
}

uint64_t sim_clock_cycles(void)
{
	return sim_clock_ns() * (SIM_CORE_MHZ / 100) / 10;
}
