/* SPDX-License-Identifier: MIT */
/* The addresses that a wave used at once, and the records that everybody reads (wire.h) of them. */
#ifndef PROBE_WIRE_TRACE_LANES_H
#define PROBE_WIRE_TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/trace_widen.h"

enum { TRACE_LANES = 64 };

/* The addresses of a base: at one stride, or each. */
struct trace_lanes {
	uint64_t exec;
	unsigned count;
	bool affine;
	int32_t stride;
	uint64_t address[TRACE_LANES]; /* of the active lanes in order; the first only if affine */
};

/* `exec` is not 0. Addresses are filled in after it. */
void trace_lanes_begin(struct trace_lanes *lanes, uint64_t exec);
/* Makes them affine if the active lanes lie at one stride from lane to lane. */
void trace_lanes_find_stride(struct trace_lanes *lanes);

/* All write to `out`, which has the room (PROBE_TRACE_WIDE_ROOM for a group), and return bytes. */
size_t trace_put_affine(unsigned char *out, uint32_t site, int32_t stride, uint64_t exec,
			uint64_t base);
/* The record of the group's i-th site from the addresses of its base. */
size_t trace_put_site(unsigned char *out, const struct probe_trace_group *group, uint32_t i,
		      const struct trace_lanes *lanes);
/* Those of all its sites: `lanes` by base. */
size_t trace_put_sites(unsigned char *out, const struct probe_trace_group *group,
		       const struct trace_lanes *lanes);

#endif
