/* SPDX-License-Identifier: MIT */
/*
 * Cache lines of a global or flat access on the fast path (fast_measure.h). The method depends on
 * EXEC and on the addresses:
 *
 *	full EXEC, or consecutive lanes with one stride
 *		if addresses are monotonic: count changes of the line from lane to lane
 *	full EXEC, otherwise
 *		a hash table: each lane sends its line to the lane that a hash of the line selects.
 *		One line arrives in each lane, and all lanes of that line are done. The others
 *		repeat with another hash
 *	gaps in EXEC, one stride or monotonic addresses
 *		count changes of the line from an active lane to the next
 *	few active lanes
 *		a loop over 128 B lines, and over 64 B lines if there are fewer 128 B lines than
 *		lanes
 *	otherwise
 *		compare all lanes, four bits of the address at a time
 *	units across the end of a line
 *		count the lines of their first bytes in one of these ways, then loop over these
 *		units
 *
 *	s16 64 B lines	s17 128 B lines	s18 quads	s20, s21 needed
 *	s22, s23 excess
 */
#ifndef PROBE_DEVLIB_FAST_LINES_H
#define PROBE_DEVLIB_FAST_LINES_H

#include "devlib/fast_measure.h"

/* clang-format off */

/*
 * Requires bits 31 to 62 to be equal in all lanes. Differences then do not overflow 32 bits, and
 * flat addresses are in one aperture. SH_MEM_BASES, hardware register 15, has the upper halves of
 * the scratch and LDS apertures.
 */
#define LINES_BEGIN                                                                                \
	"v_alignbit_b32 v8, v3, v2, 31\n\t"                                                        \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	".if %[unaligned]\n\t"                                                                     \
	"v_xor_b32 v9, s24, v8\n\t"                                                                \
	"v_and_or_b32 v9, v2, %[unit] - 1, v9\n\t"                                                 \
	"v_cmp_ne_u32 vcc, 0, v9\n\t"                                                              \
	"s_cbranch_vccnz .Lfast_check%=\n"                                                         \
	".Lfast_checked%=:\n\t"                                                                    \
	".else\n\t"                                                                                \
	"v_cmp_ne_u32 vcc, s24, v8\n\t"                                                            \
	"s_cbranch_vccnz .Lfast_fallback%=\n\t"                                                    \
	".endif\n\t"                                                                               \
	".if %[flat]\n\t"                                                                          \
	"v_readfirstlane_b32 s24, v3\n\t"                                                          \
	"s_getreg_b32 s25, hwreg(15)\n\t"                                                          \
	"s_lshl_b32 s26, s25, 16\n\t"                                                              \
	"s_and_b32 s25, s25, 0xffff0000\n\t"                                                       \
	"s_cmp_eq_u32 s24, s26\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_fallback%=\n\t"                                                     \
	"s_cmp_eq_u32 s24, s25\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_fallback%=\n\t"                                                     \
	".endif\n\t"

/*
 * Units that are not aligned to their size may still be within one cache line. If not, and with
 * SHAPE_STRADDLING, LINES_STRADDLE adds the second lines.
 */
#define LINES_CHECK_STRADDLE                                                                       \
	".if %[unaligned]\n"                                                                       \
	".Lfast_check%=:\n\t"                                                                      \
	"v_cmp_ne_u32 vcc, s24, v8\n\t"                                                            \
	"s_cbranch_vccnz .Lfast_fallback%=\n\t"                                                    \
	".if %[straddling]\n\t"                                                                    \
	"s_bcnt1_i32_b64 s10, exec\n\t"                                                            \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_fallback%=\n\t"                                                     \
	".else\n\t"                                                                                \
	"v_and_b32 v8, 63, v2\n\t"                                                                 \
	"v_cmp_lt_u32 vcc, %[straddle], v8\n\t"                                                    \
	"s_cbranch_vccnz .Lfast_fallback%=\n\t"                                                    \
	".endif\n\t"                                                                               \
	"s_branch .Lfast_checked%=\n\t"                                                            \
	".endif\n"

