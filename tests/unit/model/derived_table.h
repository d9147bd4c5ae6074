/* SPDX-License-Identifier: MIT */
/* A site table with one group of two members, and a launch of its kernel. Include cmocka.h first.
 */
#ifndef TEST_MODEL_DERIVED_TABLE_H
#define TEST_MODEL_DERIVED_TABLE_H

#include <stdint.h>
#include <stdlib.h>

#include "codeobj/sites.h"
#include "model/derived_rows.h"

/* Ids; of rows the first one's. */
enum {
	LOAD,
	LDS,
	BRANCH,
	GROUP,
	MASKS,
	RESIDUES = MASKS + PROBE_BUCKET_ROWS,
	PREFIXES = RESIDUES + 2 * PROBE_RESIDUE_ROWS,
	SITES = PREFIXES + PROBE_PREFIX_ROWS,
};

static struct probe_site sites[SITES];
static struct site_predicate predicate;
static struct site_group group;
static struct site_histogram histograms[2];
static struct site_member members[2];
static struct probe_site_kernel kernel = {.name = 1, .site_count = SITES};
static char strings[] = "\0kernel\0other";
static struct probe_sites table = {
	.site_count = SITES,
	.kernel_count = 1,
	.sites = sites,
	.predicates = &predicate,
	.groups = &group,
	.histograms = histograms,
	.members = members,
	.predicate_count = 1,
	.group_count = 1,
	.histogram_count = 2,
	.member_count = 2,
	.kernels = &kernel,
	.strings = strings,
	.strings_size = sizeof(strings),
};

/* a[x + n * y] and an LDS word per lane behind a branch; n is the argument at 8. */
static void fill_table(void)
{
	for (int i = 0; i < SITES; i++)
		sites[i] = (struct probe_site){
			.owner = 1,
			.access = i == LOAD  ? PROBE_ACCESS_LOAD
				  : i == LDS ? PROBE_ACCESS_STORE
					     : PROBE_ACCESS_COUNTED_ROW,
			.space = i == LDS ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL,
			.size = 4,
			.unit = 4,
			.align = 4,
			.kinds = 1u << PROBE_KIND_MEMORY,
		};
	members[LOAD] = (struct site_member){
		.site = LOAD,
		.residue = 0,
		.base = DERIVED_NONE,
		.address = DERIVED_NONE,
		.step = DERIVED_NONE,
		.stride = {{.constant = 4}, {.factor = 4, .offset = 8, .bits = 32}},
	};
	members[LDS] = (struct site_member){
		.site = LDS,
		.residue = DERIVED_NONE,
		.base = DERIVED_NONE,
		.address = DERIVED_NONE,
		.step = DERIVED_NONE,
		.stride = {{.constant = 128}},
	};
	predicate = (struct site_predicate){BRANCH, DERIVED_NONE, DERIVED_NONE, false};
	histograms[0] = (struct site_histogram){HISTOGRAM_MASKS, MASKS, PROBE_BUCKET_ROWS};
	histograms[1] =
		(struct site_histogram){HISTOGRAM_RESIDUES, RESIDUES, 2 * PROBE_RESIDUE_ROWS};
	group = (struct site_group){
		.row = GROUP,
		.flags = PROBE_GROUP_ONCE,
		.histogram_count = 2,
	};
}

static const struct model_launch launch = {
	.kernel = "kernel",
	.arch = "gfx90a",
	.grid = {64, 40, 1},
	.group = {32, 4, 1},
	.arguments = (const unsigned char[]){0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0},
	.argument_bytes = 12,
};

static const uint64_t *find(const struct derived_rows *rows, uint32_t site)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].site == site)
			return rows->row[i].value;
	return NULL;
}

static struct derived_rows make(const struct model_launch *from,
				const struct probe_counter_row *raw, size_t count)
{
	struct model_scratch *scratch = model_scratch_create();
	struct derived_rows rows, again;

	assert_true(derived_rows_make(scratch, &table, from, raw, count, &rows));
	/* By what was kept of the first time. */
	assert_true(derived_rows_make(scratch, &table, from, raw, count, &again));
	assert_int_equal(again.count, rows.count);
	assert_int_equal(again.lost, rows.lost);
	assert_memory_equal(again.row, rows.row, rows.count * sizeof(*rows.row));
	free(again.row);
	model_scratch_destroy(scratch);
	return rows;
}

#endif
