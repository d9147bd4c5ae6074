/* SPDX-License-Identifier: MIT */
/* Accesses that have no probes. */
#ifndef PROBE_LLVM_PLUGIN_SITES_UNCOVERED_H
#define PROBE_LLVM_PLUGIN_SITES_UNCOVERED_H

#include <llvm-c/Core.h>

struct call_units;
struct pass_options;
struct site_table;

/* Add the accesses of the module that no probe of the requested kinds covers to the table. */
void uncovered_list(struct site_table *table, const struct call_units *units,
		    const struct pass_options *options, LLVMModuleRef module, void *analyses);

#endif
