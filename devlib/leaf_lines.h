/* SPDX-License-Identifier: MIT */
/*
 * Lines of a global or flat access (leaf_measure.h). How they are counted:
 *
 *	at one stride, no holes in EXEC		changes of line from lane to lane
 *	full EXEC, never falling or rising	the same
 *	others with full EXEC	each lane sends its line to the lane that the line's number names, as
 *		into a hash table; one arrives, and the lanes of that line are done. The others
 *		go on, with another hash
 *	others at one stride, with holes	changes from an active lane to the next; also
 *		tried where the first of many lanes share a line
 *	few lanes	a round for each line of 128 bytes, and if there are less of these than
 *		lanes, for each of 64 bytes
 *	else	the lanes that agree with the own one, four bits of the address a round
 *
 *	s16 lines of 64 bytes	s17 of 128 bytes	s18 quads	s20, s21 needed
 *	s22, s23 in excess
 */
#ifndef PROBE_DEVLIB_LEAF_LINES_H
#define PROBE_DEVLIB_LEAF_LINES_H

#include "devlib/leaf_measure.h"

/* clang-format off */

/*
 * Bits 31 to 62 agree: no difference overflows 32 bits, and flat addresses are in one aperture:
 * SH_MEM_BASES, hardware register 15, has the high halves of those of scratch and LDS.
 */
#define LINES_BEGIN                                                                                \
	"v_alignbit_b32 v8, v3, v2, 31\n\t"                                                        \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	".if %[unaligned]\n\t"                                                                     \
	"v_xor_b32 v9, s24, v8\n\t"                                                                \
	"v_and_or_b32 v9, v2, %[unit] - 1, v9\n\t"                                                 \
	"v_cmp_ne_u32 vcc, 0, v9\n\t"                                                              \
	"s_cbranch_vccnz .Lfast_look%=\n"                                                          \
	".Lfast_looked%=:\n\t"                                                                     \
	".else\n\t"                                                                                \
	"v_cmp_ne_u32 vcc, s24, v8\n\t"                                                            \
	"s_cbranch_vccnz .Lfast_no%=\n\t"                                                          \
	".endif\n\t"                                                                               \
	".if %[flat]\n\t"                                                                          \
	"v_readfirstlane_b32 s24, v3\n\t"                                                          \
	"s_getreg_b32 s25, hwreg(15)\n\t"                                                          \
	"s_lshl_b32 s26, s25, 16\n\t"                                                              \
	"s_and_b32 s25, s25, 0xffff0000\n\t"                                                       \
	"s_cmp_eq_u32 s24, s26\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_no%=\n\t"                                                           \
	"s_cmp_eq_u32 s24, s25\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_no%=\n\t"                                                           \
	".endif\n\t"

/* What is not at multiples of its size may still lie within lines. */
#define LINES_LOOK                                                                                 \
	".if %[unaligned]\n"                                                                       \
	".Lfast_look%=:\n\t"                                                                       \
	"v_cmp_ne_u32 vcc, s24, v8\n\t"                                                            \
	"s_cbranch_vccnz .Lfast_no%=\n\t"                                                          \
	"v_and_b32 v8, 63, v2\n\t"                                                                 \
	"v_cmp_lt_u32 vcc, %[straddle], v8\n\t"                                                    \
	"s_cbranch_vccnz .Lfast_no%=\n\t"                                                          \
	"s_branch .Lfast_looked%=\n\t"                                                             \
	".endif\n"

/*
 * Full EXEC. v8 is the own line of 64 bytes, with the low bits set so that it is not 0, and v9 the
 * lane to send it to, in bits 2 to 7. Whichever of several lines arrives, that line is done. The
 * lanes that are done take the first other one's line, so that no line comes twice.
 */
#define LINES_HASH                                                                                 \
	".Lfast_lines%=:\n\t"                                                                      \
	"v_or_b32 v8, 63, v2\n\t"                                                                  \
	"v_lshrrev_b32 v9, 5, v2\n\t"                                                              \
	"s_mov_b32 s16, 0\n\t"                                                                     \
	"s_mov_b32 s17, 0\n\t"                                                                     \
	"s_mov_b32 s25, 0x9e3779\n"                                                                \
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
	"s_cbranch_scc1 .Lfast_other%=\n"                                                          \
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

