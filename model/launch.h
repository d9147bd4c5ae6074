/* SPDX-License-Identifier: MIT */
/*
 * A launch of a kernel: what its counters follow from, and how many waves it has.
 *
 * Example: a grid of 1000 work-items in workgroups of 100, waves of 64 lanes: 10 workgroups of two
 * waves each, 64 lanes and 36.
 */
#ifndef PROBE_MODEL_LAUNCH_H
#define PROBE_MODEL_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/selection.h"

struct model_launch {
	const char *kernel; /* mangled name of the original */
	const char *arch;
	uint32_t lanes;			       /* of a wave; 0 = 64 */
	uint32_t grid[3], group[3];	       /* work-items */
	const struct probe_workgroups *groups; /* that counted; NULL = all */
	const unsigned char *arguments;	       /* NULL = not recorded */
	uint32_t argument_bytes;
	uint64_t code; /* the code object, by a number that no other one of the run has */
	bool partial;  /* rows were lost: counts of what did not happen are useless */
};

/* A size of the workgroup or grid, by its offset in the dispatch packet. False: there is none. */
bool launch_packet_field(const struct model_launch *launch, uint32_t offset, uint64_t *ret);
/* `bytes` (4 or 8) of the kernel's arguments. False: they were not recorded. */
bool launch_argument(const struct model_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret);

/* Ids along an axis, of `groups` workgroups, that counted: [*ret_first, *ret_end). */
void launch_group_ids(const struct model_launch *launch, int axis, uint64_t groups,
		      uint64_t *ret_first, uint64_t *ret_end);
/* Waves and lanes of the workgroups that counted; those that the grid's end cuts off, too. */
void launch_count_waves(const struct model_launch *launch, uint64_t *ret_waves,
			uint64_t *ret_lanes);
/* EXEC of full waves (wire.h section 3), 0 = there are none; and how many of them counted. */
uint64_t launch_full_waves(const struct model_launch *launch, uint64_t *ret_waves);

#endif
