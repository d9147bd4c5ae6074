/* SPDX-License-Identifier: MIT */
/*
 * How most executions of an access are measured: in one asm block, a third of the instructions that
 * the compiler makes of the same in C (measure_unit.h). What it cannot do, an address that straddles
 * lines, lanes 2 GiB apart, lanes in several apertures, it leaves to that, before it has counted
 * anything. Lines of global and flat accesses are in leaf_lines.h, passes of LDS in
 * leaf_lds_passes.h. Here is what they share:
 *
 *	one lane	all its counters are constants
 *	one stride?	full EXEC: compare with the lane below; else with what the first two promise
 *	commit		lanes 0 to 14 carry a counter each if they are all active, else the first
 *			lane carries them all, one after the other
 *
 * Registers, in all parts:
 *	s[4:5]	 the wave's counters	s[8:9]	EXEC
 *	s7	 the site's place there
 *	s10	 lanes			s11	the first of them
 *	s12	 stride			s13	is there one? 1 or 0
 *	s14-s27, vcc, v7-v15		intermediate results
 *	v[2:3]	 the address
 *	v9	 where a lane's counter is	v[10:11]  what is added to it
 */
#ifndef PROBE_DEVLIB_LEAF_MEASURE_H
#define PROBE_DEVLIB_LEAF_MEASURE_H

#include "devlib/wave_ids.h"

#define FAST_CLOBBERS                                                                              \
	"s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", \
		"s21", "s22", "s23", "s24", "s25", "s26", "s27", "vcc", "scc", "v7", "v8", "v9",   \
		"v10", "v11", "v12", "v13", "v14", "v15"

/* The lanes that carry counters are the lowest 15; which of them, EXEC of an addition says. */
#define FAST_CARRIERS "0x7fff"

/* clang-format off */

/*
 * Goes to .Lfast_part if lanes are missing, and to .Lfast_even if all lanes are at one stride. v9 is
 * how far the own lane is behind the one below, in lane 0 anything. s11 is not set.
 */
#define FAST_FULL                                                                                  \
	"s_mov_b64 s[8:9], exec\n\t"                                                               \
	"s_cmp_eq_u64 exec, -1\n\t"                                                                \
	"s_cbranch_scc0 .Lfast_part%=\n\t"                                                         \
	"v_subrev_u32_dpp v9, v2, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\n\t"                    \
	"s_movk_i32 s10, 64\n\t"                                                                   \
	"v_readlane_b32 s12, v9, 1\n\t"                                                            \
	"v_cmp_ne_u32 vcc, s12, v9\n\t"                                                            \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_even%=\n\t"                                                         \
	"s_mov_b32 s13, 0\n\t"

/*
 * Goes to .Lfast_one if there is one lane, to .Lfast_odd if there is no one stride: whether lanes are
 * as far from the first as the second one promises is decided without dividing by the gap between
 * those two, which few need.
 */
#define FAST_PART                                                                                  \
	".Lfast_part%=:\n\t"                                                                       \
	"s_bcnt1_i32_b64 s10, exec\n\t"                                                            \
	"s_ff1_i32_b64 s11, exec\n\t"                                                              \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one%=\n\t"                                                          \
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
	"s_cbranch_vccnz .Lfast_odd%=\n\t"                                                         \
	"s_cmp_eq_u32 s25, 1\n\t"                                                                  \
	"s_cbranch_scc0 .Lfast_gap%=\n"                                                            \
	".Lfast_strided%=:\n\t"                                                                    \
	"s_mov_b32 s13, 1\n\t"

/*
 * s12 / s25 where that is exact: it is if the product is s12 again. A float is never far off, so that
 * no product is s12 by an overflow, and right where s12 is small. Else as dev_divide_exact() does
 * it.
 */
#define FAST_GAP                                                                                   \
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
	"s_cbranch_scc1 .Lfast_odd%=\n\t"                                                          \
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
	"s_cbranch_scc1 .Lfast_odd%=\n"                                                            \
	".Lfast_divided%=:\n\t"                                                                    \
	"s_mov_b32 s12, s24\n\t"                                                                   \
	"s_branch .Lfast_strided%=\n"

