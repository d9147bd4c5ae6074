/* SPDX-License-Identifier: MIT */
/*
 * The short way of the trace kind's waves into a ring and out of it: nearly all find the ring of
 * their place free and with room, in a launch whose waves are all wanted. The rest go the long way
 * of devlib_cursor.c, and so do those of gfx940 and later, which spell atomics and loads past L1
 * another way and need more between caches.
 */
#ifndef PROBE_DEVLIB_TRACE_WAVE_H
#define PROBE_DEVLIB_TRACE_WAVE_H

#include "devlib_cursor.h"

/* Lane 0 is active when a wave begins. What is free may be more than the state knows. */
#define TRACE_OWN                                                                                  \
	"s_and_b32 s59, s59, s46\n\t"                                                              \
	"s_lshl_b32 s60, s59, 6\n\t"                                                               \
	"s_add_u32 s90, s40, s60\n\t"                                                              \
	"s_addc_u32 s91, s41, 0\n\t"                                                               \
	"s_mov_b64 exec, 1\n\t"                                                                    \
	"v_mov_b32 v2, 1\n\t"                                                                      \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"global_load_dword v6, v3, s[90:91] offset:8 glc\n\t"                                      \
	"global_atomic_or_x2 v[4:5], v3, v[2:3], s[90:91] glc\n\t"                                 \
	"s_mov_b64 s[82:83], s[54:55]\n\t"                                                         \
	"s_mov_b32 s87, 0\n\t"                                                                     \
	"s_mov_b64 s[88:89], %[call]\n\t"                                                          \
	"s_mul_i32 s60, s59, s47\n\t"                                                              \
	"s_add_u32 s44, s44, s60\n\t"                                                              \
	"s_addc_u32 s45, s45, 0\n\t"                                                               \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"v_readfirstlane_b32 s50, v4\n\t"                                                          \
	"v_readfirstlane_b32 s51, v5\n\t"                                                          \
	"v_readfirstlane_b32 s60, v6\n\t"                                                          \
	"s_bitcmp1_b32 s50, 0\n\t"                                                                 \
	"s_cbranch_scc1 .Lprobe_back%=\n\t"

/* The cursor, and room for the wave's record; at most a quarter of the ring until it is shown. */
#define TRACE_CURSOR                                                                               \
	"s_sub_u32 s61, s47, 1\n\t"                                                                \
	"s_and_b32 s62, s50, s61\n\t"                                                              \
	"s_add_u32 s84, s44, s62\n\t"                                                              \
	"s_addc_u32 s85, s45, 0\n\t"                                                               \
	"s_sub_u32 s78, s50, s84\n\t"                                                              \
	"s_subb_u32 s79, s51, s85\n\t"                                                             \
	"s_add_u32 s60, s60, s47\n\t"                                                              \
	"s_sub_u32 s60, s60, s50\n\t"                                                              \
	"s_sub_u32 s62, s47, s62\n\t"                                                              \
	"s_min_u32 s60, s60, s62\n\t"                                                              \
	"s_lshr_b32 s61, s47, 2\n\t"                                                               \
	"s_min_u32 s86, s60, s61\n\t"                                                              \
	"s_sub_u32 s86, s86, 48\n\t"                                                               \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"

/* struct probe_rec_wave. */
#define TRACE_WAVE                                                                                 \
	"v_mov_b32 v4, %[word0]\n\t"                                                               \
	"v_mov_b32 v5, %[item]\n\t"                                                                \
	"v_lshlrev_b64 v[6:7], 0, s[52:53]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], s[84:85]\n\t"                                            \
	"v_mov_b32 v8, %[x]\n\t"                                                                   \
	"v_mov_b32 v9, %[y]\n\t"                                                                   \
	"v_mov_b32 v10, %[z]\n\t"                                                                  \
	"v_mov_b32 v11, s58\n\t"                                                                   \
	"global_store_dwordx4 v3, v[8:11], s[84:85] offset:16\n\t"                                 \
	"v_lshlrev_b64 v[4:5], 0, s[56:57]\n\t"                                                    \
	"v_lshlrev_b64 v[6:7], 0, s[80:81]\n\t"                                                    \
	"global_store_dwordx4 v3, v[4:7], s[84:85] offset:32\n\t"                                  \
	"v_lshlrev_b64 v[8:9], 0, %[ctx]\n\t"                                                      \
	"global_store_dwordx2 v3, v[8:9], s[90:91] offset:32\n\t"                                  \
	"s_add_u32 s84, s84, 48\n\t"                                                               \
	"s_addc_u32 s85, s85, 0\n\t"                                                               \
	"s_mov_b32 s92, 1\n\t"                                                                     \
	"s_mov_b32 s93, %[mode]\n\t"                                                               \
	"s_branch .Lprobe_back%=\n"

