/* SPDX-License-Identifier: MIT */
/*
 * Records of the `time` kind (wire_device.h section 5), and the fast path with which its waves
 * claim and release a ring. Nearly all waves take it; the fallback path is in ring_cursor.c.
 */
#ifndef PROBE_DEVLIB_TIME_PROBE_H
#define PROBE_DEVLIB_TIME_PROBE_H

#include "devlib/ring_cursor.h"

/*
 * Prepare a stamp. s[4:7] and v[0:6] are free, because CURSOR_RESERVE may call. Only the leader
 * lane is active, because code after a reconvergence may need the registers of inactive lanes.
 */
#define STAMP_LANE                                                                                 \
	"s_bcnt1_i32_" DEV_MASK_TYPE " s4, " DEV_EXEC "\n\t"                                       \
	"s_mov_" DEV_MASK_TYPE " " DEV_SAVED_EXEC ", " DEV_EXEC "\n\t"                             \
	"s_ff1_i32_" DEV_MASK_TYPE " s5, " DEV_EXEC "\n\t"                                         \
	"s_lshl_" DEV_MASK_TYPE " " DEV_EXEC ", 1, s5\n\t"                                         \
	"v_mov_b32 v0, %[word0]\n\t"                                                               \
	"v_mov_b32 v1, s4\n\t"                                                                     \
	"v_mov_b32 v6, 0\n\t"

/* The clock is in s[36:37]. */
#define STAMP_END                                                                                  \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[2:3], 0, s[36:37]\n\t"                                                    \
	"global_store_dwordx4 v6, v[0:3], s[84:85]\n\t" DEV_VMEM_HAZARD "s_mov_" DEV_MASK_TYPE     \
	" " DEV_EXEC ", " DEV_SAVED_EXEC "\n\t" CURSOR_ADVANCE("16", "1")

/* For unoptimised code. */
DEV_INLINE void stamp_optnone(uint32_t word0, bool end)
{
	uint64_t clock = end ? dev_clock() : 0;
	uint64_t at = cursor_reserve(sizeof(struct probe_rec_stamp), 1), exec = dev_exec();
	struct probe_rec_stamp DEV_GLOBAL *record = (struct probe_rec_stamp DEV_GLOBAL *)at;

	if (!at || !dev_is_leader(dev_first(exec)))
		return;
	record->word0 = word0;
	record->lanes = dev_count(exec);
	record->clock = end ? clock : dev_clock();
}

/*
 * The clock is read as the last step at a begin and as the first step at an end, so that the span
 * includes little of the probes' own work. 19 instructions.
 */
DEV_INLINE void stamp_begin(uint32_t word0, uint32_t optnone)
{
	if (optnone)
		stamp_optnone(word0, false);
	else
		__asm__ volatile(CURSOR_RESERVE("16", "1") STAMP_LANE DEV_CLOCK("s[36:37]")
					 STAMP_END
				 :
				 : [word0] DEV_WORD0(word0)
				 : CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS, "s36", "s37");
}

DEV_INLINE void stamp_end(uint32_t word0, uint32_t optnone)
{
	if (optnone)
		stamp_optnone(word0, true);
	else
		__asm__ volatile(DEV_CLOCK("s[36:37]") CURSOR_RESERVE("16", "1")
					 STAMP_LANE STAMP_END
				 :
				 : [word0] DEV_WORD0(word0)
				 : CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS, "s36", "s37");
}

#ifndef DEV_PORTABLE
/*
 * A span without nested spans (llvm-plugin/kinds/time_spans.c) keeps its begin in s[82:83] and is
 * one record. The wave does not wait for the begin's clock until the record is written.
 */
DEV_INLINE void span_begin(void)
{
	__asm__ volatile("s_memtime s[82:83]" : : : "memory");
}

