/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind: exact counters per site, made on the device (wire.h section 3).
 *
 * The wave's own word is the address of its replica of the counter table, less the first site's
 * offset, so that site s has its 16 counters at word + s * 128.
 */
#include "devlib_affine.h"
#include "devlib_full.h"
#include "devlib_lds.h"
#include "devlib_lines.h"
#include "devlib_wave.h"

struct dev_sums {
	uint32_t quads, lines64, needed64, excess64, lines128, needed128, excess128;
	uint32_t passes, ideal, way;
};

DEV_ENTRY uint64_t __probe_dev_memory_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t replica = dev_place(dev_hw_id()) & ctx->replica_mask;
	int64_t row = (int64_t)((uint64_t)replica * ctx->site_count) - (int64_t)ctx->site_first;

	return ctx->counters + (uint64_t)(row * PROBE_COUNTERS * 8);
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

	sums->quads += lines.quads;
	sums->lines64 += lines.used64;
	sums->needed64 += needed64;
	sums->excess64 += lines.used64 > needed64 ? lines.used64 - needed64 : 0;
	sums->lines128 += lines.used128;
	sums->needed128 += needed128;
	sums->excess128 += lines.used128 > needed128 ? lines.used128 - needed128 : 0;
}

DEV_INLINE void add_passes(struct dev_sums *sums, uint32_t address, uint32_t shape, uint64_t mask,
			   const struct dev_affine *affine)
{
	struct dev_passes passes = dev_passes(address, shape, mask, affine);

	sums->passes += passes.passes;
	sums->ideal += passes.ideal;
	sums->way = passes.way > sums->way ? passes.way : sums->way;
}

DEV_INLINE uint64_t pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return (uint64_t)(c | d << 16) << 32 | (a | b << 16);
}

/*
 * Active lane r adds counter r, then r + lanes, and so on: one atomic instruction for a wave with
 * 12 lanes or more. All values of one execution fit 16 bits: 255 units of 64 lanes.
 */
DEV_INLINE void commit_sums(uint64_t counters, const struct dev_sums *sums, uint64_t exec,
			    bool affine)
{
	uint32_t lanes = dev_count(exec);
	uint64_t low = pack(1, lanes, sums->quads, sums->lines64);
	uint64_t middle = pack(sums->needed64, sums->excess64, sums->lines128, sums->needed128);
	uint64_t high = pack(sums->excess128, sums->passes, sums->ideal, affine);

	for (uint32_t i = dev_rank(exec); i < PROBE_C_ADDED; i += lanes) {
		uint64_t four = i < 4 ? low : i < 8 ? middle : high;
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

DEV_INLINE uint64_t site_counters(uint64_t wave, uint32_t site)
{
	return wave + (uint64_t)site * (PROBE_COUNTERS * 8);
}

DEV_INLINE void commit(uint64_t wave, uint32_t site, const struct dev_sums *sums, uint64_t exec,
		       const struct dev_affine *affine)
{
	uint64_t counters = site_counters(wave, site);

	commit_sums(counters, sums, exec, affine->is);
	commit_maxima(counters, sums, exec, affine);
}

DEV_ENTRY void __probe_dev_memory_global(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					 uint32_t site, uint64_t address, uint32_t shape)
{
	uint64_t exec = dev_exec();

	(void)ctx;
	if (exec == ~0ull && dev_full_lines(site_counters(wave, site), address, shape))
		return;
	struct dev_affine affine = dev_affine64(address, exec);
	struct dev_sums sums = {0};

	if ((shape >> 8 & 0xff) == 1)
		add_lines(&sums, address, shape, exec);
	else
		for (uint32_t k = 0; k < (shape >> 8 & 0xff); k++)
			add_lines(&sums, address + k * (shape & 0xff), shape, exec);
	commit(wave, site, &sums, exec, &affine);
}

DEV_ENTRY void __probe_dev_memory_lds(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
				      uint32_t site, uint32_t address, uint32_t shape)
{
	uint64_t exec = dev_exec();

	(void)ctx;
	if (exec == ~0ull && dev_full_passes(site_counters(wave, site), address, shape))
		return;
	struct dev_affine affine = dev_affine32(address, exec);
	struct dev_sums sums = {0};

	if ((shape >> 8 & 0xff) == 1)
		add_passes(&sums, address, shape, exec, &affine);
	else
		for (uint32_t k = 0; k < (shape >> 8 & 0xff); k++)
			add_passes(&sums, address + k * (shape & 0xff), shape, exec, &affine);
	commit(wave, site, &sums, exec, &affine);
}

/* Each lane goes by its own aperture; scratch lanes count as lanes and no more. */
DEV_ENTRY void __probe_dev_memory_flat(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
				       uint32_t site, uint64_t address, uint32_t shape)
{
	uint64_t exec = dev_exec();

	(void)ctx;
	if (exec == ~0ull && dev_full_flat(site_counters(wave, site), address, shape))
		return;

	const DEV_FLAT void *pointer = (const DEV_FLAT void *)address;
	uint64_t lds = dev_ballot(__builtin_amdgcn_is_shared(pointer));
	uint64_t global = exec & ~lds & ~dev_ballot(__builtin_amdgcn_is_private(pointer));
	struct dev_affine affine = dev_affine64(address, exec);
	struct dev_sums sums = {0};

	for (uint32_t k = 0; k < (shape >> 8 & 0xff); k++) {
		uint64_t at = address + k * (shape & 0xff);

		if (global)
			add_lines(&sums, at, shape, global);
		if (lds)
			add_passes(&sums, (uint32_t)at, shape, lds, &affine);
	}
	commit(wave, site, &sums, exec, &affine);
}
