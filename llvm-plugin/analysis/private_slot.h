/* SPDX-License-Identifier: MIT */
/*
 * Variables in private memory. Without optimisation each variable is one, also an argument: a load
 * from it gives the value that was stored, and is not the load of an index.
 */
#ifndef PROBE_ANALYSIS_PRIVATE_SLOT_H
#define PROBE_ANALYSIS_PRIVATE_SLOT_H

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

/* Does it load a scalar variable, or a member of one, from private memory? Arrays are none. */
bool is_slot(const llvm::Instruction *inst);
/*
 * The values that the variable may have. False: not known, because it is accessed in parts, or its
 * address is used elsewhere.
 */
bool slot_values(const llvm::LoadInst *load, llvm::SmallVectorImpl<llvm::Value *> &ret);
/* The only value that a loaded variable may have, also through several of them; else `value`. */
llvm::Value *slot_value(llvm::Value *value);

#endif
