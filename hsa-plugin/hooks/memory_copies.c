/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/memory_copies.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/collector/collector_wakeup.h"
#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/trace/calls.h"
#include "hsa-plugin/trace/copies.h"

static uint32_t index_of(hsa_agent_t handle)
{
	const struct probe_agent *agent = probe_agent_of(&probe_tool, handle);

	return agent ? agent->index : PROBE_AGENT_UNKNOWN;
}

static uint32_t host_index(void)
{
	return probe_tool.host ? probe_tool.host->index : PROBE_AGENT_UNKNOWN;
}

/* Without the collector's thread, the application's signal would never change. */
static struct probe_copy *take(hsa_signal_t application)
{
	struct probe_copy *copy;
	int saved = errno;

	copy = probe_copy_take();
	if (copy && probe_collector_start()) {
		probe_copy_release(copy);
		copy = NULL;
	}
	if (copy) {
		copy->application = application;
		copy->row = (struct probe_hr_copy){
			.correlation = probe_correlation_current(),
			.tid = (uint32_t)syscall(SYS_gettid),
		};
	}
	errno = saved;
	return copy;
}

static hsa_status_t begin(struct probe_copy *copy, hsa_status_t status)
{
	int saved = errno;

	if (status) {
		probe_copy_release(copy);
	} else {
		probe_copy_begin(copy);
		probe_collector_wake();
	}
	errno = saved;
	return status;
}

static void describe(struct probe_copy *copy, void *to, hsa_agent_t to_agent, const void *from,
		     hsa_agent_t from_agent, size_t bytes)
{
	copy->row.to = (uintptr_t)to;
	copy->row.from = (uintptr_t)from;
	copy->row.bytes = bytes;
	copy->row.to_agent = index_of(to_agent);
	copy->row.from_agent = index_of(from_agent);
}

static hsa_status_t async_copy(void *to, hsa_agent_t to_agent, const void *from,
			       hsa_agent_t from_agent, size_t size, uint32_t dep_count,
			       const hsa_signal_t *deps, hsa_signal_t completion)
{
	struct probe_copy *copy = take(completion);

	if (!copy)
		return probe_tool.hsa.memory_async_copy(to, to_agent, from, from_agent, size,
							dep_count, deps, completion);
	describe(copy, to, to_agent, from, from_agent, size);
	return begin(copy, probe_tool.hsa.memory_async_copy(to, to_agent, from, from_agent, size,
							    dep_count, deps, copy->signal));
}

static hsa_status_t copy_on_engine(void *to, hsa_agent_t to_agent, const void *from,
				   hsa_agent_t from_agent, size_t size, uint32_t dep_count,
				   const hsa_signal_t *deps, hsa_signal_t completion, int engine,
				   bool force_sdma)
{
	struct probe_copy *copy = take(completion);

	if (!copy)
		return probe_tool.hsa.memory_async_copy_on_engine(to, to_agent, from, from_agent,
								  size, dep_count, deps, completion,
								  engine, force_sdma);
	describe(copy, to, to_agent, from, from_agent, size);
	return begin(copy, probe_tool.hsa.memory_async_copy_on_engine(
				   to, to_agent, from, from_agent, size, dep_count, deps,
				   copy->signal, engine, force_sdma));
}

static hsa_status_t copy_rect(const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_offset,
			      const hsa_pitched_ptr_t *from, const hsa_dim3_t *from_offset,
			      const hsa_dim3_t *range, hsa_agent_t agent,
			      hsa_amd_copy_direction_t direction, uint32_t dep_count,
			      const hsa_signal_t *deps, hsa_signal_t completion)
{
	struct probe_copy *copy = to && from && range ? take(completion) : NULL;

	if (!copy)
		return probe_tool.hsa.memory_async_copy_rect(to, to_offset, from, from_offset,
							     range, agent, direction, dep_count,
							     deps, completion);
	describe(copy, to->base, agent, from->base, agent, (size_t)range->x * range->y * range->z);
	if (direction == hsaHostToDevice || direction == hsaHostToHost)
		copy->row.from_agent = host_index();
	if (direction == hsaDeviceToHost || direction == hsaHostToHost)
		copy->row.to_agent = host_index();
	return begin(copy, probe_tool.hsa.memory_async_copy_rect(to, to_offset, from, from_offset,
								 range, agent, direction, dep_count,
								 deps, copy->signal));
}

/* Profiling stays on, because Probe's own times come from it. */
static hsa_status_t async_copy_enable(bool enable)
{
	if (probe_tool.config.traced & PROBE_TRACED_COPIES && probe_tool_active())
		return HSA_STATUS_SUCCESS;
	return probe_tool.hsa.profiling_async_copy_enable(enable);
}

static hsa_status_t async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *ret)
{
	if (ret && probe_copy_times(signal, ret))
		return HSA_STATUS_SUCCESS;
	return probe_tool.hsa.profiling_get_async_copy_time(signal, ret);
}

void probe_memory_copies_hooks(struct probe_hsa_hooks *hooks)
{
	if (!(probe_tool.config.traced & PROBE_TRACED_COPIES))
		return;
	hooks->memory_async_copy = async_copy;
	hooks->memory_async_copy_on_engine = copy_on_engine;
	hooks->memory_async_copy_rect = copy_rect;
	hooks->profiling_async_copy_enable = async_copy_enable;
	hooks->profiling_get_async_copy_time = async_copy_time;
}
