/* SPDX-License-Identifier: MIT */
/*
 * Measure an access on the fast path (fast_measure.h) or the fallback path (measure_unit.h).
 * Unoptimised code calls a function by the usual convention. For optimised code the following
 * holds.
 *
 * Probes contain no branch that the compiler can see. With basic blocks, the back end's sinking
 * pass would move a kernel's arithmetic past its probes, to where all loaded values are still live:
 * 128 registers instead of 12 in a chain of 128 additions. One shared function per kind of access
 * also limits code size and compile time.
 *
 * The inline part is therefore a call inside of an asm block. It provides no stack, and clobbers
 * fewer registers than the calling convention allows: v0-v27 (v0-v19 with LLVM 15), s4-s31 and
 * vcc. Shared functions use only these (tests/pass/shared.hip). Unlike in the calling convention,
 * s[4:5] is the address of the counters, and s6 is a mask of further rows that receive the same
 * counts: bit n is the row n rows later, bit 0 is clear. The call also skips the s_waitcnt at the
 * function's start: the compiler has waited before the asm block, as it does before any use of a
 * register.
 *
 * All "s" operands come from ballots, v_readlane and scalar arithmetic without phis, so that they
 * are in scalar registers.
 */
#ifndef PROBE_DEVLIB_MEASURE_ACCESS_H
#define PROBE_DEVLIB_MEASURE_ACCESS_H

#include "devlib/fast_lines.h"
#include "devlib/fast_lds_passes.h"
#include "devlib/measure_unit.h"

/* clang-format off */
#define MEASURE_RETURN                                                                             \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	".if %[more_rows]\n\t"                                                                     \
	"s_cmp_lg_u32 s6, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_next_row%=\n\t"                                                     \
	".endif\n\t"                                                                               \
	"s_setpc_b64 s[30:31]\n\t"                                                                 \
	".if %[more_rows]\n"                                                                       \
	".Lfast_next_row%=:\n\t"                                                                   \
	FAST_NEXT_ROW                                                                              \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one_lane%=\n\t"                                                     \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_one_by_one%=\n\t"                                                   \
	"s_branch .Lfast_commit%=\n\t"                                                             \
	".endif\n"                                                                                 \
	".Lfast_fallback%=:\n\t"                                                                   \
	"s_add_u32 s4, s4, s7\n\t"                                                                 \
	"s_addc_u32 s5, s5, 0\n\t"                                                                 \
	"s_mov_b64 %[counters], s[4:5]\n\t"                                                        \
	"s_mov_b32 %[rest], 1"

#define MEASURE_MORE_ROWS(shape) [more_rows] "i"(((shape) & SHAPE_MORE_ROWS) != 0)

#define MEASURE_DONE                                                                               \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_mov_b32 %[done], 1\n"                                                                   \
	".Lfast_fallback%=:"
/* clang-format on */

/*
 * Must come first in a function that is called as described above. It returns from that function if
 * the fast path has counted the access. Otherwise nothing is counted yet, and it returns true, a
 * value that only keeps the following code behind the asm block.
 */
DEV_INLINE bool measure_fast(uint64_t address, uint32_t shape, uint64_t *ret_counters)
{
	uint64_t counters;
	uint32_t rest;

	if ((shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS)
		__asm__ volatile(PASSES_ALL MEASURE_RETURN
				 : [counters] "=&s"(counters), [rest] "=&s"(rest)
				 : "{v[2:3]}"(address), PASSES_SHAPE(shape),
				   MEASURE_MORE_ROWS(shape)
				 : "s4", "s5", FAST_CLOBBERS);
	else
		__asm__ volatile(LINES_ALL MEASURE_RETURN
				 : [counters] "=&s"(counters), [rest] "=&s"(rest)
				 : "{v[2:3]}"(address), LINES_SHAPE(shape), MEASURE_MORE_ROWS(shape)
				 : "s4", "s5", FAST_CLOBBERS);
	*ret_counters = counters;
	return dev_uniform32(rest);
}

/* The fast path applies to an access's first unit only. */
#define MEASURE_TRY                                                                                \
	"s_mov_b32 %[done], 0\n\t"                                                                 \
	"s_mov_b32 s7, 0\n\t"                                                                      \
	"v_readfirstlane_b32 s8, %[offset]\n\t"                                                    \
	"s_cmp_lg_u32 s8, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_fallback%=\n\t"

/* The fast path in any other function. false = nothing is counted yet. */
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

/* After the fast path: the same for units across the ends of cache lines. */
DEV_INLINE bool measure_straddling(uint64_t counters, uint64_t address, uint32_t offset,
				   uint32_t shape)
{
	return shape & SHAPE_UNALIGNED && !(shape & SHAPE_LDS) &&
	       measure_try(counters, address, offset, shape | SHAPE_STRADDLING);
}

/*
 * The body of such a function. The fallback path counts in the first row only, because scalar
 * registers are scarce, and sets v0 to 1 when it is done.
 */
DEV_INLINE void measure_first(uint64_t address, uint32_t shape)
{
	bool lds = (shape & (SHAPE_LDS | SHAPE_FLAT)) == SHAPE_LDS;
	uint64_t counters;

	if (!measure_fast(address, shape, &counters))
		return;
	__asm__("" : "+v"(counters)); /* scalar registers are scarce here */
	if (!measure_straddling(counters, address, 0, shape)) {
		count_units(counters, address, 0, shape, lds ? shape >> 8 & 0xff : 1);
		if (shape & SHAPE_FLAT)
			count_unit(counters, address, 0, shape | SHAPE_LDS);
	}
	__asm__ volatile("v_mov_b32 v0, 1" : : : "v0");
}

/*
 * Measure one unit of an access, in a function with the usual calling convention. The first call
 * counts the LDS lanes of a flat access if all its lanes are in global memory; otherwise a second
 * call does.
 */
DEV_INLINE void measure_unit(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	bool flat_lds = (shape & SHAPE_FLAT) && (shape & SHAPE_LDS);

	if (!flat_lds && measure_try(counters, address, offset, shape))
		return;
	__asm__("" : "+v"(counters)); /* scalar registers are scarce here */
	if (flat_lds || !measure_straddling(counters, address, offset, shape))
		count_unit(counters, address, offset, shape);
}

#endif
