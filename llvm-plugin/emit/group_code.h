/* SPDX-License-Identifier: MIT */
/* The code of groups and predicates (group_plan.h) in a clone of the `memory` kind. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_GROUP_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_GROUP_CODE_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/lane_counters.h"
#include "llvm-plugin/plan/group_plan.h"

struct batch_code;
struct sample_code;
struct group_plan;

struct devlib;

struct group_code {
	const struct group_plan *plan;
	struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef clone;
	LLVMValueRef ctx;     /* the context, uniform */
	LLVMValueRef wave;    /* the wave's word (memory_probe.c); NULL = only this would need it */
	LLVMValueRef regular; /* probe_ctx.regular, an instruction of the entry block */
	LLVMValueRef enumerated; /* probe_ctx.enumerated */
	LLVMValueRef last;	 /* the only return, if there are counters */
	const struct batch_code *batch;
	const struct sample_code *sample;
	void *analyses;
	LLVMValueRef linear; /* of lane_sums_begin(); NULL until it is needed */
	LLVMValueRef full;   /* `regular` if it has all lanes, else 0; NULL until it is needed */
	/* Of groups that have one, in their order. */
	struct lane_counter counter[PLAN_LANE_COUNTERS];
	unsigned counters;
};

/* Load probe_ctx.regular and probe_ctx.enumerated at the builder's position. */
LLVMValueRef group_code_load_regular(LLVMBuilderRef builder, LLVMValueRef ctx,
				     LLVMValueRef *ret_enumerated);
void group_code(struct group_code *in);

#endif