/* s[14:15] are on the other half of a line that is done: how many of these lines are there? */
#define LINES_OTHER                                                                                \
	".Lfast_other%=:\n\t"                                                                      \
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
 * s[14:15] = lanes that share a line of 64 bytes with a lane below in their quad, which need no
 * access of their own. A lane that is not active is read as 0, which no line is.
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
	"s_branch .Lfast_whole%=\n"

/*
 * Not all lanes, and no stride. If there are few, a short round for each line of 128 bytes counts;
 * if there are as many as lanes, so are those of 64 bytes, and quads follow. Quads without a lane
 * count 1 each.
 */
#define LINES_APART                                                                                \
	".Lfast_odd%=:\n\t"                                                                        \
	"v_and_b32 v8, 0xffffff80, v2\n\t"                                                         \
	"s_quadmask_b64 s[26:27], exec\n\t"                                                        \
	"s_bcnt1_i32_b32 s18, s26\n\t"                                                             \
	"s_sub_u32 s18, 16, s18\n\t"                                                               \
	"s_cmp_gt_u32 s10, 16\n\t"                                                                 \
	"s_cbranch_scc1 .Lfast_several%=\n\t"                                                      \
	"s_add_u32 s18, s18, s10\n\t"                                                              \
	"s_mov_b32 s17, 0\n"                                                                       \
	".Lfast_apart%=:\n\t"                                                                      \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"s_addk_i32 s17, 1\n\t"                                                                    \
	"v_cmpx_ne_u32 vcc, s24, v8\n\t"                                                           \
	"s_cbranch_execnz .Lfast_apart%=\n\t"                                                      \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_mov_b32 s16, s17\n\t"                                                                   \
	"s_cmp_eq_u32 s17, s10\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_spread%=\n\t"

/* Some lanes share: rounds for lines of 64 bytes, too. */
#define LINES_HALVES                                                                               \
	LINES_SHARED                                                                               \
	"s_sub_u32 s18, s18, s24\n\t"                                                              \
	"s_mov_b32 s16, 0\n"                                                                       \
	".Lfast_half%=:\n\t"                                                                       \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"s_addk_i32 s16, 1\n\t"                                                                    \
	"v_cmpx_ne_u32 vcc, s24, v8\n\t"                                                           \
	"s_cbranch_execnz .Lfast_half%=\n\t"                                                       \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_branch .Lfast_judge%=\n"

/*
 * v13 = how far below the own lane, v12, the next active one is; far for the first.
 */
#define LINES_BELOW                                                                                \
	"v_sub_u32 v9, 63, v12\n\t"                                                                \
	"v_lshlrev_b64 v[10:11], v9, exec\n\t"                                                     \
	"v_and_b32 v11, 0x7fffffff, v11\n\t"                                                       \
	"v_ffbh_u32 v11, v11\n\t"                                                                  \
	"v_ffbh_u32 v10, v10\n\t"                                                                  \
	"v_or_b32 v10, 32, v10\n\t"                                                                \
	"v_min_u32 v13, v10, v11\n\t"

/*
 * At one stride, v8 = the distance of the own lane from the first; v9 is then the address in the
 * next active lane below, as it is if they never fall, or never rise, which some lanes on the first
 * line are a hint of.
 */
