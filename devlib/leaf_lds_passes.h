/* SPDX-License-Identifier: MIT */
/*
 * Passes of an access to LDS (leaf_measure.h), by the rules of lds_passes.h. How they are counted:
 *
 *	at one stride	a formula, if no two lanes meet in a bank or all lanes are active
 *	else		v[14:15] = lanes that are not in the own phase, or in another bank. If all
 *			agree with the lowest that is, they share, and no two take turns; else
 *			those that differ from the own one in a bit of the address make the lanes
 *			of each dword, and the lowest lanes of those the dwords of each bank
 *
 * Several units of 4, 8 or 16 bytes cost the same each: they are in other banks, but differ as
 * much.
 *
 *	s16 passes	s17 the worst phase's cost	s18 the fewest possible
 */
#ifndef PROBE_DEVLIB_LEAF_LDS_PASSES_H
#define PROBE_DEVLIB_LEAF_LDS_PASSES_H

#include "devlib/leaf_measure.h"

/* Counters of lanes. Those that are maxima are 12, and at one stride 13 and 14. */
#define PASSES_ADDED "0xe03"

/* clang-format off */

/* Offsets in LDS are below 2^31: no difference overflows. */
#define PASSES_BEGIN                                                                               \
	"v_cmp_gt_i32 vcc, 0, v2\n\t"                                                              \
	"s_cbranch_vccnz .Lfast_no%=\n\t"

/* The two ways to one stride meet where s17 is made of it; a stride s24 of groups of banks. */
#define PASSES_EVEN                                                                                \
	FAST_PART                                                                                  \
	".Lfast_even%=:\n\t"                                                                       \
	"s_mov_b32 s13, 1\n\t"                                                                     \
	".if !%[share]\n\t"                                                                        \
	"s_cmp_eq_u32 s12, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_banks%=\n\t"                                                        \
	".endif\n\t"                                                                               \
	"s_and_b32 s24, s12, (1 << %[shift]) - 1\n\t"                                              \
	"s_cbranch_scc1 .Lfast_misfit%=\n\t"                                                       \
	"s_ashr_i32 s24, s12, %[shift]\n\t"                                                        \
	"s_sub_u32 s25, 0, s24\n\t"                                                                \
	"s_and_b32 s24, s24, s25\n\t"                                                              \
	"s_min_u32 s24, s24, 1 << %[bits]\n\t"                                                     \
	"s_max_u32 s17, s24, 1\n\t"                                                                \
	"s_cmp_eq_u32 s17, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_free%=\n\t"                                                         \
	"s_cmp_eq_u64 exec, -1\n\t"                                                                \
	"s_cbranch_scc0 .Lfast_banks%=\n\t"                                                        \
	"s_mul_i32 s16, s17, %[phases]\n\t"                                                        \
	"s_branch .Lfast_judge%=\n"                                                                \
	".Lfast_misfit%=:\n\t"                                                                     \
	".if %[share] && %[shift] == 2\n\t"                                                        \
	"s_add_u32 s24, s12, 3\n\t"                                                                \
	"s_cmp_lt_u32 s24, 7\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_free%=\n\t"                                                         \
	".endif\n\t"                                                                               \
	"s_branch .Lfast_banks%=\n"

/* v13 = the own lane; v[14:15] = lanes outside of its phase. */
#define PASSES_PHASE                                                                               \
	".Lfast_banks%=:\n\t"                                                                      \
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
 * v[14:15] = lanes that are not in the own phase and bank, v12 = how the own dword differs from
 * that of the first lane, without the bits of the bank.
 */
#define PASSES_BANK                                                                                \
	"v_lshrrev_b32 v12, %[shift], v2\n\t"                                                      \
	"v_readfirstlane_b32 s24, v12\n\t"                                                         \
	"v_xor_b32 v12, s24, v12\n\t"                                                              \
	FAST_DIFFER(0)                                                                             \
	".if %[bits] > 3\n\t"                                                                      \
	FAST_DIFFER(2)                                                                             \
	".endif\n\t"                                                                               \
	"v_lshrrev_b32 v12, %[bits] & 6, v12\n\t"                                                  \
	".if %[bits] & 1\n\t"                                                                      \
	"v_bfe_i32 v8, v12, 0, 1\n\t"                                                              \
	"v_cmp_ne_u32 vcc, 0, v8\n\t"                                                              \
	"v_xor_b32 v10, vcc_lo, v8\n\t"                                                            \
	"v_xor_b32 v11, vcc_hi, v8\n\t"                                                            \
	"v_or_b32 v14, v14, v10\n\t"                                                               \
	"v_or_b32 v15, v15, v11\n\t"                                                               \
	"v_lshrrev_b32 v12, 1, v12\n\t"                                                            \
	".endif\n\t"

