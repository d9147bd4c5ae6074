/* SPDX-License-Identifier: MIT */
/*
 * How the machine computes the addresses of accesses: a base in registers, and a constant that is
 * part of the instruction. The back end merges neighbours only if they have one base, and constants
 * of one sign.
 */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_MACHINE_ADDRESSES_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_MACHINE_ADDRESSES_H

#include <tuple>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Value.h>

/* What accesses with equal bases have in common. */
using AddressBase = std::tuple<const void *, const llvm::Value *, uint64_t>;

class MachineAddresses
{
	const llvm::DataLayout &layout;
	const unsigned level;
	llvm::DenseMap<const llvm::Value *, std::pair<AddressBase, int64_t>> reduced;

	void reduce(llvm::Function &function, llvm::FunctionAnalysisManager &manager);

      public:
	/*
	 * Of the accesses that the function has now. Where loops have several, the back end's loop
	 * strength reduction chooses their bases, and is run on a copy. `level`: of optimisation,
	 * from 1.
	 */
	MachineAddresses(llvm::Function &function, llvm::FunctionAnalysisManager &manager,
			 unsigned level);
	/* By the pointer of an access, also one that was merged since. False if it is not known. */
	bool find(llvm::Value *pointer, AddressBase &base, int64_t &constant) const;
};

#endif
