/* SPDX-License-Identifier: MIT */
/*
 * Expressions of a site table (common/expr.h), evaluated for the lanes of many waves, or bounded
 * for many workgroups at once.
 *
 * A program holds the nodes that some roots use, operands first. What a launch fixes is computed
 * when the program is made, what depends on the workgroup's id once for each workgroup, and the
 * rest for the lanes of each wave. Of blockIdx.x * blockDim.x + threadIdx.x only the last sum is
 * made lane by lane.
 */
#ifndef PROBE_MODEL_EXPR_PROGRAM_H
#define PROBE_MODEL_EXPR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct model_launch;
struct probe_sites;

enum { WAVE_LANES = 64, EXPR_ROOTS = 24, EXPR_STEPS = 512 };

enum expr_level { EXPR_OF_LAUNCH, EXPR_OF_GROUP, EXPR_OF_LANE };

struct expr_step {
	struct probe_expr_node node; /* operands are steps */
	enum expr_level level;
};

struct expr_program {
	const struct model_launch *launch;
	struct expr_step *step;
	uint32_t steps;
	uint32_t root[EXPR_ROOTS], end[EXPR_ROOTS]; /* its step; steps that it needs */
	uint32_t roots;
	bool group[3]; /* do roots depend on the workgroup's id along this axis? */
	uint64_t (*value)[WAVE_LANES];
	uint64_t *undefined; /* lanes without a value: divided by 0 ... */
	uint32_t done;	     /* steps made for the current lanes */
	uint32_t lanes;
	const uint32_t *item[3];
};

/* False without memory, or if there is too much of it. Then, too, it is to be destroyed. */
bool expr_program_init(struct expr_program *program, const struct probe_sites *table,
		       const struct model_launch *launch, const uint32_t *roots, uint32_t count);
void expr_program_deinit(struct expr_program *program);

/* The workgroup that the next lanes are of. */
void expr_program_set_group(struct expr_program *program, const uint32_t id[3]);
/* Lanes by the ids of their work-items. */
void expr_program_set_lanes(struct expr_program *program, const uint32_t *const item[3],
			    uint32_t lanes);
/* A root's value in each lane. NULL: one of the lanes `needed` has none. */
const uint64_t *expr_program_result(struct expr_program *program, uint32_t root, uint64_t needed);

/* Workgroups by their ids, both ends included. */
struct group_box {
	uint32_t first[3], last[3];
};

enum interval_truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

/* Is a root 1 in all lanes of all workgroups of the box, or 0 in all of them? */
enum interval_truth expr_program_truth(const struct expr_program *program, uint32_t root,
				       const struct group_box *box);

/*
 * Does the root depend on the argument, read at `offset` with 64 bits, by adding to it and
 * subtracting from it only? Then a multiple of 128 more is one more in the root, too.
 */
bool expr_program_adds(const struct expr_program *program, uint32_t offset);

#endif
