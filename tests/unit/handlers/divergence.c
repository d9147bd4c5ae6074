/* SPDX-License-Identifier: MIT */
/* The divergence handler, compared with counting lane by lane. */
#include <math.h>

#include "tests/unit/handlers/random_accesses.h"

extern const struct probe_handler probe_handler;

static struct host_state state;
static struct probe_host host;
static void *instance;

static int start(void **unused)
{
	(void)unused;
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	return probe_handler.open(&host, &instance);
}

struct want {
	int64_t executions, lanes, bins[5], whole, partial, branch;
};

static void want_access(struct want *want, const struct random_access *random)
{
	int64_t active = 0;
	bool whole = true;

	for (unsigned lane = 0; lane < 64; lane++) {
		bool born = random->wave.exec >> lane & 1;

		active += random->active[lane];
		whole = whole && born == random->active[lane];
		want->partial += !born && !random->active[lane];
		want->branch += born && !random->active[lane];
	}
	want->executions++;
	want->lanes += active;
	want->whole += whole;
	want->bins[active == 1 ? 0 : active < 16 ? 1 : active < 32 ? 2 : active < 64 ? 3 : 4]++;
}

static void test_random(void **unused)
{
	static const char *const bins[] = {"lanes_1", "lanes_2_15", "lanes_16_31", "lanes_32_63",
					   "lanes_64"};
	static struct random_access random;
	struct want want[HOST_SITES] = {0};
	uint64_t seed = 88172645463325252ull;

	(void)unused;
	random_add_sites(&state);
	for (uint32_t i = 0; i < state.site_count * 200; i++) {
		uint32_t id = i % state.site_count;

		random_access(&seed, &state.sites[id], &random);
		/* random_access() uses only lanes with which the wave began. */
		random.wave.exec |= random.access.exec;
		random_send(&probe_handler, instance, &random.access, 1);
		want_access(&want[id], &random);
	}
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, state.site_count);
	assert_int_equal(state.logged, 0);
	for (size_t row = 0; row < state.row_count; row++) {
		const struct want *w = &want[host_get(&state, row, "site")];

		assert_int_equal(host_get(&state, row, "kernel"), 5);
		assert_int_equal(host_get(&state, row, "executions"), w->executions);
		assert_int_equal(host_get(&state, row, "lanes"), w->lanes);
		for (unsigned bin = 0; bin < 5; bin++)
			assert_int_equal(host_get(&state, row, bins[bin]), w->bins[bin]);
		assert_int_equal(host_get(&state, row, "whole"), w->whole);
		assert_int_equal(host_get(&state, row, "idle_partial"), w->partial);
		assert_int_equal(host_get(&state, row, "idle_branch"), w->branch);
		assert_int_equal(w->lanes + w->partial + w->branch, 64 * w->executions);
		assert_true(fabs(host_real(&state, row, "uniform_share") -
				 (double)host_get(&state, row, "whole") /
					 (double)host_get(&state, row, "executions")) < 1e-12);
		assert_true(fabs(host_real(&state, row, "idle_share") -
				 (double)(w->partial + w->branch) /
					 (64.0 * (double)w->executions)) < 1e-12);
	}
}

static void test_bad_input(void **unused)
{
	struct probe_access access = {.site = 1, .form = PROBE_FORM_AFFINE, .lanes = 1, .exec = 1};

	(void)unused;
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	random_send(&probe_handler, instance, &access, 1);
	access.site = 0;
	access.exec = 0;
	random_send(&probe_handler, instance, &access, 1);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 0);
	assert_int_equal(state.logged, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_bad_input, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
