/* SPDX-License-Identifier: MIT */
/* What groups count in heads and windows, against the same executions counted in cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/proved_table.h"

/* Waves of which the first lanes are active cost the same in heads as in cells. */
static void test_heads(void **state)
{
	struct probe_counter_row headed[PROBE_HEAD_ROWS] = {0}, celled[PROBE_CELL_ROWS] = {0};
	struct probe_cell_row cells[PROBE_CELL_ROWS] = {0};
	struct proved_rows heads, others;

	(void)state;
	fill_table();
	proofs[GROUP].flags = PROBE_PROOF_HEADS;
	proofs[GROUP].stride[0].offset = HEADS;
	for (uint32_t i = 0; i < PROBE_HEAD_ROWS; i++)
		headed[i].site = HEADS + i;
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t times = i * 7 % 11;

		for (uint32_t lane = 0; lane <= i; lane++)
			headed[lane / PROBE_HEAD_WORDS].value[lane % PROBE_HEAD_WORDS] += times;
		cells[i / 4].count[i % 4] = times;
		cells[i / 4].cell[i % 4] =
			(struct probe_exec_cell){~0ull >> (63 - i), PROBE_CELL_TAKEN};
	}
	for (uint32_t i = 0; i < PROBE_CELL_ROWS; i++) {
		celled[i].site = CELLS + i;
		memcpy(celled[i].value, &cells[i], sizeof(cells[i]));
	}
	heads = make(&launch, headed, PROBE_HEAD_ROWS);
	others = make(&launch, celled, PROBE_CELL_ROWS);
	assert_int_equal(heads.lost + others.lost, 0);
	assert_int_equal(heads.count, 2);
	assert_int_equal(others.count, 2);
	assert_int_equal(find(&heads, LOAD)[PROBE_C_EXECUTIONS], headed[0].value[0]);
	for (size_t i = 0; i < 2; i++)
		assert_memory_equal(&heads.row[i], &others.row[i], sizeof(heads.row[i]));
	free(heads.row);
	free(others.row);
	/* The next lane was there more often. */
	headed[0].value[1] = headed[0].value[0] + 1;
	heads = make(&launch, headed, PROBE_HEAD_ROWS);
	assert_int_equal(heads.sites_lost, 2);
	free(heads.row);
}

/* What the device does with an execution whose first window's line is at `place`. */
static void put_window(struct probe_counter_row *row, uint64_t exec, uint32_t place)
{
	uint32_t lanes = (uint32_t)__builtin_popcountll(exec), key = 0;

	for (uint32_t i = 0; i < 4; i++)
		key |= (uint32_t)((exec >> 16 * i & 0xffff) != 0) << i;
	key = lanes == 1 ? 0 : key;
	key |= (place ? PROBE_WINDOW_PLACE : 0) | (lanes - 1) / 16 * PROBE_WINDOW_LANES;
	row[key / PROBE_WINDOW_WORDS].value[key % PROBE_WINDOW_WORDS]++;
	row[PROBE_WINDOW_ROWS - 1].value[0] += lanes;
}

static uint64_t random_exec(void)
{
	uint64_t exec = 0;

	for (int i = 0; i < 5; i++)
		exec = exec << 13 ^ (uint64_t)rand();
	for (int i = rand() % 4; i > 0; i--)
		exec &= (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
	return exec;
}

/* Masks of every density, in rows of 32 words so far apart: in windows and in cells. */
static void check_windows(uint32_t pitch)
{
	struct probe_counter_row windowed[PROBE_WINDOW_ROWS] = {0}, celled[PROBE_CELL_ROWS] = {0};
	struct probe_cell_row cells[PROBE_CELL_ROWS] = {0};
	const uint32_t arguments[3] = {0, 0, pitch};
	struct proved_launch with = launch;
	struct proved_rows windows, others;

	fill_table();
	with.arguments = (const unsigned char *)arguments;
	proofs[LDS] = (struct probe_site_proof){.group = GROUP, .shared = SUM};
	sites[LDS].space = PROBE_SPACE_GLOBAL;
	proofs[GROUP].flags = PROBE_PROOF_WINDOWS;
	proofs[GROUP].stride[1].offset = WINDOWS;
	for (uint32_t i = 0; i < PROBE_CELL_ROWS * PROBE_ROW_CELLS; i++) {
		uint64_t exec = random_exec();
		uint32_t first, place = (uint32_t)rand() % 2 * 64;

		if (!exec || (__builtin_popcountll(exec) < 5 && exec >> 16))
			exec = 1ull << i;
		first = (uint32_t)__builtin_ctzll(exec) % 16;
		put_window(windowed, exec, place);
		cells[i / 4].count[i % 4] = 1;
		cells[i / 4].cell[i % 4] =
			(struct probe_exec_cell){exec, PROBE_CELL_TAKEN | (place + 4 * first)};
	}
	for (uint32_t i = 0; i < PROBE_WINDOW_ROWS; i++)
		windowed[i].site = WINDOWS + i;
	for (uint32_t i = 0; i < PROBE_CELL_ROWS; i++) {
		celled[i].site = CELLS + i;
		memcpy(celled[i].value, &cells[i], sizeof(cells[i]));
	}
	windows = make(&with, windowed, PROBE_WINDOW_ROWS);
	others = make(&with, celled, PROBE_CELL_ROWS);
	assert_int_equal(windows.lost + others.lost, 0);
	assert_int_equal(windows.count, 2);
	assert_int_equal(others.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_memory_equal(&windows.row[i], &others.row[i], sizeof(windows.row[i]));
	free(windows.row);
	free(others.row);
}

static void test_windows(void **state)
{
	static const uint32_t pitches[] = {0, 16, 32, 48, 64, 80, 1024};

	(void)state;
	srand(2);
	for (int i = 0; i < 70; i++)
		check_windows(pitches[i % 7]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
