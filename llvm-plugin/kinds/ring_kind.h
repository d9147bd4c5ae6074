/* SPDX-License-Identifier: MIT */
/* Common parts of the kinds `time` and `trace`: how clones write records to rings. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_RING_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_RING_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_calls.h"
#include "llvm-plugin/base/compile_options.h"

struct call_unit;
struct call_units;

struct ring_context {
	const struct call_unit *unit;
	struct devlib *devlib;
	void *analyses;
	enum probe_kind kind;
	uint32_t kinds;	 /* mask of the module's kinds */
	bool is_optnone; /* not optimised */
	bool is_portable;
	/* Shared functions are called by the usual convention: unoptimised or portable code. */
	bool is_called;
	bool is_leaf;	/* a function whose time is one record */
	bool is_stored; /* a kernel whose waves write their records at their end (stored_waves.h) */
	enum pass_stamps stamps;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef optnone; /* as an argument */
	struct devlib_calls calls;
};

/* ring_calls.c. */
LLVMValueRef ring_i32(const struct ring_context *ring, uint32_t value);
/* Call a function of the device library, which will be inlined unless it is portable. */
LLVMValueRef ring_call(struct ring_context *ring, enum devlib_function which, LLVMValueRef *args,
		       unsigned count);
/* Position the builder before an instruction, with its debug location. */
void ring_before(struct ring_context *ring, LLVMValueRef inst);

/* A call of a function in device.h. */
enum mark_kind {
	PASS_MARK_BEGIN,
	PASS_MARK_END,
	PASS_MARK_EMIT,
	PASS_MARK_LANES,
	PASS_MARK_WORD,
	PASS_MARKS
};

struct pass_mark {
	enum mark_kind kind;
	const char *name; /* not NUL-terminated */
	size_t size;
};

/* region_marks.c. */
/* False: the instruction is not such a call. ret->name is valid as long as the module. */
bool mark_read(LLVMValueRef inst, struct pass_mark *ret);
bool mark_is_region(const struct pass_mark *mark);
/* Regions have one for the time kind, messages for all kinds with rings. */
bool mark_has_site(const struct pass_mark *mark, uint32_t kinds);
/* The instruction at which a block's time starts; NULL for a block that only branches. */
LLVMValueRef pass_block_first(LLVMBasicBlockRef block);
/* Is the block in the requested scope, and does it more than branch? */
bool pass_stamps_block(LLVMBasicBlockRef block, const struct pass_options *options);

enum time_span {
	PASS_SPAN_STAMPS,    /* one record per stamp */
	PASS_SPAN_DIVERGENT, /* one BEGIN, no stamps in between; lanes may reach ENDs separately */
	PASS_SPAN_ONE,	     /* one record */
};

/*
 * time_spans.c: how to record the span from a BEGIN to the ENDs of the same name. `blocks`: blocks
 * are stamped, too.
 */
enum time_span time_span_of(const struct call_units *units, LLVMValueRef function,
			    LLVMValueRef begin, bool blocks, void *analyses);
/* The same for a whole function. */
bool time_span_is_leaf(const struct call_units *units, LLVMValueRef function);
/* May a wave execute this begin more than once? */
bool time_span_repeats(LLVMValueRef begin);
/* Have both marks the same name? */
bool time_span_same(const struct pass_mark *a, const struct pass_mark *b);

/* The trace kind's records of accesses and barriers (trace_kind.c). */
void trace_insert(struct ring_context *ring, LLVMValueRef function);

#endif