#define LINES_HOLES                                                                                \
	".Lfast_holes%=:\n\t"                                                                      \
	"v_add_u32 v12, s11, v8\n\t"                                                               \
	LINES_BELOW                                                                                \
	"v_mul_lo_u32 v9, v13, s12\n\t"                                                            \
	"v_sub_u32 v9, v2, v9\n"                                                                   \
	".Lfast_below%=:\n\t"                                                                      \
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
	"s_branch .Lfast_judge%=\n"                                                                \
	".Lfast_several%=:\n\t"                                                                    \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"v_cmp_eq_u32 vcc, s24, v8\n\t"                                                            \
	"s_bcnt1_i32_b64 s25, vcc\n\t"                                                             \
	"s_cmp_eq_u32 s25, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_many%=\n\t"                                                         \
	"v_mbcnt_lo_u32_b32 v12, -1, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v12, -1, v12\n\t"                                                      \
	LINES_BELOW                                                                                \
	"v_sub_u32 v9, v12, v13\n\t"                                                               \
	"v_lshlrev_b32 v9, 2, v9\n\t"                                                              \
	"ds_bpermute_b32 v9, v9, v2\n\t"                                                           \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_cmp_gt_u32 s[14:15], v9, v2\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_cmp_eq_u64 s[14:15], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_below%=\n\t"                                                        \
	"v_cmp_lt_u32 s[14:15], v9, v2\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_cmp_eq_u64 s[14:15], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lfast_below%=\n"

/* At the end, lanes of the own quad, below the own one, on its line of 64 bytes. */
#define LINES_MANY                                                                                 \
	".Lfast_many%=:\n\t"                                                                       \
	"v_xor_b32 v12, s24, v8\n\t"                                                               \
	"v_lshrrev_b32 v12, 7, v12\n\t"                                                            \
	"v_mov_b32 v14, 0\n\t"                                                                     \
	"v_mov_b32 v15, 0\n"                                                                       \
	FAST_DIFFER_ALL                                                                            \
	FAST_LOWEST                                                                                \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	"s_mov_b32 s16, s17\n\t"                                                                   \
	"s_mov_b32 s24, s17\n\t"                                                                   \
	"s_cmp_eq_u32 s17, s10\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_counted%=\n\t"                                                      \
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
	".Lfast_counted%=:\n\t"                                                                    \
	"s_add_u32 s18, s18, s24\n\t"                                                              \
	"s_branch .Lfast_judge%=\n"

/*
 * Addresses never fall, or never rise: lines are changes of line, and the first lane's, which has
 * none below to read.
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

/* All lanes, at one stride if s13 says so. */
#define LINES_WHOLE                                                                                \
	".Lfast_even%=:\n\t"                                                                       \
	"s_mov_b32 s13, 1\n"                                                                       \
	".Lfast_order%=:\n\t"                                                                      \
	LINES_CHANGES                                                                              \
	"s_bcnt1_i32_b64 s16, s[14:15]\n\t"                                                        \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	LINES_QUADS                                                                                \
	".Lfast_whole%=:\n\t"                                                                      \
	"s_sub_u32 s22, s16, %[unit]\n\t"                                                          \
	"s_sub_u32 s23, s17, %[half]\n\t"                                                          \
	LINES_EXCESS                                                                               \
	"v_mov_b32 v10, s13\n\t"                                                                   \
	"v_mov_b32 v11, 0\n\t"                                                                     \
	FAST_PLACES                                                                                \
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

/* All lanes, not at one stride: as behind FAST_FULL. */
#define LINES_ORDER                                                                                \
	"v_cmp_gt_i32 vcc, 0, v9\n\t"                                                              \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_order%=\n\t"                                                        \
	"v_cmp_lt_i32 vcc, 0, v9\n\t"                                                              \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_order%=\n\t"

/* Not all lanes, at one stride. */
#define LINES_PART                                                                                 \
	FAST_PART                                                                                  \
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
	FAST_CARRY                                                                                 \
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
	".Lfast_judge%=:\n\t"                                                                      \
	LINES_NEEDED                                                                               \
	LINES_CARRY                                                                                \
	FAST_CARRY_STRIDES                                                                         \
	".Lfast_commit%=:\n\t"                                                                     \
	FAST_ADD_LANES("%[added]")                                                                 \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	LINES_MAXIMA                                                                               \
	"s_branch .Lfast_end%=\n"

