/* SPDX-License-Identifier: MIT */
/* A site table with one proved group, and a launch of its kernel. Include cmocka.h first. */
#ifndef TEST_UNIT_MODEL_PROVED_TABLE_H
#define TEST_UNIT_MODEL_PROVED_TABLE_H

#include <stdint.h>
#include <stdlib.h>

#include "codeobj/sites.h"
#include "model/proved_rows.h"

enum {
	LOAD,
	LDS,
	GUARD,
	GROUP,
	CELLS,
	BINS = CELLS + PROBE_CELL_ROWS,
	HEADS = BINS + 2 * PROBE_BIN_ROWS,
	SITES = HEADS + PROBE_HEAD_ROWS,
};

static struct probe_site sites[SITES];
static struct probe_site_proof proofs[SITES];
static struct probe_site_group groups[1];
static struct probe_site_predicate predicates[1];
static struct probe_site_kernel kernel = {.name = 1, .site_count = SITES};
static char strings[] = "\0kernel\0other";
static struct probe_sites table = {
	.site_count = SITES,
	.kernel_count = 1,
	.sites = sites,
	.proofs = proofs,
	.groups = groups,
	.group_count = 1,
	.predicates = predicates,
	.predicate_count = 1,
	.kernels = &kernel,
	.strings = strings,
	.strings_size = sizeof(strings),
};

/* a[x + n * y] and an LDS word per lane behind a branch; n is the argument at 8. */
static void fill_table(void)
{
	for (int i = 0; i < SITES; i++) {
		sites[i] = (struct probe_site){
			.owner = 1,
			.access = i == LOAD   ? PROBE_ACCESS_LOAD
				  : i == LDS  ? PROBE_ACCESS_STORE
				  : i < CELLS ? PROBE_ACCESS_COUNTED
					      : PROBE_ACCESS_SHARED,
			.space = i == LDS ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL,
			.size = 4,
			.unit = 4,
			.align = 4,
			.kinds = 1u << PROBE_KIND_MEMORY,
		};
		proofs[i] = (struct probe_site_proof){.group = PROBE_ROW_NONE};
	}
	proofs[LOAD] = (struct probe_site_proof){
		.group = GROUP,
		.aligned = 1,
		.stride = {{.constant = 4}, {.factor = 4, .offset = 8, .bits = 32}},
	};
	proofs[LDS] = (struct probe_site_proof){
		.group = GROUP,
		.stride = {{.constant = 128}},
	};
	predicates[0] = (struct probe_site_predicate){.row = GUARD, .parent = PROBE_ROW_NONE};
	groups[0] = (struct probe_site_group){
		.row = GROUP,
		.parent = GUARD,
		.flags = PROBE_GROUP_ONCE,
		.mask_rows = CELLS,
		.residue_rows = BINS,
		.prefix_rows = PROBE_ROW_NONE,
	};
}

static const struct proved_launch launch = {
	.kernel = "kernel",
	.arch = "gfx90a",
	.grid = {64, 40, 1},
	.group = {32, 4, 1},
	.arguments = (const unsigned char[]){0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0},
	.argument_bytes = 12,
};

static const uint64_t *find(const struct proved_rows *rows, uint32_t site)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].site == site)
			return rows->row[i].value;
	return NULL;
}

static struct proved_rows make(const struct proved_launch *from,
			       const struct probe_counter_row *raw, size_t count)
{
	struct proved_scratch *scratch = proved_scratch_create();
	struct proved_rows rows, again;

	assert_true(proved_rows_make(scratch, &table, from, raw, count, &rows));
	/* By what was kept of the first time. */
	assert_true(proved_rows_make(scratch, &table, from, raw, count, &again));
	assert_int_equal(again.count, rows.count);
	assert_int_equal(again.lost, rows.lost);
	assert_memory_equal(again.row, rows.row, rows.count * sizeof(*rows.row));
	free(again.row);
	proved_scratch_destroy(scratch);
	return rows;
}

#endif
