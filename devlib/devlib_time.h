/* SPDX-License-Identifier: MIT */
/*
 * What the `time` kind writes (wire.h section 5), and the short way of its waves into and out of a
 * ring: for nearly all of them nothing of what devlib_cursor.c provides for happens.
 */
#ifndef PROBE_DEVLIB_TIME_H
#define PROBE_DEVLIB_TIME_H

#include "devlib_cursor.h"

/*
 * Stamps, s[4:7] and v[0:6] being free since CURSOR_TAKE may call. One active lane writes: what the
 * others hold may be needed after the lanes join again.
 */
#define STAMP_LANE                                                                                 \
	"s_bcnt1_i32_" DEV_B " s4, " DEV_EXEC "\n\t"                                               \
	"s_mov_" DEV_B " " DEV_S67 ", " DEV_EXEC "\n\t"                                            \
	"s_ff1_i32_" DEV_B " s5, " DEV_EXEC "\n\t"                                                 \
	"s_lshl_" DEV_B " " DEV_EXEC ", 1, s5\n\t"                                                 \
	"v_mov_b32 v0, %[word0]\n\t"                                                               \
	"v_mov_b32 v1, s4\n\t"                                                                     \
	"v_mov_b32 v6, 0\n\t"

/* The clock is in s[36:37]. */
#define STAMP_END                                                                                  \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[2:3], 0, s[36:37]\n\t"                                                    \
	"global_store_dwordx4 v6, v[0:3], s[84:85]\n\t" DEV_SETTLE "s_mov_" DEV_B " " DEV_EXEC     \
	", " DEV_S67 "\n\t" CURSOR_STEP("16", "1")

/* For code that is not optimised. */
DEV_INLINE void stamp_plain(uint32_t word0, bool end)
{
	uint64_t clock = end ? dev_clock() : 0;
	uint64_t at = cursor_take(sizeof(struct probe_rec_stamp), 1), exec = dev_exec();
	struct probe_rec_stamp DEV_GLOBAL *record = (struct probe_rec_stamp DEV_GLOBAL *)at;

	if (!at || !dev_speaks(dev_first(exec)))
		return;
	record->word0 = word0;
	record->lanes = dev_count(exec);
	record->clock = end ? clock : dev_clock();
}

/*
 * At a begin the clock is read last, at an end first, so that little of the probes' own work is in
 * the time between. 19 instructions.
 */
DEV_INLINE void stamp_begin(uint32_t word0, uint32_t plain)
{
	if (plain)
		stamp_plain(word0, false);
	else
		__asm__ volatile(CURSOR_TAKE("16", "1") STAMP_LANE DEV_CLOCK("s[36:37]") STAMP_END
				 :
				 : [word0] DEV_WORD(word0)
				 : CURSOR_CALL, CURSOR_CHANGES, "s36", "s37");
}

DEV_INLINE void stamp_end(uint32_t word0, uint32_t plain)
{
	if (plain)
		stamp_plain(word0, true);
	else
		__asm__ volatile(DEV_CLOCK("s[36:37]") CURSOR_TAKE("16", "1") STAMP_LANE STAMP_END
				 :
				 : [word0] DEV_WORD(word0)
				 : CURSOR_CALL, CURSOR_CHANGES, "s36", "s37");
}

#ifndef DEV_PORTABLE
/*
 * A span that holds no other (llvm-plugin/pass_span.c) keeps its begin in s[82:83] and is one
 * record. Nobody waits for the clock before it is written.
 */
DEV_INLINE void span_begin(void)
{
	__asm__ volatile("s_memtime s[82:83]" : : : "memory");
}

DEV_INLINE void span_end(uint32_t word0)
{
	__asm__ volatile("s_memtime s[36:37]\n\t" CURSOR_TAKE("24", "2") STAMP_LANE
			 "s_waitcnt lgkmcnt(0)\n\t"
			 "v_lshlrev_b64 v[2:3], 0, s[82:83]\n\t"
			 "v_lshlrev_b64 v[4:5], 0, s[36:37]\n\t"
			 "global_store_dwordx4 v6, v[0:3], s[84:85]\n\t"
			 "global_store_dwordx2 v6, v[4:5], s[84:85] offset:16\n\t"
			 "s_mov_b64 exec, s[6:7]\n\t" CURSOR_STEP("24", "2")
			 :
			 : [word0] "i"(word0)
			 : CURSOR_CALL, CURSOR_CHANGES, "s36", "s37");
}

#endif

/* ---- The wave ------------------------------------------------------------------------------- */

