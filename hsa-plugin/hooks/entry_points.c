/* SPDX-License-Identifier: MIT */
/*
 * The entry points by which ROCr's generations find a tool, and the start and end of its work.
 *
 *   HSA_TOOLS_LIB                     OnLoad, OnUnload        ROCr 5.2 and later
 *   loaded before, e.g. LD_PRELOAD    HSA_AMD_TOOL_PRIORITY   ROCr 5.3 and later
 *   ROCPROFILER_REGISTER_LIBRARY      rocprofiler_set_api_table, ROCr 6.1 and later
 *
 * rocprofiler_configure is not exported on purpose: rocprofiler-register takes its presence for a
 * tool of rocprofiler-sdk's and ends the process if that library is not installed.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hsa-plugin/queue/agent_sampling.h"
#include "hsa-plugin/process/agents.h"
#include "hsa-plugin/hooks/allocations.h"
#include "hsa-plugin/hooks/code_objects.h"
#include "hsa-plugin/hooks/hip_calls.h"
#include "hsa-plugin/hooks/hsa_calls.h"
#include "hsa-plugin/hooks/markers.h"
#include "hsa-plugin/hooks/memory_copies.h"
#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/hooks/queue_hooks.h"
#include "hsa-plugin/process/supervisor_connection.h"
#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/trace/calls.h"
#include "hsa-plugin/trace/copies.h"

#define EXPORT __attribute__((visibility("default")))

/* How long the end of the process may be delayed without progress. */
#define EXIT_PATIENCE_NS 1000000000ull

EXPORT extern const uint32_t HSA_AMD_TOOL_PRIORITY;
EXPORT bool OnLoad(void *table, uint64_t version, uint64_t failed_count,
		   const char *const *failed_names);
EXPORT void OnUnload(void);
EXPORT int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
				     void **tables, uint64_t count);

/* ROCr loads tools in the order of rising values. */
const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

static void put_exit(void)
{
	struct probe_hr_exit row = {
		.dispatches = atomic_load(&probe_tool.dispatches),
		.completed = atomic_load(&probe_tool.completed),
	};
	struct iovec part = {&row, sizeof(row)};

	for (int i = 0; i < PROBE_VERDICTS; i++)
		row.verdicts[i] = atomic_load(&probe_tool.verdicts[i]);
	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_EXIT, &part, 1, PROBE_LOAD_WAIT_NS);
}

static void put_untraced(void)
{
	uint64_t copies = probe_copies_untraced();
	uint64_t dispatches = atomic_load(&probe_tool.unrecorded);
	uint64_t queues = atomic_load(&probe_tool.unseen_queues);
	char text[192];

	if (queues) {
		snprintf(
			text, sizeof(text),
			"kernels of %" PRIu64 " queues are not recorded: there was no memory or "
			"thread for that, or the program made them in ways that Probe does not know",
			queues);
		probe_tool_warn(text);
	}
	if (copies) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " memory copies are not recorded: too many were in flight",
			 copies);
		probe_tool_warn(text);
	}
	if (dispatches) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " dispatches are not recorded: roctxProfilerPause", dispatches);
		probe_tool_warn(text);
	}
}

/*
 * Waits for dispatches in flight and ends recording. If `last`, it also writes the EXIT record.
 * Idempotent.
 */
static void finish(bool last)
{
	static atomic_bool exit_recorded;

	if (!probe_tool.segment.base || probe_tool.pid != getpid())
		return;
	if (probe_tool_active()) {
		bool drained = probe_collector_drain(NULL, EXIT_PATIENCE_NS);

		probe_sampling_finish();
		atomic_store(&probe_tool.active, false);
		/* A thread may still wait for a signal that only the collector completes. */
		if (drained || !last)
			probe_collector_stop();
	}
	if (last && !atomic_exchange(&exit_recorded, true)) {
		put_untraced();
		put_exit();
	}
}

static void at_exit(void)
{
	finish(true);
}

/*
 * Not every process exit runs the atexit handlers, e.g. after dlclose at exit: this is the second
 * way.
 */
__attribute__((destructor)) static void at_unload(void)
{
	finish(true);
}

/*
 * A forked child shares the segment, but it has no collector thread, and it cannot use the GPU (the
 * driver's file does not survive fork). So it records nothing. A program that it executes is traced
 * as a new process.
 */
static void in_child(void)
{
	atomic_store(&probe_tool.active, false);
	atomic_store(&probe_tool.segment.off, true);
	probe_collector_forget();
	probe_copies_forget();
	probe_sampling_forget();
}

