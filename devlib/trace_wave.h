/* SPDX-License-Identifier: MIT */
/*
 * `trace`: the fast path with which a wave claims and releases its ring. It covers nearly all
 * waves: the ring of the wave slot is free, the WAVE record fits, and there is no workgroup filter.
 * The fallback path is in ring_cursor.c. On gfx940 and later all waves use the fallback path,
 * because atomics and coherent loads have other mnemonics there and need more cache maintenance.
 */
#ifndef PROBE_DEVLIB_TRACE_WAVE_H
#define PROBE_DEVLIB_TRACE_WAVE_H

#include <stddef.h>

#include "devlib/ring_cursor.h"

#define TRACE_FAST_PATH	    ".if .amdgcn.gfx_generation_minor == 0\n\t"
#define TRACE_FAST_PATH_END ".endif\n\t"

/*
 * Load struct probe_ctx_wave: row_lanes to s[82:83], data_high to s85, ring_states to s[40:41],
 * dispatch to s[42:43], slot_mask to s44. HW_ID goes to s58, the clock to s[56:57].
 */
#define TRACE_LOAD_CONTEXT                                                                         \
	"s_load_dwordx8 s[80:87], %[ctx], %[wave]\n\t"                                             \
	"s_load_dwordx8 s[40:47], %[ctx], %[wave]+32\n\t"                                          \
	"s_memrealtime s[56:57]\n\t"                                                               \
	"s_getreg_b32 s58, hwreg(4)\n\t"                                                           \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"s_mov_b64 s[80:81], exec\n\t"                                                             \
	"s_mov_b64 exec, 1\n\t"

/*
 * Claim the ring of the wave slot. Lane 0 is active when a wave starts, and its registers may be
 * written. The atomic swap with 0 returns the cursor, or 0 if another wave owns the ring;
 * free_bytes is then 0, and the WAVE record does not fit. head_offset is loaded after the swap:
 * both are in one cache line, so that it is the value of the last owner.
 */
#define TRACE_CLAIM_RING                                                                           \
	"s_and_b32 s59, s58, s44\n\t"                                                              \
	"s_lshl_b32 s59, s59, 6\n\t"                                                               \
	"s_add_u32 s90, s40, s59\n\t"                                                              \
	"s_addc_u32 s91, s41, 0\n\t"                                                               \
	"v_mov_b32 v3, 0\n\t"                                                                      \
	"v_lshlrev_b64 v[4:5], 0, 0\n\t"                                                           \
	"global_atomic_swap_x2 v[4:5], v3, v[4:5], s[90:91] glc\n\t"                               \
	"global_load_dwordx2 v[6:7], v3, s[90:91] offset:%[head_offset] glc\n\t"                   \
	"v_mov_b32 v8, %[word0]\n\t"                                                               \
	"v_lshl_or_b32 v9, %[item_y], 10, %[item_x]\n\t"                                           \
	"v_lshl_or_b32 v9, %[item_z], 20, v9\n\t"                                                  \
	"v_lshlrev_b64 v[10:11], 0, s[42:43]\n\t"                                                  \
	"s_waitcnt vmcnt(0)\n\t"                                                                   \
	"v_readfirstlane_b32 s84, v4\n\t"                                                          \
	"v_readfirstlane_b32 s86, v5\n\t"                                                          \
	"v_readfirstlane_b32 s78, v6\n\t"                                                          \
	"v_readfirstlane_b32 s79, v7\n\t"                                                          \
	"s_sub_u32 s86, s86, %[size]\n\t"                                                          \
	"s_cbranch_scc1 .Lprobe_full%=\n\t"

/*
 * Write struct probe_rec_wave. No ring crosses a multiple of 4 GiB, so that s85 stays the same.
 * s92 = 1, s93 = CURSOR_OWNER.
 */
#define TRACE_WRITE_WAVE                                                                           \
	"global_store_dwordx4 v3, v[8:11], s[84:85]\n\t"                                           \
	"v_mov_b32 v4, %[x]\n\t"                                                                   \
	"v_mov_b32 v5, %[y]\n\t"                                                                   \
	"v_mov_b32 v6, %[z]\n\t"                                                                   \
	"v_mov_b32 v7, s58\n\t"                                                                    \
	"global_store_dwordx4 v3, v[4:7], s[84:85] offset:16\n\t"                                  \
	"v_lshlrev_b64 v[8:9], 0, s[56:57]\n\t"                                                    \
	"v_lshlrev_b64 v[10:11], 0, s[80:81]\n\t"                                                  \
	"global_store_dwordx4 v3, v[8:11], s[84:85] offset:32\n\t"                                 \
	"s_add_u32 s84, s84, %[size]\n\t"                                                          \
	"s_mov_b64 s[92:93], 1\n\t"                                                                \
	"s_mov_b64 exec, s[80:81]\n\t"                                                             \
	"s_branch .Lprobe_end%=\n"

