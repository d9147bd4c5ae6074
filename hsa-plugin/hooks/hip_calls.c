/* SPDX-License-Identifier: MIT */
/*
 * Until 5.3.1, HIP calls an "activity callback" at the beginning of a call to get memory, writes
 * the call's arguments there, and calls it again at the end. The two calls differ in the last
 * parameter: NULL at the beginning, the registered value at the end.
 */
#include "hsa-plugin/hooks/hip_calls.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "hsa-plugin/hooks/hip_tracer.h"
#include "hsa-plugin/hooks/hsa_calls.h"
#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/runtime/loaded_library.h"
#include "hsa-plugin/trace/calls.h"

enum {
	DEPTH = 8,	   /* nesting depth of calls that HIP makes of its own functions */
	THREADS = 512,	   /* maximum number of threads in calls of HIP */
	DATA_BYTES = 1024, /* HIP 5.2 writes up to 832 */
	IDS_MAX = 1000,
};

typedef int register_callback(uint32_t id, void *function, void *argument);
typedef const char *api_name(uint32_t id);

struct hip_thread {
	atomic_bool used;
	unsigned depth;
	struct probe_call calls[DEPTH];
	_Alignas(16) uint8_t data[DEPTH][DATA_BYTES];
};

static struct hip_thread threads[THREADS];
static __thread struct hip_thread *mine __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static bool key_made;

static void leave(void *thread)
{
	atomic_store(&((struct hip_thread *)thread)->used, false);
}

static struct hip_thread *my_thread(void)
{
	for (unsigned i = 0; !mine && i < THREADS; i++) {
		bool expected = false;

		if (!atomic_compare_exchange_strong(&threads[i].used, &expected, true))
			continue;
		threads[i].depth = 0;
		mine = &threads[i];
		pthread_setspecific(key, mine);
	}
	return mine;
}

static void *begin_call(void)
{
	struct hip_thread *thread = probe_tool_recording() ? my_thread() : NULL;
	unsigned depth;

	if (!thread || thread->depth == DEPTH || !probe_call_begin(&thread->calls[thread->depth]))
		return NULL;
	depth = thread->depth++;
	memset(thread->data[depth], 0, 16); /* correlation and phase */
	return thread->data[depth];
}

static void end_call(uint32_t id)
{
	if (mine && mine->depth)
		probe_call_end(&mine->calls[--mine->depth], PROBE_HIP_FUNCTIONS + id);
}

/* If it returns NULL at the beginning, HIP does not call it at the end. */
static void *on_call(uint32_t id, void *record, const void *data, void *argument)
{
	void *ret = NULL;
	int saved = errno;

	(void)record;
	(void)data;
	if (argument)
		end_call(id);
	else
		ret = begin_call();
	errno = saved;
	return ret;
}

/* Announces the functions, and registers the callback for each if there is one to add. */
static void announce(api_name *name_of, register_callback *add)
{
	for (uint32_t id = 1; id < IDS_MAX; id++) {
		const char *name = name_of(id);
		bool compiler = name && !strncmp(name, "__hip", 5);

		/* Numbers without a name belong to functions that were removed. */
		if (!name || !strcmp(name, "unknown"))
			continue;
		probe_function_put(PROBE_HIP_FUNCTIONS + id,
				   compiler ? PROBE_DOMAIN_HIP_COMPILER : PROBE_DOMAIN_HIP, name);
		/* HIP rejects numbers beyond the last one. */
		if (add && add(id, (void *)on_call, threads))
			break;
	}
}

/* NULL if all calls will be recorded; otherwise the reason why not. */
static const char *install_activity(api_name *name_of)
{
	register_callback *add;

	add = (register_callback *)probe_loaded_function("libamdhip64.so",
							 "hipRegisterActivityCallback");
	if (!key_made)
		key_made = !pthread_key_create(&key, leave);
	if (!name_of || !add || !key_made)
		return "calls of HIP are not recorded: this release of HIP has neither "
		       "hipRegisterActivityCallback (4.2 to 5.3.1) nor hipRegisterTracerCallback "
		       "(later); use --hsa-trace";
	/* HIP 5.2 waits for itself there once any tool has registered callbacks. */
	if (probe_loaded_import("libamdhip64.so", "hipStreamAddCallback"))
		return "calls of HIP are not recorded: the program uses hipStreamAddCallback, "
		       "which hangs in HIP 4.2 to 5.2 when a tool traces HIP; use --hsa-trace";
	announce(name_of, add);
	return NULL;
}

static const char *install_tracer(api_name *name_of)
{
	announce(name_of, NULL);
	return probe_hip_tracer_register();
}

void probe_hip_calls_install(void)
{
	static bool installed;
	const char *problem;
	api_name *name_of;

	if (!(probe_tool.config.traced & PROBE_TRACED_HIP) || installed)
		return;
	if (!probe_loaded_function("libamdhip64.so", "hipInit"))
		return;
	name_of = (api_name *)probe_loaded_function("libamdhip64.so", "hipApiName");
	if (name_of && probe_hip_tracer_offered())
		problem = install_tracer(name_of);
	else
		problem = install_activity(name_of);
	if (problem)
		probe_tool_warn(problem);
	installed = !problem;
}
