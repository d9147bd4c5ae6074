/* SPDX-License-Identifier: MIT */
/*
 * One unit of a global access, measured and counted for any EXEC, if no unit straddles a line and
 * all addresses lie within 2 GiB: in one asm block, a third of the instructions that the same makes
 * in C (devlib_unit.h), which has the rest. Steps:
 *
 *	one lane		all counters are constants
 *	is there one stride?	full EXEC: compare with the lane below; else with what the first two
 *				lanes promise
 *	lines at a stride	EXEC without holes: changes of line from lane to lane
 *	else			a round for each line of 128 bytes, a few times;
 *	what is left		the lanes that agree with the own one, two bits of the address a
 *				round
 *	commit			lanes 0 to 14 carry one counter each if they are all active, else
 *the first lane carries them all, one after the other
 *
 * Registers:	s[8:9] EXEC	s10 lanes	s11 first lane	s12 stride	s13 is there one
 *		s16 lines of 64 bytes	s17 of 128	s18 quads	s20, s21 needed
 *		s22, s23 excess		s[14:15] lanes in the upper half of a line of 128 bytes
 *		s[24:27], vcc, v8-v15 intermediate results; v[2:3] the address
 */
#ifndef PROBE_DEVLIB_FAST_H
#define PROBE_DEVLIB_FAST_H

#include "devlib_wave.h"

/* The lowest 15 bits of EXEC are the lanes that carry counters. */
#define FAST_CARRIERS "0x7fff"
#define FAST_ADDED    "0x9ff" /* global accesses have no LDS passes */
#define FAST_MAXIMA   "0x6000"

/* Bits 31 to 62 agree: no difference overflows 32 bits. */
#define FAST_BEGIN                                                                                 \
	"v_readfirstlane_b32 s8, %[offset]\n\t"                                                    \
	"s_mov_b32 %[done], 0\n\t"                                                                 \
	"s_cmp_lg_u32 s8, 0\n\t"                                                                   \
	"s_cbranch_scc1 .Lfast_no%=\n\t"                                                           \
	"v_alignbit_b32 v8, v3, v2, 31\n\t"                                                        \
	"s_mov_b64 s[8:9], exec\n\t"                                                               \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"v_cmp_ne_u32 vcc, s24, v8\n\t"                                                            \
	"s_cbranch_vccnz .Lfast_no%=\n\t"                                                          \
	"s_cmp_eq_u64 s[8:9], -1\n\t"                                                              \
	"s_cbranch_scc0 .Lfast_part%=\n\t"                                                         \
	"v_mov_b32_dpp v8, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\n\t"                           \
	"s_movk_i32 s10, 64\n\t"                                                                   \
	"v_sub_u32 v9, v2, v8\n\t"                                                                 \
	"s_mov_b32 s11, 0\n\t"                                                                     \
	"v_readlane_b32 s12, v9, 1\n\t"                                                            \
	"v_cmp_ne_u32 vcc, s12, v9\n\t"                                                            \
	"s_bitset0_b64 vcc, 0\n\t"                                                                 \
	"s_cbranch_vccz .Lfast_strided%=\n"                                                        \
	".Lfast_odd%=:\n\t"                                                                        \
	"s_mov_b32 s13, 0\n"

/* A round per line of 128 bytes. s16 counts those of 64 bytes, and from bit 16 on of 128. */
#define FAST_ROUND                                                                                 \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"v_cmp_eq_u32 vcc, s24, v8\n\t"                                                            \
	"s_andn2_b64 exec, exec, vcc\n\t"                                                          \
	"s_and_b64 s[26:27], vcc, s[14:15]\n\t"                                                    \
	"s_addc_u32 s16, s16, 0x10000\n\t"                                                         \
	"s_andn2_b64 vcc, vcc, s[14:15]\n\t"                                                       \
	"s_addc_u32 s16, s16, 0\n\t"                                                               \
	"s_quadmask_b64 s[26:27], s[26:27]\n\t"                                                    \
	"s_quadmask_b64 vcc, vcc\n\t"                                                              \
	"s_pack_ll_b32_b16 s26, s26, vcc_lo\n\t"                                                   \
	"s_bcnt1_i32_b32 s26, s26\n\t"                                                             \
	"s_add_u32 s18, s18, s26\n\t"