/* The first lines are counted. Jump to LINES_STRADDLE, which returns to the second label. */
#define LINES_ADD_SECOND(returns)                                                                  \
	".if %[straddling]\n\t"                                                                    \
	"s_branch .Lfast_straddle%=\n"                                                             \
	returns ":\n\t"                                                                            \
	".endif\n\t"

/* Add scc == 0 to a counter. */
#define LINES_ADD_IF_NONE(counter)                                                                 \
	"s_cselect_b32 s14, 0, 1\n\t"                                                              \
	"s_add_u32 " counter ", " counter ", s14\n\t"

/*
 * The first lines of all lanes are counted. Loop over the lanes in s[20:21] that access a second
 * line, s25: it is new unless it is the first line of a lane (v8 and v11) or the second line of an
 * earlier one of these lanes (v10, s[26:27]). In a quad it is new unless one of these is there.
 */
#define LINES_STRADDLE                                                                             \
	".if %[straddling]\n"                                                                      \
	".Lfast_straddle%=:\n\t"                                                                   \
	"v_and_b32 v9, 63, v2\n\t"                                                                 \
	"v_cmp_lt_u32 s[20:21], %[straddle], v9\n\t"                                               \
	"v_and_b32 v8, 0xffffffc0, v2\n\t"                                                         \
	"v_and_b32 v11, 0xffffff80, v2\n\t"                                                        \
	"v_add_u32 v10, 64, v8\n\t"                                                                \
	"s_mov_b64 s[26:27], 0\n"                                                                  \
	".Lfast_second%=:\n\t"                                                                     \
	"s_ff1_i32_b64 s24, s[20:21]\n\t"                                                          \
	"s_bitset0_b64 s[20:21], s24\n\t"                                                          \
	"v_readlane_b32 s25, v10, s24\n\t"                                                         \
	"v_cmp_eq_u32 s[22:23], s25, v10\n\t"                                                      \
	"v_cmp_eq_u32 vcc, s25, v8\n\t"                                                            \
	"s_and_b64 s[22:23], s[22:23], s[26:27]\n\t"                                               \
	"s_or_b64 vcc, vcc, s[22:23]\n\t"                                                          \
	LINES_ADD_IF_NONE("s16")                                                                   \
	"s_bitset1_b64 s[26:27], s24\n\t"                                                          \
	"s_and_b32 s24, s24, 60\n\t"                                                               \
	"s_lshr_b64 vcc, vcc, s24\n\t"                                                             \
	"s_and_b32 s24, vcc_lo, 15\n\t"                                                            \
	LINES_ADD_IF_NONE("s18")                                                                   \
	"s_bitcmp1_b32 s25, 6\n\t"                                                                 \
	"s_cbranch_scc1 .Lfast_same128%=\n\t"                                                      \
	"v_cmp_eq_u32 vcc, s25, v11\n\t"                                                           \
	"s_or_b64 vcc, vcc, s[22:23]\n\t"                                                          \
	LINES_ADD_IF_NONE("s17")                                                                   \
	".Lfast_same128%=:\n\t"                                                                    \
	"s_cmp_lg_u64 s[20:21], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_second%=\n\t"                                                       \
	"s_cmp_eq_u32 s10, 64\n\t"                                                                 \
	"s_cbranch_scc1 .Lfast_added_full%=\n\t"                                                   \
	"s_branch .Lfast_added%=\n\t"                                                              \
	".endif\n"

/*
 * Full EXEC. s11 = -1 tells the caller that this takes long (llvm-plugin/emit/batch_code.c).
 * v8 is the own 64 B line, with the low bits set so that it is not 0. Bits 2 to 7 of v9
 * are the lane that receives it. If several lines are sent to one lane, only one arrives, and that
 * line is done. Lanes that are done continue with the line of the first other lane, so that no line
 * is counted twice.
 */
