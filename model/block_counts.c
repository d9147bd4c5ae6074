/* SPDX-License-Identifier: MIT */
#include "model/block_counts.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "model/histograms.h"

struct total {
	uint64_t executions, lanes;
	bool known;
};

struct derivation {
	const struct probe_sites *table;
	const struct model_launch *launch;
	struct total whole; /* launch */
	struct probe_sites_range blocks;
	struct counter_rows rows;
	struct total *total; /* by block, from the first one of the range */
};

static struct total total_of_parent(const struct derivation *d, const struct site_block *block)
{
	const struct total unknown = {0}, none = {.known = true};
	uint32_t owner = d->table->sites[block->row].owner;

	if (d->launch->partial)
		return unknown;
	/* The block of another kernel, whose ids are between this one's: not executed. */
	if (strcmp(probe_sites_string(d->table, owner), d->launch->kernel))
		return none;
	if (block->parent == DERIVED_NONE)
		return d->whole;
	return block->parent >= d->blocks.first ? d->total[block->parent - d->blocks.first]
						: unknown;
}

static struct total total_of(const struct derivation *d, const struct site_block *block)
{
	const uint64_t *value = counter_row(&d->rows, block->row);
	struct total counted = {value[PROBE_C_EXECUTIONS], value[PROBE_C_LANES], true}, parent;

	if (!block->complement)
		return counted;
	parent = total_of_parent(d, block);
	if (!parent.known || counted.executions > parent.executions || counted.lanes > parent.lanes)
		return (struct total){0};
	return (struct total){parent.executions - counted.executions, parent.lanes - counted.lanes,
			      true};
}

/* Blocks follow their parents. */
static void derive(struct derivation *d, struct derived_rows *ret)
{
	for (uint32_t i = d->blocks.first; i < d->blocks.end; i++) {
		const struct site_block *block = &d->table->blocks[i];
		struct total total = total_of(d, block);

		d->total[i - d->blocks.first] = total;
		if (d->table->sites[block->row].access != PROBE_ACCESS_BLOCK)
			continue;
		if (!total.known)
			derived_rows_lose(ret, block->row,
					  d->launch->partial
						  ? "rows of its launch were lost"
						  : "the counts of its blocks are inconsistent");
		if (!total.known || !total.executions)
			continue;
		ret->row[ret->count++] = (struct probe_counter_row){
			.site = block->row,
			.value = {[PROBE_C_EXECUTIONS] = total.executions,
				  [PROBE_C_LANES] = total.lanes},
		};
	}
}

bool block_counts_make(const struct probe_sites *table, const struct model_launch *launch,
		       const struct probe_counter_row *raw, size_t raw_count,
		       struct derived_rows *ret)
{
	struct derivation d = {.table = table, .launch = launch, .whole = {.known = true}};
	struct probe_counter_row *row;

	*ret = (struct derived_rows){0};
	launch_count_waves(launch, &d.whole.executions, &d.whole.lanes);
	/* If the table does not have the kernel, nothing can be derived, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &d.rows.first, &d.rows.count);
	d.blocks = probe_sites_rows(table->blocks, table->block_count, sizeof(*table->blocks),
				    d.rows.first, d.rows.count);
	row = calloc(d.rows.count + 1ul, sizeof(*row));
	ret->row = calloc(d.rows.count + 1ul, sizeof(*ret->row));
	d.total = calloc(d.rows.count + 1ul, sizeof(*d.total));
	d.rows.row = row;
	if (row && ret->row && d.total) {
		for (size_t i = 0; i < raw_count; i++)
			if (counter_row(&d.rows, raw[i].site))
				row[raw[i].site - d.rows.first] = raw[i];
			else
				ret->lost++;
		derive(&d, ret);
	} else {
		free(ret->row);
		ret->row = NULL;
	}
	free(row);
	free(d.total);
	return ret->row != NULL;
}
