/* SPDX-License-Identifier: MIT */
/* Accounts for what waves wait for. */
#ifndef PROBE_SIMGPU_TIME_WAVE_WAITS_H
#define PROBE_SIMGPU_TIME_WAVE_WAITS_H

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/time/cost_model.h"

/* The first slot of a SIMD at or after a time. */
static inline uint64_t time_slot_at(uint32_t simd, uint64_t when)
{
	return when <= simd ? simd : ((when - simd + SIM_SLOT - 1) & -(uint64_t)SIM_SLOT) + simd;
}

/* at: the instruction that could not issue, or after which the wave waits. */
static inline void time_count_wait(struct time_cu *cu, const struct time_wave *w,
				   const struct sim_timing *at, enum sim_wait why, uint64_t cycles)
{
	/* One counter per reason, in their order. */
	uint64_t *waits = (uint64_t *)((char *)&cu->counters +
				       offsetof(struct sim_time_counters, wait_fetch));
	struct sim_pc_time *pc;

	waits[why] += cycles;
	if (__builtin_expect(!cu->pcs, 1))
		return;
	pc = w->code ? sim_pc_time(w->code, at) : NULL;
	if (pc)
		__atomic_fetch_add(&pc->wait[why], cycles, __ATOMIC_RELAXED);
}

#endif
