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
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

/* Accesses with equal bases differ by their constants. */
struct MachineAddress {
	std::tuple<const void *, const void *, uint64_t> base;
	int64_t constant;
};

class MachineAddresses
{
	using Place = std::pair<const llvm::Value *, const llvm::BasicBlock *>;
	llvm::DenseMap<Place, MachineAddress> reduced; /* by pointer and block of the access */
	llvm::SmallVector<llvm::LoadInst *, 8> removed;

	void reduce(llvm::Function &function, llvm::FunctionAnalysisManager &manager,
		    unsigned level);
	void find_addresses(llvm::Function &function, llvm::ValueToValueMapTy &map,
			    llvm::ScalarEvolution &evolution);

      public:
	/*
	 * Of the accesses that the function has now. Where loops have several, the back end's loop
	 * strength reduction chooses their bases, and is run on a copy. `level`: of optimisation,
	 * from 1.
	 */
	MachineAddresses(llvm::Function &function, llvm::FunctionAnalysisManager &manager,
			 unsigned level);
	/*
	 * Loads that the back end removes after that, such as those of a value that the iteration
	 * before had: volatile until release(), so that no pass merges them, then marked as not
	 * probed. With `keep` there are none.
	 */
	void hold(bool keep);
	void release();
	/* Of a load or store, also one that was merged since. */
	MachineAddress of(llvm::Instruction *access, llvm::ScalarEvolution &evolution) const;
};

#endif