DEV_INLINE void span_end(uint32_t word0)
{
	__asm__ volatile("s_memtime s[36:37]\n\t" CURSOR_RESERVE("24", "2") STAMP_LANE
			 "s_waitcnt lgkmcnt(0)\n\t"
			 "v_lshlrev_b64 v[2:3], 0, s[82:83]\n\t"
			 "v_lshlrev_b64 v[4:5], 0, s[36:37]\n\t"
			 "global_store_dwordx4 v6, v[0:3], s[84:85]\n\t"
			 "global_store_dwordx2 v6, v[4:5], s[84:85] offset:16\n\t"
			 "s_mov_b64 exec, s[6:7]\n\t" CURSOR_ADVANCE("24", "2")
			 :
			 : [word0] "i"(word0)
			 : CURSOR_CALL_CLOBBERS, CURSOR_CLOBBERS, "s36", "s37");
}

#endif

/* ---- The wave ------------------------------------------------------------------------------- */

#ifndef DEV_PORTABLE
/*
 * gfx940 and later have other mnemonics for atomics and coherent loads, and need more cache
 * maintenance: there all waves use the fallback path.
 */
#define TIME_FAST_PATH	   ".if .amdgcn.gfx_generation_minor == 0\n\t"
#define TIME_FAST_PATH_END ".endif\n\t"

/*
 * Claim the ring of the wave slot: address of its state to s[50:51], its head to s[40:41], address
 * of the next record to s[44:45]. Lane 0 may be written: it is active when a wave starts, and no
 * code needs its registers when a wave ends.
 */
#define TIME_CLAIM_RING                                                                            \
	"s_and_b32 s59, s59, s46\n\t"                                                              \
	"s_lshl_b32 s60, s59, 6\n\t"                                                               \
	"s_add_u32 s50, s40, s60\n\t"                                                              \
	"s_addc_u32 s51, s41, 0\n\t"                                                               \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v2, 1\n\t"                                                                      \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"global_load_dword v6, v3, s[50:51] offset:8 glc\n\t"                                      \
	"global_atomic_or_x2 v[4:5], v3, v[2:3], s[50:51] glc\n\t"                                 \
	"s_mul_i32 s60, s59, s47\n\t"                                                              \
	"s_add_u32 s44, s44, s60\n\t"                                                              \
	"s_addc_u32 s45, s45, 0\n\t"                                                               \
	"s_lshl_b32 s60, s59, 7\n\t"                                                               \
	"s_add_u32 s42, s42, s60\n\t"                                                              \
	"s_addc_u32 s43, s43, 0\n\t"                                                               \
	"s_sub_u32 s46, s47, 1\n\t"                                                                \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"v_readfirstlane_b32 s40, v4\n\t"                                                          \
	"v_readfirstlane_b32 s41, v5\n\t"                                                          \
	"v_readfirstlane_b32 s60, v6\n\t"                                                          \
	"s_bitcmp1_b32 s40, 0\n\t"                                                                 \
	"s_cbranch_scc1 .Lprobe_return%=\n\t"                                                      \
	"s_and_b32 s46, s46, s40\n\t"                                                              \
	"s_add_u32 s44, s44, s46\n\t"                                                              \
	"s_addc_u32 s45, s45, 0\n\t"                                                               \
	"s_sub_u32 s60, s40, s60\n\t"                                                              \
	"s_max_u32 s46, s46, s60\n\t"                                                              \
	"s_sub_u32 s46, s47, s46\n\t"

/*
 * struct probe_rec_wave, as PROBE_FORM_WAVE_ITEM. An instruction must separate a 16-byte store from
 * the next write of its registers.
 */
#define TIME_WRITE_WAVE(at, time, item)                                                            \
	"v_mov_b32 v4, %[wave_word]\n\t"                                                           \
	"v_mov_b32 v5, " item "\n\t"                                                               \
	"v_lshlrev_b64 v[6:7], 0, s[52:53]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], " at "\n\t"                                              \
	"v_mov_b32 v8, %[x]\n\t"                                                                   \
	"v_mov_b32 v9, %[y]\n\t"                                                                   \
	"v_mov_b32 v10, %[z]\n\t"                                                                  \
	"v_mov_b32 v11, s58\n\t"                                                                   \
	"global_store_dwordx4 v3, v[8:11], " at " offset:16\n\t"                                   \
	"v_lshlrev_b64 v[4:5], 0, " time "\n\t"                                                    \
	"v_lshlrev_b64 v[6:7], 0, s[48:49]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], " at " offset:32\n\t"

