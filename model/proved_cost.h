/* SPDX-License-Identifier: MIT */
/* What one execution of a proved site costs (wire.h section 3), by the handlers' own rules. */
#ifndef PROBE_MODEL_PROVED_COST_H
#define PROBE_MODEL_PROVED_COST_H

#include "model/proved_rows.h"

struct launch_memo;

/* NULL without memory. */
struct launch_memo *proved_scratch_memo(struct proved_scratch *scratch);

/* One way that a wave can run a site. */
struct execution {
	uint64_t exec;
	uint32_t base;	   /* of the address tested, in the first lane, modulo 128 */
	uint64_t observed; /* as a cell has it */
	bool numbered;	   /* there are some */
};

/* `table`: the site is of it. False: it cannot be told from the launch. */
bool proved_cost(struct proved_scratch *scratch, const struct proved_launch *launch,
		 const struct probe_site *site, const struct probe_site_proof *proof,
		 const struct execution *e, uint64_t value[PROBE_COUNTERS]);

/*
 * The same of addresses that are known: `place` modulo 128 in the first active lane, and how far
 * from it in the others.
 */
void proved_cost_of(struct proved_scratch *scratch, const char *arch, const struct probe_site *site,
		    uint64_t exec, uint64_t place, const int64_t distance[64],
		    uint64_t value[PROBE_COUNTERS]);

#endif
