/* SPDX-License-Identifier: MIT */
/* Counters of all replicas are added, or their maximum is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <probe/wire.h>

#include "hsa-plugin/queue/counter_sum.h"

static void counters_are_summed(void **state)
{
	enum { REPLICAS = 4, SITES = 3 };
	uint64_t table[REPLICAS][SITES][PROBE_COUNTERS];

	(void)state;
	for (uint64_t r = 0; r < REPLICAS; r++)
		for (uint64_t s = 0; s < SITES; s++)
			for (uint64_t c = 0; c < PROBE_COUNTERS; c++)
				table[r][s][c] = (r * 7 + s * 3 + c) % 11;
	uint64_t want[SITES][PROBE_COUNTERS] = {0};

	for (uint64_t r = 0; r < REPLICAS; r++)
		for (uint64_t s = 0; s < SITES; s++)
			for (uint64_t c = 0; c < PROBE_COUNTERS; c++) {
				uint64_t value = table[r][s][c];

				if (c <= PROBE_C_AFFINE)
					want[s][c] += value;
				else if (value > want[s][c])
					want[s][c] = value;
			}
	probe_counters_sum(&table[0][0][0], REPLICAS, SITES);
	assert_memory_equal(table[0], want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
