/* SPDX-License-Identifier: MIT */
/*
 * Patterns of a site in a loop: how a wave counts executions that are as the one before, but for
 * the place of the first lane (llvm-plugin/measurement_cache.c). An execution that is not is measured as
 * ever (leaf_measure.h), and its pattern kept: what it cost, EXEC, and each lane's distance from a
 * base. Later ones with the same EXEC and distances cost the same, and are added up when the
 * pattern changes, or the wave ends.
 *
 * The base is the first lane's address without its place in a line of 128 bytes, so that lanes keep
 * their places in lines. Three times that does not matter, and the base is the first address, as
 * far as a unit is aligned: in LDS, whose banks are all alike; if each lane has the first one's
 * place in its line; and if each has a line of its own.
 *
 * A site's state is in scalar registers:
 *
 *	EXEC (2)	of the pattern; 0 = none is kept
 *	mask		what of the first address is the base; 0 = the site is not worth it
 *	cost		0-5, 6-11, 12-17: lines of 64 and of 128 bytes less 1, quads less 16; or
 *			0-11: passes in LDS
 *			18: lanes at one stride
 *			19-21: patterns kept, one after the other, and never seen again
 *			22-31: executions to be added
 *
 * and, if it leads others (llvm-plugin/emit/representative.h), those counted with it.
 */
#ifndef PROBE_DEVLIB_MEASURE_CACHED_H
#define PROBE_DEVLIB_MEASURE_CACHED_H

#include "devlib/leaf_lines.h"
#include "devlib/leaf_lds_passes.h"

/* clang-format off */

/* s26 = what an execution cost, less the stride's bit. */
#define KEEP_LINES_COST                                                                            \
	"s_sub_u32 s26, s16, 1\n\t"                                                                \
	"s_sub_u32 s27, s17, 1\n\t"                                                                \
	"s_lshl_b32 s27, s27, 6\n\t"                                                               \
	"s_or_b32 s26, s26, s27\n\t"                                                               \
	"s_sub_u32 s27, s18, 16\n\t"                                                               \
	"s_lshl_b32 s27, s27, 12\n\t"                                                              \
	"s_or_b32 s26, s26, s27\n\t"

#define KEEP_PASSES_COST                                                                           \
	"s_mov_b32 s26, s16\n\t"

/* s24 = the mask; it is -aligned before. s25 is the first address. */
#define KEEP_LINES_BASE                                                                            \
	"v_and_b32 v8, %[aligned] - 1, v2\n\t"                                                     \
	"v_cmp_ne_u32 vcc, 0, v8\n\t"                                                              \
	"s_cbranch_vccnz .Lkeep_place%=\n\t"                                                       \
	"s_abs_i32 s26, s12\n\t"                                                                   \
	"s_lshr_b32 s26, s26, 7\n\t"                                                               \
	"s_cselect_b32 s26, s13, 0\n\t"                                                            \
	"s_cmp_lg_u32 s26, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lkeep_base%=\n\t"                                                         \
	"v_subrev_u32 v8, s25, v2\n\t"                                                             \
	"v_and_b32 v8, 0x7f, v8\n\t"                                                               \
	"v_cmp_ne_u32 vcc, 0, v8\n\t"                                                              \
	"s_cbranch_vccz .Lkeep_base%=\n\t"                                                         \
	".Lkeep_place%=:\n\t"                                                                      \
	"s_movk_i32 s24, -128\n\t"                                                                 \
	".Lkeep_base%=:\n\t"

/*
 * What is kept of an execution just measured: v[0:1] = the lane's distance from the base, v2 = the
 * mask, 1 if the site is not worth it, s7 = the cost, of which it has been the one before. If the
 * base is as exact as can be, s28 says what other rows count the same. s29 is 0 the first time.
 */
#define KEEP_PATTERN(cost, base)                                                                   \
	"s_cmp_lg_u32 s29, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lkeep_row%=\n\t"                                                          \
	"s_mov_b32 s29, 1\n\t"                                                                     \
	"s_movk_i32 s24, -%[aligned]\n\t"                                                          \
	"v_readfirstlane_b32 s25, v2\n\t"                                                          \
	base                                                                                       \
	"s_and_b32 s25, s25, s24\n\t"                                                              \
	"v_mad_i64_i32 v[0:1], vcc, s25, -1, v[2:3]\n\t"                                           \
	cost                                                                                       \
	"s_lshl_b32 s27, s13, 18\n\t"                                                              \
	"s_or_b32 s26, s26, s27\n\t"                                                               \
	"s_bfe_u32 s27, s7, 0x30013\n\t"                                                           \
	"s_add_u32 s27, s27, 1\n\t"                                                                \
	"s_cmp_eq_u32 s27, 4\n\t"                                                                  \
	"s_cselect_b32 s24, 1, s24\n\t"                                                            \
	"s_lshl_b32 s27, s27, 19\n\t"                                                              \
	"s_or_b32 s7, s26, s27\n\t"                                                                \
	"v_mov_b32 v2, s24\n\t"                                                                    \
	"s_cmp_eq_u32 s24, -%[aligned]\n\t"                                                        \
	"s_cselect_b32 s28, s28, 0\n\t"                                                            \
	"s_or_b32 s6, s6, s28\n\t"                                                                 \
	".Lkeep_row%=:\n\t"

