/* SPDX-License-Identifier: MIT */
/* Rows of sites that were not measured, against numbers made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/regular_waves.h"
#include "model/block_counts.h"
#include "tests/unit/model/derived_table.h"
#include "tests/unit/model/expr_builder.h"

/* 20 workgroups of 2 waves, each two rows of 32 words: with n = 32, 256 bytes at one stride. */
static void test_full_waves(void **state)
{
	struct derived_rows rows;
	const uint64_t *load, *lds;

	(void)state;
	fill_table();
	rows = make(&launch, NULL, 0);
	load = find(&rows, LOAD);
	lds = find(&rows, LDS);
	assert_int_equal(rows.count, 2);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 40);
	assert_int_equal(load[PROBE_C_LANES], 40 * 64);
	assert_int_equal(load[PROBE_C_QUADS], 40 * 16);
	assert_int_equal(load[PROBE_C_LINES64], 40 * 4);
	assert_int_equal(load[PROBE_C_EXCESS64], 0);
	assert_int_equal(load[PROBE_C_LINES128], 40 * 2);
	assert_int_equal(load[PROBE_C_AFFINE], 40);
	assert_int_equal(load[PROBE_C_STRIDE_HI], PROBE_STRIDE_BIAS + 4);
	/* Each row of 32 lanes in one bank, and both rows on the same words. */
	assert_int_equal(lds[PROBE_C_PASSES], 40 * 64);
	assert_int_equal(lds[PROBE_C_IDEAL_PASSES], 40 * 2);
	assert_int_equal(lds[PROBE_C_MAX_WAY], 32);
	assert_int_equal(lds[PROBE_C_AFFINE], 0);
	free(rows.row);
}

/*
 * 4 waves not behind the branch; 2 at other addresses and 1 with 5 lanes, counted in buckets; and
 * one execution that was measured.
 */
static void test_exceptions(void **state)
{
	struct probe_counter_row raw[] = {
		{.site = BRANCH}, {.site = LOAD}, {.site = LDS}, {.site = MASKS}};
	struct probe_bucket_row masks = {
		.count = {2, 1},
		.bucket = {{.exec = ~0ull, .residues = PROBE_BUCKET_TAKEN | 4},
			   {.exec = 0x1f, .residues = PROBE_BUCKET_TAKEN}},
	};
	struct derived_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	raw[0].value[PROBE_GROUP_SKIPPED] = 4;
	for (int i = 1; i < 3; i++) {
		raw[i].value[PROBE_C_EXECUTIONS] = 1;
		raw[i].value[PROBE_C_LANES] = 7;
		raw[i].value[PROBE_C_MAX_WAY] = 64;
	}
	memcpy(raw[3].value, &masks, sizeof(masks));
	rows = make(&launch, raw, 4);
	load = find(&rows, LOAD);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 34 + 2 + 1 + 1);
	assert_int_equal(load[PROBE_C_LANES], 36 * 64 + 5 + 7);
	assert_int_equal(load[PROBE_C_LINES64], 34 * 4 + 2 * 5 + 1);
	assert_int_equal(load[PROBE_C_LINES128], 34 * 2 + 2 * 3 + 1);
	assert_int_equal(load[PROBE_C_EXCESS128], 2);
	assert_int_equal(find(&rows, LDS)[PROBE_C_EXECUTIONS], 38);
	assert_int_equal(find(&rows, LDS)[PROBE_C_MAX_WAY], 64);
	assert_int_equal(rows.lost, 0);
	free(rows.row);
}

