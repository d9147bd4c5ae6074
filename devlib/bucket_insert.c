/* SPDX-License-Identifier: MIT */
/* The `memory` kind: the execution-mask histogram of proved accesses (wire_device.h section 3). */
#include "devlib/counter_replica.h"
#include "devlib/wave_ids.h"

enum bucket_match { BUCKET_OTHER, BUCKET_COUNTED, BUCKET_PENDING };

/*
 * In one lane: claim a bucket if it is free, and count the execution if the bucket is for its EXEC
 * and residues. PENDING: another wave has claimed it, perhaps for the same, and not yet written it.
 */
DEV_INLINE enum bucket_match try_bucket(struct probe_bucket_row DEV_GLOBAL *row, uint32_t i,
					uint64_t exec, uint64_t residues)
{
	uint64_t old_exec = __atomic_load_n(&row->bucket[i].exec, __ATOMIC_RELAXED);

	if (!old_exec && __atomic_compare_exchange_n(&row->bucket[i].exec, &old_exec, exec, false,
						     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_store_n(&row->bucket[i].residues, residues, __ATOMIC_RELEASE);
	} else {
		uint64_t old_residues = __atomic_load_n(&row->bucket[i].residues, __ATOMIC_RELAXED);

		if (old_exec != exec)
			return BUCKET_OTHER;
		if (old_residues != residues)
			return old_residues ? BUCKET_OTHER : BUCKET_PENDING;
	}
	__atomic_fetch_add(&row->count[i], 1, __ATOMIC_RELAXED);
	return BUCKET_COUNTED;
}

/*
 * Count this execution in the row's bucket for its EXEC and `residues`; claim the first free bucket
 * if there is none. 0 = not counted: all buckets are taken, or a matching one may be pending.
 */
DEV_SHARED uint32_t __probe_dev_memory_bucket(uint64_t row, uint64_t residues)
{
	struct probe_bucket_row DEV_GLOBAL *buckets =
		(struct probe_bucket_row DEV_GLOBAL *)dev_uniform64(row);
	uint64_t exec = dev_exec();
	bool leader = !dev_rank(exec);

	/* The scalar cache may hold a stale copy of the row. */
	__asm__ volatile("s_dcache_inv");
	residues = dev_uniform64(residues);
	for (uint32_t i = 0; i < PROBE_ROW_BUCKETS; i++) {
		uint32_t match = BUCKET_OTHER;

		if (leader)
			match = try_bucket(buckets, i, exec, residues);
		match = dev_uniform32(match);
		if (match != BUCKET_OTHER)
			return match == BUCKET_COUNTED;
	}
	return 0;
}
