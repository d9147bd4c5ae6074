/* SPDX-License-Identifier: MIT */
/*
 * Results of LLVM's analyses for the C files of the pass: which values are uniform, how blocks are
 * related, and the form of a memory access's address. Implemented in C++, because ScalarEvolution
 * and the uniformity analysis have no C interface.
 *
 * An address is affine if it is
 *
 *	U + stride[0] * x + stride[1] * y + stride[2] * z + field[0] + field[1] + ...
 *
 * where x, y, z are the work-item's id and U is uniform: the same in all active lanes of the wave.
 * U may change between executions, strides do not. A bit field is a constant times some bits of one
 * id. In a regular wave an id is a multiple of a power of two plus a smaller number, so that these
 * bits are bits of the lane's index plus a uniform value.
 *
 * The proof has one gap: a sum modulo 2^32 that is extended to 64 bits may overflow in some lanes
 * only. Such values are listed in `wraps`. The address is affine in an execution in which each of
 * them is less than AFFINE_WRAP_LIMIT in the first active lane, and in which the addresses span
 * less than that limit. If one of them is zero-extended, no lane's address may be less than the
 * first active lane's (`first_is_lowest`). The user of the strides can check this.
 *
 * Bit fields of a global id, U + x, are bit fields of x if U is a multiple of 64. Such values are
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
 * Analyses a function. Results are invalid after a change of the function. `analyses` is an opaque
 * ModuleAnalysisManager. `kernel`: its arguments are launch values.
 */
struct analysis *analysis_create(LLVMValueRef function, bool kernel, void *analyses);
void analysis_destroy(struct analysis *in);
/* The function is a clone of the original, with more arguments behind its own. */
void analysis_set_original(struct analysis *in, LLVMValueRef original);
/* From now on results need only hold in launches with regular waves (wire_device.h). */
void analysis_trust_launch(struct analysis *in);
/* From now on addresses with bit fields are not affine. */
void analysis_forbid_fields(struct analysis *in);
/* From now on no expression depends on a loop's iteration. */
void analysis_forbid_iterations(struct analysis *in);

/* ---- Uniformity and control flow ------------------------------------------------------------ */

/* May the operand differ between active lanes of a wave? */
bool analysis_differs(const struct analysis *in, LLVMValueRef user, unsigned operand);
/* Is the block in all loops in which the value is computed? */
bool analysis_same_loop(const struct analysis *in, LLVMValueRef value, LLVMBasicBlockRef block);
unsigned analysis_loop_depth(const struct analysis *in, LLVMBasicBlockRef block);
/* Header of the innermost loop around the block; NULL. */
LLVMBasicBlockRef analysis_loop_header(const struct analysis *in, LLVMBasicBlockRef block);
/* Header of the loop around the loop with that header; NULL. */
LLVMBasicBlockRef analysis_outer_loop(const struct analysis *in, LLVMBasicBlockRef header);
/*
 * The block from which a loop is entered, if lanes leave it only at the end of an iteration; else
 * NULL.
 */
LLVMBasicBlockRef analysis_loop_entry(const struct analysis *in, LLVMBasicBlockRef header);
/* The immediate dominator; NULL for the entry. */
LLVMBasicBlockRef analysis_idom(const struct analysis *in, LLVMBasicBlockRef block);
bool analysis_postdominates(const struct analysis *in, LLVMBasicBlockRef a, LLVMBasicBlockRef b);

/* ---- Affine addresses ----------------------------------------------------------------------- */

enum { AFFINE_WRAPS = 4, AFFINE_ALIGNED = 2, AFFINE_FIELDS = PROBE_BITFIELDS };
#define AFFINE_WRAP_LIMIT (1u << 30)

/* Bytes per step of an id: constant + factor * a kernel argument or launch parameter. */
struct affine_stride {
	int64_t constant;
	int64_t factor;	 /* 0 = no launch value */
	uint32_t offset; /* as in struct probe_site_stride */
	uint32_t bits;
	LLVMValueRef value; /* the argument or parameter */
};

/*
 * scale * (the id along `axis` >> shift & mask & with). The address's stride[multiplier - 1] is
 * another factor, and of no id then.
 */
struct affine_field {
	int64_t scale;
	uint32_t mask;
	uint8_t axis;
	uint8_t shift;
	uint8_t multiplier; /* 0 = none */
	LLVMValueRef with;  /* uniform, observed at the access; NULL = all ones */
};

/*
 * An integer that is a uniform number plus the id along `axis`. The address is affine if that
 * number is a multiple of 64, so that the integer and the id have the same lowest six bits.
 */
struct affine_aligned {
	LLVMValueRef value;
	uint8_t axis;
};

struct affine_address {
	struct affine_stride stride[3]; /* all 0 and no fields: the address is uniform */
	struct affine_field field[AFFINE_FIELDS];
	unsigned fields;
	const void *rest;		  /* U; see affine_distance() */
	LLVMValueRef wraps[AFFINE_WRAPS]; /* integers, of which the low 32 bits are tested */
	unsigned wrap_count;
	struct affine_aligned aligned[AFFINE_ALIGNED];
	unsigned aligned_count;
	bool first_is_lowest;
};

/*
 * The affine form of `pointer`, an operand of the access `inst`. False: it is not known to be
 * affine; *ret_blocker is the value at which the proof failed, NULL if there is no single one.
 */
bool analysis_affine(const struct analysis *in, LLVMValueRef inst, LLVMValueRef pointer,
		     struct affine_address *ret, LLVMValueRef *ret_blocker);
bool affine_uniform(const struct affine_address *address);
bool affine_same_strides(const struct affine_address *a, const struct affine_address *b);
/* Bytes from a to b, addresses in one block, in every execution in which both are affine. */
bool affine_distance(const struct analysis *in, const struct affine_address *a,
		     const struct affine_address *b, int64_t *ret);

/*
 * Bytes that the address moves by from one iteration of the block's innermost loop to the next,
 * unless it wraps. False: that is no constant.
 */
bool analysis_loop_step(const struct analysis *in, LLVMBasicBlockRef block, LLVMValueRef pointer,
			int64_t *ret);

/* ---- Differences ---------------------------------------------------------------------------- */

/*
 * Bytes from pointer a to pointer b in every lane of every execution. False: unknown. The result
 * remains valid after instructions are added to the function.
 */
bool analysis_distance(const struct analysis *in, LLVMValueRef a, LLVMValueRef b, int64_t *ret);

enum { ANALYSIS_TERMS = 16, ANALYSIS_FACTORS = 2 };

/* times * the product of the factors, each an integer or a pointer. */
struct analysis_term {
	uint64_t scale;
	struct analysis_factor {
		LLVMValueRef value;
		bool sign_extended; /* if narrower than an address; else zero-extended */
	} factor[ANALYSIS_FACTORS];
	unsigned factors;
};

/* A uniform difference of two addresses: constant + sum of terms. */
struct analysis_difference {
	uint64_t constant;
	struct analysis_term term[ANALYSIS_TERMS];
	unsigned terms;
	uint64_t multiple; /* a power of two that divides it; 0: it is 0 */
};

/* b - a of two pointers used in `block`. False: the difference may be divergent. */
bool analysis_difference(const struct analysis *in, LLVMValueRef a, LLVMValueRef b,
			 LLVMBasicBlockRef block, struct analysis_difference *ret);

#ifdef __cplusplus
}
#endif
#endif
