/* SPDX-License-Identifier: MIT */
/*
 * The fast path for measuring an access: one asm block, with a third of the instructions that the
 * compiler generates for the same work in C (measure_unit.h). It leaves to the C code, before
 * anything is counted: lanes 2 GiB apart, lanes in different apertures, and one lane that crosses
 * the end of a cache line. fast_lines.h counts the cache lines of global and flat accesses,
 * fast_lds_passes.h the passes of LDS accesses. This file has the common parts:
 *
 *	one active lane	all its counters are constants
 *	stride		full EXEC: compare with the lane below; otherwise compare each lane with the
 *			value that the first two active lanes predict
 *	commit		each of lanes 0 to 14 adds one counter, if all of them are active;
 *			otherwise the first active lane adds the counters one by one, or words that
 *			stand for several of them (PROBE_C_FITTING)
 *
 * Registers, in all parts:
 *	s[4:5]	 address of the wave's counters	s[8:9]	EXEC
 *	s7	 offset of the site's counters
 *	s10	 number of active lanes		s11	first active lane
 *	s12	 stride				s13	1 = there is one stride, else 0
 *	s14-s27, vcc, v7-v15			intermediate results
 *	v[2:3]	 the lane's address
 *	v9	 offset of the lane's counter	v[10:11]  the value to add to it
 */
#ifndef PROBE_DEVLIB_FAST_MEASURE_H
#define PROBE_DEVLIB_FAST_MEASURE_H

#include "devlib/wave_ids.h"

#define FAST_CLOBBERS                                                                              \
	"s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", \
		"s21", "s22", "s23", "s24", "s25", "s26", "s27", "vcc", "scc", "v7", "v8", "v9",   \
		"v10", "v11", "v12", "v13", "v14", "v15"

/* Lanes 0 to 14 add one counter each; EXEC of the atomic selects which of them. */
#define FAST_CARRIERS "0x7fff"

/* clang-format off */

/*
 * Jumps to .Lfast_partial if not all lanes are active, and to .Lfast_full_strided if all lanes have
 * one stride. v9 is the distance from the lane below, undefined in lane 0. s11 is not set.
 */
#define FAST_FULL_EXEC                                                                             \
	"s_mov_b64 s[8:9], exec\n\t"                                                               \
	"s_cmp_eq_u64 exec, -1\n\t"                                                                \
	"s_cbranch_scc0 .Lfast_partial%=\n\t"                                                      \
	"v_subrev_u32_dpp v9, v2, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\n\t"                    \
	"s_movk_i32 s10, 64\n\t"                                                                   \
	"v_readlane_b32 s12, v9, 1\n\t"                                                            \
	"v_cmp_ne_u32 vcc, s12, v9\n\t"                                                            \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_full_strided%=\n\t"                                                 \
	"s_mov_b32 s13, 0\n\t"

/*
 * Jumps to .Lfast_one_lane if one lane is active, and to .Lfast_unstrided if there is no single
 * stride. The comparison is multiplied by the gap between the first two active lanes, so that the
 * division by the gap is only needed if it is not 1.
 */
#define FAST_PARTIAL_EXEC                                                                          \
	".Lfast_partial%=:\n\t"                                                                    \
	"s_bcnt1_i32_b64 s10, exec\n\t"                                                            \
	"s_ff1_i32_b64 s11, exec\n\t"                                                              \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one_lane%=\n\t"                                                     \
	"s_mov_b64 s[14:15], exec\n\t"                                                             \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_ff1_i32_b64 s25, s[14:15]\n\t"                                                          \
	"v_readlane_b32 s24, v2, s11\n\t"                                                          \
	"v_readlane_b32 s12, v2, s25\n\t"                                                          \
	"v_mbcnt_lo_u32_b32 v8, -1, 0\n\t"                                                         \
	"v_mbcnt_hi_u32_b32 v8, -1, v8\n\t"                                                        \
	"s_sub_u32 s25, s25, s11\n\t"                                                              \
	"s_sub_u32 s12, s12, s24\n\t"                                                              \
	"v_subrev_u32 v8, s11, v8\n\t"                                                             \
	"v_subrev_u32 v9, s24, v2\n\t"                                                             \
	"v_mad_i64_i32 v[10:11], vcc, v8, s12, 0\n\t"                                              \
	"v_mad_i64_i32 v[14:15], vcc, v9, s25, 0\n\t"                                              \
	"v_cmp_ne_u64 vcc, v[10:11], v[14:15]\n\t"                                                 \
	"s_mov_b32 s13, 0\n\t"                                                                     \
	"s_cbranch_vccnz .Lfast_unstrided%=\n\t"                                                   \
	"s_cmp_eq_u32 s25, 1\n\t"                                                                  \
	"s_cbranch_scc0 .Lfast_gap%=\n"                                                            \
	".Lfast_strided%=:\n\t"                                                                    \
	"s_mov_b32 s13, 1\n\t"

