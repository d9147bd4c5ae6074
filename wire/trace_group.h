/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the trace kind records together: parses names of GROUP sites (wire_device.h section
 * 5).
 */
#ifndef PROBE_WIRE_TRACE_GROUP_H
#define PROBE_WIRE_TRACE_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

/* A stride: constant + factor * a kernel argument (struct probe_site_stride). */
struct probe_trace_stride {
	int32_t constant, factor; /* factor 0 = no argument */
	uint32_t offset, bits;
};

/* A GROUP site's name, parsed. */
struct probe_trace_group {
	uint32_t id;	     /* of the GROUP; its bases' follow */
	uint32_t first_site; /* the sites are consecutive */
	uint32_t sites, bases;
	struct {
		uint8_t base;
		bool lds;
		int32_t distance;
	} site[PROBE_GROUP_SITES];
	bool proved;
	struct probe_trace_stride stride[PROBE_GROUP_BASES]
					[3]; /* bytes per step of the item's id */
};

/* False: malformed. Whether its sites exist, and which are in LDS, is for the caller to check. */
bool probe_trace_group_read(uint32_t id, const char *name, struct probe_trace_group *ret);

/* Groups by the ids of GROUP sites and of their bases; NULL for other sites. */
struct probe_trace_groups {
	const struct probe_trace_group *const *group;
	uint32_t count;
};

#endif