#define LINES_EACH                                                                                 \
	".Lfast_each%=:\n\t"                                                                       \
	FAST_FIRST                                                                                 \
	".if %[first]\n\t"                                                                         \
	FAST_AGAIN(0) FAST_ADD("s10", 1)                                                           \
	".endif\n\t"                                                                               \
	FAST_ADD("s18", 2) FAST_ADD("s16", 3) FAST_ADD("s20", 4) FAST_ADD("s17", 6)                \
	FAST_ADD("s21", 7)                                                                         \
	"s_or_b32 s24, s22, s23\n\t"                                                               \
	"s_cbranch_scc0 .Lfast_good%=\n\t"                                                         \
	FAST_ADD("s22", 5) FAST_ADD("s23", 8)                                                      \
	".Lfast_good%=:\n\t"                                                                       \
	".if %[first] == 0\n\t"                                                                    \
	"s_branch .Lfast_end%=\n\t"                                                                \
	".endif\n\t"                                                                               \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	FAST_ADD("s13", 11)                                                                        \
	FAST_STRIDES                                                                               \
	FAST_MAX("s24", 13) FAST_MAX("s25", 14)                                                    \
	"s_branch .Lfast_end%=\n"

/*
 * A line of its own for each of s17 lanes: if no more than a line of 64 bytes is needed, what the
 * first lane adds is this.
 */
#define LINES_SPREAD                                                                               \
	".Lfast_spread%=:\n\t"                                                                     \
	"s_cmp_gt_u32 s10, 64 / %[unit]\n\t"                                                       \
	"s_cbranch_scc1 .Lfast_judge%=\n\t"                                                        \
	"s_sub_u32 s22, s10, 1\n\t"                                                                \
	"s_mov_b32 s20, 1\n\t"                                                                     \
	"s_mov_b32 s21, 1\n\t"                                                                     \
	"s_mov_b32 s23, s22\n\t"                                                                   \
	FAST_FIRST                                                                                 \
	FAST_AGAIN(4) FAST_AGAIN(7)                                                                \
	".if %[first]\n\t"                                                                         \
	FAST_AGAIN(0)                                                                              \
	".endif\n\t"                                                                               \
	FAST_ADD("s10", 3) FAST_AGAIN(6)                                                           \
	".if %[first]\n\t"                                                                         \
	FAST_AGAIN(1)                                                                              \
	".endif\n\t"                                                                               \
	FAST_ADD("s22", 5) FAST_AGAIN(8) FAST_ADD("s18", 2)                                        \
	"s_branch .Lfast_end%=\n"

/* A lane alone touches one line of each kind; quads are 16 bytes. */
#define LINES_ONE                                                                                  \
	".Lfast_one%=:\n\t"                                                                        \
	FAST_ZERO                                                                                  \
	FAST_ADD("16", 2) FAST_ADD("1", 3) FAST_AGAIN(4) FAST_AGAIN(6) FAST_AGAIN(7)               \
	".if %[first]\n\t"                                                                         \
	FAST_AGAIN(0) FAST_AGAIN(1) FAST_AGAIN(11)                                                 \
	".endif\n\t"                                                                               \
	"s_branch .Lfast_end%=\n"

/* Ends at .Lfast_end, or at .Lfast_no with nothing counted. */
#define LINES_ALL                                                                                  \
	LINES_BEGIN FAST_FULL LINES_ORDER LINES_HASH LINES_OTHER LINES_HASHED LINES_APART          \
	LINES_HALVES LINES_HOLES LINES_MANY LINES_PART LINES_COMMIT LINES_EACH LINES_SPREAD        \
	LINES_ONE FAST_GAP LINES_LOOK LINES_WHOLE

/* Which lanes' counters are added: units behind the first have not all of them. */
#define LINES_SHAPE(shape)                                                                         \
	[unit] "i"((shape) & 0xff), [half] "i"((((shape) & 0xff) + 1) / 2),                        \
	[straddle] "i"(64 - ((shape) & 0xff)),                                                     \
	[first] "i"(~(shape) / SHAPE_MORE & 1),                                                    \
	[added] "i"((shape) & SHAPE_MORE ? 0x1fc : 0x9ff),                                         \
	[unaligned] "i"(((shape) & SHAPE_UNALIGNED) != 0),                                         \
	[flat] "i"(((shape) & SHAPE_FLAT) != 0)

/* clang-format on */

#endif