/* Nothing has been written: the record does not fit, or another wave owns the ring. */
#define TIME_FALLBACK                                                                              \
	".Lprobe_full%=:\n\t"                                                                      \
	"global_store_dwordx2 v3, v[4:5], s[50:51]\n"                                              \
	".Lprobe_return%=:\n\t"                                                                    \
	"s_mov_b64 exec, s[48:49]\n"                                                               \
	".Lprobe_fallback%=:\n\t"

/*
 * Store the head, s[40:41]: for the host after the records have been stored, then into the ring's
 * state, which releases the ring. The wave terminates here.
 */
#define TIME_RELEASE_RING(host, state)                                                             \
	"v_lshlrev_b64 v[4:5], 0, s[40:41]\n\t"                                                    \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"global_store_dwordx2 v3, v[4:5], " host "\n\t"                                            \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"global_store_dwordx2 v3, v[4:5], " state "\n\t"                                           \
	"s_endpgm\n"

#define TIME_CLOBBERS                                                                              \
	"s40", "s41", "s42", "s43", "s44", "s45", "s46", "s47", "s48", "s49", "s50", "s51", "s52", \
		"s53", "s54", "s55", "s56", "s57", "s58", "s59", "s60", "s61", "s62", "s63", "v2", \
		"v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11"

/* scc0 if this is the launch's first wave: its first work-item (a scalar) and workgroup are 0. */
#define TIME_IS_FIRST_WAVE(item)                                                                   \
	"s_or_b32 s60, %[x], %[y]\n\t"                                                             \
	"s_or_b32 s61, " item ", %[z]\n\t"                                                         \
	"s_or_b32 s60, s60, s61\n\t"

/* Write the WAVE record and the kernel's BEGIN, and set the cursor. */
/* clang-format off */
#define TIME_WRITE_BEGIN                                                                           \
	"s_sub_u32 s86, s46, 64\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"                                                        \
	TIME_WRITE_WAVE("s[44:45]", "s[56:57]", "%[item]")                                         \
	"v_lshlrev_b64 v[8:9], 0, %[ctx]\n\t"                                                      \
	"global_store_dwordx2 v3, v[8:9], s[50:51] offset:32\n\t"                                  \
	"s_memtime s[62:63]\n\t"                                                                   \
	"s_mov_b64 s[80:81], s[42:43]\n\t"                                                         \
	"s_sub_u32 s78, s40, s44\n\t"                                                              \
	"s_subb_u32 s79, s41, s45\n\t"                                                             \
	"s_mov_b64 s[90:91], s[50:51]\n\t"                                                         \
	"s_mov_b32 s87, 0\n\t"                                                                     \
	"s_mov_b32 s93, 0\n\t"                                                                     \
	"v_readfirstlane_b32 s61, %[item]\n\t"                                                     \
	TIME_IS_FIRST_WAVE("s61")                                                                  \
	"s_cselect_b32 s92, 1, 3\n\t"                                                              \
	"s_bcnt1_i32_b64 s60, s[48:49]\n\t"                                                        \
	"v_mov_b32 v4, %[begin_word]\n\t"                                                          \
	"v_mov_b32 v5, s60\n\t"                                                                    \
	"s_add_u32 s84, s44, 64\n\t"                                                               \
	"s_addc_u32 s85, s45, 0\n\t"                                                               \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[6:7], 0, s[62:63]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], s[44:45] offset:48\n\t"                                  \
	"s_mov_b64 exec, s[48:49]\n\t"                                                             \
	"s_branch .Lprobe_end%=\n"
/* clang-format on */

/*
 * A wave starts: claim the ring of its slot if it is free, and write the WAVE record and the
 * kernel's BEGIN. `item`: as in PROBE_FORM_WAVE_ITEM.
 */