#define LINES_HASH                                                                                 \
	".Lfast_lines%=:\n\t"                                                                      \
	"v_or_b32 v8, 63, v2\n\t"                                                                  \
	"v_lshrrev_b32 v9, 5, v2\n\t"                                                              \
	"s_mov_b32 s16, 0\n\t"                                                                     \
	"s_mov_b32 s17, 0\n\t"                                                                     \
	"s_mov_b32 s25, 0x9e3779\n\t"                                                              \
	"s_mov_b32 s11, -1\n"                                                                      \
	".Lfast_send%=:\n\t"                                                                       \
	"ds_permute_b32 v10, v9, v8\n\t"                                                           \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"ds_bpermute_b32 v11, v9, v10\n\t"                                                         \
	"v_cmp_ne_u32 vcc, 0, v10\n\t"                                                             \
	"s_bcnt1_i32_b64 s24, vcc\n\t"                                                             \
	"s_add_u32 s17, s17, s24\n\t"                                                              \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_xor_b32 v11, v11, v8\n\t"                                                               \
	"v_cmp_gt_u32 vcc, 0x80, v11\n\t"                                                          \
	"v_cmp_eq_u32 s[14:15], 64, v11\n\t"                                                       \
	"s_cmp_lg_u64 s[14:15], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_other_half%=\n"                                                     \
	".Lfast_sent%=:\n\t"                                                                       \
	"s_andn2_b64 s[26:27], exec, vcc\n\t"                                                      \
	"s_cbranch_scc0 .Lfast_hashed%=\n\t"                                                       \
	"s_ff1_i32_b64 s24, s[26:27]\n\t"                                                          \
	"v_readlane_b32 s24, v8, s24\n\t"                                                          \
	"s_mov_b64 exec, vcc\n\t"                                                                  \
	"v_mov_b32 v8, s24\n\t"                                                                    \
	"s_mov_b64 exec, -1\n\t"                                                                   \
	"v_lshrrev_b32 v9, 7, v8\n\t"                                                              \
	"v_mul_u32_u24 v9, s25, v9\n\t"                                                            \
	"v_lshrrev_b32 v9, 16, v9\n\t"                                                             \
	"s_add_u32 s25, s25, 0x1504f2\n\t"                                                         \
	"s_branch .Lfast_send%=\n"

/* s[14:15] = lanes on the other 64 B half of a 128 B line that is done. Count these halves. */
#define LINES_OTHER_HALF                                                                           \
	".Lfast_other_half%=:\n\t"                                                                 \
	"s_ff1_i32_b64 s24, s[14:15]\n\t"                                                          \
	"v_readlane_b32 s24, v9, s24\n\t"                                                          \
	"v_mov_b32 v10, s24\n\t"                                                                   \
	"v_cndmask_b32 v10, v10, v9, s[14:15]\n\t"                                                 \
	"ds_permute_b32 v10, v10, v8\n\t"                                                          \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_cmp_ne_u32 s[14:15], 0, v10\n\t"                                                        \
	"s_bcnt1_i32_b64 s24, s[14:15]\n\t"                                                        \
	"s_add_u32 s16, s16, s24\n\t"                                                              \
	"s_branch .Lfast_sent%=\n"

/*
 * vcc = lanes on the same 64 B line as a lower lane of their quad, which need no request of their
 * own. Inactive lanes are read as 0, which is no line.
 */
#define LINES_SHARED                                                                               \
	"v_or_b32 v8, 63, v2\n\t"                                                                  \
	"s_nop 1\n\t"                                                                              \
	"v_xor_b32_dpp v9, v8, v8 quad_perm:[0,0,1,2] row_mask:0xf bank_mask:0xf bound_ctrl:0\n\t" \
	"v_xor_b32_dpp v10, v8, v8 quad_perm:[0,0,0,1] row_mask:0xf bank_mask:0xf bound_ctrl:0\n\t" \
	"v_xor_b32_dpp v11, v8, v8 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:0\n\t" \
	"v_min3_u32 v9, v9, v10, v11\n\t"                                                          \
	"v_cmp_eq_u32 vcc, 0, v9\n\t"                                                              \
	"s_and_b32 vcc_lo, vcc_lo, 0xeeeeeeee\n\t"                                                 \
	"s_and_b32 vcc_hi, vcc_hi, 0xeeeeeeee\n\t"                                                 \
	"s_bcnt1_i32_b64 s24, vcc\n\t"

