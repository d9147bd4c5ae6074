/* SPDX-License-Identifier: MIT */
/* Calls of device.h, and the kinds with rings: `time` and `trace`. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TIME_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_TIME_KIND_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

struct call_unit;
struct call_units;
struct devlib;
struct pass_options;
struct site_table;

/* Of the registers that time clones keep: spans' (stored_waves.h), if there are many. */
enum { TIME_SGPR_FIRST = 68 };

bool pass_is_message(LLVMValueRef inst);
bool marks_any(LLVMModuleRef module);
/* Take what is left of them out of the module. */
void marks_remove(LLVMModuleRef module);
/* Add the unit's sites that are no accesses to the table. */
void time_list(struct call_unit *unit, struct site_table *table,
	       const struct pass_options *options);
/* The same for the groups of its accesses. */
void trace_list(struct call_unit *unit, struct site_table *table,
		const struct pass_options *options, void *analyses);
/* The clone of a kind with rings. */
void ring_insert(const struct call_units *units, const struct call_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses);

#endif
