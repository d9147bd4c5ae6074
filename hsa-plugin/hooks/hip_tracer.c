/* SPDX-License-Identifier: MIT */
/*
 * HIP calls one function of the tool at the beginning of each call, with memory on the caller's
 * stack (hip_api_trace_data_t of HIP's hip_prof_api.h):
 *   u64 correlation id, u32 phase, the call's arguments;   hip_api_data_t, its size depends on HIP
 *   u64 time, u64 data;                                    not used by HIP
 *   function at the beginning, or NULL; function at the end
 * If the tool returns 0, HIP calls the function at the end. It writes the arguments only if there
 * is a function at the beginning, so their memory can hold the record.
 */
#include "hsa-plugin/hooks/hip_tracer.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "hsa-plugin/hooks/hsa_calls.h"
#include "hsa-plugin/runtime/loaded_library.h"
#include "hsa-plugin/trace/calls.h"

#define LIBRARY "libamdhip64.so"

enum {
	DOMAIN_API = 3, /* ACTIVITY_DOMAIN_HIP_API; other domains would profile each command */
	RECORD = 16,	/* where the arguments begin */
};

struct phases {
	uint64_t time, data;
	void *enter;
	void (*exit)(uint32_t id, void *trace);
};

typedef int tracer(uint32_t domain, uint32_t id, void *trace);
typedef void register_tracer(tracer *function);

/*
 * sizeof(hip_api_data_t), which the largest argument determines, hipDeviceProp_t: measured with the
 * headers of 5.3.2 to 5.7, and of 6.0 to 6.2, 6.4 and 7.2.
 */
enum { BYTES_5 = 840, BYTES_6 = 1520 };

static size_t phases_at;

static void on_exit_of(uint32_t id, void *trace)
{
	int saved = errno;

	probe_call_end((void *)((uint8_t *)trace + RECORD), PROBE_HIP_FUNCTIONS + id);
	errno = saved;
}

static int on_call(uint32_t domain, uint32_t id, void *trace)
{
	struct phases phases = {.exit = on_exit_of};
	int saved = errno, ret = -1;

	(void)id;
	if (domain == DOMAIN_API && trace &&
	    probe_call_begin((void *)((uint8_t *)trace + RECORD))) {
		memset(trace, 0, RECORD);
		memcpy((uint8_t *)trace + phases_at, &phases, sizeof(phases));
		ret = 0;
	}
	errno = saved;
	return ret;
}

static register_tracer *offered(void)
{
	return (register_tracer *)probe_loaded_function(LIBRARY, "hipRegisterTracerCallback");
}

bool probe_hip_tracer_offered(void)
{
	return offered() != NULL;
}

/* A library without a number in its file's name, as PyTorch has, is one of those known. */
static bool newer_than_known(void)
{
	static const char *const names[] = {LIBRARY ".8", LIBRARY ".9", LIBRARY ".1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (probe_loaded_function(names[i], "hipInit"))
			return true;
	return false;
}

const char *probe_hip_tracer_register(void)
{
	if (newer_than_known())
		return "calls of HIP are not recorded: HIP 8 and later are not known to this "
		       "version of Probe; use --hsa-trace";
	phases_at =
		probe_loaded_function(LIBRARY, "hipGetDevicePropertiesR0600") ? BYTES_6 : BYTES_5;
	offered()(on_call);
	return NULL;
}
