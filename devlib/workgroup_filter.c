/* SPDX-License-Identifier: MIT */
/*
 * The workgroup filter of kinds with counters. A wave that is filtered out counts like any other,
 * but into rows that are never read (PROBE_CTX_FILTERED). No other code of a clone depends on the
 * filter.
 */
#include <stddef.h>

#include "devlib/workgroup_filter.h"

typedef const struct probe_ctx DEV_CONSTANT dev_ctx;

#ifndef DEV_PORTABLE
/* Jumps if the workgroup is outside of the range along one axis. */
#define OUTSIDE(axis)                                                                              \
	"s_load_dword vcc_lo, %[ctx], %[first_" axis "]\n\t"                                       \
	"s_load_dword vcc_hi, %[ctx], %[last_" axis "]\n\t"                                        \
	"s_waitcnt lgkmcnt(0)\n\t"                                                                 \
	"s_cmp_lt_u32 %[" axis "], vcc_lo\n\t"                                                     \
	"s_cbranch_scc1 .Lprobe_filtered%=\n\t"                                                    \
	"s_cmp_gt_u32 %[" axis "], vcc_hi\n\t"                                                     \
	"s_cbranch_scc1 .Lprobe_filtered%=\n\t"

/*
 * The context that this wave uses. Without a filter this takes two instructions. There are no
 * branches that the compiler can see, so that it can still combine the loads of kernel arguments.
 */
DEV_ENTRY dev_ctx *__probe_dev_select(dev_ctx *ctx)
{
	uint64_t selected;

	__asm__("s_bitcmp1_b64 %[ctx], 0\n\t" /* PROBE_CTX_FILTERED */
		"s_cbranch_scc0 .Lprobe_end%=\n\t"
		"s_bitset0_b64 %[ctx], 0\n\t" OUTSIDE("x") OUTSIDE("y")
			OUTSIDE("z") "s_branch .Lprobe_end%=\n"
				     ".Lprobe_filtered%=:\n\t"
				     "s_mov_b64 vcc, %[ctx]\n\t"
				     "s_add_u32 vcc_lo, vcc_lo, %[size]\n\t"
				     "s_addc_u32 vcc_hi, vcc_hi, 0\n\t"
				     "s_mov_b64 %[ctx], vcc\n"
				     ".Lprobe_end%=:"
		: [ctx] "=&s"(selected)
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
	return (dev_ctx *)selected;
}
#else
/* For other targets than gfx9, in C. */
DEV_ENTRY dev_ctx *__probe_dev_select(dev_ctx *ctx)
{
	const uint32_t group[] = {__builtin_amdgcn_workgroup_id_x(),
				  __builtin_amdgcn_workgroup_id_y(),
				  __builtin_amdgcn_workgroup_id_z()};
	uint64_t bits;

	/* Through asm, because the compiler would assume that the pointer is aligned. */
	__asm__("" : "=s"(bits) : "0"((uint64_t)ctx));
	if (bits & PROBE_CTX_FILTERED) {
		/*
		 * Through asm: a subtraction would be folded into the offsets of scalar loads,
		 * which ignore the low two bits of base and offset.
		 */
		__asm__("s_bitset0_b64 %0, 0" : "+s"(bits));
		ctx = (dev_ctx *)bits;
		bits = (uint64_t)(dev_workgroup_selected(ctx, group) ? ctx : ctx + 1);
	}
	/* Asm blocks need it in scalar registers. */
	return (dev_ctx *)dev_uniform64(bits);
}
#endif
