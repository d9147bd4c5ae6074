/* SPDX-License-Identifier: MIT */
/* Rows reckoned from proofs, by hand. */
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
#include "tests/unit/model/proved_table.h"

/* 20 workgroups of 2 waves, each two rows of 32 words: with n = 32, 256 bytes at one stride. */
static void test_all_regular(void **state)
{
	struct proved_rows rows;
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
 * 4 waves not behind the branch; 2 at other addresses and 1 with 5 lanes, counted in cells; and one
 * execution measured, of both sites.
 */
static void test_exceptions(void **state)
{
	struct probe_counter_row raw[] = {
		{.site = GUARD}, {.site = LOAD}, {.site = LDS}, {.site = CELLS}};
	struct probe_cell_row cells = {
		.count = {2, 1},
		.cell = {{.exec = ~0ull, .classes = PROBE_CELL_TAKEN | 4},
			 {.exec = 0x1f, .classes = PROBE_CELL_TAKEN}},
	};
	struct proved_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	raw[0].value[PROBE_B_MISSES] = 4;
	raw[1].value[PROBE_C_EXECUTIONS] = 1;
	raw[1].value[PROBE_C_LANES] = 7;
	raw[2].value[PROBE_C_EXECUTIONS] = 1;
	raw[2].value[PROBE_C_MAX_WAY] = 64;
	memcpy(raw[3].value, &cells, sizeof(cells));
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
	struct proved_launch other = launch;
	uint64_t waves, lanes;
	struct proved_rows rows;

	(void)state;
	fill_table();
	other.groups = &groups;
	rows = make(&other, NULL, 0);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 3 * 2);
	assert_int_equal(find(&rows, LDS)[PROBE_C_LANES], 3 * 2 * 64);
	free(rows.row);
	counted_launch(&other, &waves, &lanes);
	assert_int_equal(waves, 3 * 2);
	assert_int_equal(lanes, 3 * 128);
	other.groups = &none;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.count + rows.lost, 0);
	free(rows.row);
	/* The last workgroup of a row has but 4 columns. */
	other.grid[0] = 100;
	other.groups = &edge;
	counted_launch(&other, &waves, &lanes);
	assert_int_equal(waves, 10 * (2 + 1));
	assert_int_equal(lanes, 10 * (128 + 4 * 4));
}

/*
 * Regular waves at every place in a line: in bins, where LOAD's address is the second one tested,
 * they cost what they do in cells.
 */
static void test_bins(void **state)
{
	struct probe_counter_row binned[2 * PROBE_BIN_ROWS] = {0}, celled[8] = {0};
	struct probe_cell_row cells[8] = {0};
	struct proved_rows bins, others;

	(void)state;
	fill_table();
	proofs[LOAD].address = 1;
	for (uint32_t i = 0; i < 2 * PROBE_BIN_ROWS; i++)
		binned[i].site = BINS + i;
	for (unsigned place = 0; place < 32; place++) {
		/* All in one bin of the first address. */
		binned[PROBE_BIN_ROW(64)].value[PROBE_BIN_WORD(64)] += place % 3;
		binned[PROBE_BIN_ROWS + PROBE_BIN_ROW(4 * place)].value[PROBE_BIN_WORD(4 * place)] =
			place % 3;
		cells[place / 4].count[place % 4] = place % 3;
		cells[place / 4].cell[place % 4] = (struct probe_exec_cell){
			~0ull, PROBE_CELL_TAKEN | 64 | 4ull * place << PROBE_CELL_CLASS(1)};
	}
	for (uint32_t i = 0; i < 8; i++) {
		celled[i].site = CELLS + i;
		memcpy(celled[i].value, &cells[i], sizeof(cells[i]));
	}
	bins = make(&launch, binned, 2 * PROBE_BIN_ROWS);
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
	bins = make(&launch, binned, 2 * PROBE_BIN_ROWS);
	assert_int_equal(bins.sites_lost, 2);
	free(bins.row);
}

