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
	int saved = errno;

	queue = ret ? create_for(&request) : NULL;
	errno = saved;
	/* Then the application gets the runtime's own queue, or its error. */
	if (!queue)
		return probe_tool.hsa.queue_create(handle, size, type, callback, data, private_size,
						   group_size, ret);
	*ret = queue->soft;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t hook_queue_destroy(hsa_queue_t *soft)
{
	struct probe_queue *queue = find(soft);
	struct probe_hr_queue_end row;
	struct iovec part = {&row, sizeof(row)};
	int saved = errno;

	if (!queue)
		return probe_tool.hsa.queue_destroy(soft);
	if (cooperative_left(queue))
		return HSA_STATUS_SUCCESS;
	if (probe_tool_active())
		probe_collector_drain(queue, DESTROY_PATIENCE_NS);
	/* The next queue may get the same doorbell, by which samples identify queues. */
	probe_sampling_flush(queue->agent);
	probe_collector_remove(queue);
	leave(queue);
	row = (struct probe_hr_queue_end){.id = queue->id};
	probe_segment_put(&probe_tool.segment, PROBE_HR_QUEUE_END, &part, 1);
	probe_queue_pair_destroy(queue);
	errno = saved;
	return HSA_STATUS_SUCCESS;
}

/* Their queues stay the runtime's own: they are counted, and the run says that they exist. */
static void count_unseen(hsa_agent_t handle, uint32_t count, hsa_status_t status)
{
	const struct probe_agent *agent = probe_agent_of(&probe_tool, handle);

	if (!status && probe_tool_active() && agent && agent->gpu)
		atomic_fetch_add(&probe_tool.unseen_queues, count);
}

static hsa_status_t hook_queue_create_amd(hsa_agent_t agent, void *descriptors, uint32_t count)
{
	hsa_status_t status = probe_tool.hsa.queue_create_amd(agent, descriptors, count);

	count_unseen(agent, count, status);
	return status;
}

static hsa_status_t hook_counted_queue_acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
					       void (*callback)(hsa_status_t, hsa_queue_t *,
								void *),
					       void *data, uint64_t flags, hsa_queue_t **ret)
{
	hsa_status_t status = probe_tool.hsa.counted_queue_acquire(agent, type, priority, callback,
								   data, flags, ret);

	count_unseen(agent, 1, status);
	return status;
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

static hsa_status_t hook_cu_set_mask(const hsa_queue_t *queue, uint32_t count, const uint32_t *mask)
{
	return probe_tool.hsa.queue_cu_set_mask(hardware((hsa_queue_t *)queue), count, mask);
}

static hsa_status_t hook_cu_get_mask(const hsa_queue_t *queue, uint32_t count, uint32_t *mask)
{
	return probe_tool.hsa.queue_cu_get_mask(hardware((hsa_queue_t *)queue), count, mask);
}

static hsa_status_t hook_set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority)
{
	return probe_tool.hsa.queue_set_priority(hardware(queue), priority);
}

static hsa_status_t hook_get_info(hsa_queue_t *queue, int attribute, void *value)
{
	return probe_tool.hsa.queue_get_info(hardware(queue), attribute, value);
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
