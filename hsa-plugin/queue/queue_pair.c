/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/queue_pair.h"

#include <stdlib.h>

#include "hsa-plugin/queue/agent_sampling.h"
#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/queue/counter_tables.h"
#include "hsa-plugin/queue/rings.h"

/* The application knows only the handle of the soft queue. */
static void on_error(hsa_status_t status, hsa_queue_t *source, void *data)
{
	struct probe_queue *queue = data;

	(void)source;
	atomic_store(&queue->failed, true);
	if (queue->callback)
		queue->callback(status, queue->soft, queue->callback_data);
}

static void free_memory(void *memory)
{
	if (memory)
		probe_tool.hsa.memory_pool_free(memory);
}

void probe_queue_pair_destroy(struct probe_queue *queue)
{
	struct probe_hsa *hsa = &probe_tool.hsa;

	if (queue->real)
		hsa->queue_destroy(queue->real);
	if (queue->soft)
		hsa->queue_destroy(queue->soft);
	if (queue->doorbell.handle)
		hsa->signal_destroy(queue->doorbell);
	probe_counters_deinit(queue);
	free_memory(queue->completions);
	free_memory(queue->kernargs);
	free(queue->inflight);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

static uint32_t hardware_size(const struct probe_agent *agent, uint32_t size)
{
	uint32_t wanted = size * 2 > size ? size * 2 : size;

	if (wanted < PROBE_HARDWARE_MIN)
		wanted = PROBE_HARDWARE_MIN;
	return agent->queue_max && wanted > agent->queue_max ? agent->queue_max : wanted;
}

uint32_t probe_queue_pair_size(const struct probe_agent *agent, uint32_t size,
			       hsa_queue_type32_t type)
{
	uint32_t least = 0;
	hsa_queue_t *queue;

	if (!size || (size & (size - 1)) || (agent->queue_max && size > agent->queue_max))
		return 0;
	probe_tool.hsa.agent_get_info(agent->handle, HSA_AGENT_INFO_QUEUE_MIN_SIZE, &least);
	if (size >= least)
		return size;
	if (probe_tool.hsa.queue_create(agent->handle, size, type, NULL, NULL, UINT32_MAX,
					UINT32_MAX, &queue))
		return 0;
	size = queue->size;
	probe_tool.hsa.queue_destroy(queue);
	return size;
}

static bool make_memory(struct probe_queue *queue)
{
	struct probe_tool *tool = &probe_tool;

	queue->inflight = calloc(PROBE_INFLIGHT_MAX, sizeof(queue->inflight[0]));
	queue->completions = probe_agent_host_memory(tool, queue->agent,
						     PROBE_INFLIGHT_MAX * sizeof(amd_signal_t));
	if (!queue->inflight || !queue->completions)
		return false;
	if (tool->config.kind == PROBE_KIND_NONE)
		return true;
	/* Without this memory the originals run, and the verdict gives the reason. */
	queue->kernargs = probe_agent_host_memory(tool, queue->agent, PROBE_KERNARG_BYTES);
	if (probe_kind_has_counters(tool->config.kind))
		probe_counters_init(queue);
	if (probe_kind_has_rings(tool->config.kind))
		probe_rings_init(tool, queue->agent);
	return true;
}

/* Device code may get the soft queue's address and read these fields (hidden_queue_ptr). */
static void copy_properties(const struct probe_queue *queue)
{
	const amd_queue_t *from = (const amd_queue_t *)queue->real;
	amd_queue_t *to = (amd_queue_t *)queue->soft;

	to->group_segment_aperture_base_hi = from->group_segment_aperture_base_hi;
	to->private_segment_aperture_base_hi = from->private_segment_aperture_base_hi;
	to->max_cu_id = from->max_cu_id;
	to->max_wave_id = from->max_wave_id;
}

/*
 * The runtime applies the descriptor's priority and mask, and judges it. The relay's ring is in
 * system memory, whatever the application wants of its own.
 */
static hsa_status_t make_described(struct probe_queue *queue,
				   const struct probe_queue_request *request, uint32_t size)
{
	struct probe_queue_descriptor descriptor = *request->descriptor;
	hsa_status_t status;

	descriptor.flags = 0;
	descriptor.bytes = size * (uint32_t)sizeof(hsa_kernel_dispatch_packet_t);
	descriptor.private_size = request->private_size;
	descriptor.callback = on_error;
	descriptor.callback_data = queue;
	descriptor.queue = NULL;
	status = probe_tool.hsa.queue_create_amd(queue->agent->handle, &descriptor, 1);
	queue->real = descriptor.queue;
	return status;
}

static hsa_status_t make_hardware_queue(struct probe_queue *queue,
					const struct probe_queue_request *request)
{
	uint32_t size = hardware_size(queue->agent, request->size);

	if (request->descriptor)
		return make_described(queue, request, size);
	return probe_tool.hsa.queue_create(queue->agent->handle, size, request->type, on_error,
					   queue, request->private_size, request->group_size,
					   &queue->real);
}

static hsa_status_t make_queues(struct probe_queue *queue,
				const struct probe_queue_request *request)
{
	struct probe_hsa *hsa = &probe_tool.hsa;
	uint32_t size = request->size;
	hsa_status_t status;

	status = make_hardware_queue(queue, request);
	if (!status)
		status = hsa->signal_create(0, 0, NULL, &queue->doorbell);
	/*
	 * The runtime has one cooperative queue of fixed size, and soft queues cannot have that
	 * type.
	 */
	if (!status && request->type == HSA_QUEUE_TYPE_COOPERATIVE)
		size = queue->real->size;
	if (!status)
		status = hsa->soft_queue_create(probe_tool.host->region, size, HSA_QUEUE_TYPE_MULTI,
						queue->real->features, queue->doorbell,
						&queue->soft);
	if (!status)
		queue->soft->type =
			queue->real->type; /* ROCr's single-producer queues are "multi" */
	if (!status)
		status = hsa->profiling_set_profiler_enabled(queue->real, 1);
	if (!status)
		copy_properties(queue);
	return status;
}

struct probe_queue *probe_queue_pair_create(const struct probe_queue_request *request)
{
	struct probe_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	pthread_mutex_init(&queue->lock, NULL);
	queue->agent = request->agent;
	queue->callback = request->callback;
	queue->callback_data = request->callback_data;
	probe_sampling_begin(request->agent);
	if (make_queues(queue, request) || !make_memory(queue)) {
		probe_queue_pair_destroy(queue);
		return NULL;
	}
	return queue;
}