/*
 * s12 / s25 if the division is exact, that is if quotient * s25 is s12. The float quotient is
 * correct if s12 is small, and never so far off that the product overflows to s12. Large values are
 * divided as in dev_divide_exact().
 */
#define FAST_DIVIDE_GAP                                                                            \
	".Lfast_gap%=:\n\t"                                                                        \
	"v_cvt_f32_i32 v10, s12\n\t"                                                               \
	"v_cvt_f32_u32 v11, s25\n\t"                                                               \
	"v_rcp_f32 v11, v11\n\t"                                                                   \
	"v_mul_f32 v10, v10, v11\n\t"                                                              \
	"v_rndne_f32 v10, v10\n\t"                                                                 \
	"v_cvt_i32_f32 v10, v10\n\t"                                                               \
	"v_readfirstlane_b32 s24, v10\n\t"                                                         \
	"s_mul_i32 s26, s24, s25\n\t"                                                              \
	"s_cmp_eq_u32 s26, s12\n\t"                                                                \
	"s_cbranch_scc1 .Lfast_divided%=\n\t"                                                      \
	"s_abs_i32 s26, s12\n\t"                                                                   \
	"s_cmp_lt_u32 s26, 1 << 20\n\t"                                                            \
	"s_cbranch_scc1 .Lfast_unstrided%=\n\t"                                                    \
	"s_ff1_i32_b32 s26, s25\n\t"                                                               \
	"s_lshr_b32 s14, s25, s26\n\t"                                                             \
	"s_ashr_i32 s24, s12, s26\n\t"                                                             \
	"s_mov_b32 s26, s14\n\t"                                                                   \
	".rept 4\n\t"                                                                              \
	"s_mul_i32 s27, s14, s26\n\t"                                                              \
	"s_sub_u32 s27, 2, s27\n\t"                                                                \
	"s_mul_i32 s26, s26, s27\n\t"                                                              \
	".endr\n\t"                                                                                \
	"s_mul_i32 s24, s24, s26\n\t"                                                              \
	"s_mul_i32 s14, s24, s25\n\t"                                                              \
	"s_mul_hi_i32 s15, s24, s25\n\t"                                                           \
	"s_ashr_i32 s27, s12, 31\n\t"                                                              \
	"s_mov_b32 s26, s12\n\t"                                                                   \
	"s_cmp_lg_u64 s[14:15], s[26:27]\n\t"                                                      \
	"s_cbranch_scc1 .Lfast_unstrided%=\n"                                                      \
	".Lfast_divided%=:\n\t"                                                                    \
	"s_mov_b32 s12, s24\n\t"                                                                   \
	"s_branch .Lfast_strided%=\n"

/*
 * v[14:15] |= lanes that differ from the own lane in one of two bits of v12. Uses s[24:25], v8-v11.
 */
#define FAST_DIFFERING_LANES(bit)                                                                  \
	"v_bfe_i32 v8, v12, " #bit ", 1\n\t"                                                       \
	"v_bfe_i32 v9, v12, " #bit " + 1, 1\n\t"                                                   \
	"v_cmp_ne_u32 s[24:25], 0, v8\n\t"                                                         \
	"v_cmp_ne_u32 vcc, 0, v9\n\t"                                                              \
	"v_xor_b32 v10, s24, v8\n\t"                                                               \
	"v_xor_b32 v11, vcc_lo, v9\n\t"                                                            \
	"v_or3_b32 v14, v14, v10, v11\n\t"                                                         \
	"v_xor_b32 v10, s25, v8\n\t"                                                               \
	"v_xor_b32 v11, vcc_hi, v9\n\t"                                                            \
	"v_or3_b32 v15, v15, v10, v11\n\t"

