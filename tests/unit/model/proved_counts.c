/* SPDX-License-Identifier: MIT */
/* What groups count in heads, against the same executions counted in cells. */
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
	groups[0].parent = PROBE_ROW_NONE;
	groups[0].flags = 0;
	groups[0].prefix_rows = HEADS;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
