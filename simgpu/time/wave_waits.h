/* SPDX-License-Identifier: MIT */
/* Accounts for what waves wait for. */
#ifndef PROBE_SIMGPU_TIME_WAVE_WAITS_H
#define PROBE_SIMGPU_TIME_WAVE_WAITS_H

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/time/cost_model.h"

/* The first slot of a SIMD at or after a time. */
static inline uint64_t time_slot_at(uint32_t simd, uint64_t when)
{
	_Static_assert((int)SIM_SIMDS <= (int)SIM_SLOT, "nothing below is negative");
	return ((when + SIM_SLOT - 1 - simd) & -(uint64_t)SIM_SLOT) + simd;
}

/* One counter per reason, in their order. */
static inline uint64_t *time_wait_counter(struct time_cu *cu, enum sim_wait why)
{
	return (uint64_t *)((char *)&cu->counters +
			    offsetof(struct sim_time_counters, wait_fetch)) +
	       why;
}

/* at: the instruction that could not issue, or after which the wave waits. */
static inline void time_count_wait(struct time_cu *cu, const struct time_wave *w,
				   const struct sim_timing *at, enum sim_wait why, uint64_t cycles)
{
	struct sim_pc_time *pc;

	*time_wait_counter(cu, why) += cycles;
	if (__builtin_expect(!cu->pcs, 1))
		return;
	pc = w->code ? sim_pc_time(w->code, at) : NULL;
	if (pc)
		__atomic_fetch_add(&pc->wait[why], cycles, __ATOMIC_RELAXED);
}

#endif
