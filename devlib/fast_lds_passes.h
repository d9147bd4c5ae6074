/* SPDX-License-Identifier: MIT */
/*
 * Passes of an LDS access on the fast path (fast_measure.h), by the rules of lds_passes.h:
 *
 *	one stride	a formula, if no bank has two lanes or all lanes are active; otherwise count
 *			the lanes of each bank, which all access different dwords
 *	otherwise	v[14:15] = lanes in another phase or bank. In each round, all lanes on the
 *			dword of the lowest lane that is left in their bank are done. If that takes
 *			many rounds, count the distinct dwords of each bank: lanes on the same dword
 *			are found bit by bit, and the lowest lane represents them
 *
 * The units of 4, 8 or 16 bytes of one access all have the same cost: the banks differ, but not the
 * distances.
 *
 *	s16 passes	s17 largest number of passes in a phase	s18 ideal passes
 */
#ifndef PROBE_DEVLIB_FAST_LDS_PASSES_H
#define PROBE_DEVLIB_FAST_LDS_PASSES_H

#include "devlib/fast_measure.h"

/* Mask of the lanes that add sums. Maxima are in lane 12, and with one stride in 13 and 14. */
#define PASSES_ADDED "0xe03"

/* clang-format off */

/* LDS offsets are less than 2^31, so that differences do not overflow. */
#define PASSES_BEGIN                                                                               \
	"v_cmp_gt_i32 vcc, 0, v2\n\t"                                                              \
	"s_cbranch_vccnz .Lfast_fallback%=\n\t"

/* s17 = passes per phase, from the stride. s24: the stride in groups of banks. */
#define PASSES_STRIDED                                                                             \
	FAST_PARTIAL_EXEC                                                                          \
	".Lfast_full_strided%=:\n\t"                                                               \
	"s_mov_b32 s13, 1\n\t"                                                                     \
	".if !%[share]\n\t"                                                                        \
	"s_cmp_eq_u32 s12, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_banks%=\n\t"                                                        \
	".endif\n\t"                                                                               \
	"s_and_b32 s24, s12, (1 << %[shift]) - 1\n\t"                                              \
	"s_cbranch_scc1 .Lfast_unaligned_stride%=\n\t"                                             \
	"s_ashr_i32 s24, s12, %[shift]\n\t"                                                        \
	"s_sub_u32 s25, 0, s24\n\t"                                                                \
	"s_and_b32 s24, s24, s25\n\t"                                                              \
	"s_min_u32 s24, s24, 1 << %[bits]\n\t"                                                     \
	"s_max_u32 s17, s24, 1\n\t"                                                                \
	"s_cmp_eq_u32 s17, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_no_conflict%=\n\t"                                                  \
	"s_cmp_eq_u64 exec, -1\n\t"                                                                \
	"s_cbranch_scc0 .Lfast_strided_lanes%=\n\t"                                                \
	"s_mul_i32 s16, s17, %[phases]\n\t"                                                        \
	"s_branch .Lfast_sum%=\n"                                                                  \
	".Lfast_unaligned_stride%=:\n\t"                                                           \
	".if %[share] && %[shift] == 2\n\t"                                                        \
	"s_add_u32 s24, s12, 3\n\t"                                                                \
	"s_cmp_lt_u32 s24, 7\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_no_conflict%=\n\t"                                                  \
	".endif\n\t"                                                                               \
	"s_branch .Lfast_banks%=\n"

