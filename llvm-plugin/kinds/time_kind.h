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

bool pass_is_message(LLVMValueRef inst);
bool marks_any(LLVMModuleRef module);
/* Remove the remaining marks from the module. */
void marks_remove(LLVMModuleRef module);
/* Add the unit's sites that are not accesses to the table. */
void time_list(struct call_unit *unit, struct site_table *table,
	       const struct pass_options *options);
/* Make the unit's trace clone, plan its records, and add their groups to the table. */
void trace_list(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
		const struct pass_options *options, void *analyses);
/* Insert the probes of a kind with rings into its clone. */
void ring_insert(const struct call_units *units, const struct call_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses);

#endif
