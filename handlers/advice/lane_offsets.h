/* SPDX-License-Identifier: MIT */
/*
 * Positions of the lanes of an access relative to each other, from the compiler's proof (struct
 * probe_site_info), for workgroups of known size. They are proved, not observed, so they hold for
 * every execution.
 */
#ifndef PROBE_HANDLERS_ADVICE_LANE_OFFSETS_H
#define PROBE_HANDLERS_ADVICE_LANE_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"

/* Bytes per step of a work-item's id along an axis, and whether there are bit fields, too. */
struct axis_strides {
	bool known[3]; /* false: it is a multiple of an argument */
	int64_t stride[3];
	bool fields;
};
/* False if the address is not proved, or if the size of its workgroups varies. */
bool axis_strides(const struct advice_site *site, struct axis_strides *ret);

/*
 * The same from the terms of the address, where nothing is proved: an index is taken not to wrap.
 * False if they are not known.
 */
bool axis_terms(const struct advice_site *site, struct axis_strides *ret);
bool advice_terms_known(const struct advice_site *site);
/* Values in the address may be other ones in each lane: loaded, or chosen. */
bool advice_is_lanes_own(const struct probe_site_info *info);
/* Is a part of the index that of the work-item in its workgroup, y * blockDim.x + x? */
bool has_linear_id(const struct advice_site *site);

enum { OFFSET_WAVES = 16 };
/* Offsets of the waves of one workgroup, relative to the address of each one's first lane. */
struct lane_offsets {
	unsigned waves;
	uint64_t exec[OFFSET_WAVES]; /* existing lanes */
	int64_t offset[OFFSET_WAVES][64];
};
/* False as above, or if a stride is a multiple of an argument. */
bool lane_offsets(const struct advice_site *site, struct lane_offsets *ret);

/*
 * From recorded addresses, each pattern once. False if nothing was recorded, or if there are too
 * many patterns.
 */
bool lanes_recorded(const struct recorded_addresses *recorded, struct lane_offsets *ret);

#endif
