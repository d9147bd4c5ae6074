/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/queue_hooks.h"

#include <errno.h>
#include <stdlib.h>

#include "hsa-plugin/queue/agent_sampling.h"
#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/queue/doorbells.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"

/* How long destroying a queue may wait without progress. */
#define DESTROY_PATIENCE_NS 5000000000ull

enum {
	PACKET_BYTES = sizeof(hsa_kernel_dispatch_packet_t),
	COUNTED_PACKETS = 16384, /* of a counted queue, whose size is the runtime's choice */
	/* hsa_queue_info_attribute_t after ROCr 7.2 */
	INFO_USE_COUNT = 2,
	INFO_READ_POINTER = 15,
	INFO_WRITE_POINTER = 16,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct probe_queue *queues[1024];
static uint32_t last_id;

static struct probe_queue *find(const hsa_queue_t *soft)
{
	struct probe_queue *found = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]) && !found; i++)
		if (queues[i] && queues[i]->soft == soft)
			found = queues[i];
	pthread_mutex_unlock(&lock);
	return found;
}

static int enter(struct probe_queue *queue)
{
	int err = -ENOSPC;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		if (queues[i])
			continue;
		err = probe_doorbell_add(queue->doorbell.handle, queue);
		if (err)
			break;
		queues[i] = queue;
		queue->id = ++last_id;
		break;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

static void leave(const struct probe_queue *queue)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++)
		if (queues[i] == queue) {
			queues[i] = NULL;
			probe_doorbell_remove(queue->doorbell.handle);
		}
	pthread_mutex_unlock(&lock);
}

static void put_queue(const struct probe_queue *queue)
{
	struct probe_hr_queue row = {
		.handle = (uint64_t)(uintptr_t)queue->soft,
		.id = queue->id,
		.agent = queue->agent->index,
		.size = queue->soft->size,
		.flags = queue->soft->type,
	};
	struct iovec part = {&row, sizeof(row)};

	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_QUEUE, &part, 1, PROBE_LOAD_WAIT_NS);
}

static struct probe_queue *queue_create(const struct probe_queue_request *request)
{
	struct probe_queue *queue = probe_queue_pair_create(request);

	if (!queue)
		return NULL;
	if (probe_collector_start() || enter(queue)) {
		probe_queue_pair_destroy(queue);
		return NULL;
	}
	put_queue(queue);
	probe_sampling_put_queue(queue);
	probe_collector_add(queue);
	return queue;
}

static pthread_mutex_t cooperative_lock = PTHREAD_MUTEX_INITIALIZER;

/* The runtime has one cooperative queue per agent, shared by all its users. */
static struct probe_queue *cooperative_queue(const struct probe_queue_request *request)
{
	struct probe_agent *agent = request->agent;
	struct probe_queue *queue;

	pthread_mutex_lock(&cooperative_lock);
	if (!agent->cooperative)
		agent->cooperative = queue_create(request);
	queue = agent->cooperative;
	if (queue)
		agent->cooperative_users++;
	pthread_mutex_unlock(&cooperative_lock);
	return queue;
}

/* Drops one user; true if the queue has others. */
static bool cooperative_left(struct probe_queue *queue)
{
	struct probe_agent *agent = queue->agent;
	bool used = false;

	pthread_mutex_lock(&cooperative_lock);
	if (queue == agent->cooperative) {
		used = --agent->cooperative_users > 0;
		if (!used)
			agent->cooperative = NULL;
	}
	pthread_mutex_unlock(&cooperative_lock);
	return used;
}

static struct probe_queue *create_for(struct probe_queue_request *request)
{
	struct probe_agent *agent = request->agent;

	if (!probe_tool_active() || !probe_tool.host || !agent || !agent->gpu ||
	    request->type > HSA_QUEUE_TYPE_COOPERATIVE)
		return NULL;
	request->size = probe_queue_pair_size(agent, request->size, request->type);
	if (!request->size)
		return NULL;
	if (request->type != HSA_QUEUE_TYPE_COOPERATIVE)
		return queue_create(request);
	request->private_size = request->group_size = UINT32_MAX;
	return cooperative_queue(request);
}

/* Queues that stay the runtime's own are counted, and the run says that they exist. */
static void count_unseen(hsa_agent_t handle, uint32_t count, hsa_status_t status)
{
	const struct probe_agent *agent = probe_agent_of(&probe_tool, handle);

	if (!status && probe_tool_active() && agent && agent->gpu)
		atomic_fetch_add(&probe_tool.unseen_queues, count);
}

static hsa_status_t hook_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
				      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				      void *data, uint32_t private_size, uint32_t group_size,
				      hsa_queue_t **ret)
{
	struct probe_queue_request request = {
		.agent = probe_agent_of(&probe_tool, handle),
		.size = size,
		.type = type,
		.callback = callback,
		.callback_data = data,
		.private_size = private_size,
		.group_size = group_size,
	};
	struct probe_queue *queue;
	hsa_status_t status;
	int saved = errno;

	queue = ret ? create_for(&request) : NULL;
	errno = saved;
	if (queue) {
		*ret = queue->soft;
		return HSA_STATUS_SUCCESS;
	}
	/* The application gets the runtime's own queue, or its error. */
	status = probe_tool.hsa.queue_create(handle, size, type, callback, data, private_size,
					     group_size, ret);
	count_unseen(handle, 1, status);
	return status;
}

