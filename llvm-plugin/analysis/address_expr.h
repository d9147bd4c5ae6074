/* SPDX-License-Identifier: MIT */
/* Addresses as sums; see address_expr.cpp. */
#ifndef PROBE_ANALYSIS_ADDRESS_EXPR_H
#define PROBE_ANALYSIS_ADDRESS_EXPR_H

#include "llvm-plugin/analysis/function.h"

enum address_form {
	ADDRESS_PROVED,	 /* sums that hold if the access itself is defined */
	ADDRESS_OPAQUE,	 /* the same; every other value is a leaf, with pointers as integers */
	ADDRESS_ASSUMED, /* as if no index wrapped around or were negative: for advice only */
};

class AddressExpr
{
	llvm::ScalarEvolution &evolution;
	const llvm::DataLayout &layout;
	enum address_form form;
	llvm::DenseMap<std::pair<std::pair<llvm::Value *, unsigned>, llvm::Type *>,
		       const llvm::SCEV *>
		memo;

	bool never_wraps(const llvm::Instruction *inst, unsigned extension);
	const llvm::SCEV *product(const llvm::SCEV *a, const llvm::SCEV *b);
	const llvm::SCEV *leaf(llvm::Value *value);
	const llvm::SCEV *operation(llvm::Instruction *inst, unsigned extension, llvm::Type *type);
	/* The value extended to `type` by SExt or ZExt; 0 = it has that type. */
	const llvm::SCEV *integer(llvm::Value *value, unsigned extension, llvm::Type *type);

      public:
	AddressExpr(const analysis &in, enum address_form form)
	    : evolution(in.evolution), layout(in.layout), form(form)
	{
	}
	const llvm::SCEV *pointer(llvm::Value *value);
};

#endif
