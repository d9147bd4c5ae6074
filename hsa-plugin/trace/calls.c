/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/calls.h"

#include <string.h>
#include <time.h>

#include "hsa-plugin/process/tool.h"

/* Correlation ids of the calls that this thread is in; 0 = none. */
struct thread_calls {
	uint64_t outermost, innermost;
};

/* With the initial-exec model, the first use on a thread does not allocate its block. */
static __thread struct thread_calls calls __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t last_correlation;

uint64_t probe_trace_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t probe_correlation_next(void)
{
	return atomic_fetch_add_explicit(&last_correlation, 1, memory_order_relaxed) + 1;
}

uint64_t probe_correlation_current(void)
{
	return calls.outermost ? calls.outermost : probe_correlation_next();
}

bool probe_call_begin(struct probe_call *call)
{
	if (!probe_tool_recording())
		return false;
	call->id = probe_correlation_next();
	call->parent = calls.innermost;
	calls.innermost = call->id;
	if (!calls.outermost)
		calls.outermost = call->id;
	call->start = probe_trace_time();
	return true;
}

void probe_call_end(const struct probe_call *call, uint32_t function)
{
	struct probe_hr_call row = {
		.start = call->start,
		.correlation = call->id,
		.parent = call->parent,
		.function = function,
	};
	struct iovec part = {&row, sizeof(row)};

	probe_segment_put_spare(&probe_tool.segment, PROBE_HR_CALL, &part, 1);
	calls.innermost = call->parent;
	if (calls.outermost == call->id)
		calls.outermost = 0;
}

void probe_function_put(uint32_t id, enum probe_domain domain, const char *name)
{
	struct probe_hr_function row = {
		.id = id,
		.domain = domain,
		.name_len = (uint32_t)strlen(name),
	};
	struct iovec parts[] = {{&row, sizeof(row)}, {(char *)name, row.name_len}};

	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_FUNCTION, parts, 2,
			       PROBE_LOAD_WAIT_NS);
}