#ifndef DEV_PORTABLE
/*
 * gfx940 and later spell atomics and loads past L1 another way and need more between caches: their
 * waves all go the long way.
 */
#define TIME_SHORT     ".if .amdgcn.gfx_generation_minor == 0\n\t"
#define TIME_SHORT_END ".endif\n\t"

/*
 * struct probe_ctx: ring_states in s[40:41], ring_heads, ring_data, ring_mask and ring_size behind;
 * the filter in s[50:55], dispatch in s[56:57]. HW_ID in s60; dev_place() in s61 as gfx90a has it:
 * waves of others begin their search at places that some share.
 */
#define TIME_LOOK                                                                                  \
	"s_load_dwordx8 s[40:47], %[ctx], 40\n\t"                                                  \
	"s_load_dwordx8 s[48:55], %[ctx], 96\n\t"                                                  \
	"s_load_dwordx2 s[56:57], %[ctx], 8\n\t"                                                   \
	"s_memrealtime s[58:59]\n\t"                                                               \
	"s_getreg_b32 s60, hwreg(4)\n\t"                                                           \
	"s_bfe_u32 s61, s60, 0x3000d\n\t"                                                          \
	"s_bfe_u32 s62, s60, 0x40008\n\t"                                                          \
	"s_lshl4_add_u32 s61, s61, s62\n\t"                                                        \
	"s_bfe_u32 s62, s60, 0x20004\n\t"                                                          \
	"s_lshl2_add_u32 s61, s61, s62\n\t"                                                        \
	"s_and_b32 s62, s60, 7\n\t"                                                                \
	"s_lshl3_add_u32 s61, s61, s62\n\t"                                                        \
	"s_waitcnt lgkmcnt(0)\n\t"

/* Not this way if the filter leaves out anything. */
#define TIME_FILTER                                                                                \
	"s_or_b32 s50, s50, s51\n\t"                                                               \
	"s_or_b32 s50, s50, s52\n\t"                                                               \
	"s_and_b32 s53, s53, s54\n\t"                                                              \
	"s_and_b32 s53, s53, s55\n\t"                                                              \
	"s_orn2_b32 s50, s50, s53\n\t"                                                             \
	"s_cbranch_scc1 .Lprobe_not%=\n\t"

/* Lane 0 is active when a wave begins. The ring's head goes to s[52:53], its tail to s54. */
#define TIME_OWN                                                                                   \
	"s_and_b32 s61, s61, s46\n\t"                                                              \
	"s_lshl_b32 s62, s61, 6\n\t"                                                               \
	"s_add_u32 s90, s40, s62\n\t"                                                              \
	"s_addc_u32 s91, s41, 0\n\t"                                                               \
	"s_mov_b64 s[50:51], exec\n\t"                                                             \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v6, 1\n\t"                                                                      \
	"v_mov_b32 v7, 0\n\t"                                                                      \
	"global_load_dwordx2 v[10:11], v7, s[90:91] offset:8 glc\n\t"                              \
	"global_atomic_or_x2 v[8:9], v7, v[6:7], s[90:91] glc\n\t"                                 \
	"s_mul_i32 s62, s61, s47\n\t"                                                              \
	"s_mul_hi_u32 s63, s61, s47\n\t"                                                           \
	"s_add_u32 s44, s44, s62\n\t"                                                              \
	"s_addc_u32 s45, s45, s63\n\t"                                                             \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"v_readfirstlane_b32 s52, v8\n\t"                                                          \
	"v_readfirstlane_b32 s53, v9\n\t"                                                          \
	"v_readfirstlane_b32 s54, v10\n\t"                                                         \
	"s_bitcmp1_b32 s52, 0\n\t"                                                                 \
	"s_cbranch_scc1 .Lprobe_back%=\n\t"

/* The cursor, and room for the WAVE record and the kernel's BEGIN. */
#define TIME_CURSOR                                                                                \
	"s_sub_u32 s62, s47, 1\n\t"                                                                \
	"s_and_b32 s62, s62, s52\n\t"                                                              \
	"s_add_u32 s84, s44, s62\n\t"                                                              \
	"s_addc_u32 s85, s45, 0\n\t"                                                               \
	"s_sub_u32 s78, s52, s84\n\t"                                                              \
	"s_subb_u32 s79, s53, s85\n\t"                                                             \
	"s_sub_u32 s63, s52, s54\n\t"                                                              \
	"s_max_u32 s62, s62, s63\n\t"                                                              \
	"s_sub_u32 s86, s47, s62\n\t"                                                              \
	"s_sub_u32 s86, s86, 64\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"

