/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler about LDS, by the elements of the source. */
#include "tests/unit/handlers/send_records.h"

enum { EXECUTIONS = 10 };

static uint32_t add(uint16_t bytes, uint16_t variable, uint32_t element)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, bytes, bytes);

	host_state.sites[site].variable = variable;
	host_state.sites[site].element = element;
	return site;
}

/* Executions of full waves with lanes `stride` bytes apart, by their addresses or by counters. */
static void run(uint32_t site, int64_t stride, bool traced)
{
	struct probe_counter_row row = {.site = site};
	uint64_t *c = row.value;

	for (int i = 0; i < EXECUTIONS && traced; i++)
		send_affine(site, ~0ull, 0, stride);
	if (traced)
		return;
	c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = EXECUTIONS;
	c[PROBE_C_LANES] = 64 * EXECUTIONS;
	c[PROBE_C_IDEAL_PASSES] = 4 * EXECUTIONS;
	c[PROBE_C_PASSES] = 64 * EXECUTIONS;
	c[PROBE_C_MAX_WAY] = 16;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
	send_counter_rows(&row, 1);
}

/*
 * Columns that an exclusive-or moves are elements of the source: the compiler does not merge
 * accesses to them afterwards.
 */
static void test_columns(void **state)
{
	static const struct {
		uint16_t bytes;
		uint32_t element;
		bool columns;
	} cases[] = {
		{8, 8, true},
		{8, 4, false},
		{16, 16, true},
		{16, 8, false},
		{4, 4, true},
		/* Unknown, or raw space. */
		{4, 0, true},
		{4, 1, true},
		{8, 0, false},
		{8, 1, false},
		/* Members of structs. */
		{4, 8, false},
		{8, 16, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned how = 0; how < 8; how++) {
			const char *fix;

			if (!instance)
				start(state);
			/* With another access to the variable, and of one that is unknown. */
			for (unsigned n = 0; n <= (how & 1); n++)
				run(add(cases[i].bytes, how & 2 ? 7 : 0, cases[i].element), 128,
				    how & 4);
			finish();
			fix = host_text(&host_state, 0, "fix");
			assert_int_equal(strncmp(fix, "pad ", 4), 0);
			if (strstr(fix, "column c") ? !cases[i].columns : cases[i].columns)
				fail_msg("%u B of %u: %s", cases[i].bytes, cases[i].element, fix);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_columns, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