static void destroy(struct probe_queue *queue)
{
	struct probe_hr_queue_end row = {.id = queue->id};
	struct iovec part = {&row, sizeof(row)};

	if (probe_tool_active())
		probe_collector_drain(queue, DESTROY_PATIENCE_NS);
	/* The next queue may get the same doorbell, by which samples identify queues. */
	probe_sampling_flush(queue->agent);
	probe_collector_remove(queue);
	leave(queue);
	probe_segment_put(&probe_tool.segment, PROBE_HR_QUEUE_END, &part, 1);
	probe_queue_pair_destroy(queue);
}

static hsa_status_t hook_queue_destroy(hsa_queue_t *soft)
{
	struct probe_queue *queue = find(soft);
	int saved = errno;

	if (!queue)
		return probe_tool.hsa.queue_destroy(soft);
	if (!cooperative_left(queue))
		destroy(queue);
	errno = saved;
	return HSA_STATUS_SUCCESS;
}

static struct probe_queue *create_described(hsa_agent_t handle,
					    const struct probe_queue_descriptor *descriptor)
{
	struct probe_queue_request request = {
		.agent = probe_agent_of(&probe_tool, handle),
		.size = descriptor->bytes / PACKET_BYTES,
		.type = descriptor->type,
		.callback = descriptor->callback,
		.callback_data = descriptor->callback_data,
		.private_size = descriptor->private_size,
		.group_size = UINT32_MAX,
		.descriptor = descriptor,
	};

	if (descriptor->engine || descriptor->bytes % PACKET_BYTES)
		return NULL;
	return create_for(&request);
}

static bool all_known(const struct probe_queue_descriptor *descriptors, uint32_t count)
{
	for (uint32_t i = 0; descriptors && i < count; i++)
		if (descriptors[i].version != PROBE_QUEUE_DESCRIPTOR)
			return false;
	return descriptors && count;
}

/* As the runtime does, makes every queue that can be made, and returns the first error. */
static hsa_status_t
hook_queue_create_amd(hsa_agent_t agent, struct probe_queue_descriptor *descriptors, uint32_t count)
{
	hsa_status_t first = HSA_STATUS_SUCCESS, status;
	int saved = errno;

	if (!all_known(descriptors, count)) {
		status = probe_tool.hsa.queue_create_amd(agent, descriptors, count);
		count_unseen(agent, count, status);
		return status;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct probe_queue *queue = create_described(agent, &descriptors[i]);

		errno = saved;
		if (queue) {
			descriptors[i].queue = queue->soft;
			continue;
		}
		status = probe_tool.hsa.queue_create_amd(agent, &descriptors[i], 1);
		if (!descriptors[i].engine)
			count_unseen(agent, 1, status);
		if (!first)
			first = status;
	}
	return first;
}

/*
 * The runtime shares its hardware queues among counted queues; ours have one each, because a relay
 * is the only writer of its ring.
 */
static struct probe_queue *create_counted(struct probe_queue_request *request,
					  hsa_amd_queue_priority_t priority)
{
	struct probe_queue *queue;

	if (request->type != HSA_QUEUE_TYPE_MULTI || !probe_tool.hsa.counted_queue_release ||
	    !probe_tool.hsa.queue_set_priority)
		return NULL;
	queue = create_for(request);
	if (queue && probe_tool.hsa.queue_set_priority(queue->real, priority)) {
		destroy(queue);
		return NULL;
	}
	if (queue)
		queue->counted = true;
	return queue;
}

static hsa_status_t hook_counted_queue_acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
					       void (*callback)(hsa_status_t, hsa_queue_t *,
								void *),
					       void *data, uint64_t flags, hsa_queue_t **ret)
{
	struct probe_queue_request request = {
		.agent = probe_agent_of(&probe_tool, agent),
		.size = COUNTED_PACKETS,
		.type = type,
		.callback = callback,
		.callback_data = data,
	};
	struct probe_queue *queue;
	hsa_status_t status;
	int saved = errno;

	queue = ret ? create_counted(&request, (hsa_amd_queue_priority_t)priority) : NULL;
	errno = saved;
	if (queue) {
		*ret = queue->soft;
		return HSA_STATUS_SUCCESS;
	}
	status = probe_tool.hsa.counted_queue_acquire(agent, type, priority, callback, data, flags,
						      ret);
	count_unseen(agent, 1, status);
	return status;
}

static hsa_status_t hook_counted_queue_release(hsa_queue_t *soft)
{
	struct probe_queue *queue = find(soft);
	int saved = errno;

	if (!queue || !queue->counted)
		return probe_tool.hsa.counted_queue_release(soft);
	destroy(queue);
	errno = saved;
	return HSA_STATUS_SUCCESS;
}