/* Nothing has been written. Restore the cursor, unless another wave owns the ring. */
#define TRACE_FALLBACK                                                                             \
	".Lprobe_full%=:\n\t"                                                                      \
	"s_add_u32 s86, s86, %[size]\n\t"                                                          \
	"s_cmp_eq_u32 s86, 0\n\t"                                                                  \
	"s_cbranch_scc1 .Lprobe_return%=\n\t"                                                      \
	"global_store_dwordx2 v3, v[4:5], s[90:91]\n"                                              \
	".Lprobe_return%=:\n\t"                                                                    \
	"s_mov_b64 exec, s[80:81]\n\t"

DEV_INLINE void trace_enter(const dev_ctx *ctx, const void *slow, const void *call,
			    const uint16_t DEV_CONSTANT *packet)
{
	uint32_t mode;

	__asm__ volatile(
		"s_mov_b64 s[88:89], %[call]\n\t" TRACE_FAST_PATH TRACE_LOAD_CONTEXT
			TRACE_CLAIM_RING TRACE_WRITE_WAVE TRACE_FALLBACK TRACE_FAST_PATH_END
		"v_lshl_or_b32 v10, %[item_y], 10, %[item_x]\n\t"
		"v_lshl_or_b32 v10, %[item_z], 20, v10\n\t" SLOW_ENTER
		: CURSOR_OUTPUT(mode)
		: [ctx] "s"(dev_scalar64((uint64_t)ctx)), [call] "s"(call),
		  [item_x] "v"(__builtin_amdgcn_workitem_id_x()),
		  [item_y] "v"(__builtin_amdgcn_workitem_id_y()),
		  [item_z] "v"(__builtin_amdgcn_workitem_id_z()),
		  [x] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_x())),
		  [y] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_y())),
		  [z] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_z())), [packet] "s"(packet),
		  [site] "i"(0), [slow] "i"(slow), [wave] "i"(offsetof(struct probe_ctx, wave)),
		  [head_offset] "i"(offsetof(struct probe_ring_state, head_offset)),
		  [size] "i"(sizeof(struct probe_rec_wave)),
		  [word0] "i"(PROBE_FORM_WAVE_ITEM << PROBE_FORM_SHIFT)
		: "s40", "s41", "s42", "s43", "s44", "s45", "s46", "s47", "s56", "s57", "s58",
		  "s59", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", SLOW_VGPRS,
		  CURSOR_CLOBBERS);
	(void)mode;
}

/*
 * A wave ends. If it owns a ring, it terminates here: one lane stores the head for the host and,
 * after that store has completed, the cursor, which releases the ring.
 */
DEV_INLINE void trace_exit(void)
{
	__asm__ volatile(
		TRACE_FAST_PATH "s_cmp_lg_u32 s93, %[mode]\n\t"
				"s_cbranch_scc1 .Lprobe_fallback%=\n\t"
				"s_mov_b64 exec, 1\n\t"
				"v_mov_b32 v0, 0\n\t"
				"global_load_dwordx2 v[4:5], v0, s[90:91] offset:%[host]\n\t"
				"s_add_u32 s44, s84, s78\n\t"
				"s_addc_u32 s45, s85, s79\n\t"
				"v_lshlrev_b64 v[2:3], 0, s[44:45]\n\t"
				"v_mov_b32 v6, s84\n\t"
				"v_mov_b32 v7, s86\n\t"
				"s_waitcnt vmcnt(0) lgkmcnt(0)\n\t"
				"global_store_dwordx2 v[4:5], v[2:3], off\n\t"
				"s_waitcnt vmcnt(0)\n\t"
				"global_store_dwordx2 v0, v[6:7], s[90:91]\n\t"
				"s_endpgm\n"
				".Lprobe_fallback%=:\n\t" TRACE_FAST_PATH_END
		:
		: [mode] "i"(CURSOR_OWNER), [host] "i"(offsetof(struct probe_ring_state, host))
		: "s44", "s45", "v0", "v2", "v3", "v4", "v5", "v6", "v7", CURSOR_CLOBBERS);
}

#endif
