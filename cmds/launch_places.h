/* SPDX-License-Identifier: MIT */
/* What a launch says by itself of the addresses its waves use (wire.h, struct probe_base_op). */
#ifndef PROBE_CMDS_LAUNCH_PLACES_H
#define PROBE_CMDS_LAUNCH_PLACES_H

#include "proved_rows.h"

enum { LAUNCH_PLACES = 128 };

/*
 * In how many of the launch's regular waves the group's address `index` tested lies at each place
 * modulo 128. False: it cannot be told.
 */
bool launch_places(const struct probe_sites *table, const struct proved_launch *launch,
		   uint32_t group, uint32_t index, uint64_t ret[LAUNCH_PLACES]);

/* So many waves with these lanes, whose first one's address lies at `place` modulo 128. */
struct launch_run {
	uint64_t exec, count;
	uint32_t place;
};
struct launch_runs {
	struct launch_run *run; /* for free(); those of count 0 are none */
	size_t size, used;
};

/*
 * All waves that come to a block behind branches, in a launch that has regular ones. `branch` is
 * the row of the last branch, NONE if there is none, `group` NONE or a group whose address `index`
 * tested matters. False: it cannot be told, or there are too many waves; nothing is to be freed
 * then.
 */
bool launch_runs(const struct probe_sites *table, const struct proved_launch *launch,
		 uint32_t branch, uint32_t group, uint32_t index, struct launch_runs *ret);

/*
 * The same, wave by wave, with the address of each active lane: of a group that is EACH. `visit`
 * may say that it wants no more by false.
 */
typedef bool (*launch_visit)(void *data, uint64_t exec, const uint64_t address[64], uint64_t times);
bool launch_each(const struct probe_sites *table, const struct proved_launch *launch,
		 uint32_t branch, uint32_t group, uint32_t index, launch_visit look, void *data);

#endif
