/* SPDX-License-Identifier: MIT */
#include "simgpu/base/device_clock.h"

#include <pthread.h>
#include <time.h>

#include "simgpu/base/sim_options.h"

enum { TICK_NS = 1000000000 / SIM_GPU_CLOCK_HZ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_clock_pair anchor;
static bool running;

/*
 * The kernel driver returns CLOCK_BOOTTIME as system clock, so HSA time stamps are comparable with
 * those of other profilers on the host.
 */
uint64_t sim_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * ROCr reads a first pair of clocks when it finds the GPU, and fits a line through it and a later
 * pair. Without a later pair, or with a stamp older than the first, it divides 0 by 0 (ROCr 5.2.3,
 * GpuAgent::TranslateTime). Therefore the GPU's clock stops until there is a queue, and no stamp is
 * older.
 */
void sim_clock_open(uint64_t last)
{
	pthread_mutex_lock(&lock);
	running = false;
	anchor.system = sim_clock_ns();
	anchor.gpu = last > SIM_CLOCK_BASE ? last : SIM_CLOCK_BASE;
	pthread_mutex_unlock(&lock);
}

void sim_clock_start(void)
{
	pthread_mutex_lock(&lock);
	running = true;
	pthread_mutex_unlock(&lock);
}

struct sim_clock_pair sim_clock_read(bool gpu)
{
	uint64_t now = sim_clock_ns();
	struct sim_clock_pair pair;

	if (!sim_options()->model)
		return (struct sim_clock_pair){now / TICK_NS, now};
	pthread_mutex_lock(&lock);
	if (!anchor.gpu)
		anchor = (struct sim_clock_pair){SIM_CLOCK_BASE, now};
	pair = anchor;
	if ((running || !gpu) && now > anchor.system) {
		/* Whole ticks, so that the ratio of two differences is exactly 10. */
		uint64_t ticks = (now - anchor.system) / TICK_NS;

		pair.gpu += ticks;
		pair.system += ticks * TICK_NS;
	}
	pthread_mutex_unlock(&lock);
	return pair;
}

uint64_t sim_clock_system(uint64_t tick)
{
	uint64_t system;

	pthread_mutex_lock(&lock);
	system = anchor.system + (tick - anchor.gpu) * TICK_NS;
	pthread_mutex_unlock(&lock);
	return system;
}

uint64_t sim_clock_ticks(void)
{
	return sim_clock_read(false).gpu;
}

uint64_t sim_clock_cycles(void)
{
	return sim_clock_ticks() * sim_tick_cycles();
}
