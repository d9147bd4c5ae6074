/* SPDX-License-Identifier: MIT */
/*
 * The library's state: one per process, reached from every thread of the application.
 *
 * Rules of the house for all files here (docs/architecture.md): nothing prints, exits or aborts;
 * errno is kept; a dispatch allocates nothing and waits for nothing; what cannot be done is counted
 * and the application's own kernel runs as it is.
 */
#ifndef PROBE_HSA_TOOL_H
#define PROBE_HSA_TOOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "hsa-plugin/api_table.h"
#include "wire/segment_writer.h"
#include "hsa-plugin/filters.h"
#include "hsa-plugin/sampler.h"

enum { PROBE_AGENTS_MAX = 64 };

/* Waits for the reader of the segment where waiting is allowed at all (code objects). */
#define PROBE_LOAD_WAIT_NS 2000000000ull

struct probe_agent {
	hsa_agent_t handle;
	uint32_t index;
	bool gpu;
	uint32_t queue_max; /* packets */
	uint32_t wave_slots;
	uint32_t compute_units;
	char target[64]; /* gfx90a */
	uint32_t lds_max;	      /* bytes of a workgroup */
	hsa_amd_memory_pool_t memory; /* GPU: device memory. CPU: kernarg, fine-grained */
	hsa_region_t region;	      /* CPU: the same as a region, for soft queues */
	/* trace rings of this GPU (rings.c): what contexts say of them, of large ones in [1] */
	bool rings_tried;
	uint32_t ring_count, large_count;
	uint64_t ring_nobody; /* a state that no wave can have */
	struct probe_ctx rings[2];
	/* the cooperative queue, which all who ask for one share (queues.c) */
	struct probe_queue *cooperative;
	uint32_t cooperative_users;
	/* PC sampling (sampling.c) */
	struct probe_sampler *_Atomic sampler;
	bool sampler_tried, sampler_failed;
};

struct probe_tool {
	atomic_bool active; /* false: every hook only calls what it replaced */
	pid_t pid;
	struct probe_hsa hsa;
	hsa_ven_amd_loader_1_01_pfn_t loader;
	struct probe_config config;
	struct probe_sampler_want sampling;
	struct probe_sampler_api sampler_api;
	struct probe_segment segment;
	uint64_t tick_hz; /* of HSA's system clock */
	uint32_t agent_count;
	struct probe_agent agents[PROBE_AGENTS_MAX];
	struct probe_agent *host; /* first CPU with a kernarg pool; NULL = nothing can be swapped */
	_Atomic uint64_t dispatches, completed;
	_Atomic uint64_t verdicts[PROBE_VERDICTS];
	atomic_bool supervisor_gone;
};

extern struct probe_tool probe_tool;

static inline bool probe_tool_active(void)
{
	return atomic_load_explicit(&probe_tool.active, memory_order_acquire);
}

/* The one door behind all doors. Never fails: at worst the application runs untouched. */
void probe_tool_install(struct probe_api_root *root);

/* Deliver what has completed, say goodbye. Idempotent; called from exit and from OnUnload. */
void probe_tool_finish(bool last);

#endif
