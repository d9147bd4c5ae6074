/* SPDX-License-Identifier: MIT */
/*
 * What the `memory` kind counts instead of measuring (wire.h section 3): sites of one block with
 * proved addresses form groups, a group has one row; others are measured, some with others. A plan
 * is made of a unit's base, which becomes the clone that the plan's code is put into.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_GROUP_PLAN_H
#define PROBE_LLVM_PLUGIN_PLAN_GROUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/launch_expr.h"
#include "llvm-plugin/sites/access_sites.h"

struct analysis;
struct call_unit;
struct pass_options;
struct representative;

enum {
	PLAN_STREAMS = 6,  /* addresses, held in registers, per group */
	PLAN_OBSERVED = 4, /* aligned ones at most, of a group with an observed value */
	PLAN_SITES = 32,
	PLAN_HISTOGRAMS = 48, /* groups with buckets, per unit */
	PLAN_COUNTERS = 20,
	PLAN_PREFIXES = 4, /* groups that count in lanes, each in a vector register */
	/*
	 * Scalar registers that waves count in, from this one down, are kept from the allocator
	 * ("amdgpu-num-sgpr"). It is the last with which a gfx90a can hold eight waves.
	 */
	PLAN_COUNTER_LAST = 93,
	PLAN_UNITS = 8, /* machine accesses of one site */
	PLAN_NONE = -1,
};

struct plan_site {
	LLVMValueRef inst;
	struct access_site site;
	struct affine_address pattern;
	bool proved;
	LLVMValueRef blocker;			 /* what the proof failed at; NULL = not known */
	struct address_description *description; /* for reports; NULL if it has no pointer */
	int group;				 /* PLAN_NONE = measured */
	int stream; /* of the group; PLAN_NONE = all lanes at one place, wherever that is */
	int32_t delta;
	/* Does the host compute the address lane by lane? `distance` from that of its
	 * representative. */
	bool lanes_known;
	size_t representative;
	int64_t distance;
	uint32_t address; /* expression, of those that are their own; else PROBE_EXPR_NONE */
	/* Of no group: measured by itself, and with it always the sites `also`: bit n = the n-th
	 * behind. */
	bool measured;
	uint32_t also;
	struct representative *followers; /* sites behind it that it tests; NULL */
	unsigned behind; /* so many sites behind its representative; 0 = it has none */
};

/* Sites at constant distances: one address stands for all. */
struct plan_stream {
	size_t representative; /* index of the site whose address it is */
	bool aligned;	       /* the cost depends on where in a line it lies */
	uint32_t base;	       /* expression, of a launched group, if aligned */
};

struct plan_group {
	LLVMBasicBlockRef block;
	size_t first, last; /* its sites lie between, both included */
	struct plan_stream stream[PLAN_STREAMS];
	unsigned streams, sites;
	/* What bit fields are masked by. Every execution goes to a bucket then, or is measured. */
	LLVMValueRef observed;
	unsigned aligned; /* streams that are */
	bool once;
	int predicate; /* once: index, PLAN_NONE = every wave comes here */
	uint32_t row;
	uint32_t mask_rows;    /* first of its rows of buckets; PROBE_ROW_NONE */
	uint32_t residue_rows; /* first of its rows of residue histograms, if it has aligned streams
				  and buckets */
	uint32_t
		prefixes; /* first of its PROBE_PREFIX_ROWS rows (prefix_masks.h); PROBE_ROW_NONE */
	bool loops;	  /* lies in a loop */
	/* Its addresses need not be looked at (struct probe_expr_node); behind a predicate,
	 * nothing.
	 */
	bool follows_launch;
	bool lanes_known; /* in a launch that is enumerated, nothing needs to be checked */
	bool lanes_only;  /* and in others each access is measured */
	int counter;	  /* index of a register that counts its runs; PLAN_NONE */
};

/* A block that its only predecessor branches to, once in a wave. */
struct branch_predicate {
	LLVMBasicBlockRef block, from;
	int parent;
	uint32_t row;
	uint32_t condition; /* expression: which lanes go there, if the host can tell; NONE */
};

struct group_plan {
	struct plan_site *site;
	size_t sites;
	struct plan_group *group;
	int groups;
	struct branch_predicate *predicate;
	int predicates;
	const struct pass_options *options;
	struct expr_graph *exprs;  /* of all plans of the module */
	struct analysis *analysis; /* of the function; NULL once the plan is made */
	uint32_t first_site;
	bool registers; /* may some be used? */
	int counters;	/* those in use */
	int prefixes;	/* groups that have them */
	uint32_t rows;	/* behind the sites: of predicates, of groups, of buckets */
};

/*
 * Of a unit's base. Its own sites have ids from unit->first_site, its rows follow them.
 */
struct group_plan *group_plan_create(const struct call_unit *unit,
				     const struct pass_options *options, struct expr_graph *exprs,
				     void *analyses);
/* Does the host know all of it, in launches that have regular waves? */
static inline bool plan_follows_launch(const struct plan_group *group)
{
	return group->follows_launch && group->predicate != PLAN_NONE;
}
/* Count runs in memory, one by one. */
void plan_drop_counters(struct group_plan *plan);
void group_plan_destroy(struct group_plan *plan);

#endif
