/* SPDX-License-Identifier: MIT */
/* What proved_rows.c asks of the rows that a launch left behind. */
#ifndef PROBE_MODEL_PROVED_PARTS_H
#define PROBE_MODEL_PROVED_PARTS_H

#include "model/wave_placement.h"
#include "model/proved_cost.h"

struct launch_memo_row;
struct probe_site;

/* One launch's sites, as they are reckoned. */
struct proved_reckon {
	struct proved_scratch *scratch;
	const struct probe_sites *table;
	const struct proved_launch *launch;
	uint64_t exec, waves;
	bool reckoned;	       /* probe_ctx.reckoned */
	uint32_t first, count; /* ids of the kernel */
	struct probe_counter_row *row;
	uint64_t *regular; /* executions of a GROUP by regular waves; UNKNOWN */
	struct {
		uint32_t group, stream;
		bool known;
		uint64_t count[LAUNCH_PLACES];
	} places; /* of the launch's waves, as asked for last */
	struct {
		uint32_t group, stream;
		struct launch_runs of;
	} runs; /* the same behind branches */
	struct {
		uint32_t site;
		struct launch_exact of;
	} exact;		      /* the same lane by lane */
	struct launch_memo_row *kept; /* of the sites, or NULL */
	struct proved_rows *result;
};

/* Is it a row of a group, not a site? */
bool proved_is_row(const struct probe_site *site);

/*
 * Executions of a group by regular waves that are in its cells, or of any place in its bins: not
 * among those that ran as a rule.
 */
uint64_t proved_in_cells(const struct proved_reckon *r, uint32_t group);
uint64_t proved_in_bins(const struct proved_reckon *r, uint32_t group);
/*
 * Regular executions of a group whose i-th address tested lay at 4 * `place` in a line. False: its
 * table names no such row.
 */
bool proved_in_bin(const struct proved_reckon *r, uint32_t group, unsigned i, unsigned place,
		   uint64_t *ret);

/* What one execution of a site costs. False: its stride cannot be told. */
bool proved_execution(const struct proved_reckon *r, uint32_t id, const struct execution *e,
		      uint64_t *value);
/* `times` of it to a row; of maxima the larger. */
void proved_add(uint64_t *to, const uint64_t *value, uint64_t times);

/* To the site's row, from all that its group has of the kind. False, or why: it cannot be told. */
bool proved_add_cells(struct proved_reckon *r, uint32_t id);
bool proved_add_bins(struct proved_reckon *r, uint32_t id);
const char *proved_add_heads(struct proved_reckon *r, uint32_t id);

#endif