#define LINES_HASHED                                                                               \
	".Lfast_hashed%=:\n\t"                                                                     \
	"s_add_u32 s16, s16, s17\n\t"                                                              \
	LINES_SHARED                                                                               \
	"s_sub_u32 s18, 64, s24\n\t"                                                               \
	"s_branch .Lfast_counted_full%=\n"

/*
 * Partial EXEC without a stride. With few lanes, loop over the 128 B lines. If there are as many as
 * lanes, so are the 64 B lines and the quads' requests. A quad without an active lane counts 1.
 */
#define LINES_FEW                                                                                  \
	".Lfast_unstrided%=:\n\t"                                                                  \
	"v_and_b32 v8, 0xffffff80, v2\n\t"                                                         \
	"s_quadmask_b64 s[26:27], exec\n\t"                                                        \
	"s_bcnt1_i32_b32 s18, s26\n\t"                                                             \
	"s_sub_u32 s18, 16, s18\n\t"                                                               \
	"s_cmp_gt_u32 s10, 16\n\t"                                                                 \
	"s_cbranch_scc1 .Lfast_several%=\n\t"                                                      \
	"s_add_u32 s18, s18, s10\n\t"                                                              \
	"s_mov_b32 s17, 0\n"                                                                       \
	".Lfast_few%=:\n\t"                                                                        \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"s_addk_i32 s17, 1\n\t"                                                                    \
	"v_cmpx_ne_u32 vcc, s24, v8\n\t"                                                           \
	"s_cbranch_execnz .Lfast_few%=\n\t"                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_mov_b32 s16, s17\n\t"                                                                   \
	"s_cmp_eq_u32 s17, s10\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_all_distinct%=\n\t"

/* Some lanes share a line: loop over the 64 B lines, too. */
#define LINES_FEW_HALVES                                                                           \
	LINES_SHARED                                                                               \
	"s_sub_u32 s18, s18, s24\n\t"                                                              \
	"s_mov_b32 s16, 0\n"                                                                       \
	".Lfast_few_half%=:\n\t"                                                                   \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"s_addk_i32 s16, 1\n\t"                                                                    \
	"v_cmpx_ne_u32 vcc, s24, v8\n\t"                                                           \
	"s_cbranch_execnz .Lfast_few_half%=\n\t"                                                   \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_branch .Lfast_sum%=\n"

/* v13 = distance from the own lane, v12, to the previous active lane; large in the first one. */
#define LINES_PREVIOUS_LANE                                                                        \
	"v_sub_u32 v9, 63, v12\n\t"                                                                \
	"v_lshlrev_b64 v[10:11], v9, exec\n\t"                                                     \
	"v_and_b32 v11, 0x7fffffff, v11\n\t"                                                       \
	"v_ffbh_u32 v11, v11\n\t"                                                                  \
	"v_ffbh_u32 v10, v10\n\t"                                                                  \
	"v_or_b32 v10, 32, v10\n\t"                                                                \
	"v_min_u32 v13, v10, v11\n\t"

/*
 * EXEC with gaps. With one stride, v8 is the index of the own lane relative to the first, and v9
 * becomes the address in the previous active lane. Without a stride, v9 is read from that lane.
 * This is tried if several lanes share the first line, a hint that the addresses are monotonic.
 */