/* v13 = the own lane; v[14:15] = lanes in other phases. */
#define PASSES_PHASE                                                                               \
	"v_mbcnt_lo_u32_b32 v13, -1, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v13, -1, v13\n\t"                                                      \
	".if %[lanes] == 32\n\t"                                                                   \
	"v_bfe_i32 v14, v13, 5, 1\n\t"                                                             \
	"v_not_b32 v15, v14\n\t"                                                                   \
	".else\n\t"                                                                                \
	"v_and_b32 v8, 32 - %[spread], v13\n\t"                                                    \
	".if %[interleaved]\n\t"                                                                   \
	"v_xor_b32 v9, 20, v8\n\t"                                                                 \
	"v_lshlrev_b32 v8, v8, 15\n\t"                                                             \
	"v_lshlrev_b32 v9, v9, 15\n\t"                                                             \
	"v_or_b32 v8, v8, v9\n\t"                                                                  \
	".else\n\t"                                                                                \
	"v_bfm_b32 v8, %[lanes], v8\n\t"                                                           \
	".endif\n\t"                                                                               \
	"v_not_b32 v8, v8\n\t"                                                                     \
	"v_bfe_i32 v9, v13, 5, 1\n\t"                                                              \
	"v_or_b32 v14, v8, v9\n\t"                                                                 \
	"v_not_b32 v9, v9\n\t"                                                                     \
	"v_or_b32 v15, v8, v9\n\t"                                                                 \
	".endif\n\t"

/*
 * v[14:15] = lanes in other phases or banks, if some lanes have one stride by which s17 lanes meet
 * in a bank: those whose numbers differ modulo 2^bits / s17.
 */
#define PASSES_STRIDED_LANES                                                                       \
	".Lfast_strided_lanes%=:\n\t" PASSES_PHASE                                                 \
	"s_cmp_lt_u32 s17, 1 << %[bits]\n\t"                                                       \
	"s_cselect_b32 s24, 0xaaaaaaaa, 0\n\t"                                                     \
	PASSES_OTHER_LANES(1, "0xcccccccc") PASSES_OTHER_LANES(2, "0xf0f0f0f0")                    \
	PASSES_OTHER_LANES(3, "0xff00ff00")                                                        \
	"v_sub_u32 v8, 0, v13\n\t"                                                                 \
	"v_alignbit_b32 v8, s24, s24, v8\n\t"                                                      \
	"v_or_b32 v14, v14, v8\n\t"                                                                \
	"v_or_b32 v15, v15, v8\n\t"                                                                \
	"s_branch .Lfast_lanes%=\n"

#define PASSES_OTHER_LANES(bit, lanes)                                                             \
	".if %[bits] > " #bit " + 1\n\t"                                                           \
	"s_cmp_lt_u32 s17, 1 << (%[bits] - " #bit ")\n\t"                                          \
	"s_cselect_b32 s25, " lanes ", 0\n\t"                                                      \
	"s_or_b32 s24, s24, s25\n\t"                                                               \
	".endif\n\t"

/* v[14:15] = lanes in other phases or banks. v12 = the own dword, or group of them. */
#define PASSES_BANK                                                                                \
	"v_lshrrev_b32 v12, %[shift], v2\n\t"                                                      \
	FAST_DIFFERING_LANES(0)                                                                    \
	".if %[bits] > 3\n\t"                                                                      \
	FAST_DIFFERING_LANES(2)                                                                    \
	".endif\n\t"                                                                               \
	".if %[bits] & 1\n\t"                                                                      \
	"v_bfe_i32 v8, v12, %[bits] - 1, 1\n\t"                                                    \
	"v_cmp_ne_u32 vcc, 0, v8\n\t"                                                              \
	"v_xor_b32 v10, vcc_lo, v8\n\t"                                                            \
	"v_xor_b32 v11, vcc_hi, v8\n\t"                                                            \
	"v_or_b32 v14, v14, v10\n\t"                                                               \
	"v_or_b32 v15, v15, v11\n\t"                                                               \
	".endif\n\t"

