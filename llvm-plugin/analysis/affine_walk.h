/* SPDX-License-Identifier: MIT */
/* The walk over an address that finds its affine parts: affine.cpp, and affine_bits.cpp for bits.
 */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_AFFINE_WALK_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_AFFINE_WALK_H

#include <array>
#include <map>
#include <optional>

#include "llvm-plugin/analysis/function.h"

enum { ID_MAX = 1023, NARROW_BITS = 32, CONSTANT_MAX = 4096, LANE_BITS = 6 };

/* `by`: a launch value that the bits are multiplied by, too; NULL = 1. */
struct Field : affine_field {
	const llvm::SCEV *by;
};

/* The affine form of a value; expressions have the width of the value. */
struct Form {
	const llvm::SCEV *rest = nullptr;		    /* U */
	std::array<const llvm::SCEV *, 3> coefficient = {}; /* NULL = 0 */
	llvm::SmallVector<Field, 2> fields;
	llvm::SmallVector<llvm::Value *, 2> wraps;
	llvm::SmallVector<affine_aligned, 2> aligned;
	bool first_is_lowest = false;
};

class Affine
{
	const analysis &in;
	llvm::ScalarEvolution &evolution;
	const llvm::Instruction *access;
	const llvm::BasicBlock *block; /* where the value is used */
	/* Memo: the forms of expressions; none = there is no proof, or it is being looked for. */
	std::map<const llvm::SCEV *, std::optional<Form>> forms;

	bool fail(llvm::Value *value);
	bool by_kind(const llvm::SCEV *expr, Form &ret);
	const llvm::SCEV *convert(const llvm::SCEV *expr, llvm::Type *type, bool extend);
	void add_field(Form &form, const Field &field);
	void add_aligned(Form &form, const affine_aligned &added);
	bool add(Form &to, const Form &from);
	void scale(Form &form, const llvm::SCEV *by);
	bool bits(const llvm::SCEV *expr, affine_field &ret);
	bool bits_of(llvm::Value *value, affine_field &ret);
	bool shared(const affine_field &field) const;
	bool whole_field(const llvm::SCEV *expr, Form &ret);
	bool cancels(const llvm::SCEV *a, const llvm::SCEV *b);
	bool fields_cancel(const Form &a, const Form &b) const;
	bool sum(const llvm::SCEVAddExpr *expr, Form &ret);
	bool product(const llvm::SCEVMulExpr *expr, Form &ret);
	bool recurrence(const llvm::SCEVAddRecExpr *expr, Form &ret);
	bool extension(const llvm::SCEVIntegralCastExpr *expr, Form &ret);
	bool form_bounds(const Form &form, int64_t &low, int64_t &high);
	bool assume(const llvm::SCEV *expr, bool zeros, Form &form);
	bool logic(llvm::Instruction *inst, Form &ret);
	bool is_there(const llvm::Value *value) const;
	bool global_id(llvm::Value *value, Form &ret, affine_field &bits);
	bool wave_bits(llvm::Instruction *inst, Form &ret);
	bool extended_bits(llvm::Instruction *inst, const llvm::SCEV *expr, Form &ret);
	bool loop_phi(llvm::PHINode *phi, Form &ret);
	bool leaf(llvm::Value *value, Form &ret);
	bool prove(const llvm::SCEV *expr, Form &ret);

      public:
	llvm::Value *blocker = nullptr;

	Affine(const analysis &of, const llvm::Instruction *at)
	    : in(of), evolution(of.evolution), access(at), block(at->getParent())
	{
	}
	bool take_apart(const llvm::SCEV *expr, Form &ret);
};

inline bool same_field(const affine_field &a, const affine_field &b)
{
	return a.mask == b.mask && a.axis == b.axis && a.shift == b.shift && a.with == b.with;
}

/* The expression without its constant term, which is added to `constant`. */
const llvm::SCEV *without_constant(llvm::ScalarEvolution &evolution, const llvm::SCEV *expr,
				   int64_t &constant);

#endif
