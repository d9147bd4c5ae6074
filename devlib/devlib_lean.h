/* SPDX-License-Identifier: MIT */
/*
 * Probes without a branch that the compiler can see, for optimised code. Blocks would let the back
 * end's sinking pass carry a kernel's arithmetic past its probes, to where every loaded value is
 * still live: 128 registers instead of 12 in a chain of 128 additions. And one copy of the long way
 * for all sites keeps code and compile time small.
 *
 * So the inline part computes what full waves at one stride need, a scalar `odd` that is 0 for
 * those, and one asm block either commits that or calls the shared function. The call follows the
 * ABI of device functions: arguments in v0 and up, return address in s[30:31], v0-v39 and s4-s29
 * the callee's to use. It has no stack to offer, so the shared functions must not need any, and it
 * names fewer registers than the ABI allows; tests/pass/shared.test checks both.
 *
 * Every "s" operand comes from ballots, v_readlane and scalar arithmetic, without joins of control
 * flow, so it is in scalar registers.
 */
#ifndef PROBE_DEVLIB_LEAN_H
#define PROBE_DEVLIB_LEAN_H

#include "devlib_full.h"

#define LEAN_SCALARS                                                                               \
	"s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",       \
		"s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27",       \
		"s28", "s29", "s30", "s31", "vcc", "scc"

#define LEAN_VECTORS                                                                               \
	"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",    \
		"v14", "v15"

/* v4:v5 = the counters, one per lane; v6 = where they go. */
#define LEAN_BEGIN                                                                                 \
	"s_cmp_eq_u64 %[odd], 0\n\t"                                                               \
	"s_cbranch_scc0 .Lprobe_any%=\n\t"                                                         \
	"v_mov_b32 v4, 0\n\t"                                                                      \
	"v_mbcnt_lo_u32_b32 v6, -1, 0\n\t"                                                         \
	"v_mov_b32 v5, 0\n\t"                                                                      \
	"v_mbcnt_hi_u32_b32 v6, -1, v6\n\t"                                                        \
	"v_writelane_b32 v4, 1, 0\n\t"                                                             \
	"v_lshlrev_b32 v6, 3, v6\n\t"                                                              \
	"v_writelane_b32 v4, 64, 1\n\t"

/*
 * Commit: one add for the sums and one maximum for the maxima, each lane on its own word. Not
 * visible to the back end as memory operations: it counts fewer in flight than there are, which
 * only makes its waits longer, and nothing waits for these. Or go the long way: call `any`, and for
 * flat accesses `more`, once per unit, with the counters in v0:v1, the address in v2:v3 and the
 * unit's offset in v4.
 */
#define LEAN_COMMIT                                                                                \
	"s_mov_b64 exec, 0xfff\n\t"                                                                \
	"global_atomic_add_x2 v6, v[4:5], %[counters]\n\t"                                         \
	"s_mov_b64 exec, 0x7000\n\t"                                                               \
	"global_atomic_umax_x2 v6, v[4:5], %[counters]\n\t"                                        \
	"s_mov_b64 exec, -1\n\t"                                                                   \
	"s_branch .Lprobe_end%=\n"                                                                 \
	".Lprobe_any%=:\n\t"

#define LEAN_ARGUMENTS                                                                             \
	"v_lshlrev_b64 v[0:1], 0, %[counters]\n\t"                                                 \
	"v_mov_b32 v2, %[low]\n\t"                                                                 \
	"v_mov_b32 v3, %[high]\n\t"                                                                \
	"v_mov_b32 v4, %[offset]\n\t"

#define LEAN_CALL(which) LEAN_ARGUMENTS "s_swappc_b64 s[30:31], %[" which "]\n\t"

#define LEAN_END(calls)                                                                            \
	LEAN_COMMIT                                                                                \
	"s_mov_b32 %[offset], 0\n"                                                                 \
	".Lprobe_unit%=:\n\t" calls "s_add_u32 %[offset], %[offset], %[unit]\n\t"                  \
	"s_cmp_lt_u32 %[offset], %[size]\n\t"                                                      \
	"s_cbranch_scc1 .Lprobe_unit%=\n"                                                          \
	".Lprobe_end%=:"

