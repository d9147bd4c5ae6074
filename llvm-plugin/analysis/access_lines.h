/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_ACCESS_LINES_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_ACCESS_LINES_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/IR/ValueMap.h>

/*
 * The lines of accesses that LoadStoreVectorizer merges. It gives a merged load the line of the
 * first one, and a merged store that of the instruction after it, which may be the end of the
 * function. Both may be divided again (division_of()), into parts of different lines.
 */
class AccessLines
{
	llvm::SmallVector<std::pair<llvm::WeakVH, llvm::DebugLoc>, 32> pointers; /* of stores */
	llvm::SmallVector<llvm::WeakVH, 32> stores;
	llvm::SmallVector<std::pair<llvm::WeakTrackingVH, llvm::DebugLoc>, 32> loads;
	/* None if the value is stored more than once. */
	llvm::ValueMap<const llvm::Value *, llvm::DebugLoc> stored;
	/* By merged access and element; none = unknown. */
	llvm::ValueMap<const llvm::Value *, llvm::SmallVector<llvm::DebugLoc, 4>> elements;

	void add(llvm::StoreInst *store);
	void set_element(const llvm::Value *access, uint64_t index, const llvm::DebugLoc &line);
	void restore(llvm::StoreInst *store,
		     const llvm::DenseMap<const llvm::Value *, llvm::DebugLoc> &lines);

      public:
	explicit AccessLines(llvm::Function &function);
	void restore(llvm::Function &function);
	/* The line of what became that element of a merged access; otherwise that of the access. */
	llvm::DebugLoc of(const llvm::Instruction *access, unsigned element) const;
};

#endif
