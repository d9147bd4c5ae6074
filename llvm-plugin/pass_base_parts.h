/* SPDX-License-Identifier: MIT */
/* What the files that write calculations (pass_base.h) share. */
#ifndef PROBE_LLVM_PLUGIN_PASS_BASE_PARTS_H
#define PROBE_LLVM_PLUGIN_PASS_BASE_PARTS_H

#include "pass_base.h"
#include "pass_prove_parts.h"

struct base_walk {
	const struct pass_prover *prover;
	struct pass_base *base;
	unsigned stack; /* numbers on it */
	bool exact;
	bool noting;			     /* exact, and not looked at in other ways */
	LLVMValueRef note[PROBE_EXPR_NOTES]; /* numbers that are noted */
	unsigned notes;
	LLVMValueRef variable; /* that all lanes' addresses are counted from; NULL = none */
};

bool pass_base_put(struct base_walk *w, struct probe_expr_op op, int more);
bool pass_base_put_constant(struct base_walk *w, int64_t value, uint8_t bits);
bool pass_base_put_simple(struct base_walk *w, enum probe_expr_code code, uint8_t bits, int more);
/* What an instruction of two operands, or a call, does; PROBE_EXPR_CODES: something else. */
enum probe_expr_code pass_base_binary(LLVMOpcode opcode);
enum probe_expr_code pass_base_call(LLVMValueRef value);

/* Puts a number, or fails halfway. *ret_ids: is it made of ids? */
bool pass_base_walk(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids);
typedef bool (*pass_base_value)(struct base_walk *w, LLVMValueRef value, unsigned depth);
/* Is it a number of one bit? */
bool pass_base_is_truth(LLVMValueRef value);
/* 1 or 0. */
bool pass_base_walk_truth(struct base_walk *w, LLVMValueRef value, unsigned depth);
/* What a phi brings each lane, where the walk is exact and two ways of a branch meet. */
bool pass_base_walk_ways(struct base_walk *w, LLVMValueRef phi, pass_base_value each, uint8_t bits,
			 unsigned depth);
/* 32 or 64; 0 = a number of another width. */
uint8_t pass_base_bits(const struct base_walk *w, LLVMValueRef value);
#endif
