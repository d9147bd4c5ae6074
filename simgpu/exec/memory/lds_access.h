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

	if (exec == ~0ull)
		return row_moved(offset, first, diff);
	row_bits(on, exec);
	LANES differ |= ((offset[l] - first) ^ diff[l]) & -on[l];
	return !differ;
}

/* An access of `bytes` at vaddr + extra. */
struct lds_access {
	u32 extra;
	unsigned int bytes;
	enum lds_kind kind;
};

static inline struct sim_memo *lds_memo(const struct sim_wave *w, const struct sim_inst *ip)
{
	return w->memo ? memo_slot(w->memo, ip->memo, 0) : NULL;
}

static inline void lds_add(struct sim_wave *w, u32 passes, u32 conflicts, struct lds_access access)
{
	w->group->counters->lds_passes += passes;
	w->group->counters->lds_conflicts += conflicts;
	sim_trace_lds(w, (access.bytes + 3) / 4, passes, conflicts, access.kind != LDS_READ);
}

/* For lds_pattern(). */
static inline void lds_memo_extent(struct sim_memo *memo)
{
	i32 lowest = 0, highest = 0;

	for (unsigned int l = 0; l < 64; l++) {
		i32 diff = (i32)memo->diff[l];

		lowest = diff < lowest ? diff : lowest;
		highest = diff > highest ? diff : highest;
	}
	memo->lowest = lowest;
	memo->highest = highest;
}

/* The cost of an access, from the cache if the lanes have the same pattern as last time. */
static inline void lds_count(struct sim_wave *w, const struct sim_inst *ip, const u32 *offset,
			     struct lds_access access)
{
	u32 first = offset[__builtin_ctzll(w->exec)];
	_Alignas(64) u32 diff[64], masked[64] = {0};
	uintptr_t key = (uintptr_t)ip;
	struct sim_memo *memo = lds_memo(w, ip);
	const u32 *row = diff;
	struct lds_cost cost;

	/* Banks are cyclic: moving all lanes by whole dwords does not change the cost. */
	if (memo && memo->key == key && memo->exec == w->exec && memo->base == first % 4 &&
	    moved_by(offset, memo->diff, first, w->exec)) {
		lds_add(w, memo->cost[0], memo->cost[1], access);
		return;
	}
	cost = lds_bank_cost(offset, w->exec, access.bytes, access.kind);
	lds_add(w, cost.passes, cost.conflicts, access);
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
	lds_memo_extent(memo);
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

/*
 * The fast path: 64 lanes are at the same distances from lane 0 as last time, so it is only left to
 * check and count accesses with lds_within(). NULL: the path does not apply.
 */
static inline const struct sim_memo *lds_pattern(const struct sim_wave *w,
						 const struct sim_inst *ip, u32 extra)
{
	const u32 *row = w->vgpr[ip->vsrc[0]];
	const struct sim_memo *memo = lds_memo(w, ip);

	if (!memo || w->exec != ~0ull || memo->key != (uintptr_t)ip || memo->exec != ~0ull ||
	    memo->base != (row[0] + extra) % 4 || !row_moved(row, row[0], memo->diff))
		return NULL;
	return memo;
}

/* `first`: the offset of lane 0. */
static inline bool lds_within(const struct sim_wave *w, const struct sim_memo *memo, u32 first,
			      unsigned int bytes)
{
	return (i64)first + memo->lowest >= 0 &&
	       (i64)first + memo->highest + bytes <= w->group->lds_size;
}

/*
 * Where the lanes access: offsets from *base, as signed numbers. It does everything that
 * lds_prepare() does. NULL: a fault.
 */
static inline const u32 *lds_lanes(struct sim_wave *w, const struct sim_inst *ip, u32 *buffer,
				   struct lds_access access, u8 **base)
{
	u32 first = w->vgpr[ip->vsrc[0]][0] + access.extra;
	const struct sim_memo *memo = lds_pattern(w, ip, access.extra);

	if (memo && lds_within(w, memo, first, access.bytes)) {
		lds_add(w, memo->cost[0], memo->cost[1], access);
		*base = w->group->lds + first;
		return memo->diff;
	}
	*base = w->group->lds;
	return lds_prepare(w, ip, buffer, access) ? buffer : NULL;
}

/* Two accesses of one instruction, of dwords. */
struct lds_two {
	struct lds_access access[2];
	_Alignas(64) u32 buffer[2][64];
	const u32 *offset[2];
	u8 *base[2];
};

/*
 * The same for both: they differ by whole dwords, so what is known of one pattern holds for both.
 * False: a fault.
 */
static inline bool lds_lanes_of_two(struct sim_wave *w, const struct sim_inst *ip,
				    struct lds_two *two)
{
	const u32 vaddr = w->vgpr[ip->vsrc[0]][0], bytes = two->access[0].bytes;
	const struct sim_memo *memo = lds_pattern(w, ip, 0);
	bool known = memo && lds_within(w, memo, vaddr + two->access[0].extra, bytes) &&
		     lds_within(w, memo, vaddr + two->access[1].extra, bytes);

	for (unsigned int i = 0; i < 2; i++) {
		two->base[i] = w->group->lds;
		two->offset[i] = two->buffer[i];
		if (!known) {
			if (!lds_prepare(w, ip, two->buffer[i], two->access[i]))
				return false;
			continue;
		}
		lds_add(w, memo->cost[0], memo->cost[1], two->access[i]);
		two->base[i] += vaddr + two->access[i].extra;
		two->offset[i] = memo->diff;
	}
	return true;
}

#endif
