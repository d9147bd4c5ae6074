/* SPDX-License-Identifier: MIT */
/*
 * The workgroup filter of the kinds with counters: a wave that is not chosen counts as any other,
 * but into rows that are never read (wire.h section 4). Nothing else in a clone knows of the
 * filter.
 */
#include <stddef.h>

#include "devlib/workgroup_filter.h"

typedef const struct probe_ctx DEV_CONSTANT dev_ctx;

#ifndef DEV_PORTABLE
/* Outside of the range along one axis? "i" operands are the bounds' places. */
#define OUTSIDE(axis)                                                                              \
	"s_load_dword vcc_lo, %[ctx], %[first_" axis "]\n\t"                                       \
	"s_load_dword vcc_hi, %[ctx], %[last_" axis "]\n\t"                                        \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"s_cmp_lt_u32 %[" axis "], vcc_lo\n\t"                                                     \
	"s_cbranch_scc1 .Lprobe_other%=\n\t"                                                       \
	"s_cmp_gt_u32 %[" axis "], vcc_hi\n\t"                                                     \
	"s_cbranch_scc1 .Lprobe_other%=\n\t"

/*
 * The context of this wave. Without a filter that is two instructions, and without branches that
 * the compiler can see: loads of arguments stay together.
 */
DEV_ENTRY dev_ctx *__probe_dev_select(dev_ctx *ctx)
{
	uint64_t chosen;

	__asm__("s_bitcmp1_b64 %[ctx], 0\n\t" /* PROBE_CTX_FILTERED */
		"s_cbranch_scc0 .Lprobe_end%=\n\t"
		"s_bitset0_b64 %[ctx], 0\n\t" OUTSIDE("x") OUTSIDE("y")
			OUTSIDE("z") "s_branch .Lprobe_end%=\n"
				     ".Lprobe_other%=:\n\t"
				     "s_mov_b64 vcc, %[ctx]\n\t"
				     "s_add_u32 vcc_lo, vcc_lo, %[size]\n\t"
				     "s_addc_u32 vcc_hi, vcc_hi, 0\n\t"
				     "s_mov_b64 %[ctx], vcc\n"
				     ".Lprobe_end%=:"
		: [ctx] "=&s"(chosen)
		: "0"((uint64_t)ctx), [x] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_x())),
		  [y] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_y())),
		  [z] "s"(dev_scalar32(__builtin_amdgcn_workgroup_id_z())),
		  [size] "i"(sizeof(*ctx)),
		  [first_x] "i"(offsetof(struct probe_ctx, group_first[0])),
		  [first_y] "i"(offsetof(struct probe_ctx, group_first[1])),
		  [first_z] "i"(offsetof(struct probe_ctx, group_first[2])),
		  [last_x] "i"(offsetof(struct probe_ctx, group_last[0])),
		  [last_y] "i"(offsetof(struct probe_ctx, group_last[1])),
		  [last_z] "i"(offsetof(struct probe_ctx, group_last[2]))
		: "vcc", "scc");
	return (dev_ctx *)chosen;
}
#else
/* For targets with other instructions. */
DEV_ENTRY dev_ctx *__probe_dev_select(dev_ctx *ctx)
{
	uint64_t bits;

	/* Or the compiler takes the pointer for aligned. */
	__asm__("" : "=s"(bits) : "0"((uint64_t)ctx));
	if (bits & PROBE_CTX_FILTERED) {
		/*
		 * By asm: a subtraction would be folded into the offsets of scalar loads, and the
		 * low two bits of those and of their base do not count.
		 */
		__asm__("s_bitset0_b64 %0, 0" : "+s"(bits));
		ctx = (dev_ctx *)bits;
		bits = (uint64_t)(dev_chosen(ctx) ? ctx : ctx + 1);
	}
	/* Asm blocks take it in scalar registers. */
	return (dev_ctx *)dev_uniform64(bits);
}
#endif
