/* SPDX-License-Identifier: MIT */
/*
 * Does a clone of a cooperative kernel fit where the original did?
 *
 * The workgroups of a cooperative kernel wait for each other, and the application has made sure
 * that all are resident. With the clone's registers they might not be, and would wait forever.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_COOPERATIVE_FIT_H
#define PROBE_HSA_PLUGIN_LAUNCH_COOPERATIVE_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct probe_cooperative_launch {
	const char *target;
	uint32_t vgprs, agprs;		   /* of the original */
	uint32_t clone_vgprs, clone_agprs; /* of its clone */
	uint32_t group_size;		   /* LDS of a workgroup, bytes */
	uint32_t lds_max;		   /* LDS of a compute unit, bytes; 0 = not known */
	uint32_t compute_units;
	uint32_t items; /* of a workgroup */
	uint64_t groups;
};

/*
 * Are all workgroups of the clone resident at a time if those of the original are? False, too, if
 * that is not known.
 */
bool probe_cooperative_fits(const struct probe_cooperative_launch *launch);

#endif