/* s16 += phases with lanes in EXEC, by which a phase takes one more pass. */
#define PASSES_COUNT_PHASES                                                                        \
	".if %[lanes] == 32\n\t"                                                                   \
	"s_cmp_lg_u32 exec_lo, 0\n\t"                                                              \
	"s_addc_u32 s16, s16, 0\n\t"                                                               \
	"s_cmp_lg_u32 exec_hi, 0\n\t"                                                              \
	"s_addc_u32 s16, s16, 0\n\t"                                                               \
	".else\n\t"                                                                                \
	"s_quadmask_b64 s[24:25], exec\n\t"                                                        \
	".if %[lanes] == 16\n\t"                                                                   \
	"s_quadmask_b32 s24, s24\n\t"                                                              \
	".elseif %[interleaved]\n\t"                                                               \
	"s_lshr_b32 s25, s24, 5\n\t"                                                               \
	"s_and_b32 s25, s25, 0x505\n\t"                                                            \
	"s_lshr_b32 s26, s24, 3\n\t"                                                               \
	"s_and_b32 s26, s26, 0xa0a\n\t"                                                            \
	"s_or_b32 s24, s24, s25\n\t"                                                               \
	"s_or_b32 s24, s24, s26\n\t"                                                               \
	"s_and_b32 s24, s24, 0xf0f\n\t"                                                            \
	".else\n\t"                                                                                \
	"s_lshr_b32 s25, s24, 1\n\t"                                                               \
	"s_or_b32 s24, s24, s25\n\t"                                                               \
	"s_and_b32 s24, s24, 0x5555\n\t"                                                           \
	".endif\n\t"                                                                               \
	"s_bcnt1_i32_b32 s24, s24\n\t"                                                             \
	"s_add_u32 s16, s16, s24\n\t"                                                              \
	".endif\n\t"

/*
 * In rounds of one pass per bank and phase: lanes on the dword of the lowest lane that is left in
 * their bank and phase are done. After a few rounds, v13 = number of distinct dwords in the own
 * bank and phase, or for atomics at once the number of lanes there.
 */
#define PASSES_DWORDS                                                                              \
	".if %[share]\n\t"                                                                         \
	"s_mov_b32 s16, %[phases]\n\t"                                                             \
	"s_mov_b32 s17, 1\n"                                                                        \
	".Lfast_round%=:\n\t"                                                                      \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n\t"                                                       \
	"v_ffbl_b32 v8, v10\n\t"                                                                   \
	"v_ffbl_b32 v9, v11\n\t"                                                                   \
	"v_add_u32 v9, 32, v9\n\t"                                                                 \
	"v_min_u32 v8, v8, v9\n\t"                                                                 \
	"v_lshlrev_b32 v8, 2, v8\n\t"                                                              \
	"ds_bpermute_b32 v8, v8, v12\n\t"                                                          \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_cmpx_ne_u32 vcc, v8, v12\n\t"                                                           \
	"s_cbranch_execz .Lfast_rounds%=\n\t"                                                      \
	PASSES_COUNT_PHASES                                                                        \
	"s_add_u32 s17, s17, 1\n\t"                                                                \
	"s_cmp_lt_u32 s17, 6\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_round%=\n\t"                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"v_bfi_b32 v13, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v7, v15, 0, exec_hi\n\t"                                                        \
	"v_readfirstlane_b32 s24, v12\n\t"                                                         \
	"v_xor_b32 v12, s24, v12\n\t"                                                              \
	"v_lshrrev_b32 v12, %[bits], v12\n\t"                                                      \
	FAST_DIFFERING_LANES_ALL                                                                   \
	FAST_LOWEST                                                                                \
	"v_and_b32 v10, vcc_lo, v13\n\t"                                                           \
	"v_and_b32 v11, vcc_hi, v7\n\t"                                                            \
	"s_branch .Lfast_counted%=\n"                                                               \
	".Lfast_rounds%=:\n\t"                                                                     \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_branch .Lfast_sum%=\n\t"                                                                \
	".endif\n"                                                                                  \
	".Lfast_lanes%=:\n\t"                                                                      \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n"                                                          \
	".Lfast_counted%=:\n\t"                                                                    \
	"v_bcnt_u32_b32 v13, v10, 0\n\t"                                                           \
	"v_bcnt_u32_b32 v13, v11, v13\n\t"

