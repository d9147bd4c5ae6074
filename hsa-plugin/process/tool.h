/* SPDX-License-Identifier: MIT */
/*
 * The library's state: one per process, accessible from every thread of the application.
 *
 * In-process rules for all files here (docs/architecture.md): no output, no exit, no abort, no
 * signal handler; errno is preserved; a dispatch allocates nothing and waits for nothing. If
 * something cannot be done, it is counted, and the application's own kernel runs uninstrumented.
 */
#ifndef PROBE_HSA_PLUGIN_PROCESS_TOOL_H
#define PROBE_HSA_PLUGIN_PROCESS_TOOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "hsa-plugin/runtime/api_table.h"
#include "hsa-plugin/code/filters.h"
#include "hsa-plugin/runtime/sampler.h"
#include "wire/segment_writer.h"

enum { PROBE_AGENTS_MAX = 64 };

/* How long a record about a queue, an agent or a code object may wait for the segment's reader. */
#define PROBE_LOAD_WAIT_NS 2000000000ull

struct probe_agent {
	hsa_agent_t handle;
	uint32_t index;
	bool gpu;
	uint32_t queue_max; /* packets */
	uint32_t wave_slots;
	uint32_t compute_units;
	char target[64];	      /* gfx90a */
	uint32_t lds_max;	      /* LDS bytes per workgroup */
	hsa_amd_memory_pool_t memory; /* GPU: device memory. CPU: kernarg, fine-grained */
	hsa_region_t region;	      /* CPU: the same as a region, for soft queues */
	/*
	 * Trace rings of this GPU (rings.c): fields of the context that describe them; [1]: large
	 * rings.
	 */
	bool rings_tried;
	uint32_t ring_count, large_count;
	uint64_t ring_unclaimable; /* a ring state that no wave can have */
	struct probe_ctx rings[2];
	/* Counter tables are cleared with copies of these, which this GPU can read; never freed. */
	uint8_t *zeros;
	/* The cooperative queue, shared by all its users (queue_hooks.c). */
	struct probe_queue *cooperative;
	uint32_t cooperative_users;
	/* PC sampling (agent_sampling.c) */
	struct probe_sampler *_Atomic sampler;
	bool sampler_tried, sampler_failed;
};

struct probe_tool {
	atomic_bool active; /* false: every hook only calls the function that it replaced */
	atomic_bool paused; /* by roctxProfilerPause(): calls, copies and dispatches go unrecorded */
	pid_t pid;
	struct probe_hsa hsa;
	hsa_ven_amd_loader_1_01_pfn_t loader;
	struct probe_config config;
	struct probe_sampler_request sampling;
	struct probe_sampler_api sampler_api;
	struct probe_segment segment;
	uint64_t tick_hz; /* of HSA's system clock */
	uint32_t agent_count;
	struct probe_agent agents[PROBE_AGENTS_MAX];
	struct probe_agent
		*host; /* first CPU with a kernarg pool; NULL = no kernel can be swapped */
	_Atomic uint64_t dispatches, completed;
	_Atomic uint64_t unrecorded; /* dispatches while paused */
	_Atomic uint64_t unseen_queues; /* of GPUs, made in ways that are not intercepted */
	_Atomic uint64_t verdicts[PROBE_VERDICTS];
	atomic_bool supervisor_gone;
};

extern struct probe_tool probe_tool;

/* Records a warning, which probe-run shows to its user. */
void probe_tool_warn(const char *text);

static inline bool probe_tool_active(void)
{
	return atomic_load_explicit(&probe_tool.active, memory_order_acquire);
}

static inline bool probe_tool_recording(void)
{
	return probe_tool_active() &&
	       !atomic_load_explicit(&probe_tool.paused, memory_order_relaxed);
}

#endif
