/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind: exact counters per site, made on the device (wire.h section 3).
 *
 * The wave's own word is the address of its replica of the counter table, less the first site's
 * offset, so that site s has its 16 counters at word + s * 128.
 */
#include "devlib_affine.h"
#include "devlib_full.h"
#include "devlib_lean.h"
#include "devlib_lds.h"
#include "devlib_lines.h"
#include "devlib_replica.h"
#include "devlib_wave.h"

/*
 * The sums of one execution, four to a word: counter i in bits 16 * (i mod 4) of word i / 4. All
 * fit 16 bits: 255 units of 64 lanes.
 */
struct dev_sums {
	uint64_t word[3];
	uint32_t way;
};

DEV_INLINE uint64_t pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return dev_join(a | b << 16, c | d << 16);
}

DEV_ENTRY uint64_t __probe_dev_memory_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	return replica_of(ctx);
}

DEV_ENTRY uint64_t __probe_dev_uniform(uint64_t value)
{
	return dev_uniform64(value);
}

DEV_INLINE void add_lines(struct dev_sums *sums, uint64_t address, uint32_t shape, uint64_t mask)
{
	struct dev_lines lines = dev_lines(address, shape, mask);
	uint32_t bytes = dev_count(mask) * (shape & 0xff);
	uint32_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;
	uint32_t excess64 = lines.used64 > needed64 ? lines.used64 - needed64 : 0;
	uint32_t excess128 = lines.used128 > needed128 ? lines.used128 - needed128 : 0;

	sums->word[0] += pack(0, 0, lines.quads, lines.used64);
	sums->word[1] += pack(needed64, excess64, lines.used128, needed128);
	sums->word[2] += excess128;
}

DEV_INLINE void add_passes(struct dev_sums *sums, uint32_t address, uint32_t shape, uint64_t mask,
			   const struct dev_affine *affine)
{
	struct dev_passes passes = dev_passes(address, shape, mask, affine);

	sums->word[2] += pack(0, passes.passes, passes.ideal, 0);
	sums->way = passes.way > sums->way ? passes.way : sums->way;
}

/*
 * Active lane r adds counter r, then r + lanes, and so on: one atomic instruction for a wave with
 * 12 lanes or more.
 */
DEV_INLINE void commit_sums(uint64_t counters, const struct dev_sums *sums, uint64_t exec)
{
	for (uint32_t i = dev_rank(exec); i < PROBE_C_ADDED; i += dev_count(exec)) {
		uint64_t four = sums->word[0];

		four = i < 4 ? four : i < 8 ? sums->word[1] : sums->word[2];
		uint64_t DEV_GLOBAL *word = (uint64_t DEV_GLOBAL *)(counters + i * 8);

		__atomic_fetch_add(word, four >> (i & 3) * 16 & 0xffff, __ATOMIC_RELAXED);
	}
}

/* clang has no builtin for an unsigned 64-bit maximum before 16. */
DEV_INLINE void atomic_max(uint64_t counters, uint32_t index, uint64_t value)
{
	uint64_t DEV_GLOBAL *word = (uint64_t DEV_GLOBAL *)(counters + index * 8);

	__asm__ volatile("global_atomic_umax_x2 %0, %1, off" : : "v"(word), "v"(value) : "memory");
}

DEV_INLINE void commit_maxima(uint64_t counters, const struct dev_sums *sums, uint64_t exec,
			      const struct dev_affine *affine)
{
	uint32_t lanes = dev_count(exec);
	int64_t stride = affine->stride;
	bool strided = affine->is && lanes > 1;

	if (!strided && !sums->way)
		return;
	for (uint32_t i = dev_rank(exec); i < 3; i += lanes) {
		uint64_t value = PROBE_STRIDE_BIAS + (uint64_t)(i == 1 ? stride : -stride);

		value = i == 0 ? sums->way : strided ? value : 0;
		atomic_max(counters, PROBE_C_MAX_WAY + i, value);
	}
}

/*
 * Any EXEC, any addresses: the way of the executions that devlib_full.h does not take, one unit of
 * an access at a time. `offset` is that of the unit: the first also counts what the access has
 * once. Lines and passes of a flat access are two calls, SHAPE_LDS the second: each counts the
 * lanes of its apertures, and scratch lanes count as lanes and no more.
 *
 * The pass makes one copy per shape, for lean probes and for code that is not optimised. The
 * order of the parts, and what stays in vector registers, keeps it within the scalar registers that
 * devlib_lean.h grants.
 */
DEV_INLINE void count_unit(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	uint64_t exec = dev_exec(), mask = exec;
	bool once = !dev_uniform32(offset), lds = shape & SHAPE_LDS;
	struct dev_sums sums = {0};
	struct dev_affine affine;

	if (shape & SHAPE_FLAT) {
		const DEV_FLAT void *pointer = (const DEV_FLAT void *)address;

		if (lds)
			mask = dev_ballot(__builtin_amdgcn_is_shared(pointer));
		else
			mask = dev_ballot(!__builtin_amdgcn_is_shared(pointer) &&
					  !__builtin_amdgcn_is_private(pointer));
		once = once && !lds;
	}
	if (!lds && mask)
		add_lines(&sums, address + offset, shape, mask);
	affine = dev_affine64(address, exec);
	if (lds && mask)
		add_passes(&sums, (uint32_t)(address + offset), shape, mask, &affine);
	affine.is = affine.is && once;
	if (once) {
		sums.word[0] += pack(1, dev_count(exec), 0, 0);
		sums.word[2] += pack(0, 0, 0, affine.is);
	}
	commit_sums(counters, &sums, exec);
	commit_maxima(counters, &sums, exec, &affine);
}

DEV_SHARED void __probe_dev_memory_any(uint64_t counters, uint64_t address, uint32_t offset,
				       uint32_t shape)
{
	count_unit(counters, address, offset, shape);
}

/* The same for a wave that has not looked for its replica: it seldom needs one. */
DEV_SHARED void __probe_dev_memory_site(uint64_t ctx, uint64_t address, uint32_t offset,
					uint32_t site, uint32_t shape)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	count_unit(replica + (uint64_t)dev_uniform32(site) * (PROBE_COUNTERS * 8), address, offset,
		   shape);
}

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

DEV_INLINE uint64_t site_counters(uint64_t wave, uint32_t site)
{
	return wave + (uint64_t)site * (PROBE_COUNTERS * 8);
}

/*
 * The lean probes; `any` is the shared function's copy for this shape, `more` that for the LDS
 * lanes of a flat access.
 */
DEV_ENTRY void __probe_dev_memory_global_lean(const struct probe_ctx DEV_CONSTANT *ctx,
					      uint64_t wave, uint32_t site, uint64_t address,
					      uint32_t shape, void *any, void *more)
{
	(void)ctx;
	dev_lean_lines(site_counters(wave, site), address, shape, any, more, 0);
}

DEV_ENTRY void __probe_dev_memory_lds_lean(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					   uint32_t site, uint32_t address, uint32_t shape,
					   void *any, void *more)
{
	(void)ctx;
	(void)more;
	dev_lean_passes(site_counters(wave, site), address, shape, any);
}

DEV_ENTRY void __probe_dev_memory_flat_lean(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					    uint32_t site, uint64_t address, uint32_t shape,
					    void *any, void *more)
{
	(void)ctx;
	dev_lean_flat(site_counters(wave, site), address, shape, any, more);
}
