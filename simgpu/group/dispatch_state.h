/* SPDX-License-Identifier: MIT */
/*
 * The state of one kernel launch. The packet processor initialises it, group/ and time/ run it
 * (with the host's clock or in simulated time), and diag/ reports on it. There is one per queue,
 * reused for each of its kernels.
 */
#ifndef PROBE_SIMGPU_GROUP_DISPATCH_STATE_H
#define PROBE_SIMGPU_GROUP_DISPATCH_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hsa/hsa.h>

#include "simgpu/base/hardware_queue.h"
#include "simgpu/base/model_counters.h"
#include "simgpu/exec/wave.h"
#include "simgpu/group/initial_state.h"
#include "simgpu/group/schedule.h"

struct sim_time;

/* When it ran, and for how long. */
struct sim_dispatch_timing {
	/*
	 * Simulated time, in shader cycles: the device's clock when the kernel starts, set by the
	 * packet processor (0: unknown, the host's clock is used), and how long the kernel took,
	 * set by the cost model; 0 if the model is off.
	 */
	uint64_t start_cycle, cycles;
	uint64_t start_tick, end_tick;
	uint64_t host_start_ns, host_ns;
	bool upload;		/* the runtime uploads code: takes no time and is not sampled */
	struct sim_time *model; /* owned by the cost model, kept between dispatches */
	struct sim_time_counters counters;
};

/* Global wave sync: the one barrier in use. */
struct sim_grid_sync {
	_Atomic uint32_t arrived, round;
};

struct sim_dispatch;

/*
 * Called if a wave stopped with SIM_STOP_FAULT, _TRAP or _GWS: reports it and stops the dispatch.
 * Called on any thread that runs workgroups, possibly on several at once.
 */
typedef void sim_wave_failed(struct sim_dispatch *dispatch, const struct sim_wave *wave,
			     enum sim_stop stop);

struct sim_dispatch {
	struct sim_queue *queue;
	sim_wave_failed *wave_failed;
	const hsa_kernel_dispatch_packet_t *packet;
	uint64_t index; /* of the packet; never wraps */
	struct sim_launch launch;
	struct sim_schedule schedule;
	struct sim_dispatch_timing timing;
	struct sim_counters counters;
	struct sim_grid_sync grid_sync;
	atomic_bool stop; /* a fault, or the queue is being destroyed */
};

/* A fault was reported, or the queue is being destroyed. */
static inline bool sim_dispatch_stopped(const struct sim_dispatch *dispatch)
{
	return atomic_load_explicit(&dispatch->stop, memory_order_acquire) ||
	       atomic_load_explicit(&dispatch->queue->quit, memory_order_acquire);
}

#endif