/*
 * If no lane's dword differs from that of the lowest lane in its bank, which v7 and v13 keep, none
 * takes turns. Then v13 is the number of dwords that those of the own bank and phase want; of lanes
 * that share nothing the number of lanes.
 */
#define PASSES_DWORDS                                                                              \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n\t"                                                       \
	".if %[share]\n\t"                                                                         \
	"v_ffbl_b32 v8, v10\n\t"                                                                   \
	"v_ffbl_b32 v9, v11\n\t"                                                                   \
	"v_add_u32 v9, 32, v9\n\t"                                                                 \
	"v_min_u32 v8, v8, v9\n\t"                                                                 \
	"v_lshlrev_b32 v8, 2, v8\n\t"                                                              \
	"ds_bpermute_b32 v8, v8, v12\n\t"                                                          \
	"v_mov_b32 v13, v10\n\t"                                                                   \
	"v_mov_b32 v7, v11\n\t"                                                                    \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_cmp_ne_u32 vcc, v8, v12\n\t"                                                            \
	"s_cbranch_vccz .Lfast_free%=\n\t"                                                         \
	FAST_DIFFER_ALL                                                                            \
	FAST_LOWEST                                                                                \
	"v_and_b32 v10, vcc_lo, v13\n\t"                                                           \
	"v_and_b32 v11, vcc_hi, v7\n\t"                                                            \
	".endif\n\t"                                                                               \
	"v_bcnt_u32_b32 v13, v10, 0\n\t"                                                           \
	"v_bcnt_u32_b32 v13, v11, v13\n\t"

/* The largest number in each phase: a round per number that is larger than those before. */
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
	"s_branch .Lfast_judge%=\n"

#define PASSES_CARRY                                                                               \
	FAST_CARRY                                                                                 \
	"v_writelane_b32 v10, s10, 1\n\t"                                                          \
	"v_writelane_b32 v10, s16, 9\n\t"                                                          \
	"v_writelane_b32 v10, s18, 10\n\t"                                                         \
	"v_writelane_b32 v10, s13, 11\n\t"

#define PASSES_COMMIT                                                                              \
	".Lfast_free%=:\n\t"                                                                       \
	"s_mov_b32 s16, %[phases]\n\t"                                                             \
	"s_mov_b32 s17, 1\n"                                                                       \
	".Lfast_judge%=:\n\t"                                                                      \
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

#define PASSES_EACH                                                                                \
	".Lfast_each%=:\n\t"                                                                       \
	FAST_FIRST                                                                                 \
	FAST_AGAIN(0) FAST_ADD("s10", 1) FAST_ADD("s16", 9) FAST_ADD("s18", 10)                    \
	FAST_MAX("s17", 12)                                                                        \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	FAST_STRIDES                                                                               \
	FAST_ADD("1", 11) FAST_MAX("s24", 13) FAST_MAX("s25", 14)                                  \
	"s_branch .Lfast_end%=\n"

/* A lane alone takes a pass in its phase, as the empty ones do. */
#define PASSES_ONE                                                                                 \
	".Lfast_one%=:\n\t"                                                                        \
	FAST_ZERO                                                                                  \
	FAST_ADD("%[phases] * %[units]", 9) FAST_AGAIN(10)                                         \
	FAST_ADD("1", 0) FAST_AGAIN(1) FAST_AGAIN(11)                                              \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5] offset:8*12\n\t"                               \
	"s_branch .Lfast_end%=\n"

/* Ends at .Lfast_end, or at .Lfast_no with nothing counted. */
#define PASSES_ALL                                                                                 \
	PASSES_BEGIN FAST_FULL ".Lfast_odd%=:\n\ts_branch .Lfast_banks%=\n" PASSES_EVEN            \
	PASSES_PHASE PASSES_BANK PASSES_DWORDS PASSES_PHASES PASSES_COMMIT PASSES_EACH             \
	PASSES_ONE FAST_GAP

/* clang-format on */

/* Arithmetic that folds: what "i" asks for must be constant early. Up to 4 bytes, 8, more. */
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
