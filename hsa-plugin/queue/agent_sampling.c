/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/agent_sampling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/env.h>

#include "hsa-plugin/queue/queue.h"

#define CALL_LIMIT_NS  10000000000ull /* time limit of one call of the provider */
#define RECORD_WAIT_NS 2000000000ull

enum {
	CHUNK = 1024,		    /* samples per record */
	QUEUE_INFO_DOORBELL_ID = 1, /* HSA_AMD_QUEUE_INFO_DOORBELL_ID, ROCr 6.2 */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while sessions begin and end */

static uint32_t word_of(const char *text, const char *const *words)
{
	uint32_t i = 0;

	while (words[i] && strcmp(words[i], text))
		i++;
	return words[i] ? i : UINT32_MAX;
}

void probe_sampling_config_read(struct probe_sampler_request *ret)
{
	static const char *const methods[] = {"host_trap", "stochastic", NULL};
	static const char *const units[] = {"time", "cycles", "instructions", NULL};
	const char *method = getenv(PROBE_ENV_SAMPLING_METHOD);
	const char *unit = getenv(PROBE_ENV_SAMPLING_UNIT);
	const char *interval = getenv(PROBE_ENV_SAMPLING_INTERVAL);
	char *end;

	*ret = (struct probe_sampler_request){0};
	if (!method || !*method || !unit || !interval)
		return;
	ret->method = word_of(method, methods);
	ret->units = word_of(unit, units);
	ret->interval = strtoull(interval, &end, 10);
	ret->on = ret->method != UINT32_MAX && ret->units != UINT32_MAX && ret->interval && !*end;
}

/* ---- Records -------------------------------------------------------------------------------- */

static void begun(void *ctx)
{
	const struct probe_agent *agent = ctx;
	const struct probe_sampler_request *request = &probe_tool.sampling;
	struct probe_hr_sampler row = {
		.agent = agent->index,
		.method = request->method,
		.unit = request->units,
		.provider_len = (uint32_t)strlen(probe_tool.sampler_api.provider),
		.interval = request->interval,
	};
	struct iovec parts[] = {{&row, sizeof(row)},
				{(char *)probe_tool.sampler_api.provider, row.provider_len}};

	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_SAMPLER, parts, 2, PROBE_LOAD_WAIT_NS);
}

static bool put_samples(const struct probe_agent *agent, const uint8_t *records, uint32_t count,
			uint64_t lost, bool flushed)
{
	uint64_t patience = probe_tool.config.full.action == PROBE_FULL_BLOCK ? RECORD_WAIT_NS : 0;
	struct probe_hr_samples row = {
		.agent = agent->index,
		.count = count,
		.flags = flushed ? PROBE_SAMPLES_FLUSHED : 0,
		.lost = lost,
	};
	struct iovec parts[] = {{&row, sizeof(row)},
				{(uint8_t *)records, (size_t)count * PROBE_SAMPLER_RECORD}};

	return !probe_segment_put_wait(&probe_tool.segment, PROBE_HR_SAMPLES, parts, 2, patience);
}

static uint32_t samples(void *ctx, const uint8_t *records, uint32_t count, uint64_t lost,
			bool flushed)
{
	uint32_t missing = 0;

	for (uint32_t at = 0; at < count; at += CHUNK) {
		uint32_t part = count - at < CHUNK ? count - at : CHUNK;

		if (put_samples(ctx, records + (size_t)at * PROBE_SAMPLER_RECORD, part, lost,
				false))
			lost = 0;
		else
			missing += part;
	}
	if ((flushed || lost) && !put_samples(ctx, NULL, 0, lost, flushed))
		missing += (uint32_t)lost;
	return missing;
}

/* ---- Sessions ------------------------------------------------------------------------------- */

static const char *reason(hsa_status_t status)
{
	if (status == PROBE_HSA_STATUS_ERROR_RESOURCE_BUSY ||
	    status == HSA_STATUS_ERROR_OUT_OF_RESOURCES)
		return "another session of this or another process samples it";
	if (status == HSA_STATUS_ERROR_INVALID_ARGUMENT)
		return "it does not support this method, unit or interval (probe-run --list shows "
		       "what it does)";
	return "the runtime refuses";
}

/*
 * ROCr 6.4 offers both methods, but its PcSamplingFlushDeviceBuffers() reads the buffers of the
 * host trap whatever the session's method: a null pointer for stochastic sampling. Corrected in
 * 7.0.
 */
static bool crashes_when_flushed(void)
{
	return probe_tool.sampling.method == PROBE_HSA_PCS_STOCHASTIC_V1 &&
	       !strcmp(probe_tool.sampler_api.provider, "ROCr") &&
	       !probe_tool.hsa.large_sample_buffers;
}

