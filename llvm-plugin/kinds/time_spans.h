/* SPDX-License-Identifier: MIT */
/* Which spans between two marks are one record. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TIME_SPANS_H
#define PROBE_LLVM_PLUGIN_KINDS_TIME_SPANS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct call_units;
struct pass_mark;

enum time_span {
	PASS_SPAN_STAMPS,    /* one record per stamp */
	PASS_SPAN_DIVERGENT, /* one BEGIN, no stamps in between; lanes may reach ENDs separately */
	PASS_SPAN_ONE,	     /* one record */
};

/*
 * How to record the span from a BEGIN to the ENDs of the same name. `blocks`: blocks are stamped,
 * too.
 */
enum time_span time_span_of(const struct call_units *units, LLVMValueRef function,
			    LLVMValueRef begin, bool blocks, void *analyses);
/* The same for a whole function. */
bool time_span_is_leaf(const struct call_units *units, LLVMValueRef function);
/* May a wave execute this begin more than once? */
bool time_span_repeats(LLVMValueRef begin);
/* Have both marks the same name? */
bool time_span_same(const struct pass_mark *a, const struct pass_mark *b);

#endif