/* The same for all bits of v12. */
#define FAST_DIFFERING_LANES_ALL                                                                   \
	".Lfast_bits%=:\n\t"                                                                       \
	FAST_DIFFERING_LANES(0)                                                                    \
	FAST_DIFFERING_LANES(2)                                                                    \
	"v_lshrrev_b32 v12, 4, v12\n\t"                                                            \
	"v_cmp_ne_u32 vcc, 0, v12\n\t"                                                             \
	"s_cbranch_vccnz .Lfast_bits%=\n\t"

/*
 * v[10:11] = active lanes not in v[14:15], the lanes equal to the own one; vcc = lanes that are the
 * lowest of theirs.
 */
#define FAST_LOWEST                                                                                \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n\t"                                                       \
	"v_mbcnt_lo_u32_b32 v8, v10, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v8, v11, v8\n\t"                                                       \
	"v_cmp_eq_u32 vcc, 0, v8\n\t"

/* Jumps to .Lfast_one_by_one if one of the lanes that add counters is inactive. */
#define FAST_CARRY                                                                                 \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_one_by_one%=\n\t"                                                   \
	FAST_CARRY_VALUES

#define FAST_CARRY_VALUES                                                                          \
	FAST_COUNTER_OFFSETS                                                                       \
	"v_mov_b32 v10, 1\n\t"                                                                     \
	"v_mov_b32 v11, 0\n\t"

#define FAST_COUNTER_OFFSETS                                                                       \
	"v_mbcnt_lo_u32_b32 v9, -1, 0\n\t"                                                         \
	"v_lshl_add_u32 v9, v9, 3, s7\n\t"

#define FAST_ADD_LANES(mask)                                                                       \
	"s_mov_b64 exec, " mask "\n\t"                                                             \
	"global_atomic_add_x2 v9, v[10:11], s[4:5]\n\t"
#define FAST_MAX_LANES(mask)                                                                       \
	"s_mov_b64 exec, " mask "\n\t"                                                             \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5]\n\t"

/* No stride is -2^31 within 2 GiB, so that both sums fit into 32 bits. */
#define FAST_STRIDES                                                                               \
	"s_add_u32 s24, s12, 0x80000000\n\t"                                                       \
	"s_sub_u32 s25, 0x80000000, s12\n\t"
#define FAST_CARRY_STRIDES                                                                         \
	FAST_STRIDES                                                                               \
	"v_writelane_b32 v10, s24, 13\n\t"                                                         \
	"v_writelane_b32 v10, s25, 14\n\t"

/* The first active lane adds all counters. */
#define FAST_ONE_LANE_ADDS                                                                         \
	"s_lshl_b64 exec, 1, s11\n\t"                                                              \
	"v_mov_b32 v10, 1\n\t"                                                                     \
	FAST_ZERO

#define FAST_ZERO                                                                                  \
	"v_mov_b32 v9, s7\n\t"                                                                     \
	"v_mov_b32 v11, 0\n\t"
#define FAST_ADD(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t"                                                             \
	FAST_ADD_SAME(index)
#define FAST_ADD_SAME(index)                                                                       \
	"global_atomic_add_x2 v9, v[10:11], s[4:5] offset:8*" #index "\n\t"
#define FAST_MAX(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t"                                                             \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5] offset:8*" #index "\n\t"

/* Advance to the next row in s6 (measure_access.h), which is not 0. */
#define FAST_NEXT_ROW                                                                              \
	"s_ff1_i32_b32 s24, s6\n\t"                                                                \
	"s_lshr_b32 s6, s6, s24\n\t"                                                               \
	"s_bitset0_b32 s6, 0\n\t"                                                                  \
	"s_lshl_b32 s24, s24, 7\n\t"                                                               \
	"s_add_u32 s7, s7, s24\n\t"                                                                \
	"v_add_u32 v9, s24, v9\n\t"

/* clang-format on */

#endif
