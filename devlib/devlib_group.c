/* SPDX-License-Identifier: MIT */
/* The `memory` kind: how executions of proved accesses are counted (wire.h section 3). */
#include "devlib_replica.h"
#include "devlib_wave.h"

/* Each active lane adds 1 to the word of the counter table at its offset. */
DEV_SHARED void __probe_dev_memory_add(uint64_t ctx, uint32_t offset)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	__atomic_fetch_add((uint64_t DEV_GLOBAL *)(replica + offset), 1, __ATOMIC_RELAXED);
}

struct cell_answer {
	uint32_t found;
	uint32_t exec_low, exec_high; /* the caller's, which the call may have overwritten */
};

/*
 * Look for the cell of `exec` and `classes`, count an execution in it, and take one that is free if
 * there is none. Called with all lanes active, each with the offset of a cell of its own. No two
 * cells are of the same: the lowest free one is taken, and only after all below it were seen to be
 * of others. Not found: all are taken, or one is just being taken for what may be the same.
 */
DEV_SHARED struct cell_answer __probe_dev_memory_cell(uint64_t rows, uint32_t offset,
						      uint32_t exec_low, uint32_t exec_high,
						      uint32_t classes_low, uint32_t classes_high)
{
	uint64_t DEV_GLOBAL *cell = (uint64_t DEV_GLOBAL *)(dev_uniform64(rows) + (uint64_t)offset);
	uint64_t exec = dev_uniform64(dev_join(exec_low, exec_high));
	uint64_t classes = dev_uniform64(dev_join(classes_low, classes_high));
	struct cell_answer answer = {0, (uint32_t)exec, (uint32_t)(exec >> 32)};
	uint64_t is_of, is_exec, taken = 0;

	do {
		uint64_t one;

		is_of = __atomic_load_n(cell + 1, __ATOMIC_RELAXED);
		is_exec = __atomic_load_n(cell, __ATOMIC_RELAXED);
		one = dev_ballot(is_of == classes && is_exec == exec);
		if (!one) {
			uint64_t free = dev_ballot(!is_of);

			if (!free || dev_ballot(is_of == classes && !is_exec))
				return answer;
			one = free & -free;
			if (one >> dev_lane() & 1 &&
			    __atomic_compare_exchange_n(cell + 1, &is_of, classes, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
				__atomic_store_n(cell, exec, __ATOMIC_RELEASE);
			else
				one = 0;
		}
		if (one >> dev_lane() & 1)
			__atomic_fetch_add(cell + 2, 1, __ATOMIC_RELAXED);
		taken = dev_ballot(one >> dev_lane() & 1);
	} while (!taken);
	answer.found = 1;
	return answer;
}

/* Each active lane adds its amount, if it has one. */
DEV_SHARED void __probe_dev_memory_sum(uint64_t ctx, uint32_t offset, uint32_t amount)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	if (amount)
		__atomic_fetch_add((uint64_t DEV_GLOBAL *)(replica + offset), amount,
				   __ATOMIC_RELAXED);
}