/* The maximum of v13 in each phase: a loop over increasing values. */
#define PASSES_LARGEST(n, low, high)                                                               \
	"s_mov_b32 s24, 1\n\t"                                                                     \
	"s_and_b32 exec_lo, s8, " low "\n\t"                                                       \
	"s_and_b32 exec_hi, s9, " high "\n\t"                                                      \
	"s_cbranch_execz .Lfast_largest" #n "%=\n"                                                 \
	".Lfast_larger" #n "%=:\n\t"                                                               \
	"v_readfirstlane_b32 s24, v13\n\t"                                                         \
	"v_cmpx_lt_u32 vcc, s24, v13\n\t"                                                          \
	"s_cbranch_execnz .Lfast_larger" #n "%=\n"                                                 \
	".Lfast_largest" #n "%=:\n\t"                                                              \
	"s_add_u32 s16, s16, s24\n\t"                                                              \
	"s_max_u32 s17, s17, s24\n\t"

#define PASSES_PHASES                                                                              \
	"s_mov_b32 s16, 0\n\t"                                                                     \
	"s_mov_b32 s17, 1\n\t"                                                                     \
	".if %[lanes] == 32\n\t"                                                                   \
	PASSES_LARGEST(0, "-1", "0")                                                               \
	PASSES_LARGEST(1, "0", "-1")                                                               \
	".elseif %[lanes] == 16\n\t"                                                               \
	PASSES_LARGEST(0, "0xffff", "0")                                                           \
	PASSES_LARGEST(1, "0xffff0000", "0")                                                       \
	PASSES_LARGEST(2, "0", "0xffff")                                                           \
	PASSES_LARGEST(3, "0", "0xffff0000")                                                       \
	".elseif %[interleaved]\n\t"                                                               \
	PASSES_LARGEST(0, "0x00f0000f", "0")                                                       \
	PASSES_LARGEST(1, "0x000f00f0", "0")                                                       \
	PASSES_LARGEST(2, "0xf0000f00", "0")                                                       \
	PASSES_LARGEST(3, "0x0f00f000", "0")                                                       \
	PASSES_LARGEST(4, "0", "0x00f0000f")                                                       \
	PASSES_LARGEST(5, "0", "0x000f00f0")                                                       \
	PASSES_LARGEST(6, "0", "0xf0000f00")                                                       \
	PASSES_LARGEST(7, "0", "0x0f00f000")                                                       \
	".else\n\t"                                                                                \
	PASSES_LARGEST(0, "0xff", "0")                                                             \
	PASSES_LARGEST(1, "0xff00", "0")                                                           \
	PASSES_LARGEST(2, "0xff0000", "0")                                                         \
	PASSES_LARGEST(3, "0xff000000", "0")                                                       \
	PASSES_LARGEST(4, "0", "0xff")                                                             \
	PASSES_LARGEST(5, "0", "0xff00")                                                           \
	PASSES_LARGEST(6, "0", "0xff0000")                                                         \
	PASSES_LARGEST(7, "0", "0xff000000")                                                       \
	".endif\n\t"                                                                               \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_branch .Lfast_sum%=\n"

#define PASSES_CARRY                                                                               \
	FAST_CARRY                                                                                 \
	"v_writelane_b32 v10, s10, 1\n\t"                                                          \
	"v_writelane_b32 v10, s16, 9\n\t"                                                          \
	"v_writelane_b32 v10, s18, 10\n\t"                                                         \
	"v_writelane_b32 v10, s13, 11\n\t"

