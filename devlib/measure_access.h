/* SPDX-License-Identifier: MIT */
/*
 * An access measured the fast way (leaf_measure.h), or else the long one (measure_unit.h): for code
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
#ifndef PROBE_DEVLIB_MEASURE_ACCESS_H
#define PROBE_DEVLIB_MEASURE_ACCESS_H

#include "devlib/leaf_lines.h"
#include "devlib/leaf_lds_passes.h"
#include "devlib/measure_unit.h"

/* clang-format off */
#define MEASURE_RETURN                                                                             \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	".if %[also]\n\t"                                                                          \
	"s_cmp_lg_u32 s6, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_also%=\n\t"                                                         \
	".endif\n\t"                                                                               \
	"s_setpc_b64 s[30:31]\n\t"                                                                 \
	".if %[also]\n"                                                                            \
	".Lfast_also%=:\n\t"                                                                       \
	FAST_NEXT_ROW                                                                              \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one%=\n\t"                                                          \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_each%=\n\t"                                                         \
	"s_branch .Lfast_commit%=\n\t"                                                             \
	".endif\n"                                                                                 \
	".Lfast_no%=:\n\t"                                                                         \
	"s_add_u32 s4, s4, s7\n\t"                                                                 \
	"s_addc_u32 s5, s5, 0\n\t"                                                                 \
	"s_mov_b64 %[counters], s[4:5]\n\t"                                                        \
	"s_mov_b32 %[rest], 1"

#define MEASURE_ALSO(shape) [also] "i"(((shape) & SHAPE_ALSO) != 0)

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
DEV_INLINE bool measure_fast(uint64_t address, uint32_t shape, uint64_t *ret_counters)
{
	uint64_t counters;
	uint32_t rest;

	if ((shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS)
		__asm__ volatile(PASSES_ALL MEASURE_RETURN
				 : [counters] "=&s"(counters), [rest] "=&s"(rest)
				 : "{v[2:3]}"(address), PASSES_SHAPE(shape), MEASURE_ALSO(shape)
				 : "s4", "s5", FAST_CLOBBERS);
	else
		__asm__ volatile(LINES_ALL MEASURE_RETURN
				 : [counters] "=&s"(counters), [rest] "=&s"(rest)
				 : "{v[2:3]}"(address), LINES_SHAPE(shape), MEASURE_ALSO(shape)
				 : "s4", "s5", FAST_CLOBBERS);
	*ret_counters = counters;
	return dev_uniform32(rest);
}

/*
 * Such a function. Where the fast way does not do, it counts in the first row only, since scalar
 * registers are scarce, and says so when it is done.
 */
DEV_INLINE void measure_first(uint64_t address, uint32_t shape)
{
	bool lds = (shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS;
	uint64_t counters;

	if (!measure_fast(address, shape, &counters))
		return;
	__asm__("" : "+v"(counters)); /* scalar registers are scarce here */
	count_units(counters, address, 0, shape, lds ? shape >> 8 & 0xff : 1);
	if (shape & SHAPE_FLAT)
		count_unit(counters, address, 0, shape | SHAPE_LDS);
	__asm__ volatile("v_mov_b32 v0, 1" : : : "v0");
}

/* Of the first unit alone. */
#define MEASURE_TRY                                                                                \
	"s_mov_b32 %[done], 0\n\t"                                                                 \
	"s_mov_b32 s7, 0\n\t"                                                                      \
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

#endif