#define LINES_HOLES                                                                                \
	".Lfast_holes%=:\n\t"                                                                      \
	"v_add_u32 v12, s11, v8\n\t"                                                               \
	LINES_PREVIOUS_LANE                                                                        \
	"v_mul_lo_u32 v9, v13, s12\n\t"                                                            \
	"v_sub_u32 v9, v2, v9\n"                                                                   \
	".Lfast_changes%=:\n\t"                                                                    \
	"v_xor_b32 v8, v2, v9\n\t"                                                                 \
	"v_and_b32 v9, 3, v12\n\t"                                                                 \
	"v_cmp_lt_u32 s[14:15], 63, v8\n\t"                                                        \
	"s_bitset1_b64 s[14:15], s11\n\t"                                                          \
	"s_bcnt1_i32_b64 s16, s[14:15]\n\t"                                                        \
	"v_cmp_lt_u32 vcc, 0x7f, v8\n\t"                                                           \
	"s_bitset1_b64 vcc, s11\n\t"                                                               \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	"v_cmp_gt_u32 vcc, v13, v9\n\t"                                                            \
	"s_or_b64 vcc, vcc, s[14:15]\n\t"                                                          \
	"s_bcnt1_i32_b64 s18, vcc\n\t"                                                             \
	"s_quadmask_b64 s[14:15], exec\n\t"                                                        \
	"s_bcnt1_i32_b32 s14, s14\n\t"                                                             \
	"s_sub_u32 s18, s18, s14\n\t"                                                              \
	"s_add_u32 s18, s18, 16\n\t"                                                               \
	"s_branch .Lfast_sum%=\n"                                                                  \
	".Lfast_several%=:\n\t"                                                                    \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"v_cmp_eq_u32 vcc, s24, v8\n\t"                                                            \
	"s_bcnt1_i32_b64 s25, vcc\n\t"                                                             \
	"s_cmp_eq_u32 s25, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_many%=\n\t"                                                         \
	"v_mbcnt_lo_u32_b32 v12, -1, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v12, -1, v12\n\t"                                                      \
	LINES_PREVIOUS_LANE                                                                        \
	"v_sub_u32 v9, v12, v13\n\t"                                                               \
	"v_lshlrev_b32 v9, 2, v9\n\t"                                                              \
	"ds_bpermute_b32 v9, v9, v2\n\t"                                                           \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_cmp_gt_u32 s[14:15], v9, v2\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_cmp_eq_u64 s[14:15], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_changes%=\n\t"                                                      \
	"v_cmp_lt_u32 s[14:15], v9, v2\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_cmp_eq_u64 s[14:15], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_changes%=\n"

/*
 * Compare all lanes. Finally count lanes without a lower lane of their quad on the same 64 B line.
 */
#define LINES_MANY                                                                                 \
	".Lfast_many%=:\n\t"                                                                       \
	"v_xor_b32 v12, s24, v8\n\t"                                                               \
	"v_lshrrev_b32 v12, 7, v12\n\t"                                                            \
	"v_mov_b32 v14, 0\n\t"                                                                     \
	"v_mov_b32 v15, 0\n"                                                                       \
	FAST_DIFFERING_LANES_ALL                                                                   \
	FAST_LOWEST                                                                                \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	"s_mov_b32 s16, s17\n\t"                                                                   \
	"s_mov_b32 s24, s17\n\t"                                                                   \
	"s_cmp_eq_u32 s17, s10\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_many_counted%=\n\t"                                                 \
	"v_bfe_i32 v8, v2, 6, 1\n\t"                                                               \
	"v_cmp_ne_u32 s[14:15], 0, v8\n\t"                                                         \
	"v_xor_b32 v10, s14, v8\n\t"                                                               \
	"v_xor_b32 v11, s15, v8\n\t"                                                               \
	"v_or_b32 v14, v14, v10\n\t"                                                               \
	"v_or_b32 v15, v15, v11\n\t"                                                               \
	FAST_LOWEST                                                                                \
	"s_bcnt1_i32_b64 s16, vcc\n\t"                                                             \
	"v_mbcnt_lo_u32_b32 v8, -1, 0\n\t"                                                         \
	"v_mbcnt_hi_u32_b32 v8, -1, v8\n\t"                                                        \
	"v_and_b32 v9, 3, v8\n\t"                                                                  \
	"v_and_b32 v8, 60, v8\n\t"                                                                 \
	"v_lshrrev_b64 v[10:11], v8, v[10:11]\n\t"                                                 \
	"v_bfm_b32 v9, v9, 0\n\t"                                                                  \
	"v_and_b32 v10, v9, v10\n\t"                                                               \
	"v_cmp_eq_u32 vcc, 0, v10\n\t"                                                             \
	"s_bcnt1_i32_b64 s24, vcc\n"                                                               \
	".Lfast_many_counted%=:\n\t"                                                               \
	"s_add_u32 s18, s18, s24\n\t"                                                              \
	"s_branch .Lfast_sum%=\n"