/* Workgroup 1 of x, 2 to 4 of y: only these ran as far as counters tell. */
static void test_groups(void **state)
{
	static const struct probe_workgroups groups = {{1, 2, 0}, {UINT32_MAX, 4, 0}};
	static const struct probe_workgroups none = {{2, 0, 0}, {2, UINT32_MAX, UINT32_MAX}};
	static const struct probe_workgroups edge = {{2, 0, 0}, {3, UINT32_MAX, UINT32_MAX}};
	struct model_launch other = launch;
	uint64_t waves, lanes;
	struct derived_rows rows;

	(void)state;
	fill_table();
	other.groups = &groups;
	rows = make(&other, NULL, 0);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 3 * 2);
	assert_int_equal(find(&rows, LDS)[PROBE_C_LANES], 3 * 2 * 64);
	free(rows.row);
	launch_count_waves(&other, &waves, &lanes);
	assert_int_equal(waves, 3 * 2);
	assert_int_equal(lanes, 3 * 128);
	other.groups = &none;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.count + rows.lost, 0);
	free(rows.row);
	/* The last workgroup of a row has but 4 columns. */
	other.grid[0] = 100;
	other.groups = &edge;
	launch_count_waves(&other, &waves, &lanes);
	assert_int_equal(waves, 10 * (2 + 1));
	assert_int_equal(lanes, 10 * (128 + 4 * 4));
}

/*
 * Regular waves at every place in a line: in bins, where LOAD's address is the second one tested,
 * they cost what they do in cells.
 */
static void test_residues(void **state)
{
	struct probe_counter_row binned[2 * PROBE_RESIDUE_ROWS] = {0}, celled[8] = {0};
	struct probe_bucket_row cells[8] = {0};
	struct derived_rows bins, others;

	(void)state;
	fill_table();
	members[LOAD].residue = 1;
	for (uint32_t i = 0; i < 2 * PROBE_RESIDUE_ROWS; i++)
		binned[i].site = RESIDUES + i;
	for (unsigned place = 0; place < 32; place++) {
		/* All in one bin of the first address. */
		binned[PROBE_RESIDUE_ROW(64)].value[PROBE_RESIDUE_WORD(64)] += place % 3;
		binned[PROBE_RESIDUE_ROWS + PROBE_RESIDUE_ROW(4 * place)]
			.value[PROBE_RESIDUE_WORD(4 * place)] = place % 3;
		cells[place / 4].count[place % 4] = place % 3;
		cells[place / 4].bucket[place % 4] = (struct probe_exec_bucket){
			~0ull, PROBE_BUCKET_TAKEN | 64 | 4ull * place << PROBE_BUCKET_RESIDUE(1)};
	}
	for (uint32_t i = 0; i < 8; i++) {
		celled[i].site = MASKS + i;
		memcpy(celled[i].value, &cells[i], sizeof(cells[i]));
	}
	bins = make(&launch, binned, 2 * PROBE_RESIDUE_ROWS);
	others = make(&launch, celled, 8);
	assert_int_equal(bins.lost + others.lost, 0);
	assert_int_equal(find(&bins, LOAD)[PROBE_C_EXECUTIONS], 40);
	/* 31 waves were counted so; at a place that is not 0, one line of 128 B more. */
	assert_int_equal(find(&bins, LOAD)[PROBE_C_LINES128], 40 * 2 + 31);
	assert_int_equal(bins.count, others.count);
	for (size_t i = 0; i < bins.count; i++)
		assert_memory_equal(&bins.row[i], &others.row[i], sizeof(bins.row[i]));
	free(bins.row);
	free(others.row);
	/* More than there were waves. */
	binned[0].value[0] = 41;
	bins = make(&launch, binned, 2 * PROBE_RESIDUE_ROWS);
	assert_int_equal(bins.sites_lost, 2);
	free(bins.row);
}

/* The fifth address tested has its class in the upper half. */
static void test_upper_residues(void **state)
{
	struct probe_counter_row raw[] = {{.site = MASKS}, {.site = BRANCH}};
	struct probe_bucket_row cells = {
		.count = {2},
		.bucket = {{.exec = 0xff,
			    .residues = PROBE_BUCKET_TAKEN | 120ull << 32 | 15ull << 28}},
	};
	struct derived_rows rows;

	(void)state;
	fill_table();
	members[LOAD].residue = 4;
	group.histogram_count = 1;
	raw[1].value[PROBE_GROUP_SKIPPED] = 40;
	memcpy(raw[0].value, &cells, sizeof(cells));
	rows = make(&launch, raw, 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 2);
	/* 8 bytes before a line's end, 32 bytes: a quad on both sides of it */
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LINES128], 2 * 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_QUADS], 2 * 17);
	free(rows.row);
}