/* What the executions cost that are to be added: registers as in leaf_measure.h. */
#define KEEP_TIMES(lines)                                                                          \
	"s_mov_b64 s[8:9], exec\n\t"                                                               \
	"s_ff1_i32_b64 s11, exec\n\t"                                                              \
	"s_bfe_u32 s13, s7, 0x10012\n\t"                                                           \
	lines                                                                                      \
	"s_lshr_b32 s7, s7, 22\n\t"                                                                \
	"s_mul_i32 s10, s10, s7\n\t"                                                               \
	"s_mul_i32 s13, s13, s7\n\t"                                                               \
	"s_mul_i32 s16, s16, s7\n\t"                                                               \
	"s_mul_i32 s18, s18, s7\n\t"

#define KEEP_LINES_TIMES                                                                           \
	KEEP_TIMES(                                                                                \
		"s_and_b32 s16, s7, 63\n\t"                                                        \
		"s_add_u32 s16, s16, 1\n\t"                                                        \
		"s_bfe_u32 s17, s7, 0x60006\n\t"                                                   \
		"s_add_u32 s17, s17, 1\n\t"                                                        \
		"s_bfe_u32 s18, s7, 0x6000c\n\t"                                                   \
		"s_add_u32 s18, s18, 16\n\t"                                                       \
		LINES_NEEDED)                                                                      \
	"s_mul_i32 s17, s17, s7\n\t"                                                               \
	"s_mul_i32 s20, s20, s7\n\t"                                                               \
	"s_mul_i32 s21, s21, s7\n\t"                                                               \
	"s_mul_i32 s22, s22, s7\n\t"                                                               \
	"s_mul_i32 s23, s23, s7\n\t"

#define KEEP_PASSES_TIMES                                                                          \
	KEEP_TIMES("s_and_b32 s16, s7, 0xfff\n\t"                                                  \
		"s_movk_i32 s18, %[phases] * %[units]\n\t")

#define KEEP_ADD(added)                                                                            \
	".Lfast_commit%=:\n\t"                                                                     \
	FAST_ADD_LANES(added)                                                                      \
	"s_branch .Lfast_end%=\n"

#define KEEP_END                                                                                   \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_cmp_eq_u32 s6, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lkeep_added%=\n\t"                                                        \
	FAST_NEXT_ROW                                                                              \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_each%=\n\t"                                                         \
	"s_branch .Lfast_commit%=\n\t"                                                             \
	".Lkeep_added%=:"

/* clang-format on */

/* What a unit is aligned to, at least 2; in LDS what its banks are wide. */
#define KEEP_ALIGNED(shape)                                                                        \
	[aligned] "i"(((shape)&0xff) > 8			  ? 16                             \
		      : ((shape)&0xff) > 4			  ? 8                              \
		      : ((shape)&SHAPE_LDS || ((shape)&0xff) > 2) ? 4                              \
								  : 2)

/*
 * Adds up s7's executions of a pattern of s10 lanes, in the row at s[4:5] and those that s6 says
 * (measure_access.h). No more registers than FAST_CLOBBERS and those.
 */
DEV_INLINE void keep_add(uint32_t shape)
{
	if (shape & SHAPE_LDS)
		__asm__ volatile(KEEP_PASSES_TIMES PASSES_CARRY("s7") KEEP_ADD(PASSES_ADDED)
					 PASSES_CARRY_EACH("s7") FAST_ADD("s13", 11) KEEP_END
				 :
				 : PASSES_SHAPE(shape)
				 : FAST_CLOBBERS);
	else
		__asm__ volatile(KEEP_LINES_TIMES LINES_CARRY("s7") KEEP_ADD("%[added]")
					 LINES_CARRY_EACH("s7") KEEP_END
				 :
				 : LINES_SHAPE(shape)
				 : FAST_CLOBBERS);
}

#endif