/*
 * Monotonic addresses: count changes of the line, and 1 for the first lane, which has no lower one.
 */
#define LINES_CHANGES                                                                              \
	"v_mov_b32 v8, -1\n\t"                                                                     \
	"v_xor_b32_dpp v8, v2, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\n\t"                       \
	"v_cmp_lt_u32 s[14:15], 63, v8\n\t"                                                        \
	"v_cmp_lt_u32 vcc, 0x7f, v8\n\t"

#define LINES_QUADS                                                                                \
	"s_and_b32 s14, s14, 0xeeeeeeee\n\t"                                                       \
	"s_and_b32 s15, s15, 0xeeeeeeee\n\t"                                                       \
	"s_bcnt1_i32_b64 s18, s[14:15]\n\t"                                                        \
	"s_add_u32 s18, s18, 16\n\t"

#define LINES_EXCESS                                                                               \
	"s_max_i32 s22, s22, 0\n\t"                                                                \
	"s_max_i32 s23, s23, 0\n\t"

/* Full EXEC; s13 is 1 if there is one stride. */
#define LINES_FULL_EXEC                                                                            \
	".Lfast_full_strided%=:\n\t"                                                               \
	"s_mov_b32 s13, 1\n"                                                                       \
	".Lfast_monotone%=:\n\t"                                                                   \
	LINES_CHANGES                                                                              \
	"s_bcnt1_i32_b64 s16, s[14:15]\n\t"                                                        \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	LINES_QUADS                                                                                \
	".Lfast_counted_full%=:\n\t"                                                               \
	LINES_ADD_SECOND(".Lfast_added_full%=")                                                    \
	"s_sub_u32 s22, s16, %[unit]\n\t"                                                          \
	"s_sub_u32 s23, s17, %[half]\n\t"                                                          \
	LINES_EXCESS                                                                               \
	"v_mov_b32 v10, s13\n\t"                                                                   \
	"v_mov_b32 v11, 0\n\t"                                                                     \
	FAST_COUNTER_OFFSETS                                                                       \
	"v_writelane_b32 v10, 1, 0\n\t"                                                            \
	"v_writelane_b32 v10, s10, 1\n\t"                                                          \
	"v_writelane_b32 v10, s18, 2\n\t"                                                          \
	"v_writelane_b32 v10, s16, 3\n\t"                                                          \
	"v_writelane_b32 v10, %[unit], 4\n\t"                                                      \
	"v_writelane_b32 v10, s22, 5\n\t"                                                          \
	"v_writelane_b32 v10, s17, 6\n\t"                                                          \
	"v_writelane_b32 v10, %[half], 7\n\t"                                                      \
	"v_writelane_b32 v10, s23, 8\n\t"                                                          \
	FAST_CARRY_STRIDES                                                                         \
	"s_branch .Lfast_commit%=\n"

#define LINES_MAXIMA                                                                               \
	".if %[first]\n\t"                                                                         \
	FAST_MAX_LANES("0x6000")                                                                   \
	".endif\n\t"

/* Full EXEC without a stride: jump if addresses never decrease, or never increase. */
#define LINES_MONOTONE                                                                             \
	"v_cmp_gt_i32 vcc, 0, v9\n\t"                                                              \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_monotone%=\n\t"                                                     \
	"v_cmp_lt_i32 vcc, 0, v9\n\t"                                                              \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_monotone%=\n\t"

/* Partial EXEC with one stride. */
#define LINES_PARTIAL_EXEC                                                                         \
	FAST_PARTIAL_EXEC                                                                          \
	"s_bfm_b64 s[14:15], s10, s11\n\t"                                                         \
	"s_cmp_eq_u64 s[14:15], s[8:9]\n\t"                                                        \
	"s_cbranch_scc0 .Lfast_holes%=\n\t"                                                        \
	LINES_CHANGES                                                                              \
	"s_bcnt1_i32_b64 s16, s[14:15]\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	LINES_QUADS

