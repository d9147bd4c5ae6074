/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hsa-plugin/agents.h"
#include "hsa-plugin/completion.h"
#include "hsa-plugin/counters.h"
#include "hsa-plugin/doorbells.h"
#include "hsa-plugin/relay.h"
#include "hsa-plugin/rings.h"
#include "hsa-plugin/sampling.h"
#include "hsa-plugin/tool.h"

/* Without progress for this long a queue that is destroyed is not waited for any more. */
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
		if (!err) {
			queues[i] = queue;
			queue->id = ++last_id;
		}
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

/* The application knows its own handle only. */
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

static void queue_destroy(struct probe_queue *queue)
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
	free(queue->entries);
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

/*
 * The size the runtime would give: some round a small one up to their minimum, some refuse it. 0 =
 * refused; then the application gets the runtime's own answer.
 */
static uint32_t soft_size(const struct probe_agent *agent, uint32_t size, hsa_queue_type32_t type)
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

	queue->entries = calloc(PROBE_ENTRIES, sizeof(queue->entries[0]));
	queue->completions =
		probe_agent_host_memory(tool, queue->agent, PROBE_ENTRIES * sizeof(amd_signal_t));
	if (!queue->entries || !queue->completions)
		return false;
	if (tool->config.kind == PROBE_KIND_NONE)
		return true;
	/* Without these the originals run and the verdict says why. */
	queue->kernargs = probe_agent_host_memory(tool, queue->agent, PROBE_KERNARG_BYTES);
	if (probe_kind_has_counters(tool->config.kind))
		probe_counters_init(queue);
	if (probe_kind_has_rings(tool->config.kind))
		probe_rings_init(tool, queue->agent);
	return true;
}

/* Device code may be handed the soft queue's address and read these (hidden_queue_ptr). */
static void copy_properties(const struct probe_queue *queue)
{
	const amd_queue_t *from = (const amd_queue_t *)queue->real;
	amd_queue_t *to = (amd_queue_t *)queue->soft;

	to->group_segment_aperture_base_hi = from->group_segment_aperture_base_hi;
	to->private_segment_aperture_base_hi = from->private_segment_aperture_base_hi;
	to->max_cu_id = from->max_cu_id;
	to->max_wave_id = from->max_wave_id;
}

static hsa_status_t make_queues(struct probe_queue *queue, uint32_t size, hsa_queue_type32_t type,
				uint32_t private_size, uint32_t group_size)
{
	struct probe_hsa *hsa = &probe_tool.hsa;
	hsa_status_t status;

	status = hsa->queue_create(queue->agent->handle, hardware_size(queue->agent, size), type,
				   on_error, queue, private_size, group_size, &queue->real);
	if (!status)
		status = hsa->signal_create(0, 0, NULL, &queue->doorbell);
	/* The runtime's one cooperative queue is as large as it is, and no type of a soft queue. */
	if (!status && type == HSA_QUEUE_TYPE_COOPERATIVE)
		size = queue->real->size;
	if (!status)
		status = hsa->soft_queue_create(probe_tool.host->region, size, HSA_QUEUE_TYPE_MULTI,
						queue->real->features, queue->doorbell,
						&queue->soft);
	if (!status)
		queue->soft->type = type;
	if (!status)
		status = hsa->profiling_set_profiler_enabled(queue->real, 1);
	if (!status)
		copy_properties(queue);
	return status;
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

static struct probe_queue *queue_create(struct probe_agent *agent, uint32_t size,
					hsa_queue_type32_t type,
					void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					void *data, uint32_t private_size, uint32_t group_size)
{
	struct probe_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	pthread_mutex_init(&queue->lock, NULL);
	queue->agent = agent;
	queue->callback = callback;
	queue->callback_data = data;
	probe_sampling_begin(agent);
	if (make_queues(queue, size, type, private_size, group_size) || !make_memory(queue) ||
	    probe_collector_start() || enter(queue)) {
		queue_destroy(queue);
		return NULL;
	}
	put_queue(queue);
	probe_sampling_put_queue(queue);
	probe_collector_add(queue);
	return queue;
}

static pthread_mutex_t cooperative_lock = PTHREAD_MUTEX_INITIALIZER;

/* The runtime has one cooperative queue per agent, which all who ask for one share. */
static struct probe_queue *cooperative_queue(struct probe_agent *agent, uint32_t size,
					     void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					     void *data)
{
	struct probe_queue *queue;

	pthread_mutex_lock(&cooperative_lock);
	if (!agent->cooperative)
		agent->cooperative = queue_create(agent, size, HSA_QUEUE_TYPE_COOPERATIVE, callback,
						  data, UINT32_MAX, UINT32_MAX);
	queue = agent->cooperative;
	if (queue)
		agent->cooperative_users++;
	pthread_mutex_unlock(&cooperative_lock);
	return queue;
}

/* Is it still somebody's? */
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

static hsa_status_t hook_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
				      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				      void *data, uint32_t private_size, uint32_t group_size,
				      hsa_queue_t **ret)
{
	struct probe_agent *agent = probe_agent_of(&probe_tool, handle);
	struct probe_queue *queue = NULL;
	uint32_t given = 0;
	int saved = errno;

	if (probe_tool_active() && probe_tool.host && agent && agent->gpu && ret &&
	    type <= HSA_QUEUE_TYPE_COOPERATIVE)
		given = soft_size(agent, size, type);
	if (given && type == HSA_QUEUE_TYPE_COOPERATIVE)
		queue = cooperative_queue(agent, given, callback, data);
	else if (given)
		queue = queue_create(agent, given, type, callback, data, private_size, group_size);
	errno = saved;
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
	/* Its doorbell may be the next queue's, and samples name queues by their doorbells. */
	probe_sampling_flush(queue->agent);
	probe_collector_remove(queue);
	leave(queue);
	row = (struct probe_hr_queue_end){.id = queue->id};
	probe_segment_put(&probe_tool.segment, PROBE_HR_QUEUE_END, &part, 1);
	queue_destroy(queue);
	errno = saved;
	return HSA_STATUS_SUCCESS;
}

/* Other calls that take a queue mean the hardware's. */
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
	/* Ours stays on: it is where our own times come from. */
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
 * A doorbell: whatever the value, all packets whose header is valid are taken, as the packet
 * processor would. Nothing reads the signal itself, so it is not written.
 */
static bool rung(hsa_signal_t signal)
{
	struct probe_queue *queue = probe_doorbell_find(signal.handle);

	if (queue)
		probe_relay(queue);
	return queue != NULL;
}

static void hook_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!rung(signal))
		probe_tool.hsa.signal_store_relaxed(signal, value);
}

static void hook_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!rung(signal))
		probe_tool.hsa.signal_store_screlease(signal, value);
}

static void hook_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!rung(signal))
		probe_tool.hsa.signal_silent_store_relaxed(signal, value);
}

static void hook_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	if (!rung(signal))
		probe_tool.hsa.signal_silent_store_screlease(signal, value);
}

void probe_queues_hooks(struct probe_hsa_hooks *hooks)
{
	hooks->queue_create = hook_queue_create;
	hooks->queue_destroy = hook_queue_destroy;
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

void probe_queues_forget(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
		if (!queues[i])
			continue;
		probe_doorbell_remove(queues[i]->doorbell.handle);
		/* What the runtime gave went with it. */
		free(queues[i]->entries);
		free(queues[i]);
		queues[i] = NULL;
	}
	pthread_mutex_unlock(&lock);
}