/* The fifth address tested has its class in the upper half. */
static void test_classes(void **state)
{
	struct probe_counter_row raw[] = {{.site = CELLS}, {.site = GUARD}};
	struct probe_cell_row cells = {
		.count = {2},
		.cell = {{.exec = 0xff, .classes = PROBE_CELL_TAKEN | 120ull << 32 | 15ull << 28}},
	};
	struct proved_rows rows;

	(void)state;
	fill_table();
	proofs[LOAD].address = 4;
	groups[0].residue_rows = PROBE_ROW_NONE;
	raw[1].value[PROBE_B_MISSES] = 40;
	memcpy(raw[0].value, &cells, sizeof(cells));
	rows = make(&launch, raw, 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_EXECUTIONS], 2);
	/* 8 bytes before a line's end, 32 bytes: a quad on both sides of it */
	assert_int_equal(find(&rows, LOAD)[PROBE_C_LINES128], 2 * 2);
	assert_int_equal(find(&rows, LOAD)[PROBE_C_QUADS], 2 * 17);
	free(rows.row);
}

/* Bits of x; and x masked by a value that only cells have. */
static void test_bitfields(void **state)
{
	struct probe_counter_row raw[] = {{.site = GUARD}, {.site = CELLS}};
	const uint64_t value = 3;
	struct probe_cell_row cells = {
		.count = {5},
		.cell = {{.exec = 0xffffffff00000000,
			  .classes = PROBE_CELL_TAKEN | value << PROBE_CELL_OBSERVED}},
	};
	struct proved_rows rows;
	const uint64_t *load;

	(void)state;
	fill_table();
	raw[0].value[PROBE_B_MISSES] = 40;
	memcpy(raw[1].value, &cells, sizeof(cells));
	proofs[LOAD].stride[0].constant = 0;
	proofs[LOAD].bitfield[1] = (struct probe_site_bitfield){.times = 32, .mask = 7, .shift = 1};
	rows = make(&launch, raw, 2);
	/* x / 2 mod 8, four times around: 8 words, 32 bytes apart. */
	load = find(&rows, LOAD);
	assert_int_equal(load[PROBE_C_EXECUTIONS], 5);
	assert_int_equal(load[PROBE_C_LINES64], 5 * 4);
	assert_int_equal(load[PROBE_C_LINES128], 5 * 2);
	free(rows.row);
	proofs[LOAD].bitfield[1] =
		(struct probe_site_bitfield){.times = 128, .mask = 1023, .observed = 1};
	rows = make(&launch, raw, 2);
	load = find(&rows, LOAD);
	assert_int_equal(load[PROBE_C_LINES128], 5 * 4);
	assert_int_equal(rows.lost, 0);
	free(rows.row);
	/* Regular waves have no such value. */
	raw[0].value[PROBE_B_MISSES] = 39;
	rows = make(&launch, raw, 2);
	assert_null(find(&rows, LOAD));
	assert_int_equal(rows.lost, 1);
	free(rows.row);
}

/* What cannot be is lost, not guessed. */
static void test_lost(void **state)
{
	struct probe_counter_row raw[] = {{.site = GROUP}};
	struct proved_launch other = launch;
	struct proved_rows rows;

	(void)state;
	fill_table();
	raw[0].value[PROBE_B_MISSES] = 41;
	rows = make(&launch, raw, 1);
	assert_int_equal(rows.count, 0);
	assert_int_equal(rows.lost, 2);
	assert_int_equal(rows.sites_lost, 2);
	assert_int_not_equal(rows.site_lost[0].site, rows.site_lost[1].site);
	assert_non_null(strstr(rows.site_lost[1].why, "contradict"));
	free(rows.row);
	other.partial = true;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.lost, 2);
	assert_non_null(strstr(rows.site_lost[0].why, "rows of its launch were lost"));
	free(rows.row);
	other = launch;
	other.argument_bytes = 11;
	rows = make(&other, NULL, 0);
	assert_int_equal(rows.count, 1); /* the LDS access needs no argument */
	assert_int_equal(rows.lost, 1);
	assert_non_null(strstr(rows.site_lost[0].why, "arguments"));
	free(rows.row);
	other = launch;
	other.kernel = "other";
	rows = make(&other, raw, 1);
	assert_int_equal(rows.count, 0);
	free(rows.row);
}