/* Bits of x. */
static void test_fields(void **state)
{
	struct probe_counter_row raw[] = {{.site = BRANCH}, {.site = MASKS}};
	struct probe_bucket_row masks = {
		.count = {5},
		.bucket = {{.exec = 0xffffffff00000000, .residues = PROBE_BUCKET_TAKEN}},
	};
	struct derived_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	raw[0].value[PROBE_GROUP_SKIPPED] = 40;
	memcpy(raw[1].value, &masks, sizeof(masks));
	members[LOAD].stride[0].constant = 0;
	members[LOAD].field[1] = (struct probe_site_bitfield){.scale = 32, .mask = 7, .shift = 1};
	rows = make(&launch, raw, 2);
	/* x / 2 mod 8, four times around: 8 words, 32 bytes apart. */
	load = find(&rows, LOAD);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 5);
	assert_int_equal(load[PROBE_C_LINES64], 5 * 4);
	assert_int_equal(load[PROBE_C_LINES128], 5 * 2);
	assert_int_equal(rows.lost, 0);
	free(rows.row);
}

/* The same bits, and a launch value as another factor: the stride that they name is of no id. */
static void test_multiplied_bits(void **state)
{
	struct probe_counter_row raw[] = {{.site = BRANCH}, {.site = MASKS}};
	struct probe_bucket_row masks = {
		.count = {5},
		.bucket = {{.exec = 0xffffffff00000000, .residues = PROBE_BUCKET_TAKEN}},
	};
	struct derived_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	raw[0].value[PROBE_GROUP_SKIPPED] = 40;
	memcpy(raw[1].value, &masks, sizeof(masks));
	members[LOAD].stride[0].constant = 16;
	members[LOAD].field[1] =
		(struct probe_site_bitfield){.scale = 2, .mask = 7, .shift = 1, .multiplier = 1};
	rows = make(&launch, raw, 2);
	load = find(&rows, LOAD);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 5);
	assert_int_equal(load[PROBE_C_LINES64], 5 * 4);
	assert_int_equal(load[PROBE_C_LINES128], 5 * 2);
	assert_int_equal(rows.lost, 0);
	free(rows.row);
}

/* A stride that is -4 * the group's height. */
static void test_packet_stride(void **state)
{
	struct probe_counter_row raw[] = {{.site = BRANCH}, {.site = MASKS}};
	/* The last of a row, and the first of the next. */
	struct probe_bucket_row masks = {
		.count = {1}, .bucket = {{.exec = 3ull << 31, .residues = PROBE_BUCKET_TAKEN}}};
	struct derived_rows rows;

	(void)state;
	fill_table();
	raw[0].value[PROBE_GROUP_SKIPPED] = 40;
	memcpy(raw[1].value, &masks, sizeof(masks));
	members[LOAD].stride[0].constant = 0;
	members[LOAD].stride[1] = (struct probe_site_stride){
		.constant = 4, .factor = -4, .offset = 6, .bits = 16 | PROBE_STRIDE_LAUNCH};
	rows = make(&launch, raw, 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 1);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_STRIDE_HI], PROBE_STRIDE_BIAS + 4 - 4 * 4);
	assert_int_equal(rows.lost, 0);
	free(rows.row);
	/* There is no such field, or it has none of the supported widths. */
	for (int i = 0; i < 2; i++) {
		members[LOAD].stride[1].offset = 5;
		rows = make(&launch, raw, 2);
		assert_int_equal(rows.lost, 1);
		free(rows.row);
		members[LOAD].stride[1].bits = 8;
	}
}

/* No lane may be below the first one, unless the device has looked at each of them. */
static void test_rising(void **state)
{
	struct probe_counter_row raw[] = {{.site = BRANCH}, {.site = MASKS}};
	struct probe_bucket_row masks = {
		.count = {1}, .bucket = {{.exec = ~0ull, .residues = PROBE_BUCKET_TAKEN}}};
	struct derived_rows rows;

	(void)state;
	fill_table();
	memcpy(raw[1].value, &masks, sizeof(masks));
	members[LOAD].stride[0].constant = -4;
	members[LOAD].first_is_lowest = true;
	raw[0].value[PROBE_GROUP_SKIPPED] = 39;
	rows = make(&launch, raw, 2);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 1);
	free(rows.row);
	raw[0].value[PROBE_GROUP_SKIPPED] = 38;
	rows = make(&launch, raw, 2);
	assert_int_equal(rows.lost, 1);
	/* Nor is the cost of the other class left. */
	assert_null(find(&rows, LOAD));
	free(rows.row);
}

