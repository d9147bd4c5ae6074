/* SPDX-License-Identifier: MIT */
/*
 * LLVM's analyses of one function, shared by the files of this folder. Other code uses analysis.h.
 */
#ifndef PROBE_ANALYSIS_FUNCTION_H
#define PROBE_ANALYSIS_FUNCTION_H

#include "llvm-plugin/base/llvm-compat.h"
#include "llvm-plugin/analysis/analysis.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include PROBE_DIVERGENCE_HEADER

/* How an address depends on the lane: not at all, perhaps, by data flow. */
enum class LaneDependence { SAME, UNKNOWN, VARIES };

struct analysis {
	llvm::Function &function;
	/* Of which it is a clone, with more arguments behind; or the function itself. */
	llvm::Function *original;
	const llvm::DataLayout &layout;
	llvm::DominatorTree &dominators;
	llvm::PostDominatorTree &postdominators;
	llvm::LoopInfo &loops;
	llvm::ScalarEvolution &evolution;
	PROBE_DIVERGENCE_INFO divergence;
	bool kernel;
	bool bounded; /* results need only hold in launches with regular waves */
	bool no_fields;
	bool no_iterations;
	/* Memo: loops with divergent trip counts. */
	mutable llvm::DenseMap<const llvm::Loop *, bool> divergent_exit;
	/* Integers by the low half of their value minus its constant, for run-time tests. */
	struct Narrow {
		llvm::Instruction *inst;
		int64_t constant;
	};
	mutable llvm::DenseMap<const llvm::SCEV *, llvm::SmallVector<Narrow, 2>> narrow;
	/* Integers by their expression, for messages. */
	mutable llvm::DenseMap<const llvm::SCEV *, llvm::Instruction *> named;
	/* Memo: of loads of an index, see index_load.h. */
	mutable llvm::DenseMap<const llvm::LoadInst *, LaneDependence> loaded;

	/* May the value differ between active lanes of a wave in that block? */
	bool varies(const llvm::Value *value, const llvm::BasicBlock *block) const;
	bool uniform(const llvm::SCEV *expr, const llvm::BasicBlock *block) const;
	/*
	 * Do all lanes leave the loop, and the outer loops that do not contain the block, together?
	 */
	bool leaves_together(const llvm::Loop *loop, const llvm::BasicBlock *block) const;
};

/* As analysis_few_iterations(). */
unsigned few_iterations(const analysis &in, const llvm::Loop &loop);

/* The address as a sum. Additions that cannot overflow are moved out of extensions. */
const llvm::SCEV *address_expr(const analysis &in, llvm::Value *pointer);

/* Offsets in the dispatch packet: 16 and 32 bits for each axis. */
enum { PACKET_GROUP_SIZES = 4, PACKET_GRID_SIZES = 12 };

/*
 * Where a loaded value comes from: the address's base and distance in bytes; null = it is not loaded.
 * Loads may be merged and their parts extracted by extractelement.
 */
const llvm::Value *loaded_from(const analysis &in, const llvm::Value *value, int64_t &offset);

/* An argument, a field of one, or a field of the dispatch packet. */
struct LaunchValue {
	bool packet; /* also for a hidden argument that equals the field */
	uint32_t offset;
	uint32_t bits;
};
bool launch_value(const analysis &in, const llvm::Value *value, LaunchValue &ret);
/* The axis, if the value is a work-item's or workgroup's id; -1: it is not. */
int item_axis(const llvm::Value *value);
int group_axis(const llvm::Value *value);
/* The axis, if the value is the number of complete workgroups in the grid; -1: it is not. */
int groups_axis(const analysis &in, const llvm::Value *value);
/* Bounds of its value as a signed integer of at most 64 bits. */
void bounds(const analysis &in, const llvm::SCEV *expr, int64_t &low, int64_t &high);
/* Is the expression constant + factor * a launch value, without overflow? */
bool launch_factor(const analysis &in, const llvm::SCEV *expr, struct affine_stride &ret);
/* Is it a size of workgroups or of the grid, in any width? */
bool launch_size(const analysis &in, const llvm::SCEV *expr, struct affine_stride &ret);

/* Narrower arithmetic wraps in programs that are right. */
enum { INDEX_BITS = 32 };

#endif
