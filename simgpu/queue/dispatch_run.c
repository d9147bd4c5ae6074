/* SPDX-License-Identifier: MIT */
#include "simgpu/queue/dispatch_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/diag/fault_report.h"
#include "simgpu/exec/vector_level.h"
#include "simgpu/group/workgroup_scheduler.h"
#include "simgpu/queue/queue_error.h"
#include "simgpu/time/dispatch_simulation.h"

/* Only the first fault of a dispatch is reported; the other waves stop with it. */
static void wave_failed(struct sim_dispatch *dispatch, const struct sim_wave *wave,
			enum sim_stop stop)
{
	enum sim_error error;

	if (atomic_exchange_explicit(&dispatch->stop, true, memory_order_acq_rel))
		return;
	error = sim_fault_report(dispatch, wave, stop);
	if (error == SIM_ERROR_MEMORY)
		sim_memory_error(dispatch->queue, &wave->fault);
	else
		sim_queue_error(dispatch->queue, error);
}

struct sim_dispatch *sim_dispatch_create(struct sim_queue *queue)
{
	struct sim_dispatch *dispatch = calloc(1, sizeof(*dispatch));

	if (!dispatch)
		return NULL;
	dispatch->queue = queue;
	dispatch->wave_failed = wave_failed;
	sim_schedule_init(&dispatch->schedule);
	return dispatch;
}

void sim_dispatch_destroy(struct sim_dispatch *dispatch)
{
	if (!dispatch)
		return;
	sim_schedule_deinit(&dispatch->schedule);
	sim_time_destroy(dispatch->timing.model);
	free(dispatch);
}

static int run_in_simulated_time(struct sim_dispatch *dispatch)
{
	return sim_level_get() == &sim_level_base ? sim_time_run(dispatch)
						  : sim_time_run_avx2(dispatch);
}

bool sim_dispatch_run(struct sim_dispatch *dispatch)
{
	struct sim_dispatch_timing *timing = &dispatch->timing;
	int err = sim_schedule_reset(dispatch);

	if (err) {
		sim_print("scratch memory of %u waves cannot hold one workgroup of %u waves: %s",
			  dispatch->launch.scratch.waves, dispatch->launch.waves, strerror(-err));
		sim_queue_error(dispatch->queue, SIM_ERROR_GROUP_MEMORY);
		return false;
	}
	dispatch->grid_sync.arrived = 0;
	dispatch->counters = (struct sim_counters){0};
	timing->host_start_ns = sim_clock_ns();
	atomic_store_explicit(&dispatch->stop, false, memory_order_relaxed);
	timing->cycles = 0;
	timing->counters = (struct sim_time_counters){0};
	if (!sim_options()->model)
		sim_schedule_run(dispatch);
	else if (run_in_simulated_time(dispatch) == -ENOMEM)
		sim_queue_error(dispatch->queue, SIM_ERROR_REGISTERS);
	timing->host_ns = sim_clock_ns() - timing->host_start_ns;
	return !sim_dispatch_stopped(dispatch);
}
