/* SPDX-License-Identifier: MIT */
/* A unit's sites and rows in the site table. */
#ifndef PROBE_LLVM_PLUGIN_MODULE_LIST_SITES_H
#define PROBE_LLVM_PLUGIN_MODULE_LIST_SITES_H

#include <llvm-c/Core.h>

struct call_unit;
struct pass_options;
struct site_table;

/* Add the unit's sites and rows to the table, and store their numbers in the unit. */
void list_unit(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
	       const struct pass_options *options, void *analyses);

#endif
