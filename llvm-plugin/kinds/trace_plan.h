/* SPDX-License-Identifier: MIT */
/*
 * Which accesses of a trace clone share a record. It is planned before anything is inserted into
 * the clone, and serves the site table and the insertion of probes.
 *
 * The accesses of a basic block share a record (trace_probe.c), which is written at the last of
 * them. Addresses at constant distances share a base. A barrier, a call or a message in between
 * ends a record, so that records are in program order.
 */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TRACE_PLAN_H
#define PROBE_LLVM_PLUGIN_KINDS_TRACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/kinds/trace_affine.h"
#include "llvm-plugin/sites/access_sites.h"

struct pass_options;

struct trace_site {
	LLVMValueRef inst;
	struct access_site site;
	unsigned base;	  /* of its group */
	int32_t distance; /* from the base */
};

struct trace_base {
	size_t first;	/* its first site, whose address is recorded */
	uint32_t sites; /* number of sites at constant distances from it */
};

struct trace_group {
	size_t first; /* of its sites */
	unsigned sites, bases;
	struct trace_base base[PROBE_GROUP_BASES];
	bool proved;	  /* all strides are proved (trace_affine.h), or none */
	bool by_argument; /* a stride depends on an argument */
	bool scattered;	  /* addresses depend on data (trace_scatter.h) */
};

struct trace_plan {
	struct trace_site *site;
	struct trace_affine *proof; /* by site */
	size_t sites;
	struct trace_group *group;
	size_t groups;	   /* 0 in unoptimised code: each access has a record of its own */
	uint32_t first_id; /* in the site table: of each group one id, followed by one per base */
};

struct trace_plan *trace_plan_create(LLVMValueRef function, bool kernel, bool is_optnone,
				     const struct pass_options *options, void *analyses);
void trace_plan_destroy(struct trace_plan *plan);

#endif