/* a[x] of 5 in 32 lanes: where the launch places them, less those that were measured. */
static void test_launched(void **state)
{
	struct probe_counter_row raw[] = {{.site = RESIDUES + PROBE_RESIDUE_ROW(64)}};
	struct model_launch other = launch;
	struct derived_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	other.grid[0] = 5 * 32;
	other.grid[1] = other.group[1] = 1;
	put(PROBE_EXPR_GROUP, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 64);
	put(PROBE_EXPR_MUL, 32, 0);
	members[LOAD].base = take(&table);
	members[LOAD].base_distance = 4;
	group.predicate = DERIVED_NONE;
	group.flags = PROBE_GROUP_ONCE | PROBE_GROUP_LAUNCH;
	rows = make(&other, NULL, 0);
	load = find(&rows, LOAD);
	/* From bytes 4 and 68 of a line: 128 bytes in three lines of 64 B, and in two of 128 B. */
	assert_int_equal(load[PROBE_C_EXECUTIONS], 5);
	assert_int_equal(load[PROBE_C_LINES64], 5 * 3);
	assert_int_equal(load[PROBE_C_LINES128], 5 * 2);
	free(rows.row);
	raw[0].value[PROBE_RESIDUE_WORD(64)] = 2;
	rows = make(&other, raw, 1);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 3);
	free(rows.row);
	/* There were two. */
	raw[0].value[PROBE_RESIDUE_WORD(64)] = 3;
	rows = make(&other, raw, 1);
	assert_int_equal(rows.lost, 1);
	assert_non_null(strstr(rows.loss[0].reason, "contradict its launch"));
	free(rows.row);
}

/* The same behind `x < 70`: all of it follows from the launch. */
static void test_placed(void **state)
{
	struct model_launch other = launch;
	struct derived_rows rows;

	(void)state;
	test_launched(state);
	other.grid[0] = 5 * 32;
	other.grid[1] = other.group[1] = 1;
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 70);
	put(PROBE_EXPR_ULT, 32, 0);
	predicate.condition = take(&table);
	group.predicate = 0;
	rows = make(&other, NULL, 0);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 3);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LANES], 70);
	assert_int_equal(find(&rows, LDS)[PROBE_C_LANES], 70);
	free(rows.row);
	/* Behind it a group that is counted: two whole waves come there. */
	group.flags = PROBE_GROUP_ONCE;
	rows = make(&other, NULL, 0);
	assert_int_equal(find(&rows, LDS)[PROBE_C_LANES], 64);
	free(rows.row);
}

/* Impossible counts are lost, not guessed. */
static void test_lost(void **state)
{
	struct probe_counter_row raw[] = {{.site = GROUP}};
	struct model_launch other = launch;
	struct derived_rows rows;

	(void)state;
	fill_table();
	raw[0].value[PROBE_GROUP_SKIPPED] = 41;
	rows = make(&launch, raw, 1);
	assert_int_equal(rows.count, 0);
	assert_int_equal(rows.lost, 2);
	assert_int_equal(rows.sites_lost, 2);
	assert_int_not_equal(rows.loss[0].site, rows.loss[1].site);
	assert_non_null(strstr(rows.loss[1].reason, "inconsistent"));
	free(rows.row);
	other.partial = true;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.lost, 2);
	assert_non_null(strstr(rows.loss[0].reason, "rows of its launch were lost"));
	free(rows.row);
	other = launch;
	other.argument_bytes = 11;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.count, 1); /* the LDS access needs no argument */
	assert_int_equal(rows.lost, 1);
	assert_non_null(strstr(rows.loss[0].reason, "arguments"));
	free(rows.row);
	other = launch;
	other.kernel = "other";
	rows = make(&other, raw, 1);
	assert_int_equal(rows.count, 0);
	free(rows.row);
}

