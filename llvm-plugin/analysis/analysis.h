/* SPDX-License-Identifier: MIT */
/*
 * What LLVM's analyses know of a function, for the C files of the pass: which values are uniform,
 * how blocks are related, and what can be said of the address of a memory access. Implemented in
 * C++, since ScalarEvolution and the uniformity analysis have no C interface.
 *
 * An address is affine if it is
 *
 *	U + stride[0] * x + stride[1] * y + stride[2] * z + field[0] + field[1] + ...
 *
 * with x, y, z the work-item's id and U uniform: the same in all active lanes of the wave. U
 *changes from execution to execution, strides do not. A bit field is a constant times some bits of
 *one id. In a regular wave ids are a multiple of a power of two, plus less than that, so that the
 *bits are those of the lane plus something uniform.
 *
 * Sums modulo 2^32 that are then extended to 64 bits are the one gap: lanes could lie on both sides
 * of the overflow. Such values are listed in `wraps`: the address is affine in an execution in
 *which each of them, in the first active lane, is below AFFINE_WRAP_LIMIT, and whose addresses span
 *less than that. Where one of them is zero-extended (`rising`) no lane's address may be below the
 * first lane's either, which whoever knows the strides can check.
 *
 * Bit fields of a global id, U + x, are bit fields of x if U is a multiple of 64: such values are
 * listed in `aligned`.
 */
#ifndef PROBE_ANALYSIS_ANALYSIS_H
#define PROBE_ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <probe/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- One function --------------------------------------------------------------------------- */

struct analysis;
/*
 * Of the function as it is: any change of it makes answers stale. `analyses` is an opaque
 * ModuleAnalysisManager. `kernel`: its arguments are launch values.
 */
struct analysis *analysis_create(LLVMValueRef function, bool kernel, void *analyses);
void analysis_destroy(struct analysis *in);
/* From here on answers need only hold in launches that have regular waves (wire.h). */
void analysis_trust_launch(struct analysis *in);
/* From here on addresses with bit fields are not affine. */
void analysis_forbid_fields(struct analysis *in);

/* ---- Uniformity and control flow ------------------------------------------------------------ */

/* May active lanes of one wave see different values in that operand? */
bool analysis_differs(const struct analysis *in, LLVMValueRef user, unsigned operand);
/* Is the block in every loop that the value is computed in? */
bool analysis_same_loop(const struct analysis *in, LLVMValueRef value, LLVMBasicBlockRef block);
unsigned analysis_loop_depth(const struct analysis *in, LLVMBasicBlockRef block);
/* The immediate dominator; NULL for the entry. */
LLVMBasicBlockRef analysis_idom(const struct analysis *in, LLVMBasicBlockRef block);
bool analysis_postdominates(const struct analysis *in, LLVMBasicBlockRef a, LLVMBasicBlockRef b);

/* ---- Affine addresses ----------------------------------------------------------------------- */

enum { AFFINE_WRAPS = 4, AFFINE_ALIGNED = 2, AFFINE_FIELDS = PROBE_BITFIELDS };
#define AFFINE_WRAP_LIMIT (1u << 30)

/* constant + factor * an argument or a field of the launch; bytes per step of an id. */
struct affine_stride {
	int64_t constant;
	int64_t factor;	 /* 0 = no launch value */
	uint32_t offset; /* as in struct probe_site_stride */
	uint32_t bits;
	LLVMValueRef value; /* that has it */
};

/* times * (the id along `axis` >> shift & mask & with) */
struct affine_field {
	int64_t times;
	uint32_t mask;
	uint8_t axis;
	uint8_t shift;
	LLVMValueRef with; /* uniform, observed where the access is executed; NULL = all ones */
};

/*
 * An integer that is a uniform number plus the id along `axis`: the address is affine where that
 * number is a multiple of 64, so that both have the same lowest six bits.
 */
struct affine_aligned {
	LLVMValueRef value;
	uint8_t axis;
};

struct affine_address {
	struct affine_stride stride[3]; /* all 0 and no fields: all lanes at one address */
	struct affine_field field[AFFINE_FIELDS];
	unsigned fields;
	const void *rest;		  /* U; see affine_distance() */
	LLVMValueRef wraps[AFFINE_WRAPS]; /* integers; their low 32 bits count */
	unsigned wrap_count;
	struct affine_aligned aligned[AFFINE_ALIGNED];
	unsigned aligned_count;
	bool rising;
};

/*
 * The address of an access, an instruction with `pointer` as an operand. False: it is not known to
 * be affine; *ret_blocker is the value that speaks against it, NULL if there is no single one.
 */
bool analysis_affine(const struct analysis *in, LLVMValueRef inst, LLVMValueRef pointer,
		     struct affine_address *ret, LLVMValueRef *ret_blocker);
bool affine_uniform(const struct affine_address *address);
bool affine_same_strides(const struct affine_address *a, const struct affine_address *b);
/* Bytes from a to b, of one block, in every execution in which both are affine. */
bool affine_distance(const struct analysis *in, const struct affine_address *a,
		     const struct affine_address *b, int64_t *ret);

/* ---- Differences ---------------------------------------------------------------------------- */

/*
 * Bytes from a to b, two pointers, in every lane of every execution. False: not known. This holds
 * after instructions were added to the function, too.
 */
bool analysis_distance(const struct analysis *in, LLVMValueRef a, LLVMValueRef b, int64_t *ret);

enum { ANALYSIS_TERMS = 16, ANALYSIS_FACTORS = 2 };

/* times * the product of its factors, each an integer or a pointer. */
struct analysis_term {
	uint64_t times;
	struct analysis_factor {
		LLVMValueRef value;
		bool sign_extended; /* if it is narrower than an address; else zero-extended */
	} factor[ANALYSIS_FACTORS];
	unsigned factors;
};

/* A uniform difference of two addresses: constant + the sum of the terms. */
struct analysis_difference {
	uint64_t constant;
	struct analysis_term term[ANALYSIS_TERMS];
	unsigned terms;
	uint64_t multiple; /* a power of two that it is a multiple of; 0: it is 0 */
};

/* b - a, of two pointers used in `block`. False: lanes may disagree about it. */
bool analysis_difference(const struct analysis *in, LLVMValueRef a, LLVMValueRef b,
			 LLVMBasicBlockRef block, struct analysis_difference *ret);

#ifdef __cplusplus
}
#endif
#endif
