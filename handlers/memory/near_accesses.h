/* SPDX-License-Identifier: MIT */
/*
 * Which accesses of a kernel are near each other: in one block, of one kind (loads, stores),
 * executed equally often, and at constant distances.
 */
#ifndef PROBE_HANDLERS_MEMORY_NEAR_ACCESSES_H
#define PROBE_HANDLERS_MEMORY_NEAR_ACCESSES_H

#include <stdint.h>

#include "handlers/advice/advice.h"

struct near_group {
	uint32_t first; /* the first access of the block at a constant distance */
	uint8_t access; /* enum probe_access_kind */
	uint64_t executions;
};

/* Zeroed before first use. All of a group are next to each other, in the order of their sites. */
struct near_accesses {
	struct near_group *group; /* of each access */
	struct advice_near *near;
	unsigned count;
};

struct near_access {
	struct near_group group;
	uint32_t site;
	struct advice_near near;
};

/* Takes all accesses of a kernel, which it sorts; 0 or -ENOMEM. */
int near_accesses_init(struct near_accesses *accesses, struct near_access *list, unsigned count);
void near_accesses_deinit(struct near_accesses *accesses);

/* The accesses of a group; returns their number. */
unsigned near_accesses_find(const struct near_accesses *accesses, const struct near_group *group,
			    const struct advice_near **ret);

#endif