/* 50 executions by 700 lanes, of which 3 were measured: one in 16. */
static void test_sampled(void **state)
{
	struct probe_counter_row raw[] = {{.site = LOAD}, {.site = GROUP}};
	struct model_launch partial = launch;
	struct derived_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	group = (struct site_group){
		.row = GROUP,
		.predicate = DERIVED_NONE,
		.flags = PROBE_GROUP_SAMPLED | 16 << PROBE_GROUP_EVERY_SHIFT,
	};
	raw[0].value[PROBE_C_EXECUTIONS] = 3;
	raw[0].value[PROBE_C_LANES] = 40;
	raw[0].value[PROBE_C_LINES128] = 9;
	raw[0].value[PROBE_C_AFFINE] = 1;
	raw[0].value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 8;
	raw[1].value[PROBE_GROUP_SAMPLED_EXECUTIONS] = 50;
	raw[1].value[PROBE_GROUP_SAMPLED_LANES] = 700;
	rows = make(&launch, raw, 2);
	load = find(&rows, LOAD);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 50);
	assert_int_equal(load[PROBE_C_LANES], 700);
	assert_int_equal(load[PROBE_C_LINES128], 9 * 16);
	assert_int_equal(load[PROBE_C_AFFINE], 16);
	assert_int_equal(load[PROBE_C_STRIDE_HI], PROBE_STRIDE_BIAS + 8);
	assert_int_equal(load[PROBE_C_MEASURED], 1 + 3);
	/* The other site of the block was not measured, but executed as often. */
	assert_int_equal(find(&rows, LDS)[PROBE_C_EXECUTIONS], 50);
	assert_int_equal(find(&rows, LDS)[PROBE_C_MEASURED], 1 + 0);
	free(rows.row);
	/* 7 other executions, whose costs are derived: a row of their own. */
	raw[1].value[PROBE_GROUP_EXECUTIONS] = 7;
	rows = make(&launch, raw, 2);
	load = find(&rows, LOAD);
	assert_int_equal(rows.count, 4);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 7);
	assert_int_equal(load[PROBE_C_LINES128], 7 * 2);
	assert_int_equal(load[PROBE_C_MEASURED], 0);
	assert_int_equal(rows.row[2].site, LOAD);
	assert_int_equal(rows.row[2].value[PROBE_C_EXECUTIONS], 50);
	assert_int_equal(rows.row[3].site, LDS);
	free(rows.row);
	partial.partial = true;
	rows = make(&partial, raw, 1);
	assert_null(find(&rows, LDS));
	assert_int_equal(rows.sites_lost, 1);
	assert_non_null(strstr(rows.loss[0].reason, "rows of its launch were lost"));
	free(rows.row);
}

/* 9 bytes from lane to lane, in whole waves and short ones; and the same bytes 4 behind. */
static void test_addressed(void **state)
{
	struct model_launch odd = launch, large = launch;
	struct derived_rows rows;

	(void)state;
	fill_table();
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 9);
	put(PROBE_EXPR_MUL, 32, 0);
	members[LOAD].address = take(&table);
	members[LDS].address = members[LOAD].address;
	members[LDS].address_distance = 4;
	sites[LDS].space = PROBE_SPACE_GLOBAL;
	group.predicate = DERIVED_NONE;
	group.flags = PROBE_GROUP_ONCE | PROBE_GROUP_LANES | PROBE_GROUP_LANES_ONLY;
	memcpy(odd.grid, (uint32_t[3]){300, 1, 1}, sizeof(odd.grid));
	memcpy(odd.group, (uint32_t[3]){100, 1, 1}, sizeof(odd.group));
	rows = make(&odd, NULL, 0);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(rows.count, 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 6);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LANES], 300);
	/* Bytes 0 to 570, and 576 to 894: lines 0 to 8, and 9 to 13. */
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LINES64], 3 * (9 + 5));
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LINES128], 3 * (5 + 3));
	/* Bytes 4 to 574, and 580 to 898: one more. */
	assert_int_equal(find(&rows, LDS)[PROBE_C_LINES64], 3 * (9 + 6));
	free(rows.row);
	/* Too many waves: all was measured. */
	large.grid[0] = 32 * 2 * PROBE_ENUMERATED_WAVES;
	rows = make(&large, NULL, 0);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(rows.count, 0);
	free(rows.row);
	/* A member without an address. */
	members[LDS].address = DERIVED_NONE;
	rows = make(&odd, NULL, 0);
	assert_int_equal(rows.lost, 1);
	free(rows.row);
}

