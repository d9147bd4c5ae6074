/* SPDX-License-Identifier: MIT */
/*
 * The only file that depends on LLVM versions. Included by C files and by analysis/.
 *
 * A plugin is built for one LLVM major and works inside that one only. The loader's check
 * (LLVM_PLUGIN_API_VERSION) has been 1 since LLVM 7, so that llvm_version.c does the real check.
 */
#ifndef PROBE_LLVM_PLUGIN_BASE_LLVM_COMPAT_H
#define PROBE_LLVM_PLUGIN_BASE_LLVM_COMPAT_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 15
#error "Probe needs LLVM 15 or newer: opaque pointers, LLVMPointerTypeInContext"
#endif

/* LLVM 20 passes the phase of LTO to the OptimizerLast callback. */
#if LLVM_VERSION_MAJOR >= 20
#define PROBE_OPTIMIZER_LAST_ARGS                                                                  \
	llvm::ModulePassManager &manager, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase
#else
#define PROBE_OPTIMIZER_LAST_ARGS llvm::ModulePassManager &manager, llvm::OptimizationLevel level
#endif

/*
 * Does a kernel set up flat_scratch because inline assembly names it? LLVM 21 does not, and the
 * versions between were not tried.
 */
#define PROBE_SETS_UP_FLAT_SCRATCH (LLVM_VERSION_MAJOR == 15)

/* Later versions warn of asm that clobbers a reserved register. */
#define PROBE_CLOBBERS_RESERVED (LLVM_VERSION_MAJOR == 15)

/* LLVM 17 asks the target how wide a memmove's loop goes. */
#if LLVM_VERSION_MAJOR >= 17
#define PROBE_EXPAND_MEMMOVE(move, target) llvm::expandMemMoveAsLoop(move, target)
#else
#define PROBE_EXPAND_MEMMOVE(move, target) llvm::expandMemMoveAsLoop(move)
#endif

/* LLVM 16 replaced the divergence analysis. */
#if LLVM_VERSION_MAJOR >= 16
#define PROBE_DIVERGENCE_HEADER		<llvm/Analysis/UniformityAnalysis.h>
#define PROBE_DIVERGENCE_INFO		llvm::UniformityInfo
#define PROBE_DIVERGENCE_ANALYSIS	llvm::UniformityInfoAnalysis
#define PROBE_IS_DIVERGENT(info, value) (info).isDivergent(value)
#else
#define PROBE_DIVERGENCE_HEADER		<llvm/Analysis/DivergenceAnalysis.h>
#define PROBE_DIVERGENCE_INFO		llvm::DivergenceInfo
#define PROBE_DIVERGENCE_ANALYSIS	llvm::DivergenceAnalysis
#define PROBE_IS_DIVERGENT(info, value) (info).isDivergent(*(value))
#endif

/* LLVM 17 renamed it. */
#if LLVM_VERSION_MAJOR >= 17
#define PROBE_TRAILING_ZEROS(evolution, expr) (evolution).getMinTrailingZeros(expr)
#else
#define PROBE_TRAILING_ZEROS(evolution, expr) (evolution).GetMinTrailingZeros(expr)
#endif

/* LLVM 18 takes what else is known instead of the data layout. */
#if LLVM_VERSION_MAJOR >= 18
#define PROBE_NO_COMMON_BITS(a, b, layout)                                                         \
	llvm::haveNoCommonBitsSet(a, b, llvm::SimplifyQuery(layout))
#else
#define PROBE_NO_COMMON_BITS(a, b, layout) llvm::haveNoCommonBitsSet(a, b, layout)
#endif

/* LLVM 19 attaches debug records to instructions, instead of calling intrinsics. */
#if LLVM_VERSION_MAJOR >= 19
#define PROBE_DROP_DEBUG_RECORDS(inst) (inst).dropDbgRecords()
#define PROBE_DEBUG_RECORD	       llvm::DbgVariableRecord
#define PROBE_DEBUG_RECORDS(inst)      llvm::filterDbgVars((inst).getDbgRecordRange())
#define PROBE_RECORD_DECLARES(record)                                                              \
	((record).getType() == PROBE_DEBUG_RECORD::LocationType::Declare)
#else
#define PROBE_DROP_DEBUG_RECORDS(inst) ((void)0)
#define PROBE_DEBUG_RECORD	       llvm::DbgVariableIntrinsic
#define PROBE_DEBUG_RECORDS(inst)      llvm::ArrayRef<PROBE_DEBUG_RECORD>()
#define PROBE_RECORD_DECLARES(record)  llvm::isa<llvm::DbgDeclareInst>(&(record))
#endif

/*
 * Names of the enum attributes that promise something a probe breaks (it writes memory, is
 * convergent and lets addresses escape). Unknown names are harmless: their kind id is 0.
 */
#if LLVM_VERSION_MAJOR >= 16
#define PROBE_MEMORY_ATTRIBUTES "memory"
#define PROBE_NO_MEMORY		"memory" /* with value 0 */
#else
#define PROBE_MEMORY_ATTRIBUTES                                                                    \
	"readnone", "readonly", "writeonly", "argmemonly", "inaccessiblememonly",                  \
		"inaccessiblemem_or_argmemonly"
#define PROBE_NO_MEMORY "readnone"
#endif

#endif
