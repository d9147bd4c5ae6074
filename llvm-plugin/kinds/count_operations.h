/* SPDX-License-Identifier: MIT */
/* The operations of blocks in the site table, for instruction mixes and rooflines. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_COUNT_OPERATIONS_H
#define PROBE_LLVM_PLUGIN_KINDS_COUNT_OPERATIONS_H

#include <llvm-c/Core.h>

struct count_plan;
struct pass_options;
struct site_table;

/*
 * Lists the operations of all blocks in the requested scope, by row and place. The clone has no
 * code of probes yet, and rows are in the table.
 */
void count_operations(struct site_table *table, const struct count_plan *plan, LLVMValueRef clone,
		      LLVMValueRef owner, const struct pass_options *options, void *analyses);

#endif