/* Between a store of 16 bytes and the next use of its registers something else must come. */
#define TIME_WAVE                                                                                  \
	"v_mov_b32 v8, %[wave_word]\n\t"                                                           \
	"v_mov_b32 v9, %[wave]\n\t"                                                                \
	"v_lshlrev_b64 v[10:11], 0, s[56:57]\n\t"                                                  \
	"global_store_dwordx4 v7, v[8:11], s[84:85]\n\t"                                           \
	"s_lshl_b32 s62, s61, 7\n\t"                                                               \
	"v_mov_b32 v8, %[x]\n\t"                                                                   \
	"v_mov_b32 v9, %[y]\n\t"                                                                   \
	"v_mov_b32 v10, %[z]\n\t"                                                                  \
	"v_mov_b32 v11, s60\n\t"                                                                   \
	"global_store_dwordx4 v7, v[8:11], s[84:85] offset:16\n\t"                                 \
	"s_add_u32 s80, s42, s62\n\t"                                                              \
	"v_lshlrev_b64 v[8:9], 0, s[58:59]\n\t"                                                    \
	"v_lshlrev_b64 v[10:11], 0, s[50:51]\n\t"                                                  \
	"global_store_dwordx4 v7, v[8:11], s[84:85] offset:32\n\t"                                 \
	"s_addc_u32 s81, s43, 0\n\t"                                                               \
	"v_lshlrev_b64 v[8:9], 0, %[ctx]\n\t"                                                      \
	"global_store_dwordx2 v7, v[8:9], s[90:91] offset:32\n\t"

#define TIME_BEGIN                                                                                 \
	"s_memtime s[48:49]\n\t"                                                                   \
	"s_mov_b64 s[88:89], %[refill]\n\t"                                                        \
	"s_mov_b32 s87, 2\n\t"                                                                     \
	"s_mov_b32 s93, 0\n\t"                                                                     \
	"s_or_b32 s62, %[x], %[y]\n\t"                                                             \
	"s_or_b32 s62, s62, %[z]\n\t"                                                              \
	"s_or_b32 s62, s62, %[wave]\n\t"                                                           \
	"s_cselect_b32 s92, 1, 3\n\t"                                                              \
	"s_bcnt1_i32_b64 s62, s[50:51]\n\t"                                                        \
	"v_mov_b32 v8, %[begin_word]\n\t"                                                          \
	"v_mov_b32 v9, s62\n\t"                                                                    \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[10:11], 0, s[48:49]\n\t"                                                  \
	"global_store_dwordx4 v7, v[8:11], s[84:85] offset:48\n\t"                                 \
	"s_mov_b64 exec, s[50:51]\n\t"                                                             \
	"s_add_u32 s84, s84, 64\n\t"                                                               \
	"s_addc_u32 s85, s85, 0\n\t"                                                               \
	"s_branch .Lprobe_done%=\n"

/* Nothing has been written: let the ring go as it was. */
#define TIME_NOT                                                                                   \
	".Lprobe_full%=:\n\t"                                                                      \
	"v_mov_b32 v8, s52\n\t"                                                                    \
	"v_mov_b32 v9, s53\n\t"                                                                    \
	"global_store_dwordx2 v7, v[8:9], s[90:91]\n"                                              \
	".Lprobe_back%=:\n\t"                                                                      \
	"s_mov_b64 exec, s[50:51]\n"                                                               \
	".Lprobe_not%=:\n"                                                                         \
	".Lprobe_done%=:\n\t"

/*
 * A wave begins: the ring of its place, if nobody has it, its WAVE record and its kernel's BEGIN.
 * False: nothing has happened.
 */
DEV_INLINE bool time_enter(const dev_ctx *ctx, const void *refill, uint32_t site, uint32_t wave)
{
	uint64_t ring;

	__asm__ volatile(
		"s_mov_b64 s[80:81], 0\n\t" TIME_SHORT TIME_LOOK TIME_FILTER TIME_OWN TIME_CURSOR
			TIME_WAVE TIME_BEGIN TIME_NOT TIME_SHORT_END "s_mov_b64 %[ring], s[80:81]"
		: [ring] "=s"(ring)
		: [ctx] "s"(ctx), [refill] "s"(refill), [wave] "s"(wave),
		  [x] "s"(__builtin_amdgcn_workgroup_id_x()),
		  [y] "s"(__builtin_amdgcn_workgroup_id_y()),
		  [z] "s"(__builtin_amdgcn_workgroup_id_z()),
		  [wave_word] "i"(PROBE_FORM_WAVE << PROBE_FORM_SHIFT | site),
		  [begin_word] "i"(PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | site)
		: "s40", "s41", "s42", "s43", "s44", "s45", "s46", "s47", "s48", "s49", "s50",
		  "s51", "s52", "s53", "s54", "s55", "s56", "s57", "s58", "s59", "s60", "s61",
		  "s62", "s63", "v6", "v7", "v8", "v9", "v10", "v11", CURSOR_CHANGES);
	return ring != 0;
}

