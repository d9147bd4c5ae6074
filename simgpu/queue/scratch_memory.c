/* SPDX-License-Identifier: MIT */
/*
 * Private memory of kernels. A queue owns scratch for a number of waves with a number of bytes per
 * lane. A dispatch that needs more requests it from the runtime, which allocates it and restarts
 * the queue.
 */
#include "simgpu/queue/scratch_memory.h"

#include <inttypes.h>

#include "simgpu/queue/queue_error.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/event/hsa_signal.h"

enum {
	/* Values of the inactive signal, as ROCr's dynamic scratch handler reads them. */
	WAVE64_SHORT = 1,
	LARGE_RECLAIM = 512,
};

/* COMPUTE_TMPRING_SIZE: waves 11..0, size of one wave's part in KiB 24..12. */
static void read_tmpring(struct sim_dispatch *dispatch)
{
	const amd_queue_t *amd = dispatch->queue->amd;
	uint32_t size = amd->compute_tmpring_size;

	dispatch->launch.scratch = (struct sim_scratch){
		.base = amd->scratch_backing_memory_location,
		.wave_bytes = (size >> 12 & 0x1fff) * 1024,
		/* The count is of one die. */
		.waves = (size & 0xfff) * sim_device()->xccs,
	};
}

/*
 * Raises a request and waits until the runtime has reset the signal to 0. The runtime reads the
 * packet at the read index meanwhile, so neither index nor header may have changed. While the
 * runtime is out of memory it does not reset the signal, but sets bit 63 in it.
 */
static bool request(struct sim_queue *queue, int64_t code)
{
	amd_signal_t *signal = sim_signal(queue->amd->queue_inactive_signal);
	struct sim_backoff backoff = {0};

	if (!signal)
		return false;
	sim_signal_store(signal, code);
	while (sim_signal_value(signal))
		if (!sim_queue_pause(queue, &backoff))
			return false;
	return true;
}

bool sim_scratch_acquire(struct sim_dispatch *dispatch)
{
	struct sim_queue *queue = dispatch->queue;
	uint32_t wanted = dispatch->packet->private_segment_size;

	dispatch->launch.scratch = (struct sim_scratch){0};
	if (!wanted)
		return true;
	if (wanted > queue->amd->scratch_wave64_lane_byte_size) {
		sim_debug(1, "queue %u asks for %u bytes of scratch per lane", queue->id, wanted);
		if (!request(queue, WAVE64_SHORT))
			return false;
	}
	read_tmpring(dispatch);
	if (dispatch->launch.scratch.wave_bytes &&
	    !sim_mem_allows(dispatch->launch.scratch.base,
			    (uint64_t)dispatch->launch.scratch.wave_bytes *
				    dispatch->launch.scratch.waves,
			    SIM_MEM_READ | SIM_MEM_WRITE, NULL)) {
		sim_print("queue %u: its scratch memory at 0x%" PRIx64
			  " is not all in memory of the GPU",
			  queue->id, dispatch->launch.scratch.base);
		sim_queue_error(queue, SIM_ERROR_GROUP_MEMORY);
		return false;
	}
	return true;
}

void sim_scratch_release(struct sim_dispatch *dispatch)
{
	struct sim_queue *queue = dispatch->queue;

	if (dispatch->launch.scratch.wave_bytes &&
	    (queue->amd->queue_properties & AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE))
		request(queue, LARGE_RECLAIM);
}