/* Flags and references of every kind, as far as the reader lets them through; odd counts. */
static void test_hostile(void **state)
{
	static const uint32_t rows_of[] = {LOAD, BRANCH, GROUP, MASKS, SITES - PROBE_BUCKET_ROWS};
	struct probe_counter_row raw[] = {{.site = MASKS}, {.site = GROUP}, {.site = 12345}};

	(void)state;
	memset(raw[0].value, 0xff, sizeof(raw[0].value));
	memset(raw[1].value, 0xff, sizeof(raw[1].value));
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 0);
	put(PROBE_EXPR_UDIV, 32, 0);
	take(&table);
	for (uint32_t flags = 0; flags < 16; flags++)
		for (size_t i = 0; i < sizeof(rows_of) / sizeof(*rows_of); i++)
			for (uint32_t at = 0; at <= table.expression_count; at++)
				for (uint32_t bits = 0; bits < 8; bits++) {
					uint32_t root =
						at < table.expression_count ? at : DERIVED_NONE;
					struct derived_rows rows;

					fill_table();
					group.flags = flags;
					group.predicate = bits & 1 ? 0 : DERIVED_NONE;
					predicate.condition = root;
					histograms[0].first_row = rows_of[i];
					members[LOAD].residue = bits & 2 ? 7 : 1;
					members[LOAD].base = root;
					members[LDS].address = root;
					kernel.first_site = bits & 4 ? GROUP : 0;
					kernel.site_count = SITES - kernel.first_site;
					rows = make(&launch, raw, 3);
					free(rows.row);
				}
	kernel.first_site = 0;
	kernel.site_count = SITES;
}

/* More predicates than a stack has room for, each the parent of the next. */
static void test_long_chain(void **state)
{
	enum { LENGTH = 300000 };
	struct probe_site *chain = calloc(SITES + LENGTH, sizeof(*chain));
	struct site_predicate *parents = calloc(LENGTH, sizeof(*parents));
	struct derived_rows rows;

	(void)state;
	assert_non_null(chain);
	assert_non_null(parents);
	fill_table();
	memcpy(chain, sites, sizeof(sites));
	for (uint32_t i = 0; i < LENGTH; i++) {
		chain[SITES + i] = sites[BRANCH];
		parents[i] = (struct site_predicate){SITES + i, i - 1, DERIVED_NONE, false};
	}
	group.predicate = LENGTH - 1;
	table.sites = chain;
	table.predicates = parents;
	table.site_count = kernel.site_count = SITES + LENGTH;
	table.predicate_count = LENGTH;
	rows = make(&launch, NULL, 0);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 40);
	table.sites = sites;
	table.predicates = &predicate;
	table.site_count = kernel.site_count = SITES;
	table.predicate_count = 1;
	free(rows.row);
	free(chain);
	free(parents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_waves),    cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_groups),	      cmocka_unit_test(test_fields),
		cmocka_unit_test(test_packet_stride), cmocka_unit_test(test_rising),
		cmocka_unit_test(test_launched),      cmocka_unit_test(test_placed),
		cmocka_unit_test(test_residues),      cmocka_unit_test(test_upper_residues),
		cmocka_unit_test(test_lost),	      cmocka_unit_test(test_addressed),
		cmocka_unit_test(test_hostile),	      cmocka_unit_test(test_multiplied_bits),
		cmocka_unit_test(test_sampled),	      cmocka_unit_test(test_long_chain),
	};

	return cmocka_run_group_tests(tests, NULL, free_expressions);
}
