/* SPDX-License-Identifier: MIT */
/* The addresses of one access of a wave, and its expanded records (wire_device.h section 5). */
#ifndef PROBE_WIRE_TRACE_LANES_H
#define PROBE_WIRE_TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/trace_group.h"

enum { TRACE_LANES = 64 };

/* The addresses of a base: affine, or one per active lane. */
struct trace_lanes {
	uint64_t exec;
	unsigned count;
	bool affine;
	int32_t stride;
	uint64_t address[TRACE_LANES]; /* of the active lanes in order; the first only if affine */
};

/* `exec` is not 0. Addresses are filled in after it. */
void trace_lanes_begin(struct trace_lanes *lanes, uint64_t exec);
/* Sets `affine` if all active lanes have one stride. */
void trace_lanes_find_stride(struct trace_lanes *lanes);

/*
 * The following write to `out`, with PROBE_TRACE_EXPAND_MIN bytes per group, and return the size
 * written.
 */
size_t trace_put_affine(unsigned char *out, uint32_t site, int32_t stride, uint64_t exec,
			uint64_t base);
/* The record of the group's i-th site from the addresses of its base. */
size_t trace_put_site(unsigned char *out, const struct probe_trace_group *group, uint32_t i,
		      const struct trace_lanes *lanes);
/* The records of all sites of the group; `lanes` per base. */
size_t trace_put_sites(unsigned char *out, const struct probe_trace_group *group,
		       const struct trace_lanes *lanes);

#endif