typedef void dev_any(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape);

/*
 * 1 or 0. In asm, because a comparison that is not a ballot may end in vector registers. Not for 64
 * bits: a half that is 0 may be there already, in a vector register.
 */
DEV_INLINE uint32_t dev_lean_nonzero(uint32_t value)
{
	uint32_t truth;

	__asm__("s_cmp_lg_u32 %1, 0\n\ts_cselect_b32 %0, 1, 0"
		: "=s"(truth)
		: "s"(dev_scalar32(value))
		: "scc");
	return truth;
}

/* A stride of -2^31 would need a 33rd bit in STRIDE_LO: the long way has it. Not 0 = it is that. */
DEV_INLINE uint32_t dev_lean_lowest(int32_t stride)
{
	return 1 - dev_lean_nonzero((uint32_t)stride ^ 0x80000000u);
}

/* A stride that does not fall on groups of banks, 0 = it does or stays inside of dwords. */
DEV_INLINE uint32_t dev_lean_misfit(const struct dev_phases *phases, int32_t stride)
{
	uint32_t misfit = (uint32_t)stride & ((1u << phases->shift) - 1);
	int32_t dwords = stride >> 2;

	/* Between -4 and 3 bytes dwords is 0 or -1, which this makes 0. No product overflows. */
	if (phases->shift == 2)
		misfit *= (uint32_t)(dwords ^ dwords >> 31);
	return misfit;
}

/* clang-format off */
#define LEAN_LINES                                                                                 \
	LEAN_BEGIN                                                                                 \
	"v_writelane_b32 v4, %[quads], 2\n\t"                                                      \
	"v_writelane_b32 v4, %[used64], 3\n\t"                                                     \
	"v_writelane_b32 v4, %[needed64], 4\n\t"                                                   \
	"v_writelane_b32 v4, %[excess64], 5\n\t"                                                   \
	"v_writelane_b32 v4, %[used128], 6\n\t"                                                    \
	"v_writelane_b32 v4, %[needed128], 7\n\t"                                                  \
	"v_writelane_b32 v4, %[excess128], 8\n\t"                                                  \
	"v_writelane_b32 v4, 1, 11\n\t"                                                            \
	"v_writelane_b32 v4, %[stride_hi], 13\n\t"                                                 \
	"v_writelane_b32 v4, %[stride_lo], 14\n\t"

#define LEAN_PASSES                                                                                \
	LEAN_BEGIN                                                                                 \
	"v_writelane_b32 v4, %[passes], 9\n\t"                                                     \
	"v_writelane_b32 v4, %[ideal], 10\n\t"                                                     \
	"v_writelane_b32 v4, %[affine], 11\n\t"                                                    \
	"v_writelane_b32 v4, %[way], 12\n\t"                                                       \
	"s_cmp_lg_u32 %[affine], 0\n\t"                                                            \
	"s_cselect_b32 s4, %[stride_hi], 0\n\t"                                                    \
	"s_cselect_b32 s5, %[stride_lo], 0\n\t"                                                    \
	"v_writelane_b32 v4, s4, 13\n\t"                                                           \
	"v_writelane_b32 v4, s5, 14\n\t"
/* clang-format on */

/* Operands that all lean probes have. */
#define LEAN_OPERANDS                                                                              \
	[odd] "s"(dev_scalar64(odd)), [counters] "s"(dev_scalar64(counters)), [any] "s"(any),      \
		[unit] "i"(unit), [size] "i"(unit * units),                                        \
		[stride_hi] "s"(dev_scalar32((uint32_t)PROBE_STRIDE_BIAS + (uint32_t)stride)),     \
		[stride_lo] "s"(dev_scalar32((uint32_t)PROBE_STRIDE_BIAS - (uint32_t)stride))