static hsa_status_t hook_shut_down(void)
{
	int saved = errno;

	/* This may be the last hsa_shut_down, after which no call of the runtime is allowed. */
	if (probe_tool_active()) {
		probe_collector_drain(NULL, EXIT_PATIENCE_NS);
		probe_sampling_flush(NULL);
	}
	errno = saved;
	return probe_tool.hsa.shut_down();
}

static void install_hooks(struct probe_api_root *root)
{
	struct probe_hsa_hooks hooks = {
		.shut_down = hook_shut_down,
		.executable_freeze = probe_executable_freeze,
		.executable_destroy = probe_executable_destroy,
	};

	probe_queue_hooks(&hooks);
	probe_allocations_hooks(&hooks);
	probe_memory_copies_hooks(&hooks);
	probe_hsa_install(root, &hooks);
	probe_copies_init();
	/* Around the hooks: what the tool does in them is part of the call. */
	probe_hsa_calls_install(root);
	probe_hip_calls_install();
	probe_markers_install();
}

static void read_runtime(struct probe_tool *tool)
{
	struct probe_hsa *hsa = &tool->hsa;

	hsa->system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &tool->tick_hz);
	memset(&tool->loader, 0, sizeof(tool->loader));
	hsa->system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof(tool->loader),
					      &tool->loader);
	probe_agents_find(tool);
}

static bool first_time(struct probe_api_root *root)
{
	struct probe_tool *tool = &probe_tool;
	uint32_t rings = 0;

	if (!probe_config_read(&tool->config))
		return false;
	probe_sampling_config_read(&tool->sampling);
	if (probe_kind_has_rings(tool->config.kind))
		rings = probe_agents_rings(tool);
	if (probe_supervisor_connect(tool->config.socket, rings, &tool->segment))
		return false;
	tool->pid = getpid();
	pthread_atfork(NULL, NULL, in_child);
	/*
	 * Registered last, it runs before the destructors of ROCr and HIP, which were loaded
	 * earlier.
	 */
	atexit(at_exit);
	probe_supervisor_put_process(&tool->segment, root);
	probe_agents_put(tool);
	return true;
}

/*
 * The runtime's table of functions is not one that Probe knows: nothing is hooked, and the run says
 * why.
 */
static void refuse(const struct probe_api_root *root)
{
	static struct probe_api_table none;
	struct probe_api_root known = {.core = &none, .amd_ext = &none};
	struct probe_tool *tool = &probe_tool;
	char text[256];

	if (!probe_config_read(&tool->config) ||
	    probe_supervisor_connect(tool->config.socket, 0, &tool->segment))
		return;
	tool->pid = getpid();
	pthread_atfork(NULL, NULL, in_child);
	atexit(at_exit);
	if (root)
		known.version = root->version;
	if (root && root->version.minor_id >= sizeof(*root) && root->core && root->amd_ext)
		known = *root;
	probe_supervisor_put_process(&tool->segment, &known);
	snprintf(text, sizeof(text),
		 "nothing is recorded: this HSA runtime's tables of functions (%u bytes, and AMD's "
		 "%u) are not those of ROCr 5.2 or later",
		 known.core->version.minor_id, known.amd_ext->version.minor_id);
	probe_tool_warn(text);
}

/* Never fails: in the worst case the application runs uninstrumented. */
static void install(struct probe_api_root *root)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct probe_tool *tool = &probe_tool;
	struct probe_hsa hsa;
	int saved = errno;

	pthread_mutex_lock(&lock);
	/* One runtime may call two entry points; at the second call the tool is already active. */
	if (probe_tool_active() || tool->segment.off) {
		/* Nothing to do. */
	} else if (probe_hsa_read(root, &hsa)) {
		if (!tool->segment.base)
			refuse(root);
	} else {
		tool->hsa = hsa;
		read_runtime(tool);
		if (tool->segment.base || first_time(root)) {
			install_hooks(root);
			atomic_store(&tool->active, true);
		}
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
}

/* Always true: on false, ROCr 5.2 would close the library and call it nevertheless. */
bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed_names)
{
	(void)version;
	(void)failed_count;
	(void)failed_names;
	install(table);
	return true;
}

void OnUnload(void)
{
	finish(false);
	probe_queue_hooks_forget();
	probe_collector_forget();
	probe_copies_forget();
	probe_sampling_forget();
}

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
			      void **tables, uint64_t count)
{
	(void)lib_version;
	(void)lib_instance;
	if (name && !strcmp(name, "hsa") && tables && count)
		install(tables[0]);
	return 0;
}
