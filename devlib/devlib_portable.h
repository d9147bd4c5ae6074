/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind for waves of DEV_PORTABLE lanes of any target: every execution is measured in
 * C, one call per unit, without asm of one target's and without registers kept from the compiler.
 * Included once per width, by devlib_portable32.c and devlib_portable64.c.
 */
#include "devlib_unit.h"
#include "devlib_wave.h"

#define NAME_OF(what, lanes) __probe_dev_portable_##what##lanes
#define NAME_AT(what, lanes) NAME_OF(what, lanes)
#define NAME(what)	     NAME_AT(what, DEV_PORTABLE)

/*
 * HW_ID1, hardware register 23 of gfx10 and gfx11: wave 4:0, SIMD 9:8, WGP 13:10, shader array 16,
 * engine 18 and up. Which replica a wave adds to changes no sum, so no more than a spread is
 * needed.
 */
DEV_INLINE uint32_t rdna_place(void)
{
	uint32_t id = __builtin_amdgcn_s_getreg(23 | 0 << 6 | 31 << 11);

	return (id & 7) | (id >> 8 & 3) << 3 | (id >> 10 & 0xf) << 5 | (id >> 18 & 7) << 9 |
	       (id >> 16 & 1) << 12;
}

/* As __probe_dev_memory_enter. `rdna` is constant. */
DEV_ENTRY uint64_t NAME(enter)(const struct probe_ctx DEV_CONSTANT *ctx, uint32_t rdna)
{
	uint32_t place = rdna ? rdna_place() : dev_place(dev_hw_id());
	uint32_t replica = place & ctx->replica_mask;
	int64_t row = (int64_t)((uint64_t)replica * ctx->site_count) - (int64_t)ctx->site_first;

	return dev_uniform64(ctx->counters + (uint64_t)(row * PROBE_COUNTERS * 8));
}

/* As __probe_dev_memory_any. */
DEV_SHARED void NAME(any)(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	count_unit(counters, address, offset, shape);
}