#define LINES_NEEDED                                                                               \
	"s_mul_i32 s20, s10, %[unit]\n\t"                                                          \
	"s_add_u32 s20, s20, 63\n\t"                                                               \
	"s_lshr_b32 s20, s20, 6\n\t"                                                               \
	"s_add_u32 s21, s20, 1\n\t"                                                                \
	"s_lshr_b32 s21, s21, 1\n\t"                                                               \
	"s_sub_u32 s22, s16, s20\n\t"                                                              \
	"s_sub_u32 s23, s17, s21\n\t"                                                              \
	LINES_EXCESS

#define LINES_CARRY                                                                                \
	FAST_CARRY_VALUES                                                                          \
	"v_writelane_b32 v10, s10, 1\n\t"                                                          \
	"v_writelane_b32 v10, s18, 2\n\t"                                                          \
	"v_writelane_b32 v10, s16, 3\n\t"                                                          \
	"v_writelane_b32 v10, s20, 4\n\t"                                                          \
	"v_writelane_b32 v10, s22, 5\n\t"                                                          \
	"v_writelane_b32 v10, s17, 6\n\t"                                                          \
	"v_writelane_b32 v10, s21, 7\n\t"                                                          \
	"v_writelane_b32 v10, s23, 8\n\t"                                                          \
	"v_writelane_b32 v10, s13, 11\n\t"

#define LINES_COMMIT                                                                               \
	".Lfast_sum%=:\n\t"                                                                        \
	LINES_ADD_SECOND(".Lfast_added%=")                                                         \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_one_by_one%=\n\t"                                                   \
	LINES_NEEDED                                                                               \
	LINES_CARRY                                                                                \
	FAST_CARRY_STRIDES                                                                         \
	".Lfast_commit%=:\n\t"                                                                     \
	FAST_ADD_LANES("%[added]")                                                                 \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	LINES_MAXIMA                                                                               \
	"s_branch .Lfast_end%=\n"

/* The data of an access's only or first unit would fit into one cache line: PROBE_C_FITTING. */
#define LINES_FITTING                                                                              \
	".if %[summed]\n\t"                                                                        \
	"s_cmp_gt_u32 s10, 64 / %[unit]\n\t"                                                       \
	"s_cbranch_scc1 .Lfast_not_fitting%=\n\t"                                                  \
	FAST_ONE_LANE_ADDS                                                                         \
	FAST_ADD_SAME(9) FAST_ADD("s10", 1) FAST_ADD("s18", 2)                                     \
	FAST_ADD("s16", 3) FAST_ADD_SAME(5) FAST_ADD("s17", 6) FAST_ADD_SAME(8)                    \
	"s_branch .Lfast_add_stride%=\n"                                                           \
	".Lfast_not_fitting%=:\n\t"                                                                \
	".endif\n\t"

#define LINES_ONE_BY_ONE                                                                           \
	".Lfast_one_by_one%=:\n\t"                                                                 \
	LINES_FITTING                                                                              \
	LINES_NEEDED                                                                               \
	FAST_ONE_LANE_ADDS                                                                         \
	".if %[first]\n\t"                                                                         \
	FAST_ADD_SAME(0) FAST_ADD("s10", 1)                                                        \
	".endif\n\t"                                                                               \
	FAST_ADD("s18", 2) FAST_ADD("s16", 3) FAST_ADD("s20", 4) FAST_ADD("s17", 6)                \
	FAST_ADD("s21", 7)                                                                         \
	"s_or_b32 s24, s22, s23\n\t"                                                               \
	"s_cbranch_scc0 .Lfast_no_excess%=\n\t"                                                    \
	FAST_ADD("s22", 5) FAST_ADD("s23", 8)                                                      \
	".Lfast_no_excess%=:\n\t"                                                                  \
	".if %[first] == 0\n\t"                                                                    \
	"s_branch .Lfast_end%=\n\t"                                                                \
	".endif\n"                                                                                 \
	".Lfast_add_stride%=:\n\t"                                                                 \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	FAST_ADD("s13", 11)                                                                        \
	FAST_STRIDES                                                                               \
	FAST_MAX("s24", 13) FAST_MAX("s25", 14)                                                    \
	"s_branch .Lfast_end%=\n"

