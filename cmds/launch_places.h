/* SPDX-License-Identifier: MIT */
/* What a launch says by itself of the addresses its waves use (wire.h, struct probe_base_op). */
#ifndef PROBE_CMDS_LAUNCH_PLACES_H
#define PROBE_CMDS_LAUNCH_PLACES_H

#include "proved_rows.h"

/* A size of workgroup or grid by its place in the dispatch packet. False: there is none. */
bool launch_field(const struct proved_launch *launch, uint32_t offset, int64_t *ret);
/* `bytes` (4 or 8) of the kernel's arguments. False: they were not told. */
bool launch_argument(const struct proved_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret);

enum { LAUNCH_PLACES = 128 };

/*
 * In how many of the launch's regular waves the group's address `index` tested lies at each place
 * modulo 128. False: it cannot be told.
 */
bool launch_places(const struct probe_sites *table, const struct proved_launch *launch,
		   uint32_t group, uint32_t index, uint64_t ret[LAUNCH_PLACES]);

#endif