/* Not this way for a wave that did not come by it. */
#define TIME_LAST                                                                                  \
	"s_cmp_eq_u64 s[80:81], 0\n\t"                                                             \
	"s_cbranch_scc1 .Lprobe_not%=\n\t"                                                         \
	"s_sub_u32 s86, s86, 24\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"                                                        \
	"s_bcnt1_i32_b64 s42, exec\n\t"                                                            \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v7, 0\n\t"                                                                      \
	"global_load_dwordx2 v[2:3], v7, s[90:91] offset:16 glc\n\t"                               \
	"s_memrealtime s[40:41]\n\t"                                                               \
	"v_mov_b32 v8, %[word0]\n\t"                                                               \
	"v_mov_b32 v9, s42\n\t"                                                                    \
	"v_lshlrev_b64 v[10:11], 0, %[clock]\n\t"                                                  \
	"global_store_dwordx4 v7, v[8:11], s[84:85]\n\t"                                           \
	"s_add_u32 s87, s87, 1\n\t"                                                                \
	"s_add_u32 s42, s84, 24\n\t"                                                               \
	"s_addc_u32 s43, s85, 0\n\t"                                                               \
	"s_add_u32 s42, s42, s78\n\t"                                                              \
	"s_addc_u32 s43, s43, s79\n\t"                                                             \
	"v_lshlrev_b64 v[0:1], 0, s[42:43]\n\t"                                                    \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"v_lshlrev_b64 v[8:9], 0, s[40:41]\n\t"                                                    \
	"global_store_dwordx2 v7, v[8:9], s[84:85] offset:16\n\t"

/* v[0:1] = the head, v[2:3] = the ring's count: written, shown to the host, then let go. */
#define TIME_LET_GO                                                                                \
	"s_waitcnt vmcnt(2)\n\t"                                                                   \
	"v_add_co_u32 v2, vcc, s87, v2\n\t"                                                        \
	"v_addc_co_u32 v3, vcc, 0, v3, vcc\n\t"                                                    \
	"global_store_dwordx2 v7, v[2:3], s[90:91] offset:16\n\t"                                  \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"global_store_dwordx4 v7, v[0:3], s[80:81]\n\t"                                            \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"global_store_dwordx2 v7, v[0:1], s[90:91]\n\t"                                            \
	"s_endpgm\n"                                                                               \
	".Lprobe_full%=:\n\t"                                                                      \
	"s_add_u32 s86, s86, 24\n"                                                                 \
	".Lprobe_not%=:\n\t"

/* The wave ends here, unless what is to be done is too much for this. */
DEV_INLINE void time_exit(uint64_t clock, uint32_t site)
{
	__asm__ volatile(
		TIME_SHORT TIME_LAST TIME_LET_GO TIME_SHORT_END
		:
		: [clock] "s"(clock), [word0] "i"(PROBE_FORM_WAVE_END << PROBE_FORM_SHIFT | site)
		: "s40", "s41", "s42", "s43", "v0", "v1", "v2", "v3", "v7", "v8", "v9", "v10",
		  "v11", "vcc", CURSOR_CHANGES);
}

#endif

/*
 * What stamps cost, told with the site IDLE by the first wave of a launch that asks for it in s92:
 * one span in another, both ways.
 */
DEV_INLINE void time_calibrate(uint32_t plain)
{
	const uint32_t begin = PROBE_FORM_BEGIN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE;
	const uint32_t end = PROBE_FORM_END << PROBE_FORM_SHIFT | PROBE_SITE_IDLE;
	uint32_t first;

	__asm__ volatile("s_sub_u32 %0, s92, 3" : "=s"(first) : : "scc");
	if (first)
		return;
	stamp_begin(begin, plain);
	stamp_begin(begin, plain);
	stamp_end(end, plain);
	stamp_end(end, plain);
#ifndef DEV_PORTABLE
	if (plain)
		return;
	stamp_begin(begin, 0);
	span_begin();
	span_end(PROBE_FORM_SPAN << PROBE_FORM_SHIFT | PROBE_SITE_IDLE);
	stamp_end(end, 0);
#endif
}

#endif