/* 9 bytes from lane to lane, in whole waves and short ones; and the same bytes 4 behind. */
static void test_exact_rows(void **state)
{
	static struct probe_expr_op ops[] = {
		{.code = PROBE_EXPR_OF, .bits = 64, .value = LOAD},
		{.code = PROBE_EXPR_ITEM, .bits = 32},
		{.code = PROBE_EXPR_CONSTANT, .bits = 32, .value = 9},
		{.code = PROBE_EXPR_MUL, .bits = 32},
		{.code = PROBE_EXPR_OF, .bits = 64, .value = LDS},
		{.code = PROBE_EXPR_BESIDE, .bits = 64, .offset = LOAD, .value = 4},
	};
	struct proved_launch odd = launch, large = launch;
	struct proved_rows rows;

	(void)state;
	fill_table();
	table.exprs = ops;
	table.expr_ops = sizeof(ops) / sizeof(ops[0]);
	sites[LDS].space = PROBE_SPACE_GLOBAL;
	groups[0].parent = PROBE_ROW_NONE;
	groups[0].flags = PROBE_GROUP_ONCE | PROBE_GROUP_LANES | PROBE_GROUP_LANES_ONLY;
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
	large.grid[0] = 32 * 2 * PROBE_RECKONED_WAVES;
	rows = make(&large, NULL, 0);
	assert_int_equal(rows.lost, 0);
	assert_int_equal(rows.count, 0);
	free(rows.row);
	/* Who is beside a site that is beside one. */
	ops[1] = (struct probe_expr_op){.code = PROBE_EXPR_BESIDE, .bits = 64, .offset = LDS};
	rows = make(&odd, NULL, 0);
	assert_int_equal(rows.lost, 2);
	free(rows.row);
	table.exprs = NULL;
	table.expr_ops = 0;
}

/* A table that points anywhere. */
static void test_hostile(void **state)
{
	static const uint32_t values[] = {0,	     1,	    GUARD,    GROUP,	     CELLS,
					  SITES - 1, SITES, 1u << 31, PROBE_ROW_NONE};
	struct probe_counter_row raw[] = {{.site = CELLS}, {.site = GROUP}, {.site = 12345}};

	(void)state;
	memset(raw[0].value, 0xff, sizeof(raw[0].value));
	memset(raw[1].value, 0xff, sizeof(raw[1].value));
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++)
			for (uint32_t at = 0; at <= GROUP; at++) {
				struct proved_rows rows;

				fill_table();
				proofs[at].group = values[i];
				proofs[at].aligned = proofs[at].rising = 1;
				proofs[at].address = (uint8_t)values[k];
				groups[0].parent = predicates[0].parent = values[i];
				groups[0].flags = at == LOAD ? ~0u : at;
				predicates[0].launch = at == LDS;
				groups[0].mask_rows = values[k];
				groups[0].residue_rows = values[k];
				groups[0].prefix_rows = values[k];
				memset(proofs[at].bitfield, (int)values[k],
				       sizeof(proofs[at].bitfield));
				rows = make(&launch, raw, 3);
				free(rows.row);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_regular), cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_groups),	    cmocka_unit_test(test_bitfields),
		cmocka_unit_test(test_bins),	    cmocka_unit_test(test_classes),
		cmocka_unit_test(test_lost),	    cmocka_unit_test(test_exact_rows),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
