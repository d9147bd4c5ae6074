/* SPDX-License-Identifier: MIT */
/*
 * Calculations that a site table has for the host (wire.h, struct probe_expr_op), for the lanes of
 * a wave or for one. A table may be hostile: what makes no sense comes to nothing.
 */
#ifndef PROBE_MODEL_LAUNCH_EXPR_H
#define PROBE_MODEL_LAUNCH_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

struct probe_sites;
struct proved_launch;

/* A size of workgroup or grid by its place in the dispatch packet. False: there is none. */
bool launch_field(const struct proved_launch *launch, uint32_t offset, int64_t *ret);
/* `bytes` (4 or 8) of the kernel's arguments. False: they were not told. */
bool launch_argument(const struct proved_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret);

enum { LAUNCH_LANES = 64 };

/* Lanes that are looked at together: their workgroup's id, or its lowest bits, and their own. */
struct launch_lanes {
	uint32_t group[3], count;
	const uint32_t *item[3];
};

/* A calculation, and what it uses. */
struct launch_steps {
	const struct probe_expr_op *op; /* of the table */
	uint32_t count;
	bool groups[3], items;
};

/* Where one is done. */
struct launch_stack {
	uint64_t number[PROBE_EXPR_STACK][LAUNCH_LANES];
	uint64_t undefined[PROBE_EXPR_STACK]; /* lanes in which something was divided by 0 ... */
	uint32_t count;
	uint64_t note[PROBE_EXPR_NOTES][LAUNCH_LANES], note_undefined[PROBE_EXPR_NOTES];
	uint32_t noted; /* a bit for each */
};

/* That of the group's address `index` tested, or of a branch. False: there is none. */
bool launch_steps_find(const struct probe_sites *table, uint32_t group, uint32_t index,
		       struct launch_steps *ret);

/*
 * What it comes to in each lane, in the stack until the next one. NULL: nothing; or, in one of the
 * lanes `needed`, something that is not defined.
 */
const uint64_t *launch_result(const struct launch_steps *steps, const struct proved_launch *launch,
			      const struct launch_lanes *lanes, uint64_t needed,
			      struct launch_stack *stack);

#endif