#define LEAN_LINE_OPERANDS                                                                         \
	LEAN_OPERANDS, [low] "v"((uint32_t)address), [high] "v"((uint32_t)(address >> 32)),        \
		[quads] "s"(dev_scalar32(sum.quads)), [used64] "s"(dev_scalar32(sum.used64)),      \
		[excess64] "s"(dev_scalar32(sum.excess64)),                                        \
		[used128] "s"(dev_scalar32(sum.used128)),                                          \
		[excess128] "s"(dev_scalar32(sum.excess128)), [needed64] "s"(unit * units),        \
		[needed128] "s"((unit + 1) / 2 * units)

DEV_INLINE void dev_lean_lines(uint64_t counters, uint64_t address, uint32_t shape, dev_any *any,
			       dev_any *more, uint64_t odd)
{
	uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff, offset;
	uint64_t below = dev_below64(address), step = address - below;
	int32_t stride = (int32_t)dev_read32((uint32_t)step, 1);
	struct dev_lines_full sum = {0};

	odd |= ~dev_exec() | dev_lean_lowest(stride);
	odd |= dev_ballot(step != (uint64_t)(int64_t)stride) & ~1ull;
	if (shape & SHAPE_UNALIGNED)
		odd |= dev_ballot((address & 63) + unit > 64);
	dev_full_lines_of(&sum, (uint32_t)address, (uint32_t)below, shape);
	if (shape & SHAPE_FLAT)
		__asm__ volatile(LEAN_LINES LEAN_END(LEAN_CALL("any") LEAN_CALL("more"))
				 : [offset] "=&s"(offset)
				 : LEAN_LINE_OPERANDS, [more] "s"(more)
				 : LEAN_SCALARS, LEAN_VECTORS);
	else
		__asm__ volatile(LEAN_LINES LEAN_END(LEAN_CALL("any"))
				 : [offset] "=&s"(offset)
				 : LEAN_LINE_OPERANDS
				 : LEAN_SCALARS, LEAN_VECTORS);
}

DEV_INLINE void dev_lean_passes(uint64_t counters, uint32_t address, uint32_t shape, dev_any *any)
{
	struct dev_phases phases = dev_phases(shape);
	uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff, offset;
	uint32_t step = address - dev_below32(address);
	int32_t stride = (int32_t)dev_read32(step, 1);
	uint64_t breaks = dev_ballot(step != (uint32_t)stride) & ~1ull;
	uint64_t odd = ~dev_exec() | (breaks & ~phases.breaks) | dev_lean_misfit(&phases, stride);
	uint32_t way = dev_stride_way(stride >> phases.shift, phases.bits);
	uint32_t affine = 1 - dev_lean_nonzero((uint32_t)breaks | (uint32_t)(breaks >> 32));

	if (!phases.share)
		odd |= 1 - dev_lean_nonzero((uint32_t)stride);
	__asm__ volatile(LEAN_PASSES LEAN_END(LEAN_CALL("any"))
			 : [offset] "=&s"(offset)
			 : LEAN_OPERANDS, [low] "v"(address), [high] "v"(0),
			   [passes] "s"(dev_scalar32(phases.count * units * way)),
			   [ideal] "s"(phases.count * units), [affine] "s"(dev_scalar32(affine)),
			   [way] "s"(dev_scalar32(way))
			 : LEAN_SCALARS, LEAN_VECTORS);
}

/* Flat: the short way for global memory only. */
DEV_INLINE void dev_lean_flat(uint64_t counters, uint64_t address, uint32_t shape, dev_any *any,
			      dev_any *more)
{
	uint32_t high = (uint32_t)(address >> 32), first = dev_uniform32(high);
	/* SH_MEM_BASES, hardware register 15: high halves of the scratch and LDS apertures. */
	uint32_t bases = __builtin_amdgcn_s_getreg(15 | 0 << 6 | 31 << 11);
	uint32_t scratch = dev_lean_nonzero(first ^ bases << 16);
	uint32_t lds = dev_lean_nonzero(first ^ (bases & 0xffff0000u));
	uint64_t odd = dev_ballot(high != first) | (1 - (scratch & lds));

	dev_lean_lines(counters, address, shape, any, more, odd);
}

#endif
