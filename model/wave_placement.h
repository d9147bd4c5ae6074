/* SPDX-License-Identifier: MIT */
/* What a launch says by itself of the addresses its waves use (wire.h, struct probe_expr_op). */
#ifndef PROBE_MODEL_WAVE_PLACEMENT_H
#define PROBE_MODEL_WAVE_PLACEMENT_H

#include "model/proved_rows.h"

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
 * the row of the last branch, `group` NONE or a group whose address `index` tested matters. False:
 * it cannot be told, or there are too many waves; nothing is to be freed then.
 */
bool launch_runs(const struct probe_sites *table, const struct proved_launch *launch,
		 uint32_t branch, uint32_t group, uint32_t index, struct launch_runs *ret);

/* So many waves with these lanes, which use addresses this far from the first one's. */
struct launch_exact_run {
	uint64_t exec, count;
	uint32_t place; /* of that modulo 128; in LDS 0 */
	uint32_t next;
	int64_t distance[64]; /* 0 in other lanes */
};
enum { LAUNCH_EXACT_CHAINS = 1024 };
struct launch_exact {
	struct launch_exact_run *run;
	uint32_t count, room;
	uint32_t *first; /* of each chain of runs */
};

/*
 * All waves that come to a site of a group that is EXACT, in a launch that is reckoned: `branch` is
 * the row of the last branch before it, or NONE; `narrow`: its addresses have 32 bits. False: it
 * cannot be told, or there are too many waves; nothing is to be freed then.
 */
bool launch_exact(const struct probe_sites *table, const struct proved_launch *launch,
		  uint32_t branch, uint32_t site, bool narrow, struct launch_exact *ret);
void launch_exact_free(struct launch_exact *exact);
/* The site whose addresses this one's follow from, itself perhaps, and how far behind they lie. */
uint32_t launch_exact_lead(const struct probe_sites *table, uint32_t site, int64_t *ret_beside);

#endif
