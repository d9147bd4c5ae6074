/* SPDX-License-Identifier: MIT */
/* The code of groups and guards (pass_plan.h) in a clone of the `memory` kind. */
#ifndef PROBE_LLVM_PLUGIN_PASS_GROUP_H
#define PROBE_LLVM_PLUGIN_PASS_GROUP_H

#include "pass_heads.h"

struct pass_group_insert {
	const struct pass_plan *plan;
	struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef clone;
	LLVMValueRef ctx;  /* the same in all lanes */
	LLVMValueRef wave; /* the wave's word (devlib_memory.c); NULL = only this would need it */
	LLVMValueRef regular;  /* probe_ctx.regular, an instruction of the entry block */
	LLVMValueRef reckoned; /* probe_ctx.reckoned */
	LLVMValueRef last;     /* the only return, if there are counters */
	void *analyses;
	/* Of groups that have heads, as they come. */
	struct pass_heads heads[PLAN_HEADS];
	uint32_t head_row[PLAN_HEADS];
	unsigned head_count;
};

/* probe_ctx.regular and probe_ctx.reckoned, loaded where the builder stands. */
LLVMValueRef pass_group_load_regular(LLVMBuilderRef builder, LLVMValueRef ctx,
				     LLVMValueRef *ret_reckoned);
void pass_group_insert(struct pass_group_insert *in);

#endif
