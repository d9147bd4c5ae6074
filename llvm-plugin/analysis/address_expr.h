/* SPDX-License-Identifier: MIT */
/* Addresses as sums; see address_expr.cpp. */
#ifndef PROBE_ANALYSIS_ADDRESS_EXPR_H
#define PROBE_ANALYSIS_ADDRESS_EXPR_H

#include "llvm-plugin/analysis/function.h"

class AddressExpr
{
	llvm::ScalarEvolution &evolution;
	const llvm::DataLayout &layout;
	bool opaque;
	llvm::DenseMap<std::pair<std::pair<llvm::Value *, unsigned>, llvm::Type *>,
		       const llvm::SCEV *>
		memo;

	const llvm::SCEV *product(const llvm::SCEV *a, const llvm::SCEV *b);
	const llvm::SCEV *leaf(llvm::Value *value);
	const llvm::SCEV *operation(llvm::Instruction *inst, unsigned extension, llvm::Type *type);
	/* The value extended to `type` by SExt or ZExt; 0 = it has that type. */
	const llvm::SCEV *integer(llvm::Value *value, unsigned extension, llvm::Type *type);

      public:
	/*
	 * `opaque_leaves`: every value that is not a sum or product is a leaf, with pointers as
	 * integers; otherwise ScalarEvolution analyses leaves as well.
	 */
	AddressExpr(const analysis &in, bool opaque_leaves)
	    : evolution(in.evolution), layout(in.layout), opaque(opaque_leaves)
	{
	}
	const llvm::SCEV *pointer(llvm::Value *value);
};

#endif
