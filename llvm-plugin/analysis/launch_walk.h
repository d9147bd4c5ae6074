/* SPDX-License-Identifier: MIT */
/*
 * The walk that makes expressions of values and of results of LLVM's ScalarEvolution, for
 * launch_expr.cpp and loop_expr.cpp.
 */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_LAUNCH_WALK_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_LAUNCH_WALK_H

#include "common/expr.h"
#include "llvm-plugin/analysis/function.h"

#include <llvm/IR/Operator.h>

enum { DEPTH_MAX = 32, NODES_MAX = 120 };

/*
 * Functions return the node of a value; PROBE_EXPR_NONE: the value does not follow from the launch.
 */
class Walk
{
	const analysis &in;
	struct expr_graph &graph;
	const bool exact;
	const llvm::BasicBlock *block; /* where the value is used */
	bool ids = false;	       /* does the last value depend on ids? */
	unsigned nodes = 0;
	const llvm::GlobalVariable
		*variable; /* the variable that all lanes' addresses are relative to */
	/* Values and expressions that were visited, and whether they are made of ids. */
	llvm::DenseMap<const void *, std::pair<uint32_t, bool>> visited;

	bool was_visited(const void *value, uint32_t &ret);
	void remember(const void *value, const llvm::GlobalVariable *before, uint32_t ret);

	uint32_t node(enum probe_expr_code op, uint8_t bits, llvm::ArrayRef<uint32_t> operands,
		      int64_t value = 0);
	uint32_t constant(int64_t value, uint8_t bits);
	uint32_t argument(const llvm::Value *value, uint32_t offset);
	uint32_t id(enum probe_expr_code op, int axis);
	uint8_t bits(const llvm::Value *value) const;
	bool may_be_zero(const llvm::GlobalVariable *global);
	bool leaf(llvm::Value *value, uint32_t &ret);
	uint32_t operation(llvm::Operator *op, unsigned depth);
	uint32_t binary(llvm::Operator *op, enum probe_expr_code code, unsigned depth);
	uint32_t compare(llvm::ICmpInst *compare, unsigned depth);
	uint32_t convert(llvm::Operator *op, unsigned depth);
	uint32_t index(uint32_t address, llvm::Value *value, int64_t size, int64_t offset,
		       unsigned depth);
	uint32_t address(llvm::GEPOperator *gep, unsigned depth);
	uint32_t phi(llvm::PHINode *phi, unsigned depth);
	uint32_t walk_recurrence(llvm::PHINode *phi, unsigned depth);
	uint32_t low_bits(uint32_t number, uint64_t from, uint64_t width);
	uint32_t recurrence(const llvm::SCEVAddRecExpr *expr, unsigned depth);
	uint32_t extension(const llvm::SCEVIntegralCastExpr *expr, unsigned depth);
	uint32_t operation(const llvm::SCEV *expr, unsigned depth);
	uint32_t operands(const llvm::SCEVNAryExpr *expr, unsigned depth);
	uint32_t quotient(const llvm::SCEVUDivExpr *expr, unsigned depth);
	uint32_t select(llvm::Value *condition, llvm::Value *first, llvm::Value *second,
			uint8_t bits, unsigned depth);

      public:
	Walk(const analysis &of, struct expr_graph &to, bool is_exact,
	     const llvm::BasicBlock *used_in, const llvm::GlobalVariable *from = nullptr)
	    : in(of), graph(to), exact(is_exact), block(used_in), variable(from)
	{
	}
	/* A condition is 1 or 0. */
	uint32_t walk(llvm::Value *value, unsigned depth = 0);
	/* The value of an expression, of 32 or 64 bits, or narrow: as a number without a sign. */
	uint32_t walk(const llvm::SCEV *expr, unsigned depth = 0);
	uint32_t extend(uint32_t number); /* 32 to 64 bits */
	/* How often `less` is true of first, first + step, first + 2 * step ... and `end`. */
	uint32_t steps(enum probe_expr_code less, const llvm::SCEV *first, const llvm::SCEV *step,
		       const llvm::SCEV *end);
	/* `value`, if start + step * times fits into 32 bits; else there is no value. */
	uint32_t unless_overflow(uint32_t value, uint32_t start, uint32_t step, uint32_t times,
				 bool has_sign);
	uint32_t negate(uint32_t condition);
	uint32_t case_of(llvm::SwitchInst *inst, llvm::Value *number, bool other, uint32_t others);
};

/* Remove the nodes of a failed walk. */
inline uint32_t finish(struct expr_graph *graph, uint32_t before, uint32_t root)
{
	if (root == PROBE_EXPR_NONE)
		expr_truncate(graph, before);
	return root;
}

/*
 * The branch that decides which value a phi has in a lane; NULL if there is none or a loop is
 * involved. `first`: does the phi's first value come from the branch's first successor?
 */
const llvm::BranchInst *branch_of(const analysis &in, const llvm::PHINode *phi, bool &first);
/* Are all incoming values identical, because an instruction was sunk into all paths? */
bool is_sunk(const llvm::PHINode *phi);

/* The variable that an address is computed from; NULL. */
const llvm::GlobalVariable *variable_of(const llvm::Value *base);

#endif
