/* SPDX-License-Identifier: MIT */
/* Units: a kernel, or a device function that a kernel calls directly. */
#ifndef PROBE_LLVM_PLUGIN_BASE_CALL_UNITS_H
#define PROBE_LLVM_PLUGIN_BASE_CALL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

struct count_plan;
struct group_plan;
struct trace_plan;

struct call_unit {
	LLVMValueRef original;
	/*
	 * Clone with the new parameters, vectorised, without probes. The clones of the kinds are
	 * copies of it; the memory kind's is made last, and is the base itself.
	 */
	LLVMValueRef base;
	LLVMValueRef clone[PROBE_KINDS];
	uint32_t first_site, site_count; /* own sites */
	uint32_t proved;		 /* number of own sites with proved strides */
	uint32_t counted;		 /* number of own sites that are in groups, not measured */
	uint32_t rows;			 /* number of ids after the sites: rows of their groups */
	uint32_t range_first, range_end; /* hull of own and called sites */
	uint32_t first_mark;		 /* sites that are not accesses (time_kind.c) */
	uint32_t first_block;		 /* of them, the blocks */
	struct count_plan *count;	 /* count_kind.c; NULL = not this kind */
	struct trace_plan *trace;	 /* trace_plan.h; NULL = not this kind, or no sites */
	struct group_plan *plan;	 /* for the base; NULL = no sites are listed */
	uint32_t dropped;		 /* bit (1 << kind): no clone (dropped_clones.h) */
	char *why[PROBE_KINDS];		 /* the reason that a clone is dropped; else NULL */
	bool kernel;
	bool probed; /* it has sites, or calls a unit that has */
};

struct call_units {
	struct call_unit *unit; /* callees before callers, except for recursion */
	size_t count, capacity;
	size_t *slot; /* hash of originals: index + 1, 0 = free */
	size_t slots;
};

/* Kernels and what they call. False: there are no kernels. Deinitialise in both cases. */
bool call_units_collect(struct call_units *units, LLVMModuleRef module);
void call_units_deinit(struct call_units *units);
struct call_unit *call_units_find(const struct call_units *units, LLVMValueRef function);
/* Visit each unit a unit calls; true if a visit changed something. */
bool call_units_each_callee(const struct call_units *units, struct call_unit *unit,
			    bool (*visit)(struct call_unit *unit, const struct call_unit *callee));
/* The defined function an instruction calls directly, or NULL. */
LLVMValueRef pass_direct_callee(LLVMValueRef inst);
/* True if the function may be called in a way no clone covers. */
bool pass_address_taken(LLVMValueRef function);

#endif
