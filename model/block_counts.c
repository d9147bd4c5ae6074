/* SPDX-License-Identifier: MIT */
#include "model/block_counts.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"

struct total {
	uint64_t executions, lanes;
	bool known;
};

struct reckon {
	const struct probe_sites *table;
	const struct proved_launch *launch;
	struct total whole; /* launch */
	uint32_t first, count;
	struct probe_counter_row *row;
	struct total *total;
};

/* Workgroups along one axis: whole ones, then what the grid's end leaves of one. */
struct part {
	uint64_t groups, items;
};

void counted_launch(const struct proved_launch *launch, uint64_t *ret_waves, uint64_t *ret_lanes)
{
	struct part parts[3][2];
	uint32_t lanes = launch->lanes ? launch->lanes : 64;

	*ret_waves = 0;
	*ret_lanes = 0;
	for (int i = 0; i < 3; i++) {
		uint32_t group = launch->group[i], whole, rest;
		uint64_t chosen;

		if (!group)
			return;
		whole = launch->grid[i] / group;
		rest = launch->grid[i] % group;
		chosen = proved_groups_chosen(launch->groups, i, whole);
		parts[i][0] = (struct part){chosen, group};
		/* The one that is cut off is the last. */
		chosen = proved_groups_chosen(launch->groups, i, whole + 1ull) - chosen;
		parts[i][1] = (struct part){rest ? chosen : 0, rest};
	}
	for (int i = 0; i < 8; i++) {
		const struct part *x = &parts[0][i & 1], *y = &parts[1][i >> 1 & 1],
				  *z = &parts[2][i >> 2];
		uint64_t groups = x->groups * y->groups * z->groups;
		uint64_t items = x->items * y->items * z->items;

		*ret_waves += groups * ((items + lanes - 1) / lanes);
		*ret_lanes += groups * items;
	}
}

static struct total parent_of(const struct reckon *r, uint32_t id)
{
	const struct total unknown = {0}, none = {.known = true};
	const struct probe_site_predicate *predicate = probe_sites_predicate(r->table, id);
	uint32_t parent = predicate ? predicate->parent : PROBE_ROW_NONE;

	if (r->launch->partial)
		return unknown;
	/* Of another kernel, whose ids lie between this one's: not run at all. */
	if (strcmp(probe_sites_string(r->table, r->table->sites[id].owner), r->launch->kernel))
		return none;
	if (parent == PROBE_ROW_NONE)
		return r->whole;
	return parent >= r->first && parent < id ? r->total[parent - r->first] : unknown;
}

static struct total total_of(const struct reckon *r, uint32_t id)
{
	const uint64_t *value = r->row[id - r->first].value;
	struct total total = {value[PROBE_C_EXECUTIONS], value[PROBE_C_LANES], true}, parent;

	if (!probe_sites_predicate(r->table, id))
		return total;
	parent = parent_of(r, id);
	if (!parent.known || total.executions > parent.executions || total.lanes > parent.lanes)
		return (struct total){0};
	return (struct total){parent.executions - total.executions, parent.lanes - total.lanes,
			      true};
}

static bool alloc(struct reckon *r, const struct probe_counter_row *raw, size_t raw_count,
		  size_t *lost)
{
	r->row = calloc(r->count + 1ul, sizeof(*r->row));
	r->total = calloc(r->count + 1ul, sizeof(*r->total));
	if (!r->row || !r->total)
		return false;
	for (size_t i = 0; i < raw_count; i++)
		if (raw[i].site - r->first < r->count)
			r->row[raw[i].site - r->first] = raw[i];
		else
			(*lost)++;
	return true;
}

/* Rows are put down in the place of those they are reckoned from, which are needed no more. */
static void reckon_rows(struct reckon *r, struct proved_rows *ret)
{
	for (uint32_t id = r->first; id < r->first + r->count; id++)
		r->total[id - r->first] = total_of(r, id);
	for (uint32_t id = r->first; id < r->first + r->count; id++) {
		const struct total *total = &r->total[id - r->first];

		if (r->table->sites[id].access != PROBE_ACCESS_BLOCK)
			continue;
		if (!total->known)
			proved_rows_lose(ret, id,
					 r->launch->partial ? "rows of its launch were lost"
							    : "the counts of its blocks contradict "
							      "each other");
		if (!total->known || !total->executions)
			continue;
		r->row[ret->count++] = (struct probe_counter_row){
			.site = id,
			.value = {[PROBE_C_EXECUTIONS] = total->executions,
				  [PROBE_C_LANES] = total->lanes},
		};
	}
}

bool counted_rows_make(const struct probe_sites *table, const struct proved_launch *launch,
		       const struct probe_counter_row *raw, size_t raw_count,
		       struct proved_rows *ret)
{
	struct reckon r = {.table = table, .launch = launch, .whole = {.known = true}};
	bool done;

	*ret = (struct proved_rows){0};
	counted_launch(launch, &r.whole.executions, &r.whole.lanes);
	/* Without the kernel there is nothing to reckon, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &r.first, &r.count);
	done = alloc(&r, raw, raw_count, &ret->lost);
	if (done) {
		reckon_rows(&r, ret);
		ret->row = r.row;
		r.row = NULL;
	}
	free(r.row);
	free(r.total);
	return done;
}