/* Quads without a lane count 1 each. More than two lanes on the first line: go on like that. */
#define FAST_ROUNDS                                                                                \
	".Lfast_lines%=:\n\t"                                                                      \
	"v_and_b32 v8, 64, v2\n\t"                                                                 \
	"v_cmp_ne_u32 s[14:15], 0, v8\n\t"                                                         \
	"v_and_b32 v8, 0xffffff80, v2\n\t"                                                         \
	"s_quadmask_b64 s[26:27], exec\n\t"                                                        \
	"s_bcnt1_i32_b32 s18, s26\n\t"                                                             \
	"s_sub_u32 s18, 16, s18\n\t"                                                               \
	"s_mov_b32 s16, 0\n\t" FAST_ROUND "s_cbranch_execz .Lfast_counted%=\n\t"                   \
	"s_bcnt1_i32_b64 s24, exec\n\t"                                                            \
	"s_sub_u32 s24, s10, s24\n\t"                                                              \
	"s_cmp_lt_u32 s24, 3\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_many%=\n\t"                                                         \
	".rept 8\n\t" FAST_ROUND "s_cbranch_execz .Lfast_counted%=\n\t"                            \
	".endr\n"

/*
 * v[14:15] = lanes that differ from the own one in a bit of the line's number. At the end, lanes of
 * the own quad, below the own one, on its line of 64 bytes.
 */
#define FAST_MANY                                                                                  \
	".Lfast_many%=:\n\t"                                                                       \
	"v_readfirstlane_b32 s24, v8\n\t"                                                          \
	"v_xor_b32 v12, s24, v8\n\t"                                                               \
	"v_lshrrev_b32 v12, 7, v12\n\t"                                                            \
	"v_mov_b32 v14, 0\n\t"                                                                     \
	"v_mov_b32 v15, 0\n"                                                                       \
	".Lfast_bits%=:\n\t"                                                                       \
	"v_bfe_i32 v8, v12, 0, 1\n\t"                                                              \
	"v_bfe_i32 v9, v12, 1, 1\n\t"                                                              \
	"v_cmp_ne_u32 s[24:25], 0, v8\n\t"                                                         \
	"v_cmp_ne_u32 vcc, 0, v9\n\t"                                                              \
	"v_xor_b32 v10, s24, v8\n\t"                                                               \
	"v_xor_b32 v11, vcc_lo, v9\n\t"                                                            \
	"v_or3_b32 v14, v14, v10, v11\n\t"                                                         \
	"v_xor_b32 v10, s25, v8\n\t"                                                               \
	"v_xor_b32 v11, vcc_hi, v9\n\t"                                                            \
	"v_or3_b32 v15, v15, v10, v11\n\t"                                                         \
	"v_lshrrev_b32 v12, 2, v12\n\t"                                                            \
	"v_cmp_ne_u32 vcc, 0, v12\n\t"                                                             \
	"s_cbranch_vccnz .Lfast_bits%=\n\t" FAST_MATCH "s_lshl_b32 s24, s24, 16\n\t"               \
	"s_add_u32 s16, s16, s24\n\t"                                                              \
	"v_bfe_i32 v8, v2, 6, 1\n\t"                                                               \
	"v_xor_b32 v10, s14, v8\n\t"                                                               \
	"v_xor_b32 v11, s15, v8\n\t"                                                               \
	"v_or_b32 v14, v14, v10\n\t"                                                               \
	"v_or_b32 v15, v15, v11\n\t" FAST_MATCH "s_add_u32 s16, s16, s24\n\t"                      \
	"v_mbcnt_lo_u32_b32 v8, -1, 0\n\t"                                                         \
	"v_mbcnt_hi_u32_b32 v8, -1, v8\n\t"                                                        \
	"v_and_b32 v9, 3, v8\n\t"                                                                  \
	"v_and_b32 v8, 60, v8\n\t"                                                                 \
	"v_lshrrev_b64 v[10:11], v8, v[10:11]\n\t"                                                 \
	"v_bfm_b32 v9, v9, 0\n\t"                                                                  \
	"v_and_b32 v10, v9, v10\n\t"                                                               \
	"v_cmp_eq_u32 vcc, 0, v10\n\t"                                                             \
	"s_bcnt1_i32_b64 s24, vcc\n\t"                                                             \
	"s_add_u32 s18, s18, s24\n"                                                                \
	".Lfast_counted%=:\n\t"                                                                    \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_lshr_b32 s17, s16, 16\n\t"                                                              \
	"s_and_b32 s16, s16, 0xffff\n\t"                                                           \
	"s_branch .Lfast_judge%=\n"

