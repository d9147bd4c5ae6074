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
	LLVMValueRef variable; /* that all lanes' addresses are counted from; NULL = none */
};

bool pass_base_put(struct base_walk *w, struct probe_base_op op, int more);
bool pass_base_put_constant(struct base_walk *w, int64_t value, uint8_t bits);
bool pass_base_put_simple(struct base_walk *w, enum probe_base_code code, uint8_t bits, int more);
/* What an instruction of two operands, or a call, does; PROBE_BASE_CODES: something else. */
enum probe_base_code pass_base_binary(LLVMOpcode opcode);
enum probe_base_code pass_base_call(LLVMValueRef value);

/* Puts a number, or fails halfway. *ret_ids: is it made of ids? */
bool pass_base_walk(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids);
/* The same of an extractelement, if the walk is exact. */
bool pass_base_walk_element(struct base_walk *w, LLVMValueRef inst, unsigned depth, bool *ret_ids);

#endif
