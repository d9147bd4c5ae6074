/* SPDX-License-Identifier: MIT */
/* Values that a group's code (group_code.c) tests or counts by, computed before it. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_GROUP_OPERANDS_H
#define PROBE_LLVM_PLUGIN_EMIT_GROUP_OPERANDS_H

#include <llvm-c/Core.h>

#include "llvm-plugin/emit/group_code.h"
#include "llvm-plugin/emit/residue_histogram.h"
#include "llvm-plugin/plan/group_plan.h"

struct group_code;
struct plan_group;

struct group_operands {
	LLVMValueRef address[PLAN_STREAMS]; /* pointers */
	struct residue_operands bases;	    /* of aligned streams */
	/* OR of these addresses, shifted left so that only the bits to test remain; NULL = none */
	LLVMValueRef address_bits;
	unsigned address_shift;
	LLVMValueRef wraps;		    /* OR of the integers that may wrap; NULL = none */
	LLVMValueRef observed;		    /* the bits of it that a bucket has; NULL = none */
	const struct lane_counter *counter; /* NULL = none */
	LLVMValueRef not_prefixes;	    /* i32, of a counter of prefix masks; NULL = none */
};

/*
 * Position the builder as early in the group's block as all operands are available, so that
 * addresses need not stay live.
 */
void group_operands_position(struct group_code *in, const struct plan_group *group);
/* Build all operands except those of counters, at the builder's position. */
void group_operands_build(struct group_code *in, int number, struct group_operands *ret);

#endif