/* v[10:11] = lanes that agree; s24 = how many agree with none below. */
#define FAST_MATCH                                                                                 \
	"v_bfi_b32 v10, v14, 0, exec_lo\n\t"                                                       \
	"v_bfi_b32 v11, v15, 0, exec_hi\n\t"                                                       \
	"v_mbcnt_lo_u32_b32 v8, v10, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v8, v11, v8\n\t"                                                       \
	"v_cmp_eq_u32 vcc, 0, v8\n\t"                                                              \
	"s_bcnt1_i32_b64 s24, vcc\n\t"

/*
 * Not all lanes: base s24, stride s12, the address expected in v[10:11]. A quotient that is not
 * exact fails at the second lane.
 */
#define FAST_PART                                                                                  \
	".Lfast_part%=:\n\t"                                                                       \
	"s_bcnt1_i32_b64 s10, exec\n\t"                                                            \
	"s_cmp_eq_u32 s10, 1\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_one%=\n\t"                                                          \
	"s_ff1_i32_b64 s11, exec\n\t"                                                              \
	"s_mov_b64 s[14:15], exec\n\t"                                                             \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_ff1_i32_b64 s25, s[14:15]\n\t"                                                          \
	"v_readlane_b32 s24, v2, s11\n\t"                                                          \
	"v_readlane_b32 s12, v2, s25\n\t"                                                          \
	"s_sub_u32 s25, s25, s11\n\t"                                                              \
	"s_sub_u32 s12, s12, s24\n\t"                                                              \
	"s_cmp_eq_u32 s25, 1\n\t"                                                                  \
	"s_cbranch_scc0 .Lfast_gap%=\n"                                                            \
	".Lfast_expect%=:\n\t"                                                                     \
	"v_mbcnt_lo_u32_b32 v8, -1, 0\n\t"                                                         \
	"v_mbcnt_hi_u32_b32 v8, -1, v8\n\t"                                                        \
	"v_subrev_u32 v8, s11, v8\n\t"                                                             \
	"v_readfirstlane_b32 s25, v3\n\t"                                                          \
	"v_mov_b32 v10, s24\n\t"                                                                   \
	"v_mov_b32 v11, s25\n\t"                                                                   \
	"v_mad_i64_i32 v[10:11], vcc, v8, s12, v[10:11]\n\t"                                       \
	"v_cmp_ne_u64 vcc, v[10:11], v[2:3]\n\t"                                                   \
	"s_cbranch_vccnz .Lfast_odd%=\n\t"                                                         \
	"s_bfm_b64 s[14:15], s10, s11\n\t"                                                         \
	"s_mov_b32 s13, 1\n\t"                                                                     \
	"s_cmp_eq_u64 s[14:15], s[8:9]\n\t"                                                        \
	"s_cbranch_scc0 .Lfast_lines%=\n\t"                                                        \
	"v_mov_b32_dpp v8, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\n"

/*
 * Addresses never fall, or never rise: lines are changes of line. The first lane counts as one,
 * whatever it found below.
 */
