/* SPDX-License-Identifier: MIT */
/* The device library's functions, linked into the module while the pass works. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_DEVLIB_LINK_H
#define PROBE_LLVM_PLUGIN_EMIT_DEVLIB_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

#include <probe/wire.h>

#include "llvm-plugin/sites/access_sites.h"

struct pass_options;

enum devlib_function {
	DEVLIB_MEMORY_ENTER,
	DEVLIB_MEMORY_SITE, /* the same for groups of proved sites, and adding rows */
	DEVLIB_MEMORY_BUCKET,
	DEVLIB_MEMORY_ANY,   /* a unit of an access: a copy per shape */
	DEVLIB_MEMORY_BATCH, /* records of measured accesses (batch_code.h) */
	DEVLIB_MEMORY_SEED,
	DEVLIB_MEMORY_FIRST, /* the first unit, called as measure_access.h says */
	DEVLIB_TRACE_ANY,
	DEVLIB_TRACE_CALL, /* slow path of optimised code */
	DEVLIB_TRACE_SITE,
	DEVLIB_TRACE_IRREGULAR,
	DEVLIB_TRACE_IRREGULAR_LDS,
	DEVLIB_TRACE_BARRIER,
	DEVLIB_TRACE_BLOCK, /* for one base; the next is for two, and so on */
	DEVLIB_TRACE_BLOCK_LAST = DEVLIB_TRACE_BLOCK + PROBE_GROUP_BASES - 1,
	DEVLIB_TRACE_ENTER, /* optimised code only */
	DEVLIB_TRACE_EXIT,
	DEVLIB_TRACE_EXIT_SLOW,
	DEVLIB_CURSOR_ENTER, /* unoptimised and portable code only */
	DEVLIB_CURSOR_EXIT,
	DEVLIB_ENTER_SLOW, /* slow paths of the others, called by optimised code */
	DEVLIB_TIME_ENTER,
	DEVLIB_TIME_EXIT,
	DEVLIB_TIME_EXIT_SLOW,
	DEVLIB_TIME_BEGIN,
	DEVLIB_TIME_END,
	DEVLIB_TIME_SPAN_BEGIN,
	DEVLIB_TIME_SPAN_END,
	DEVLIB_STORED_ENTER,
	DEVLIB_STORED_BEGIN,
	DEVLIB_STORED_END,
	DEVLIB_STORED_EXIT,
	DEVLIB_STORED_EXIT_SLOW,
	DEVLIB_EMIT_BEGIN,
	DEVLIB_EMIT_WORD,
	DEVLIB_RING_REFILL,
	DEVLIB_COUNT_BLOCK,
	DEVLIB_COUNT_OPTNONE,
	DEVLIB_SELECT, /* the context of a wave, depending on the workgroup filter */
	DEVLIB_UNIFORM,
	DEVLIB_FUNCTIONS,
};

/*
 * Vector registers that shared functions may use (measure_access.h). With fewer, gfx906 spills to a
 * stack that does not exist, and gfx908 and gfx90a spill to accumulation registers that the caller
 * may use. LLVM 15's code needs 20 (tests/pass/shared.hip); what newer versions need is not known.
 */
#define PASS_SHARED_VGPRS (LLVM_VERSION_MAJOR == 15 ? 20 : 28)
/* Those of the function that counts a batch. */
#define PASS_BATCH_VGPRS 36
/* Those that the slow path at the end of a traced wave may use; 24 let a gfx908 hold ten waves. */
#define PASS_EXIT_VGPRS	 24
#define PASS_ENTER_SGPRS 62 /* s0 to s61: SLOW_SAVE */

/* A function that lean probes call: the library's function, and its copy for one shape. */
struct devlib_shared {
	enum devlib_function original;
	uint32_t shape;
	LLVMValueRef copy;
};

struct devlib {
	bool portable; /* copies inline what they call */
	LLVMValueRef function[DEVLIB_FUNCTIONS];
	struct devlib_shared *shared;
	size_t shared_count;
};

/*
 * Link the library into the module. `options` selects portable code or lean probes. False:
 * *ret_error is the reason, freed by the caller.
 */
bool devlib_link(struct devlib *devlib, LLVMModuleRef module, const struct pass_options *options,
		 char **ret_error);
/*
 * The copy of a shared function for a shape. The shape is its last argument if the function depends
 * on it. The copy is made at first use, for the target of `like`.
 */
LLVMValueRef devlib_share(struct devlib *devlib, enum devlib_function which, uint32_t shape,
			  LLVMValueRef like, void *analyses);
/*
 * Let a function of the module refer to the copy of a shared function for a shape, instead of the
 * library's.
 */
void devlib_refer_to_copy(struct devlib *devlib, LLVMValueRef function, enum devlib_function which,
			  uint32_t shape, LLVMValueRef like, void *analyses);
/* Remove unused functions, and free the list of copies. */
void devlib_unlink(struct devlib *devlib, void *analyses);

#endif