/* No room: nothing has been written, let the ring go as it was. */
#define TRACE_NOT                                                                                  \
	".Lprobe_full%=:\n\t"                                                                      \
	"global_store_dwordx2 v3, v[4:5], s[90:91]\n"                                              \
	".Lprobe_back%=:\n\t"                                                                      \
	"s_mov_b64 exec, s[80:81]\n"                                                               \
	".Lprobe_not%=:\n\t"

/* A wave begins. False: nothing has happened. `item`: as in PROBE_FORM_WAVE_ITEM. */
DEV_INLINE bool trace_enter(const dev_ctx *ctx, const void *call, uint32_t item)
{
	__asm__ volatile(
		"s_mov_b32 s93, 0\n\t"
		".if .amdgcn.gfx_generation_minor == 0\n\t" CURSOR_LOOK("s[80:81]")
			TRACE_OWN TRACE_CURSOR TRACE_WAVE TRACE_NOT ".endif"
		:
		: [ctx] "s"(ctx), [call] "s"(call), [item] "v"(item),
		  [x] "s"(__builtin_amdgcn_workgroup_id_x()),
		  [y] "s"(__builtin_amdgcn_workgroup_id_y()),
		  [z] "s"(__builtin_amdgcn_workgroup_id_z()),
		  [word0] "i"(PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT), [mode] "i"(CURSOR_SHORT)
		: "s40", "s41", "s42", "s43", "s44", "s45", "s46", "s47", "s50", "s51", "s52",
		  "s53", "s54", "s55", "s56", "s57", "s58", "s59", "s60", "s61", "s62", "v2", "v3",
		  "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", CURSOR_REGISTERS);
	return cursor_mode() == CURSOR_SHORT;
}

/*
 * A wave ends, and nothing comes after: it ends here if it has come by the short way. One lane
 * stores what the host shall see, and when that is there, what lets the ring go.
 */
DEV_INLINE void trace_exit(const dev_ctx *ctx)
{
	__asm__ volatile("s_cmp_lg_u32 s93, %[mode]\n\t"
			 "s_cbranch_scc1 .Lprobe_not%=\n\t"
			 "s_load_dwordx4 s[40:43], %[ctx], 40\n\t"
			 "s_add_u32 s44, s84, s78\n\t"
			 "s_addc_u32 s45, s85, s79\n\t"
			 "s_ff1_i32_b64 s46, exec\n\t"
			 "s_lshl_b64 exec, 1, s46\n\t"
			 "v_mov_b32 v0, 0\n\t"
			 "v_lshlrev_b64 v[2:3], 0, s[44:45]\n\t"
			 "s_waitcnt vmcnt(0) lgkmcnt(0)\n\t"
			 "s_sub_u32 s40, s90, s40\n\t"
			 "s_lshl_b32 s40, s40, 1\n\t"
			 "s_add_u32 s42, s42, s40\n\t"
			 "s_addc_u32 s43, s43, 0\n\t"
			 "global_store_dwordx2 v0, v[2:3], s[42:43]\n\t"
			 "s_waitcnt vmcnt(0)\n\t"
			 "global_store_dwordx2 v0, v[2:3], s[90:91]\n\t"
			 "s_endpgm\n"
			 ".Lprobe_not%=:"
			 :
			 : [ctx] "s"(ctx), [mode] "i"(CURSOR_SHORT)
			 : "s40", "s41", "s42", "s43", "s44", "s45", "s46", "v0", "v2", "v3",
			   CURSOR_CHANGES);
}

#endif
