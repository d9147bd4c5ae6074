/* SPDX-License-Identifier: MIT */
/*
 * The plan of a `memory` clone: how the cost of each access (site) becomes known.
 *
 * If the form of an address is proved, the host can compute the cost of an execution, so that it is
 * enough to count executions. Such sites of one basic block form a group, which has one row of
 * counters and may have histograms (wire_device.h section 3). All other sites are measured on the
 * device; some of them share a measurement (representatives.h).
 *
 * The plan is made on a unit's base, which later becomes the clone.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_GROUP_PLAN_H
#define PROBE_LLVM_PLUGIN_PLAN_GROUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/launch_expr.h"
#include "llvm-plugin/base/reserved_registers.h"
#include "llvm-plugin/sites/access_sites.h"

struct analysis;
struct call_unit;
struct pass_options;
struct representative;
struct sampled_block;

enum {
	PLAN_STREAMS = 6,  /* addresses in registers, per group */
	PLAN_OBSERVED = 4, /* aligned streams at most, of a group with an observed value */
	PLAN_SITES = 32,
	PLAN_HISTOGRAMS = 48,	/* groups with histograms by mask or residue, per unit */
	PLAN_LANE_COUNTERS = 4, /* groups that count in lanes, each in a vector register */
	PLAN_BATCH_SGPRS = 8,	/* registers of a batch, from an even one on */
	PLAN_UNITS = 8,		/* machine accesses of one site */
	PLAN_NONE = -1,
};

struct plan_site {
	LLVMValueRef inst;
	struct access_site site;
	struct affine_address pattern;
	bool proved;
	LLVMValueRef blocker;			 /* where the proof failed; NULL = unknown */
	struct address_description *description; /* for reports; NULL if it has no pointer */
	int group;				 /* PLAN_NONE = measured */
	int stream; /* of the group; PLAN_NONE = all lanes access one word, at any address */
	int32_t delta;
	/* Does the host compute the address of each lane? `distance` from its representative's. */
	bool lanes_known;
	size_t representative;
	int64_t distance;
	uint32_t address; /* expression, of a representative; else PROBE_EXPR_NONE */
	/*
	 * Expression of the distance between iterations of loop `stepped` (struct
	 * probe_site_proof).
	 */
	uint32_t step;
	unsigned stepped;
	/* Of no group. `also`: the sites measured with it; bit n = the n-th site after it. */
	bool measured; /* by a probe of its own */
	uint32_t also;
	bool batched;			  /* measured in batches */
	struct representative *followers; /* later sites measured with it; NULL */
	unsigned behind;		  /* sites from its representative to it; 0 = it has none */
};

/* Sites at constant distances, represented by one address. */
struct plan_stream {
	size_t representative; /* index of the site whose address it is */
	bool aligned;	       /* the cost depends on where in a line it lies */
	uint32_t base;	       /* expression, of a launched group, if aligned */
};

/* Histograms of a group's executions, for accesses whose executions have different costs. */
enum plan_histogram { PLAN_BY_MASK, PLAN_BY_RESIDUE, PLAN_BY_PREFIX, PLAN_HISTOGRAM_KINDS };

struct plan_group {
	LLVMBasicBlockRef block;
	size_t first, last; /* the range of its sites, both included */
	struct plan_stream stream[PLAN_STREAMS];
	unsigned streams, sites;
	/*
	 * The value by which bit fields are masked. If there is one, each execution is counted in a
	 * bucket, or measured.
	 */
	LLVMValueRef observed;
	unsigned aligned; /* number of aligned streams */
	bool once;
	int predicate; /* PROBE_GROUP_ONCE: index; PLAN_NONE = every wave executes it */
	uint32_t row;
	uint32_t histogram[PLAN_HISTOGRAM_KINDS]; /* the first row of each; PROBE_ROW_NONE */
	bool residues_in_lanes; /* in loops: its residues are counted in lanes (lane_counters.h) */
	bool loops;		/* is in a loop */
	bool data_decide; /* data decides which lanes execute it, and all its sites are in LDS */
	/*
	 * The host computes the addresses tested (struct probe_expr_node); of a group behind a
	 * predicate, all counters.
	 */
	bool follows_launch;
	bool lanes_known;   /* nothing is executed for it in an enumerated launch */
	bool iterates;	    /* lanes_known, in loops that `predicate` includes */
	bool batched;	    /* executions that are not regular are measured in batches */
	bool lanes_only;    /* lanes_known, and in other launches each access is measured */
	unsigned sgpr;	    /* the register that counts its executions; 0 = none */
	unsigned lane_sums; /* the first of LANE_SUM_SGPRS; 0 = none */
};

/* A block whose only predecessor branches to it, at most once per wave. */
struct branch_predicate {
	LLVMBasicBlockRef block, from;
	int parent;
	uint32_t row;
	/* Expression: 1 in lanes that take the branch. NONE: it does not follow from the launch. */
	uint32_t condition;
	/* The block is a loop's header, and `condition` is how often a lane returns there. */
	bool loop;
};

struct group_plan {
	struct plan_site *site;
	size_t sites;
	struct plan_group *group;
	int groups;
	struct branch_predicate *predicate;
	int predicates;
	const struct pass_options *options;
	struct expr_graph *exprs;  /* shared by all plans of the module */
	struct analysis *analysis; /* of the function; NULL once the plan is made */
	uint32_t first_site;
	bool registers;	    /* may waves count in scalar registers? */
	bool loops_diverge; /* may lanes of a wave leave a loop one after the other? */
	struct reserved_registers counters;
	unsigned batch;	 /* the first register of the batch (batch_code.h); 0 = none */
	unsigned sample; /* the first of PLAN_SAMPLE_SGPRS; 0 = every execution is measured */
	struct sampled_block *sampled;
	size_t sampled_blocks;
	int lane_counters; /* number of groups that have one */
	uint32_t rows;	   /* behind the sites: of predicates, of groups, of buckets */
};

/* The plan of a unit's base. Its sites have ids from unit->first_site, and its rows follow them. */
struct group_plan *group_plan_create(const struct call_unit *unit,
				     const struct pass_options *options, struct expr_graph *exprs,
				     void *analyses);
/* Does the host derive all counters, in launches with regular waves? */
static inline bool plan_follows_launch(const struct plan_group *group)
{
	return group->follows_launch && group->predicate != PLAN_NONE;
}
/* Does the group have that histogram? */
static inline bool plan_has(const struct plan_group *group, enum plan_histogram kind)
{
	return group->histogram[kind] != PROBE_ROW_NONE;
}
/* Does a wave have registers that count from 0, besides those of batches and of sampling? */
bool plan_counts_in_registers(const struct group_plan *plan);
/* Number of rows of a histogram. */
uint32_t plan_histogram_rows(const struct plan_group *group, enum plan_histogram kind);
/* Count executions in memory instead of registers. */
void plan_drop_counters(struct group_plan *plan);
void group_plan_destroy(struct group_plan *plan);

#endif
