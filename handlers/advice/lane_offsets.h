/* SPDX-License-Identifier: MIT */
/*
 * Where the lanes of an access are relative to each other, by the compiler's proof (struct
 * probe_site_info), for workgroups whose size is known. Nothing of it is observed, so it holds for
 * every execution.
 */
#ifndef PROBE_HANDLERS_ADVICE_LANE_OFFSETS_H
#define PROBE_HANDLERS_ADVICE_LANE_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"

/* Bytes per step of a work-item's id along an axis; there are bit fields besides, or not. */
struct axis_strides {
	bool known[3]; /* else it is a multiple of an argument */
	int64_t stride[3];
	bool fields;
};
/* False: the address is not proved, or the size of its workgroups varies. */
bool axis_strides(const struct advice_site *site, struct axis_strides *ret);

enum { OFFSET_WAVES = 16 };
/* Of the waves of one workgroup, from the address of each one's first lane. */
struct lane_offsets {
	unsigned waves;
	uint64_t exec[OFFSET_WAVES]; /* lanes that exist */
	int64_t offset[OFFSET_WAVES][64];
};
/* False: as above, or a stride is a multiple of an argument. */
bool lane_offsets(const struct advice_site *site, struct lane_offsets *ret);

/* As recorded: each pattern once. False: nothing was recorded, or too many patterns. */
bool lanes_recorded(const struct trial *trial, struct lane_offsets *ret);

#endif
