/* SPDX-License-Identifier: MIT */
/* Addresses and costs of LDS instructions, shared by lds_memory.c and lds_atomic.c. */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_LDS_ACCESS_H
#define PROBE_SIMGPU_EXEC_MEMORY_LDS_ACCESS_H

#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/vector_access.h"

#include "simgpu/exec/memory/lds_banks.h"
#include "simgpu/exec/memory/access_cost_cache.h"

/* True if the active lanes' offsets are first + diff. */
static inline bool moved_by(const u32 *offset, const u32 *diff, u32 first, u64 exec)
{
	_Alignas(64) u32 on[64];
	u32 differ = 0;

	if (exec == ~0ull) {
		LANES differ |= (offset[l] - first) ^ diff[l];
		return !differ;
	}
	row_bits(on, exec);
	LANES differ |= ((offset[l] - first) ^ diff[l]) & -on[l];
	return !differ;
}

/* An access of `bytes` at vaddr + extra; number is 1 for the second access of an instruction. */
struct lds_access {
	u32 extra;
	unsigned int bytes;
	enum lds_kind kind;
	unsigned int number;
};

/* The cost of an access, from the cache if the lanes have the same pattern as last time. */
static inline void lds_count(struct sim_wave *w, const struct sim_inst *ip, const u32 *offset,
			     struct lds_access access)
{
	u32 first = offset[__builtin_ctzll(w->exec)];
	struct sim_counters *counters = w->group->counters;
	_Alignas(64) u32 diff[64], masked[64] = {0};
	uintptr_t key = (uintptr_t)ip + access.number;
	struct sim_memo *memo = w->memo ? memo_slot(w->memo, ip->memo + access.number, 0) : NULL;
	const u32 *row = diff;
	struct lds_cost cost;

	/* Banks are cyclic: moving all lanes by whole dwords does not change the cost. */
	if (memo && memo->key == key && memo->exec == w->exec && memo->base == first % 4 &&
	    moved_by(offset, memo->diff, first, w->exec)) {
		counters->lds_passes += memo->cost[0];
		counters->lds_conflicts += memo->cost[1];
		sim_trace_lds(w, (access.bytes + 3) / 4, memo->cost[0], memo->cost[1],
			      access.kind != LDS_READ);
		return;
	}
	cost = lds_bank_cost(offset, w->exec, access.bytes, access.kind);
	counters->lds_passes += cost.passes;
	counters->lds_conflicts += cost.conflicts;
	sim_trace_lds(w, (access.bytes + 3) / 4, cost.passes, cost.conflicts,
		      access.kind != LDS_READ);
	if (!memo)
		return;
	LANES diff[l] = offset[l] - first;
	if (w->exec != ~0ull) {
		row_merge(masked, diff, w->exec, 1);
		row = masked;
	}
	memcpy(memo->diff, row, sizeof(memo->diff));
	memo->exec = w->exec;
	memo->key = key;
	memo->base = first % 4;
	memo->cost[0] = cost.passes;
	memo->cost[1] = cost.conflicts;
}

/*
 * Offsets of an access by the active lanes, counted and checked against the workgroup's LDS. The
 * sum is 32 bits wide and wraps: compilers address an array with a negative vaddr. False if the
 * wave was stopped with a fault. exec must not be 0.
 */
static inline bool lds_prepare(struct sim_wave *w, const struct sim_inst *ip, u32 *offset,
			       struct lds_access access)
{
	const u32 *row = w->vgpr[ip->vsrc[0]];
	u32 max = 0;

	LANES offset[l] = row[l] + access.extra;
	if (w->exec == ~0ull) {
		for (unsigned int l = 0; l < 64; l++)
			max = offset[l] > max ? offset[l] : max;
	} else {
		EACH_LANE(l, w->exec)
		max = offset[l] > max ? offset[l] : max;
	}
	if ((u64)max + access.bytes > w->group->lds_size) {
		EACH_LANE(l, w->exec)
		{
			if ((u64)offset[l] + access.bytes <= w->group->lds_size)
				continue;
			sim_fault(w, ip, SIM_FAULT_LDS, offset[l], access.bytes, (int)l);
			return false;
		}
	}
	lds_count(w, ip, offset, access);
	return true;
}

#endif
