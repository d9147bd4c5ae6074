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

/* Odd, so that it is no free cell's. That two pairs share one is as likely as 1 in 2^63. */
DEV_INLINE uint64_t cell_key(uint64_t exec, uint32_t classes)
{
	uint64_t key = exec * 0x9e3779b97f4a7c15ull + classes;

	key ^= key >> 29;
	key *= 0xbf58476d1ce4e5b9ull;
	key ^= key >> 32;
	return key | 1;
}

DEV_INLINE uint64_t cell_find(uint64_t DEV_GLOBAL *cell, uint64_t key)
{
	uint64_t old = __atomic_load_n(cell, __ATOMIC_RELAXED);

	if (!old)
		__atomic_compare_exchange_n(cell, &old, key, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return old;
}

/*
 * Count this execution in a cell for its EXEC and `classes`, the rows of cells `offset` bytes into
 * the table; 0 = they are all taken by others. What a cell is of is stored by one lane of the wave
 * that took it, and read when the kernel has ended.
 */
DEV_SHARED uint32_t __probe_dev_memory_cell(uint64_t ctx_bits, uint32_t offset, uint32_t classes)
{
	const struct probe_ctx DEV_CONSTANT *ctx =
		(const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx_bits);
	uint64_t exec = dev_exec(), rows, key;
	bool speaks = !dev_rank(exec);

	rows = ctx->counters - (uint64_t)ctx->site_first * (PROBE_COUNTERS * 8) +
	       dev_uniform32(offset);
	classes = dev_uniform32(classes);
	key = cell_key(exec, classes);
	/* A few steps from where the key says: a search of a full table must not cost much. */
	for (uint32_t step = 0; step < 4; step++) {
		uint32_t i = ((uint32_t)(key >> 40) + step) % (PROBE_CELL_ROWS * PROBE_ROW_CELLS);
		uint64_t DEV_GLOBAL *cell =
			(uint64_t DEV_GLOBAL *)(rows + i / PROBE_ROW_CELLS * (PROBE_COUNTERS * 8) +
						i % PROBE_ROW_CELLS *
							sizeof(struct probe_exec_cell));
		uint64_t old = 0;

		if (speaks) {
			old = cell_find(cell, key);
			if (!old) {
				cell[1] = exec;
				cell[2] = classes;
			}
			if (!old || old == key)
				__atomic_fetch_add(cell + 3, 1, __ATOMIC_RELAXED);
		}
		old = dev_uniform64(old);
		if (!old || old == key)
			return 1;
	}
	return 0;
}

/* Each active lane adds its amount, if it has one. */
DEV_SHARED void __probe_dev_memory_sum(uint64_t ctx, uint32_t offset, uint32_t amount)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	if (amount)
		__atomic_fetch_add((uint64_t DEV_GLOBAL *)(replica + offset), amount,
				   __ATOMIC_RELAXED);
}