/* All other calls that take a queue apply to the hardware queue. */
static hsa_queue_t *hardware(hsa_queue_t *handle)
{
	struct probe_queue *queue = find(handle);

	return queue ? queue->real : handle;
}

static hsa_status_t hook_queue_inactivate(hsa_queue_t *queue)
{
	return probe_tool.hsa.queue_inactivate(hardware(queue));
}

static hsa_status_t hook_set_profiler_enabled(hsa_queue_t *queue, int enable)
{
	/* Profiling stays on for the hardware queue, because Probe's own times come from it. */
	if (find(queue))
		return HSA_STATUS_SUCCESS;
	return probe_tool.hsa.profiling_set_profiler_enabled(queue, enable);
}

/* The runtime refuses to change counted queues. */
static bool is_counted(const hsa_queue_t *soft)
{
	const struct probe_queue *queue = find(soft);

	return queue && queue->counted;
}

static hsa_status_t hook_cu_set_mask(const hsa_queue_t *queue, uint32_t count, const uint32_t *mask)
{
	if (is_counted(queue))
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	return probe_tool.hsa.queue_cu_set_mask(hardware((hsa_queue_t *)queue), count, mask);
}

static hsa_status_t hook_cu_get_mask(const hsa_queue_t *queue, uint32_t count, uint32_t *mask)
{
	return probe_tool.hsa.queue_cu_get_mask(hardware((hsa_queue_t *)queue), count, mask);
}

static hsa_status_t hook_set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
	if (is_counted(queue))
		return HSA_STATUS_ERROR_INVALID_QUEUE;
	return probe_tool.hsa.queue_set_priority(hardware(queue), priority);
}

/* The application counts the soft queue's packets; everything else is the hardware queue's. */
static hsa_status_t hook_get_info(hsa_queue_t *handle, int attribute, void *value)
{
	struct probe_queue *queue = find(handle);
	hsa_status_t status =
		probe_tool.hsa.queue_get_info(queue ? queue->real : handle, attribute, value);
	amd_queue_t *soft = queue ? (amd_queue_t *)queue->soft : NULL;

	if (status || !soft)
		return status;
	if (attribute == INFO_USE_COUNT && queue->counted)
		*(uint32_t *)value = 1;
	else if (attribute == INFO_READ_POINTER)
		*(uint64_t *)value = (uintptr_t)&soft->read_dispatch_id;
	else if (attribute == INFO_WRITE_POINTER)
		*(uint64_t *)value = (uintptr_t)&soft->write_dispatch_id;
	return status;
}

/*
 * If the signal is a doorbell, relays all packets whose header is valid, whatever the value, as the
 * packet processor does. Nothing reads the signal itself, so it is not written.
 */
static bool ring_doorbell(hsa_signal_t signal)
{
	struct probe_queue *queue = probe_doorbell_find(signal.handle);

	if (queue)
		probe_relay(queue);
	return queue != NULL;
}

static void hook_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!ring_doorbell(signal))
		probe_tool.hsa.signal_store_relaxed(signal, value);
}

static void hook_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!ring_doorbell(signal))
		probe_tool.hsa.signal_store_screlease(signal, value);
}

static void hook_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!ring_doorbell(signal))
		probe_tool.hsa.signal_silent_store_relaxed(signal, value);
}

static void hook_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!ring_doorbell(signal))
		probe_tool.hsa.signal_silent_store_screlease(signal, value);
}

void probe_queue_hooks(struct probe_hsa_hooks *hooks)
{
	hooks->queue_create = hook_queue_create;
	hooks->queue_destroy = hook_queue_destroy;
	hooks->queue_create_amd = hook_queue_create_amd;
	hooks->counted_queue_acquire = hook_counted_queue_acquire;
	hooks->counted_queue_release = hook_counted_queue_release;
	hooks->queue_inactivate = hook_queue_inactivate;
	hooks->profiling_set_profiler_enabled = hook_set_profiler_enabled;
	hooks->queue_cu_set_mask = hook_cu_set_mask;
	hooks->queue_cu_get_mask = hook_cu_get_mask;
	hooks->queue_set_priority = hook_set_priority;
	hooks->queue_get_info = hook_get_info;
	hooks->signal_store_relaxed = hook_store_relaxed;
	hooks->signal_store_screlease = hook_store_screlease;
	hooks->signal_silent_store_relaxed = hook_silent_store_relaxed;
	hooks->signal_silent_store_screlease = hook_silent_store_screlease;
}

void probe_queue_hooks_forget(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		if (!queues[i])
			continue;
		probe_doorbell_remove(queues[i]->doorbell.handle);
		/* The runtime's memory is gone; only our own is freed. */
		free(queues[i]->inflight);
		free(queues[i]);
		queues[i] = NULL;
	}
	pthread_mutex_unlock(&lock);
}
