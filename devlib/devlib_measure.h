/* SPDX-License-Identifier: MIT */
/*
 * An access measured the fast way (devlib_fast.h), or else the long one (devlib_unit.h): for code
 * that is not optimised in a function called as any is, for other code as described here.
 *
 * Probes without a branch that the compiler can see. Blocks would let the back end's sinking pass
 * carry a kernel's arithmetic past its probes, to where every loaded value is still live: 128
 * registers instead of 12 in a chain of 128 additions. And one copy of all this per kind of access
 * keeps code and compile time small.
 *
 * So the inline part is a call in an asm block. It has no stack to offer, and it names fewer
 * registers than the ABI of functions allows: v0-v27, s4-s31 and vcc. The shared functions must do
 * with those (tests/pass/shared.test). Other than the ABI has it, the counters come in s[4:5],
 * and other rows that count the same in s6: bit n is the one n rows further, bit 0 is not set. And
 * the call skips the wait that every function begins with: what the compiler waits for, it waits
 * for before the block, as it does for any use of a register.
 *
 * Every "s" operand comes from ballots, v_readlane and scalar arithmetic, without joins of control
 * flow, so it is in scalar registers.
 */
#ifndef PROBE_DEVLIB_MEASURE_H
#define PROBE_DEVLIB_MEASURE_H

#include "devlib_fast_lines.h"
#include "devlib_fast_passes.h"
#include "devlib_unit.h"

/* clang-format off */
#define MEASURE_RETURN                                                                             \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_cmp_lg_u32 s6, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_also%=\n\t"                                                         \
	"s_setpc_b64 s[30:31]\n"                                                                   \
	".Lfast_also%=:\n\t"                                                                       \
	"s_ff1_i32_b32 s24, s6\n\t"                                                                \
	"s_lshr_b32 s6, s6, s24\n\t"                                                               \
	"s_bitset0_b32 s6, 0\n\t"                                                                  \
	"s_lshl_b32 s24, s24, 7\n\t"                                                               \
	"s_add_u32 s4, s4, s24\n\t"                                                                \
	"s_addc_u32 s5, s5, 0\n\t"                                                                 \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one%=\n\t"                                                          \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_each%=\n\t"                                                         \
	"s_branch .Lfast_commit%=\n"                                                               \
	".Lfast_no%=:\n\t"                                                                         \
	"s_mov_b64 %[counters], s[4:5]\n\t"                                                        \
	"s_mov_b32 %[also], s6\n\t"                                                                \
	"s_mov_b32 %[rest], 1"

#define MEASURE_DONE                                                                               \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_mov_b32 %[done], 1\n"                                                                   \
	".Lfast_no%=:"
/* clang-format on */

/*
 * In a function that is called as above, before all else: returns from it if that was all. Else
 * nothing is counted yet, and this returns true, which only keeps what follows behind it.
 */