#define FAST_STRIDED                                                                               \
	".Lfast_strided%=:\n\t"                                                                    \
	"v_xor_b32 v8, v2, v8\n\t"                                                                 \
	"v_cmp_lt_u32 s[14:15], 63, v8\n\t"                                                        \
	"v_cmp_lt_u32 vcc, 0x7f, v8\n\t"                                                           \
	"s_bitset1_b64 s[14:15], s11\n\t"                                                          \
	"s_bitset1_b64 vcc, s11\n\t"                                                               \
	"s_bcnt1_i32_b64 s16, s[14:15]\n\t"                                                        \
	"s_bitset0_b64 s[14:15], s11\n\t"                                                          \
	"s_bcnt1_i32_b64 s17, vcc\n\t"                                                             \
	"s_and_b32 s14, s14, 0xeeeeeeee\n\t"                                                       \
	"s_and_b32 s15, s15, 0xeeeeeeee\n\t"                                                       \
	"s_bcnt1_i32_b64 s18, s[14:15]\n\t"                                                        \
	"s_mov_b32 s13, 1\n\t"                                                                     \
	"s_add_u32 s18, s18, 16\n"

/* v[10:11] = the counters, one per lane; v9 = where they go. */
#define FAST_COMMIT                                                                                \
	".Lfast_judge%=:\n\t"                                                                      \
	"s_mul_i32 s20, s10, %[unit]\n\t"                                                          \
	"v_mov_b32 v10, 1\n\t"                                                                     \
	"s_add_u32 s20, s20, 63\n\t"                                                               \
	"v_mov_b32 v11, 0\n\t"                                                                     \
	"s_lshr_b32 s20, s20, 6\n\t"                                                               \
	"s_add_u32 s21, s20, 1\n\t"                                                                \
	"s_lshr_b32 s21, s21, 1\n\t"                                                               \
	"s_sub_u32 s22, s16, s20\n\t"                                                              \
	"s_sub_u32 s23, s17, s21\n\t"                                                              \
	"s_max_i32 s22, s22, 0\n\t"                                                                \
	"s_max_i32 s23, s23, 0\n\t"                                                                \
	"s_andn2_b32 s24, " FAST_CARRIERS ", s8\n\t"                                               \
	"s_cbranch_scc1 .Lfast_each%=\n\t"                                                         \
	"v_mbcnt_lo_u32_b32 v9, -1, 0\n\t"                                                         \
	"v_lshlrev_b32 v9, 3, v9\n\t"                                                              \
	"v_writelane_b32 v10, s10, 1\n\t"                                                          \
	"v_writelane_b32 v10, s18, 2\n\t"                                                          \
	"v_writelane_b32 v10, s16, 3\n\t"                                                          \
	"v_writelane_b32 v10, s20, 4\n\t"                                                          \
	"v_writelane_b32 v10, s22, 5\n\t"                                                          \
	"v_writelane_b32 v10, s17, 6\n\t"                                                          \
	"v_writelane_b32 v10, s21, 7\n\t"                                                          \
	"v_writelane_b32 v10, s23, 8\n\t"                                                          \
	"v_writelane_b32 v10, s13, 11\n\t"                                                         \
	"s_mov_b64 exec, " FAST_ADDED "\n\t"                                                       \
	"global_atomic_add_x2 v9, v[10:11], %[counters]\n\t"                                       \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t" FAST_BIASED "v_writelane_b32 v10, s24, 13\n\t"           \
	"v_writelane_b32 v10, s25, 14\n\t"                                                         \
	"s_mov_b64 exec, " FAST_MAXIMA "\n\t"                                                      \
	"global_atomic_umax_x2 v9, v[10:11], %[counters]\n\t"                                      \
	"s_branch .Lfast_end%=\n"

/* Within 2 GiB no stride is -2^31, which would need a 33rd bit. */
#define FAST_BIASED                                                                                \
	"s_add_u32 s24, s12, 0x80000000\n\t"                                                       \
	"s_sub_u32 s25, 0x80000000, s12\n\t"

/* clang-format off */
#define FAST_ADD(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t" FAST_AGAIN(index)
#define FAST_AGAIN(index)                                                                          \
	"global_atomic_add_x2 v9, v[10:11], %[counters] offset:8*" #index "\n\t"
