/* SPDX-License-Identifier: MIT */
/*
 * A launch of a kernel: the values from which its counters are derived, and the number of its
 * waves.
 *
 * Example: a grid of 1000 work-items in workgroups of 100 and waves of 64 lanes has 10 workgroups
 * of two waves each, with 64 and 36 lanes.
 */
#ifndef PROBE_MODEL_LAUNCH_H
#define PROBE_MODEL_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/selection.h"

struct model_launch {
	const char *kernel; /* mangled name of the original */
	const char *arch;
	uint32_t lanes;			       /* per wave; 0 = 64 */
	uint32_t grid[3], group[3];	       /* work-items */
	const struct probe_workgroups *groups; /* that the filter selects; NULL = all */
	const unsigned char *arguments;	       /* NULL = not recorded */
	uint32_t argument_bytes;
	uint64_t code; /* number of the code object, unique in the run */
	bool partial;  /* rows were lost, so that subtracting counts is invalid */
};

/* Workgroup or grid size at an offset in the dispatch packet. False: there is none. */
bool launch_packet_field(const struct model_launch *launch, uint32_t offset, uint64_t *ret);
/* Argument of `bytes` bytes (4 or 8). False: the arguments were not recorded. */
bool launch_argument(const struct model_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret);

/* Ids of the selected workgroups along an axis with `groups` workgroups: [*ret_first, *ret_end). */
void launch_group_ids(const struct model_launch *launch, int axis, uint64_t groups,
		      uint64_t *ret_first, uint64_t *ret_end);
/* Waves and lanes of all selected workgroups, including partial ones at the grid's end. */
void launch_count_waves(const struct model_launch *launch, uint64_t *ret_waves,
			uint64_t *ret_lanes);
/* EXEC of regular waves (wire_device.h section 3), 0 = there are none; and their number. */
uint64_t launch_full_waves(const struct model_launch *launch, uint64_t *ret_waves);

#endif
