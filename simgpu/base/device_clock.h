/* SPDX-License-Identifier: MIT */
/*
 * The clocks that the simulated GPU shows to the host.
 *
 * With the cost model on, time stamps of the device are simulated time (queue_timeline.h), counted
 * from a constant, so they are the same in every run. The GPU clock that GetClockCounters returns
 * still advances with the host's clock. Both begin at the same instant, and one tick is exactly 10
 * ns of the system clock. The runtime's translation of a stamp is therefore exact: the time at
 * which the device was opened, plus simulated time.
 */
#ifndef PROBE_SIMGPU_BASE_DEVICE_CLOCK_H
#define PROBE_SIMGPU_BASE_DEVICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/simulated_device.h"

/* Tick at which simulated time begins. Not 0, which means "no time stamp" to the runtime. */
#define SIM_CLOCK_BASE ((uint64_t)1 << 32)

/* Nanoseconds of the host's clock. */
uint64_t sim_clock_ns(void);

/* What GetClockCounters returns. */
struct sim_clock_pair {
	uint64_t gpu;	 /* ticks */
	uint64_t system; /* ns */
};

/* The clock as the CPU or the GPU sees it; the GPU's clock stops until it has a queue. */
struct sim_clock_pair sim_clock_read(bool gpu);

/* A tick of the device's clock in ns of the system clock, as the runtime translates it. */
uint64_t sim_clock_system(uint64_t tick);

/*
 * The runtime opens the device before it has queues; then the first queue is created. last: the
 * latest tick of simulated time so far (sim_timeline_last()).
 */
void sim_clock_open(uint64_t last);
void sim_clock_start(void);

/*
 * GPU clock and shader-core cycles that advance with the host's clock, for readers outside
 * simulated time.
 */
uint64_t sim_clock_ticks(void);
uint64_t sim_clock_cycles(void);

#endif
