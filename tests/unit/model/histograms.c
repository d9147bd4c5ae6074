/* SPDX-License-Identifier: MIT */
/* Executions counted in one histogram, against the same ones counted in another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/derived_table.h"

/* Waves of which the first lanes are active cost the same in both. */
static void test_prefixes(void **state)
{
	struct probe_counter_row by_prefix[PROBE_PREFIX_ROWS] = {0},
				 by_mask[PROBE_BUCKET_ROWS] = {0};
	struct probe_bucket_row masks[PROBE_BUCKET_ROWS] = {0};
	struct derived_rows prefixes, others;

	(void)state;
	fill_table();
	group.flags = 0;
	group.predicate = DERIVED_NONE;
	histograms[1] = (struct site_histogram){HISTOGRAM_PREFIXES, PREFIXES, PROBE_PREFIX_ROWS};
	for (uint32_t i = 0; i < PROBE_PREFIX_ROWS; i++)
		by_prefix[i].site = PREFIXES + i;
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t times = i * 7 % 11;

		for (uint32_t lane = 0; lane <= i; lane++)
			by_prefix[lane / PROBE_PREFIX_WORDS].value[lane % PROBE_PREFIX_WORDS] +=
				times;
		masks[i / 4].count[i % 4] = times;
		masks[i / 4].bucket[i % 4] =
			(struct probe_exec_bucket){~0ull >> (63 - i), PROBE_BUCKET_TAKEN};
	}
	for (uint32_t i = 0; i < PROBE_BUCKET_ROWS; i++) {
		by_mask[i].site = MASKS + i;
		memcpy(by_mask[i].value, &masks[i], sizeof(masks[i]));
	}
	prefixes = make(&launch, by_prefix, PROBE_PREFIX_ROWS);
	others = make(&launch, by_mask, PROBE_BUCKET_ROWS);
	assert_int_equal(prefixes.lost + others.lost, 0);
	assert_int_equal(prefixes.count, 2);
	assert_int_equal(others.count, 2);
	assert_int_equal(find(&prefixes, LOAD)[PROBE_C_EXECUTIONS], by_prefix[0].value[0]);
	for (size_t i = 0; i < 2; i++)
		assert_memory_equal(&prefixes.row[i], &others.row[i], sizeof(prefixes.row[i]));
	free(prefixes.row);
	free(others.row);
	/* The next lane was there more often. */
	by_prefix[0].value[1] = by_prefix[0].value[0] + 1;
	prefixes = make(&launch, by_prefix, PROBE_PREFIX_ROWS);
	assert_int_equal(prefixes.sites_lost, 2);
	free(prefixes.row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
