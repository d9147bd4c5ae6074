/* SPDX-License-Identifier: MIT */
/* Sites whose addresses a launch tells lane by lane (PROBE_PROOF_EACH). */
#ifndef PROBE_CMDS_PROVED_EACH_H
#define PROBE_CMDS_PROVED_EACH_H

#include "proved_rows.h"

/* Are two sites counted by the same addresses? */
bool proved_each_same(const struct probe_site_proof *a, const struct probe_site_proof *b);

/* What one execution of a site costs, and how many there are. */
typedef void (*proved_each_add)(void *data, uint32_t site, const uint64_t value[PROBE_COUNTERS],
				uint64_t times);

/*
 * All executions of the site `first` of an EACH group, and of those behind it and before `end` that
 * are the same as it. False: they cannot be told; then what has been added is not all.
 */
bool proved_each(struct proved_scratch *scratch, const struct probe_sites *table,
		 const struct proved_launch *launch, uint32_t first, uint32_t end,
		 proved_each_add add, void *data);

#endif
