/* SPDX-License-Identifier: MIT */
/*
 * The clocks the simulated GPU shows to the host.
 *
 * With the cost model on, time stamps of the device are simulated time (queue_timeline.h), counted
 * from a constant, and so the same in every run. The GPU clock that GetClockCounters returns still
 * runs with the host's clock: both begin at the same instant, one tick is exactly 10 ns of the
 * system clock, and so the runtime's translation of a stamp is exact: the time at which the device
 * was opened + simulated time.
 */
#ifndef PROBE_SIMGPU_BASE_DEVICE_CLOCK_H
#define PROBE_SIMGPU_BASE_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/device_parameters.h"

enum { SIM_TICK_CYCLES = SIM_CORE_MHZ / (SIM_GPU_CLOCK_HZ / 1000000) };

/* Tick at which simulated time begins. Not 0, which the runtime takes for "no time stamp". */
#define SIM_CLOCK_BASE ((uint64_t)1 << 32)

/* Nanoseconds of the host's clock. */
uint64_t sim_clock_ns(void);

/* What GetClockCounters returns. */
struct sim_clock_pair {
	uint64_t gpu;	 /* ticks */
	uint64_t system; /* ns */
};

/* As the CPU sees it, or the GPU, whose clock stands still until it has a queue. */
struct sim_clock_pair sim_clock_read(bool gpu);

/* A tick of the device's clock in ns of the system clock, as the runtime translates it. */
uint64_t sim_clock_system(uint64_t tick);

/*
 * The runtime opens the device, before it has queues; the first queue is created. last: the latest
 * tick of simulated time so far (sim_timeline_last()).
 */
void sim_clock_open(uint64_t last);
void sim_clock_start(void);

/*
 * GPU clock and shader core cycles that run with the host's clock, for readers outside simulated
 * time.
 */
uint64_t sim_clock_ticks(void);
uint64_t sim_clock_cycles(void);

#endif
