/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a clone of a cooperative kernel fits wherever its original fits.
 *
 * The workgroups of a cooperative kernel wait for each other, and the application has ensured that
 * all are resident. The clone needs more registers, so fewer may be resident, and the kernel would
 * wait forever.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_COOPERATIVE_FIT_H
#define PROBE_HSA_PLUGIN_LAUNCH_COOPERATIVE_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct probe_cooperative_launch {
	const char *target;
	uint32_t vgprs, agprs;		   /* of the original */
	uint32_t clone_vgprs, clone_agprs; /* of the clone */
	uint32_t group_size;		   /* LDS bytes per workgroup */
	uint32_t lds_max;		   /* LDS bytes of a compute unit; 0 = unknown */
	uint32_t compute_units;
	uint32_t items; /* work-items per workgroup */
	uint64_t groups;
};

/*
 * True if all workgroups of the clone are resident whenever those of the original are. False also
 * if that is unknown.
 */
bool probe_cooperative_fits(const struct probe_cooperative_launch *launch);

#endif
