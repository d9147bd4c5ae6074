/* SPDX-License-Identifier: MIT */
/* The `memory` kind: how executions of proved accesses are counted (wire.h section 3). */
#include "devlib/counter_replica.h"
#include "devlib/wave_ids.h"

enum cell_state { CELL_OTHERS, CELL_OURS, CELL_CHANGING };

/* In one lane: look at a cell, take it if it is free, and count in it if it is ours. */
DEV_INLINE enum cell_state cell_try(struct probe_bucket_row DEV_GLOBAL *row, uint32_t i,
				    uint64_t exec, uint64_t classes)
{
	uint64_t is_exec = __atomic_load_n(&row->bucket[i].exec, __ATOMIC_RELAXED);

	if (!is_exec && __atomic_compare_exchange_n(&row->bucket[i].exec, &is_exec, exec, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_store_n(&row->bucket[i].classes, classes, __ATOMIC_RELEASE);
	} else {
		uint64_t is_of = __atomic_load_n(&row->bucket[i].classes, __ATOMIC_RELAXED);

		if (is_exec != exec)
			return CELL_OTHERS;
		if (is_of != classes)
			return is_of ? CELL_OTHERS : CELL_CHANGING;
	}
	__atomic_fetch_add(&row->count[i], 1, __ATOMIC_RELAXED);
	return CELL_OURS;
}

/*
 * Count this execution in a row's cell for its EXEC and `classes`; take the first free one if there
 * is none. 0 = all are taken, or one is just being taken for what may be the same.
 */
DEV_SHARED uint32_t __probe_dev_memory_cell(uint64_t row, uint64_t classes)
{
	struct probe_bucket_row DEV_GLOBAL *cells =
		(struct probe_bucket_row DEV_GLOBAL *)dev_uniform64(row);
	uint64_t exec = dev_exec();
	bool speaks = !dev_rank(exec);

	/* The scalar cache may have the row as it was. */
	__asm__ volatile("s_dcache_inv");
	classes = dev_uniform64(classes);
	for (uint32_t i = 0; i < PROBE_ROW_BUCKETS; i++) {
		uint32_t state = CELL_OTHERS;

		if (speaks)
			state = cell_try(cells, i, exec, classes);
		state = dev_uniform32(state);
		if (state != CELL_OTHERS)
			return state == CELL_OURS;
	}
	return 0;
}
