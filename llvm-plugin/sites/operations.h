/* SPDX-License-Identifier: MIT */
/* Which operation an instruction is, for instruction mixes and rooflines. */
#ifndef PROBE_LLVM_PLUGIN_SITES_OPERATIONS_H
#define PROBE_LLVM_PLUGIN_SITES_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

struct analysis;

struct operation {
	enum probe_operation kind;
	uint32_t count;	 /* elements of a vector, machine accesses of an access */
	uint32_t amount; /* see PROBE_OPERATION_TABLE */
};

/*
 * False: it needs no machine code of its own. `flow`: analysis of the instruction's function, for
 * what differs between lanes.
 */
bool operation_read(const struct analysis *flow, LLVMValueRef inst, struct operation *ret);

#endif
