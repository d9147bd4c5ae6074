/* SPDX-License-Identifier: MIT */
/*
 * Evaluates expressions of a site table (common/expr.h) for the lanes of many waves, or bounds them
 * for many workgroups at once.
 *
 * A program contains the nodes that its roots use, operands first. Steps that depend on the launch
 * only are computed when the program is made, those that depend on the workgroup's id once per
 * workgroup, and the rest for the lanes of each wave. For example, only the last sum of blockIdx.x
 * * blockDim.x + threadIdx.x is computed lane by lane.
 */
#ifndef PROBE_MODEL_EXPR_PROGRAM_H
#define PROBE_MODEL_EXPR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct model_launch;
struct probe_sites;

enum { WAVE_LANES = 64, EXPR_ROOTS = 24, EXPR_STEPS = PROBE_STEPS_MAX };

enum expr_level { EXPR_OF_LAUNCH, EXPR_OF_GROUP, EXPR_OF_LANE };

struct expr_step {
	struct probe_expr_node node; /* its operands are indices of steps */
	enum expr_level level;
};

struct expr_program {
	const struct model_launch *launch;
	struct expr_step *step;
	uint32_t steps;
	/* Per root: its step, and the end of the steps it needs. */
	uint32_t root[EXPR_ROOTS], end[EXPR_ROOTS];
	uint32_t roots;
	bool group[3];	/* a root depends on the workgroup's id along this axis */
	uint32_t loops; /* mask: a root depends on the iteration of this loop */
	uint64_t (*value)[WAVE_LANES];
	uint64_t *undefined; /* per step: mask of lanes without a value (division by 0, ...) */
	uint32_t done;	     /* steps computed for the current lanes */
	uint32_t lanes;
	const uint32_t *item[3];
	uint64_t iteration[PROBE_LOOPS_MAX];
};

/*
 * False without memory, or if the program is too large. The program must be deinitialised either
 * way.
 */
bool expr_program_init(struct expr_program *program, const struct probe_sites *table,
		       const struct model_launch *launch, const uint32_t *roots, uint32_t count);
void expr_program_deinit(struct expr_program *program);

/* Set the workgroup of the lanes that are set next. */
void expr_program_set_group(struct expr_program *program, const uint32_t id[3]);
/* Set the lanes, by the ids of their work-items. */
void expr_program_set_lanes(struct expr_program *program, const uint32_t *const item[3],
			    uint32_t lanes);
/* Set how many iterations of a loop are complete. */
void expr_program_set_iteration(struct expr_program *program, uint32_t loop, uint64_t iteration);
/* A root's value per lane. NULL: a lane in `needed` has none. */
const uint64_t *expr_program_result(struct expr_program *program, uint32_t root, uint64_t needed);

/* A range of workgroup ids, both ends inclusive. */
struct group_box {
	uint32_t first[3], last[3];
};

enum interval_truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

/* Is a root 1 (YES) or 0 (NO) in all lanes of all workgroups of the box? */
enum interval_truth expr_program_truth(const struct expr_program *program, uint32_t root,
				       const struct group_box *box);

/*
 * Does the root use the 64-bit argument at `offset` only as a summand? Then adding a multiple of
 * 128 to the argument adds the same to the root.
 */
bool expr_program_adds(const struct expr_program *program, uint32_t offset);

#endif
