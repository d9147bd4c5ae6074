/* SPDX-License-Identifier: MIT */
/* Where an index comes from: the operations of a divergent value, and the loads that it is of. */
#ifndef PROBE_ANALYSIS_INDEX_ORIGIN_H
#define PROBE_ANALYSIS_INDEX_ORIGIN_H

#include "llvm-plugin/analysis/function.h"

struct Origin {
	/*
	 * The first load found that may give each lane an index of its own; rather one with a line.
	 * What all lanes load from one address is like an argument.
	 */
	const llvm::Instruction *load = nullptr;
	bool several = false; /* loads at other places may give it, or give a part of it */
	bool wraps = false;   /* periodic, clamped or chosen */
	bool itself = false;  /* `target` was found */
	/* A variable or a loaded value that may be anything, or there were too many values. */
	bool unknown = false;
};

/* Of a value that `block` uses. `target`: NULL = none. */
Origin index_origin(const analysis &in, const llvm::BasicBlock *block, const llvm::Value *from,
		    const llvm::Instruction *target, bool through_loads);

#endif