/*
 * v[14:15] |= the lanes that differ from the own one in one of two bits of v12. Takes s[24:25],
 * v8-v11.
 */
#define FAST_DIFFER(bit)                                                                           \
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

/* The same until no bit of v12 is left. */
#define FAST_DIFFER_ALL                                                                            \
	".Lfast_bits%=:\n\t"                                                                       \
	FAST_DIFFER(0)                                                                             \
	FAST_DIFFER(2)                                                                             \
	"v_lshrrev_b32 v12, 4, v12\n\t"                                                            \
	"v_cmp_ne_u32 vcc, 0, v12\n\t"                                                             \
	"s_cbranch_vccnz .Lfast_bits%=\n\t"

/* v[10:11] = lanes of EXEC not in v[14:15]; vcc = lanes that are the lowest of theirs. */
#define FAST_LOWEST                                                                                \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n\t"                                                       \
	"v_mbcnt_lo_u32_b32 v8, v10, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v8, v11, v8\n\t"                                                       \
	"v_cmp_eq_u32 vcc, 0, v8\n\t"

/* Goes to .Lfast_each if a lane that should carry a counter is not active. */
#define FAST_CARRY                                                                                 \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_each%=\n\t"                                                         \
	FAST_PLACES                                                                                \
	"v_mov_b32 v10, 1\n\t"                                                                     \
	"v_mov_b32 v11, 0\n\t"

#define FAST_PLACES                                                                                \
	"v_mbcnt_lo_u32_b32 v9, -1, 0\n\t"                                                         \
	"v_lshl_add_u32 v9, v9, 3, s7\n\t"

#define FAST_ADD_LANES(mask)                                                                       \
	"s_mov_b64 exec, " mask "\n\t"                                                             \
	"global_atomic_add_x2 v9, v[10:11], s[4:5]\n\t"
#define FAST_MAX_LANES(mask)                                                                       \
	"s_mov_b64 exec, " mask "\n\t"                                                             \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5]\n\t"

/* Within 2 GiB no stride is -2^31, which would need a 33rd bit. */
#define FAST_STRIDES                                                                               \
	"s_add_u32 s24, s12, 0x80000000\n\t"                                                       \
	"s_sub_u32 s25, 0x80000000, s12\n\t"
#define FAST_CARRY_STRIDES                                                                         \
	FAST_STRIDES                                                                               \
	"v_writelane_b32 v10, s24, 13\n\t"                                                         \
	"v_writelane_b32 v10, s25, 14\n\t"

/* The first lane carries all. */
#define FAST_FIRST                                                                                 \
	"s_lshl_b64 exec, 1, s11\n\t"                                                              \
	"v_mov_b32 v10, 1\n\t"                                                                     \
	FAST_ZERO

#define FAST_ZERO                                                                                  \
	"v_mov_b32 v9, s7\n\t"                                                                     \
	"v_mov_b32 v11, 0\n\t"
#define FAST_ADD(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t"                                                             \
	FAST_AGAIN(index)
#define FAST_AGAIN(index)                                                                          \
	"global_atomic_add_x2 v9, v[10:11], s[4:5] offset:8*" #index "\n\t"
#define FAST_MAX(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t"                                                             \
	"global_atomic_umax_x2 v9, v[10:11], s[4:5] offset:8*" #index "\n\t"

/* On to the next row that s6 says (measure_access.h), which is not 0. */
#define FAST_NEXT_ROW                                                                              \
	"s_ff1_i32_b32 s24, s6\n\t"                                                                \
	"s_lshr_b32 s6, s6, s24\n\t"                                                               \
	"s_bitset0_b32 s6, 0\n\t"                                                                  \
	"s_lshl_b32 s24, s24, 7\n\t"                                                               \
	"s_add_u32 s7, s7, s24\n\t"                                                                \
	"v_add_u32 v9, s24, v9\n\t"

/* clang-format on */

#endif
