/* SPDX-License-Identifier: MIT */
/*
 * What can be said of an address at compile time: that it is
 *
 *	U + S[0] * x + S[1] * y + S[2] * z + D[0] + D[1] + ...
 *
 * with x, y, z the work-item's id, U the same in all active lanes of the wave, and S constant
 * while the kernel runs. U changes from execution to execution; S does not. A digit D is a constant
 * times some bits of an id.
 *
 * Sums modulo 2^32 that are then widened to 64 bits are the one gap: lanes could lie on both sides
 * of the wrap. Such values are listed in `wraps`: the proof holds for an execution in which
 * each of them, in the first active lane, is below PASS_WRAP_LIMIT, and which spans less than
 * that; where one of them was widened with zeros (`rising`), its lanes must not fall below the
 * first lane's either, which whoever knows S can tell.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_PROVE_H
#define PROBE_LLVM_PLUGIN_PASS_PROVE_H

#include "pass.h"

enum { PASS_WRAPS = 4, PASS_LEAVES = 8, PASS_DIGITS = PROBE_BITFIELDS };
#define PASS_WRAP_LIMIT (1u << 30)

/* constant + factor * (an argument, or a field of the launch); bytes per step of an id. */
struct pass_stride {
	int64_t constant;
	int64_t factor;	 /* 0 = no argument */
	uint32_t offset; /* as in struct probe_site_stride */
	uint32_t bits;
	LLVMValueRef value; /* of the argument or field */
};

/* times * (the id along `axis` >> shift & mask & with) */
struct pass_digit {
	int64_t times;
	uint32_t mask;
	uint8_t axis;
	uint8_t shift;
	LLVMValueRef with; /* the same in all lanes, observed where it runs; NULL = all ones */
};

/* A part of U: `times` the uniform part of a value. */
struct pass_leaf {
	LLVMValueRef value;
	int64_t times;
};

struct pass_pattern {
	struct pass_stride stride[3]; /* all 0 and no digits: all lanes at one address */
	struct pass_digit digit[PASS_DIGITS];
	unsigned digits;
	/*
	 * U = the sum of the leaves + constant. Two addresses with the same leaves are `constant`
	 * apart in every execution that both proofs hold for. Not known if there are too many.
	 */
	struct pass_leaf leaf[PASS_LEAVES];
	unsigned leaves;
	bool leaves_known;
	int64_t constant;
	LLVMValueRef wraps[PASS_WRAPS]; /* integers; their low 32 bits count */
	unsigned wrap_count;
	bool rising;
};

struct pass_prover;
/* Valid until the function is changed. `kernel`: its arguments are the same in all lanes. */
struct pass_prover *pass_prover_create(LLVMValueRef function, bool kernel,
				       const struct pass_options *options, void *analyses);
void pass_prover_destroy(struct pass_prover *prover);
/* What is proved from here on need only hold in launches that have regular waves (wire.h). */
void pass_prover_trust_launch(struct pass_prover *prover);
/* How the function's blocks lie (pass_shim.h). */
const struct pass_options *pass_prover_options(const struct pass_prover *prover);
struct probe_shim_flow *pass_prover_flow(const struct pass_prover *prover);
/* The address of a site, an instruction with `pointer` as an operand. False: nothing is proved. */
bool pass_prove(struct pass_prover *prover, LLVMValueRef inst, LLVMValueRef pointer,
		struct pass_pattern *ret);
/* Where the last proof that failed came to an end; NULL if there was no single such value. */
LLVMValueRef pass_prover_blocker(const struct pass_prover *prover);
bool pass_pattern_uniform(const struct pass_pattern *pattern);
bool pass_pattern_same_leaves(const struct pass_pattern *a, const struct pass_pattern *b);

#endif
