/* SPDX-License-Identifier: MIT */
/* What putting records into rings needs, for the kinds `time` and `trace` (pass_time.c). */
#ifndef PROBE_LLVM_PLUGIN_PASS_RING_H
#define PROBE_LLVM_PLUGIN_PASS_RING_H

#include "pass.h"

struct pass_ring {
	const struct pass_unit *unit;
	struct devlib *devlib;
	void *analyses;
	enum probe_kind kind;
	uint32_t kinds; /* of the module */
	bool is_plain;	/* not optimised */
	bool is_portable;
	bool is_called; /* shared functions are called as any function is: plain or portable code */
	bool is_leaf;	/* a function whose time is one record */
	bool is_late;	/* a kernel whose waves go into a ring at their end (devlib_late.h) */
	enum pass_stamps stamps;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef plain; /* as an argument */
	LLVMValueRef *call; /* to be inlined */
	size_t calls, capacity;
};

LLVMValueRef pass_ring_i32(const struct pass_ring *ring, uint32_t value);
/* Call a function of the device library, which will be inlined unless it is portable. */
LLVMValueRef pass_ring_call(struct pass_ring *ring, enum devlib_function which, LLVMValueRef *args,
			    unsigned count);
/* Go on before an instruction, with its place in the source. */
void pass_ring_before(struct pass_ring *ring, LLVMValueRef inst);

/* A call of device.h. */
enum pass_mark_kind {
	PASS_MARK_BEGIN,
	PASS_MARK_END,
	PASS_MARK_EMIT,
	PASS_MARK_LANES,
	PASS_MARK_WORD,
	PASS_MARKS
};

struct pass_mark {
	enum pass_mark_kind kind;
	const char *name; /* not ended by NUL */
	size_t size;
};

/* pass_marks.c. */
bool pass_mark_read(LLVMValueRef inst, struct pass_mark *ret);
bool pass_mark_is_region(const struct pass_mark *mark);
/* Regions have one for the time kind, messages for all kinds with rings. */
bool pass_mark_has_site(const struct pass_mark *mark, uint32_t kinds);
/* Where a block's time begins: at what is more than a way to other blocks; NULL = no such thing. */
LLVMValueRef pass_block_first(LLVMBasicBlockRef block);
bool pass_stamps_block(LLVMBasicBlockRef block, const struct pass_options *options);

enum pass_span {
	PASS_SPAN_STAMPS, /* a stamp at each */
	PASS_SPAN_PARTED, /* nothing between, but lanes may part and come to ENDs apart */
	PASS_SPAN_ONE,	  /* one record */
};

/*
 * pass_span.c: what the span from a BEGIN to the ENDs of its name is. `blocks`: blocks are stamped,
 * too.
 */
enum pass_span pass_span_of(const struct pass_units *units, LLVMValueRef function,
			    LLVMValueRef begin, bool blocks, void *analyses);
/* The same for all of a function. */
bool pass_span_is_leaf(const struct pass_units *units, LLVMValueRef function);
/* May a wave come to this begin more than once? */
bool pass_span_repeats(LLVMValueRef begin);
bool pass_span_same(const struct pass_mark *a, const struct pass_mark *b);

/* The trace kind's records of accesses and barriers (pass_trace.c). */
void pass_trace_insert(struct pass_ring *ring, LLVMValueRef function,
		       const struct pass_options *options, void *analyses);

#endif