#define PASSES_COMMIT                                                                              \
	".Lfast_no_conflict%=:\n\t"                                                                \
	"s_mov_b32 s16, %[phases]\n\t"                                                             \
	"s_mov_b32 s17, 1\n"                                                                       \
	".Lfast_sum%=:\n\t"                                                                        \
	".if %[units] > 1\n\t"                                                                     \
	"s_mul_i32 s16, s16, %[units]\n\t"                                                         \
	".endif\n\t"                                                                               \
	"s_movk_i32 s18, %[phases] * %[units]\n\t"                                                 \
	PASSES_CARRY                                                                               \
	"v_writelane_b32 v10, s17, 12\n\t"                                                         \
	FAST_CARRY_STRIDES                                                                         \
	".Lfast_commit%=:\n\t"                                                                     \
	FAST_ADD_LANES(PASSES_ADDED)                                                               \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cselect_b64 exec, 1, 7\n\t"                                                             \
	"s_lshl_b64 exec, exec, 12\n\t"                                                            \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5]\n\t"                                           \
	"s_branch .Lfast_end%=\n"

#define PASSES_ONE_BY_ONE                                                                          \
	".Lfast_one_by_one%=:\n\t"                                                                 \
	FAST_ONE_LANE_ADDS                                                                         \
	FAST_ADD_SAME(0) FAST_ADD("s10", 1) FAST_ADD("s16", 9) FAST_ADD("s18", 10)                 \
	FAST_MAX("s17", 12)                                                                        \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	FAST_STRIDES                                                                               \
	FAST_ADD("1", 11) FAST_MAX("s24", 13) FAST_MAX("s25", 14)                                  \
	"s_branch .Lfast_end%=\n"

/* One lane takes one pass in its phase, as empty phases do. */
#define PASSES_ONE_LANE                                                                            \
	".Lfast_one_lane%=:\n\t"                                                                   \
	FAST_ZERO                                                                                  \
	FAST_ADD("%[phases] * %[units]", 9) FAST_ADD_SAME(10)                                      \
	FAST_ADD("1", 0) FAST_ADD_SAME(1) FAST_ADD_SAME(11)                                        \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5] offset:8*12\n\t"                               \
	"s_branch .Lfast_end%=\n"

/* Ends at .Lfast_end, or at .Lfast_fallback if nothing was counted. */
#define PASSES_ALL                                                                                 \
	PASSES_BEGIN FAST_FULL_EXEC                                                                \
	"s_branch .Lfast_unstrided%=\n"                                                            \
	PASSES_STRIDED PASSES_STRIDED_LANES                                                        \
	".Lfast_unstrided%=:\n"                                                                     \
	".Lfast_banks%=:\n\t"                                                                      \
	PASSES_PHASE PASSES_BANK PASSES_DWORDS PASSES_PHASES PASSES_COMMIT                         \
	PASSES_ONE_BY_ONE PASSES_ONE_LANE FAST_DIVIDE_GAP

/* clang-format on */

/* Constant expressions, because "i" operands must fold early. 0: at most 4 bytes, 1: 8, 2: more. */
#define PASSES_WIDTH(shape)	  ((uint32_t)(((shape)&0xff) >= 8) + (((shape)&0xff) >= 12))
#define PASSES_INTERLEAVED(shape) (PASSES_WIDTH(shape) >> 1 & ~(shape) / SHAPE_STORE & 1)

#define PASSES_SHAPE(shape)                                                                        \
	[units] "i"((shape) >> 8 & 0xff), [phases] "i"(2 << PASSES_WIDTH(shape)),                  \
		[bits] "i"(5 - PASSES_WIDTH(shape)), [shift] "i"(2 + PASSES_WIDTH(shape)),         \
		[share] "i"(~(shape) / SHAPE_ATOMIC & 1),                                          \
		[interleaved] "i"(PASSES_INTERLEAVED(shape)),                                      \
		[lanes] "i"(32 >> PASSES_WIDTH(shape)),                                            \
		[spread] "i"(32 >> PASSES_WIDTH(shape) >> PASSES_INTERLEAVED(shape))

#endif