void probe_sampling_begin(struct probe_agent *agent)
{
	struct probe_sampler_sink sink = {agent, begun, samples};
	struct probe_sampler *sampler = NULL;
	hsa_status_t status;
	char text[256];

	if (!probe_tool.sampling.on)
		return;
	pthread_mutex_lock(&lock);
	if (agent->sampler_tried) {
		pthread_mutex_unlock(&lock);
		return;
	}
	agent->sampler_tried = true;
	if (!probe_sampler_find(agent->handle, probe_tool.hsa.large_sample_buffers,
				&probe_tool.sampler_api)) {
		probe_tool_warn(
			"no PC sampling: this runtime has no hsa_ven_amd_pcs_create (ROCr 6.2 and "
			"later do)");
	} else if (crashes_when_flushed()) {
		probe_tool_warn("no PC sampling: ROCr 6.4 crashes in stochastic sampling; use "
				"--pc-sampling-method host_trap, or ROCr 7.0");
	} else {
		status = probe_sampler_start(&probe_tool.sampler_api, agent->handle,
					     &probe_tool.sampling, &sink, CALL_LIMIT_NS, &sampler);
		if (status) {
			snprintf(text, sizeof(text), "no PC sampling of agent %u: %s (status 0x%x)",
				 agent->index, reason(status), (unsigned)status);
			probe_tool_warn(text);
		}
	}
	/* Pairs with the acquire in sampler_of(). */
	atomic_store_explicit(&agent->sampler, sampler, memory_order_release);
	pthread_mutex_unlock(&lock);
}

static struct probe_sampler *sampler_of(struct probe_agent *agent)
{
	return atomic_load_explicit(&agent->sampler, memory_order_acquire);
}

static void flush_one(struct probe_agent *agent)
{
	struct probe_sampler *sampler = sampler_of(agent);

	if (!sampler || probe_sampler_flush(sampler) || agent->sampler_failed)
		return;
	agent->sampler_failed = true;
	probe_tool_warn(
		"the runtime did not flush its PC samples in time: the last ones are missing");
}

void probe_sampling_flush(struct probe_agent *agent)
{
	int saved = errno;

	if (!probe_tool.sampling.on)
		return;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < probe_tool.agent_count; i++)
		if (!agent || agent == &probe_tool.agents[i])
			flush_one(&probe_tool.agents[i]);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

/* Index below which all dispatches have completed: that of the oldest one that has not. */
static uint64_t completed(struct probe_queue *queue)
{
	uint64_t tail, ret;

	pthread_mutex_lock(&queue->lock);
	tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	ret = tail == atomic_load_explicit(&queue->head, memory_order_relaxed)
		      ? queue->written
		      : probe_queue_inflight(queue, tail)->packet;
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

void probe_sampling_keep_up(struct probe_queue *queue)
{
	uint64_t done, flushed;

	if (!sampler_of(queue->agent))
		return;
	done = completed(queue);
	flushed = atomic_load_explicit(&queue->flushed, memory_order_relaxed);
	if (done - flushed < queue->real->size / 2)
		return;
	probe_sampling_flush(queue->agent);
	/* Pairs with the acquire in packet_relay.c. */
	atomic_store_explicit(&queue->flushed, done, memory_order_release);
}

void probe_sampling_put_queue(const struct probe_queue *queue)
{
	const amd_signal_t *signal =
		(const amd_signal_t *)(uintptr_t)queue->real->doorbell_signal.handle;
	struct probe_hr_queue_hardware row = {.id = queue->id, .size = queue->real->size};
	struct iovec part = {&row, sizeof(row)};
	uint64_t doorbell = 0;

	if (!sampler_of(queue->agent))
		return;
	if (!probe_tool.hsa.queue_get_info ||
	    probe_tool.hsa.queue_get_info(queue->real, QUEUE_INFO_DOORBELL_ID, &doorbell))
		doorbell = (uint64_t)(uintptr_t)signal->hardware_doorbell_ptr;
	row.doorbell = doorbell >> 3 & 0x3ff;
	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_QUEUE_HARDWARE, &part, 1,
			       PROBE_LOAD_WAIT_NS);
}

void probe_sampling_finish(void)
{
	int saved = errno;

	if (!probe_tool.sampling.on)
		return;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < probe_tool.agent_count; i++) {
		struct probe_agent *agent = &probe_tool.agents[i];
		struct probe_sampler *sampler = sampler_of(agent);

		atomic_store(&agent->sampler, NULL);
		if (sampler && !probe_sampler_finish(sampler) && !agent->sampler_failed)
			probe_tool_warn(
				"the runtime did not end PC sampling in time: the last samples "
				"may be missing");
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
}

void probe_sampling_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	for (uint32_t i = 0; i < probe_tool.agent_count; i++)
		atomic_store(&probe_tool.agents[i].sampler, NULL);
}