/*
 * Each of s17 lanes has a cache line of its own. If the data would fit into one, all sums are 1 or
 * the number of lanes, except for that of the quads. Not if all lanes that carry counters are
 * active, since these then add the counters of further rows (MEASURE_RETURN).
 */
#define LINES_ALL_DISTINCT                                                                         \
	".Lfast_all_distinct%=:\n\t"                                                               \
	".if %[summed] == 0 || %[straddling]\n\t"                                                  \
	"s_branch .Lfast_sum%=\n\t"                                                                \
	".else\n\t"                                                                                \
	".if %[unit] > 4\n\t"                                                                      \
	"s_cmp_gt_u32 s10, 64 / %[unit]\n\t"                                                       \
	".else\n\t"                                                                                \
	"s_cmp_gt_u32 s10, 14\n\t"                                                                 \
	".endif\n\t"                                                                               \
	"s_cbranch_scc1 .Lfast_sum%=\n\t"                                                          \
	FAST_ONE_LANE_ADDS                                                                         \
	FAST_ADD_SAME(9) FAST_ADD("s18", 2) FAST_ADD("s10", 1) FAST_ADD_SAME(3) FAST_ADD_SAME(5)   \
	FAST_ADD_SAME(6) FAST_ADD_SAME(8)                                                          \
	"s_branch .Lfast_end%=\n\t"                                                                \
	".endif\n"

/* One lane touches one line of each size, and needs the 16 address-unit cycles of all quads. */
#define LINES_ONE_LANE                                                                             \
	".Lfast_one_lane%=:\n\t"                                                                   \
	FAST_ZERO                                                                                  \
	".if %[summed]\n\t"                                                                        \
	FAST_ADD("1", 10)                                                                          \
	".else\n\t"                                                                                \
	FAST_ADD("16", 2) FAST_ADD("1", 3) FAST_ADD_SAME(4) FAST_ADD_SAME(6) FAST_ADD_SAME(7)      \
	".if %[first]\n\t"                                                                         \
	FAST_ADD_SAME(0) FAST_ADD_SAME(1) FAST_ADD_SAME(11)                                        \
	".endif\n\t"                                                                               \
	".endif\n\t"                                                                               \
	"s_branch .Lfast_end%=\n"

/* Ends at .Lfast_end, or at .Lfast_fallback if nothing was counted. */
#define LINES_ALL                                                                                  \
	LINES_BEGIN FAST_FULL_EXEC LINES_MONOTONE LINES_HASH LINES_OTHER_HALF LINES_HASHED         \
	LINES_FEW LINES_FEW_HALVES LINES_HOLES LINES_MANY LINES_PARTIAL_EXEC LINES_COMMIT          \
	LINES_ONE_BY_ONE LINES_ALL_DISTINCT LINES_ONE_LANE FAST_DIVIDE_GAP LINES_CHECK_STRADDLE    \
	LINES_STRADDLE                                                                             \
	LINES_FULL_EXEC

/* `added`: the counters to add; an access's later units add fewer. */
#define LINES_SHAPE(shape)                                                                         \
	[unit] "i"((shape) & 0xff), [half] "i"((((shape) & 0xff) + 1) / 2),                        \
	[straddle] "i"(64 - ((shape) & 0xff)),                                                     \
	[first] "i"(~(shape) / SHAPE_LATER_UNIT & 1),                                              \
	[summed] "i"(~(shape) / SHAPE_LATER_UNIT & ~(shape) / SHAPE_FLAT & 1),                     \
	[added] "i"((shape) & SHAPE_LATER_UNIT ? 0x1fc : 0x9ff),                                   \
	[unaligned] "i"(((shape) & SHAPE_UNALIGNED) != 0),                                         \
	[straddling] "i"(((shape) & SHAPE_STRADDLING) != 0),                                       \
	[flat] "i"(((shape) & SHAPE_FLAT) != 0)

/* clang-format on */

#endif
