/* SPDX-License-Identifier: MIT */
/* The clone of the kind `trace`: its records of accesses and barriers. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TRACE_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_TRACE_KIND_H

#include <llvm-c/Core.h>

struct call_unit;
struct pass_options;
struct ring_context;
struct site_table;

/* Make the unit's trace clone, plan its records, and add their groups to the table. */
void trace_list(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
		const struct pass_options *options, void *analyses);
/* Insert the records. */
void trace_insert(struct ring_context *ring, LLVMValueRef function);

#endif