DEV_INLINE void time_enter(const dev_ctx *ctx, const void *slow, const void *refill, uint32_t site,
			   uint32_t item, const uint16_t DEV_CONSTANT *packet)
{
	uint32_t mode;

	__asm__ volatile(
		"s_mov_b64 s[88:89], %[refill]\n\t" TIME_FAST_PATH CURSOR_LOAD_CONTEXT("s[48:49]")
			TIME_CLAIM_RING TIME_WRITE_BEGIN TIME_FALLBACK TIME_FAST_PATH_END
		"v_mov_b32 v10, %[item]\n\t" SLOW_ENTER
		: CURSOR_OUTPUT(mode)
		: [ctx] "s"(dev_scalar64((uint64_t)ctx)), [refill] "s"(refill), [item] "v"(item),
		  [x] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_x())),
		  [y] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_y())),
		  [z] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_z())), [packet] "s"(packet),
		  [site] "i"(ENTER_TIMED | site), [slow] "i"(slow),
		  [wave_word] "i"(PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT | site),
		  [begin_word] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site)
		: TIME_CLOBBERS, SLOW_VGPRS, CURSOR_CLOBBERS);
	(void)mode;
}

/*
 * A wave that claimed its ring on the fast path terminates here, unless the record does not fit or
 * it is the first wave, which measures the cost of stamps. All lanes may be written now.
 */
#define TIME_WRITE_END                                                                             \
	"s_cmp_eq_u32 s92, 3\n\t"                                                                  \
	"s_cbranch_scc1 .Lprobe_fallback%=\n\t"                                                    \
	"s_cmp_eq_u64 s[80:81], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lprobe_fallback%=\n\t"                                                    \
	"s_sub_u32 s86, s86, 24\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"                                                        \
	"s_memrealtime s[56:57]\n\t"                                                               \
	"s_bcnt1_i32_b64 s42, exec\n\t"                                                            \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"v_mov_b32 v4, %[word0]\n\t"                                                               \
	"v_mov_b32 v5, s42\n\t"                                                                    \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[6:7], 0, s[62:63]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], s[84:85]\n\t"                                            \
	"s_add_u32 s40, s84, 24\n\t"                                                               \
	"s_addc_u32 s41, s85, 0\n\t"                                                               \
	"s_add_u32 s40, s40, s78\n\t"                                                              \
	"s_addc_u32 s41, s41, s79\n\t"                                                             \
	"v_lshlrev_b64 v[8:9], 0, s[56:57]\n\t"                                                    \
	"global_store_dwordx2 v3, v[8:9], s[84:85] offset:16\n\t"

DEV_INLINE void time_exit(const dev_ctx *ctx, const void *slow, uint32_t site)
{
	__asm__ volatile(
		"s_memtime s[62:63]\n\t" TIME_FAST_PATH TIME_WRITE_END TIME_RELEASE_RING(
			"s[80:81]", "s[90:91]") ".Lprobe_full%=:\n\t"
						"s_add_u32 s86, s86, 24\n"
						".Lprobe_fallback%=:\n\t" TIME_FAST_PATH_END
						"s_waitcnt lgkmcnt(0)\n\t"
						"v_lshlrev_b64 v[0:1], 0, %[ctx]\n\t"
						"v_lshlrev_b64 v[2:3], 0, s[62:63]\n\t"
						"v_mov_b32 v4, %[site]\n\t" SLOW_CALL("time_exit")
		:
		: [ctx] "s"(dev_scalar64((uint64_t)ctx)), [site] "i"(site), [slow] "i"(slow),
		  [word0] "i"(PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site)
		: TIME_CLOBBERS, SLOW_EXIT_VGPR, CURSOR_CLOBBERS);
}
#endif

/*
 * Measure the cost of stamps: the first wave of a launch (s92 is 3) records nested spans with the
 * site PROBE_SITE_IDLE, in both encodings.
 */
DEV_INLINE void time_calibrate(uint32_t optnone)
{
	const uint32_t begin = PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE;
	const uint32_t end = PROBE_FORM_END << PROBE_FORM_SHIFT | PROBE_SITE_IDLE;
	uint32_t first;

	__asm__ volatile("s_sub_u32 %0, s92, 3" : "=s"(first) : : "scc");
	if (first)
		return;
	stamp_begin(begin, optnone);
	stamp_begin(begin, optnone);
	stamp_end(end, optnone);
	stamp_end(end, optnone);
#ifndef DEV_PORTABLE
	if (optnone)
		return;
	stamp_begin(begin, 0);
	span_begin();
	span_end(PROBE_FORM_SPAN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE);
	stamp_end(end, 0);
#endif
}

#endif