#define FAST_MAX(value, index)                                                                     \
	"v_mov_b32 v10, " value "\n\t"                                                             \
	"global_atomic_umax_x2 v9, v[10:11], %[counters] offset:8*" #index "\n\t"

/* One lane carries all. */
#define FAST_EACH                                                                                  \
	".Lfast_each%=:\n\t"                                                                       \
	"s_lshl_b64 exec, 1, s11\n\t"                                                              \
	"v_mov_b32 v9, 0\n\t"                                                                      \
	FAST_AGAIN(0) FAST_ADD("s10", 1) FAST_ADD("s18", 2) FAST_ADD("s16", 3)                     \
	FAST_ADD("s20", 4) FAST_ADD("s17", 6) FAST_ADD("s21", 7)                                   \
	"s_or_b32 s24, s22, s23\n\t"                                                               \
	"s_cbranch_scc0 .Lfast_no_excess%=\n\t"                                                    \
	FAST_ADD("s22", 5) FAST_ADD("s23", 8)                                                      \
	".Lfast_no_excess%=:\n\t"                                                                  \
	"s_cmp_eq_u32 s13, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lfast_end%=\n\t"                                                          \
	FAST_BIASED                                                                                \
	FAST_ADD("1", 11) FAST_MAX("s24", 13) FAST_MAX("s25", 14)                                  \
	"s_branch .Lfast_end%=\n"

/* A lane alone: one line of each kind; 16 quads as ever. */
#define FAST_ONE                                                                                   \
	".Lfast_one%=:\n\t"                                                                        \
	"v_mov_b32 v9, 0\n\t"                                                                      \
	"v_mov_b32 v11, 0\n\t"                                                                     \
	FAST_ADD("16", 2) FAST_ADD("1", 0)                                                         \
	FAST_AGAIN(1) FAST_AGAIN(3) FAST_AGAIN(4) FAST_AGAIN(6) FAST_AGAIN(7) FAST_AGAIN(11)       \
	"s_branch .Lfast_end%=\n"
/* clang-format on */

/* s12 / s25 where that is exact, as dev_divide_exact() does it. */
#define FAST_GAP                                                                                   \
	".Lfast_gap%=:\n\t"                                                                        \
	"s_ff1_i32_b32 s26, s25\n\t"                                                               \
	"s_lshr_b32 s25, s25, s26\n\t"                                                             \
	"s_ashr_i32 s12, s12, s26\n\t"                                                             \
	"s_mov_b32 s26, s25\n\t"                                                                   \
	".rept 4\n\t"                                                                              \
	"s_mul_i32 s27, s25, s26\n\t"                                                              \
	"s_sub_u32 s27, 2, s27\n\t"                                                                \
	"s_mul_i32 s26, s26, s27\n\t"                                                              \
	".endr\n\t"                                                                                \
	"s_mul_i32 s12, s12, s26\n\t"                                                              \
	"s_branch .Lfast_expect%=\n"

#define FAST_END                                                                                   \
	".Lfast_end%=:\n\t"                                                                        \
	"s_mov_b64 exec, s[8:9]\n\t"                                                               \
	"s_mov_b32 %[done], 1\n"                                                                   \
	".Lfast_no%=:"

/* The first unit of an access. false = nothing was counted: it is one for the long way. */
DEV_INLINE bool dev_fast_lines(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	uint32_t unit = shape & 0xff, done;

	if (shape & SHAPE_UNALIGNED && dev_ballot((address & 63) + unit > 64))
		return false;
	__asm__ volatile(FAST_BEGIN FAST_ROUNDS FAST_MANY FAST_PART FAST_STRIDED FAST_COMMIT
				 FAST_EACH FAST_ONE FAST_GAP FAST_END
			 : [done] "=&s"(done)
			 : [counters] "s"(dev_scalar64(counters)),
			   "{v[2:3]}"(address), [offset] "v"(offset), [unit] "i"(unit)
			 : "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17",
			   "s18", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "vcc",
			   "scc", "v8", "v9", "v10", "v11", "v12", "v14", "v15");
	return dev_uniform32(done);
}

#endif