DEV_INLINE bool measure_fast(uint64_t address, uint32_t shape, uint64_t *ret_counters,
			     uint32_t *ret_also)
{
	uint64_t counters;
	uint32_t also, rest;

	if ((shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS)
		__asm__ volatile(
			PASSES_ALL MEASURE_RETURN
			: [counters] "=&s"(counters), [also] "=&s"(also), [rest] "=&s"(rest)
			: "{v[2:3]}"(address), PASSES_SHAPE(shape)
			: FAST_CLOBBERS);
	else
		__asm__ volatile(
			LINES_ALL MEASURE_RETURN
			: [counters] "=&s"(counters), [also] "=&s"(also), [rest] "=&s"(rest)
			: "{v[2:3]}"(address), LINES_SHAPE(shape)
			: FAST_CLOBBERS);
	*ret_counters = counters;
	*ret_also = also;
	return dev_uniform32(rest);
}

/* Of the first unit alone. */
#define MEASURE_TRY                                                                                \
	"s_mov_b32 %[done], 0\n\t"                                                                 \
	"v_readfirstlane_b32 s8, %[offset]\n\t"                                                    \
	"s_cmp_lg_u32 s8, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_no%=\n\t"

/* The same anywhere. false = nothing is counted yet. */
DEV_INLINE bool measure_try(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	uint32_t done;

	if ((shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS)
		__asm__ volatile(MEASURE_TRY PASSES_ALL MEASURE_DONE
				 : [done] "=&s"(done)
				 : "{s[4:5]}"(dev_scalar64(counters)),
				   "{v[2:3]}"(address), [offset] "v"(offset), PASSES_SHAPE(shape)
				 : FAST_CLOBBERS);
	else
		__asm__ volatile(MEASURE_TRY LINES_ALL MEASURE_DONE
				 : [done] "=&s"(done)
				 : "{s[4:5]}"(dev_scalar64(counters)),
				   "{v[2:3]}"(address), [offset] "v"(offset), LINES_SHAPE(shape)
				 : FAST_CLOBBERS);
	return dev_uniform32(done);
}

/*
 * One unit of an access, in a function called as any is. The LDS lanes of a flat access are those
 * of the first call, if all its lanes are in global memory, else of a second one.
 */
DEV_INLINE void measure_unit(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	bool flat_lds = (shape & SHAPE_FLAT) && (shape & SHAPE_LDS);

	if (!flat_lds && measure_try(counters, address, offset, shape))
		return;
	__asm__("" : "+v"(counters)); /* scalar registers are scarce here */
	count_unit(counters, address, offset, shape);
}

#define MEASURE_CLOBBERS                                                                           \
	"s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16",       \
		"s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27",       \
		"s28", "s29", "s30", "s31", "vcc", "scc", "v0", "v1", "v4", "v5", "v6", "v7",      \
		"v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",  \
		"v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27"

/*
 * `wave` as a pair: LLVM takes the half of a scalar where it is first needed, and what is made in a
 * loop that lanes leave one by one is in a vector register behind it.
 */
/* clang-format off */
#define MEASURE_FIRST                                                                              \
	"s_mov_b64 s[4:5], %[wave]\n\t"                                                            \
	"s_add_u32 s4, s4, %[row]\n\t"                                                             \
	"s_addc_u32 s5, s5, 0\n\t"                                                                 \
	"s_mov_b32 s6, %[also]\n\t"                                                                \
	"s_swappc_b64 s[30:31], %[first]\n\t"

/* The units behind the first: counters in v0:v1, the address in v2:v3, the offset in v4. */
#define MEASURE_UNIT(which)                                                                        \
	"s_mov_b64 s[4:5], %[wave]\n\t"                                                            \
	"s_add_u32 s4, s4, %[row]\n\t"                                                             \
	"s_addc_u32 s5, s5, 0\n\t"                                                                 \
	"v_lshlrev_b64 v[0:1], 0, s[4:5]\n\t"                                                      \
	"v_lshlrev_b64 v[2:3], 0, %[address]\n\t"                                                  \
	"v_mov_b32 v4, %[offset]\n\t"                                                              \
	"s_swappc_b64 s[30:31], %[" which "]\n\t"

#define MEASURE_UNITS(calls)                                                                       \
	"v_lshlrev_b64 v[2:3], 0, %[address]\n\t"                                                  \
	MEASURE_FIRST                                                                              \
	"s_mov_b32 %[offset], %[unit]\n"                                                           \
	".Lprobe_unit%=:\n\t"                                                                      \
	calls                                                                                      \
	"s_add_u32 %[offset], %[offset], %[unit]\n\t"                                              \
	"s_cmp_lt_u32 %[offset], %[size]\n\t"                                                      \
	"s_cbranch_scc1 .Lprobe_unit%="
/* clang-format on */

#define MEASURE_OPERANDS                                                                           \
	[wave] "s"(wave), [row] "i"(site * (PROBE_COUNTERS * 8)), [also] "i"(also),                \
		[first] "s"(first)

/*
 * An access of units as `shape` says, one by one but the first. `wave` is that of
 * devlib_memory.c, `first` the shared function's copy for this shape, behind its wait; `any` and
 * `more` those for further units and, of a flat access, their LDS lanes.
 */
DEV_INLINE void measure(uint64_t wave, uint32_t site, uint64_t address, uint32_t shape,
			uint32_t also, uint64_t first, void *any, void *more)
{
	const uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff;
	uint32_t offset;

	if (units == 1)
		__asm__ volatile(MEASURE_FIRST
				 : "={v[2:3]}"(address)
				 : "0"(address), MEASURE_OPERANDS
				 : MEASURE_CLOBBERS);
	else if (shape & SHAPE_FLAT)
		__asm__ volatile(MEASURE_UNITS(MEASURE_UNIT("any") MEASURE_UNIT("more"))
				 : [offset] "=&s"(offset)
				 : [address] "v"(address), [any] "s"(any), [more] "s"(more),
				   [unit] "i"(unit), [size] "i"(unit * units), MEASURE_OPERANDS
				 : MEASURE_CLOBBERS, "v2", "v3");
	else
		__asm__ volatile(MEASURE_UNITS(MEASURE_UNIT("any"))
				 : [offset] "=&s"(offset)
				 : [address] "v"(address), [any] "s"(any), [unit] "i"(unit),
				   [size] "i"(unit * units), MEASURE_OPERANDS
				 : MEASURE_CLOBBERS, "v2", "v3");
}

#endif
