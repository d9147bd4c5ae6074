/* SPDX-License-Identifier: MIT */
/* The clone of the kind `count`. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_COUNT_CLONE_H
#define PROBE_LLVM_PLUGIN_KINDS_COUNT_CLONE_H

#include <llvm-c/Core.h>

struct call_unit;
struct call_units;
struct devlib;
struct pass_options;
struct site_table;

/* Make the unit's clone and list its blocks, whose rows follow the unit's other sites. */
void count_list(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
		const struct pass_options *options, void *analyses);
void count_insert(const struct call_units *units, const struct call_unit *unit,
		  struct devlib *devlib, const struct pass_options *options, void *analyses);
void count_deinit(struct call_unit *unit);

#endif
