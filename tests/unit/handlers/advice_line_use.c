/* SPDX-License-Identifier: MIT */
/* How many bytes of a cache line an access uses, and it and those near it. */
#include "tests/unit/handlers/send_records.h"

#define X	PROBE_TERM_ITEM
#define GROUP_X PROBE_TERM_GROUP
#define SIZE	PROBE_TERM_SIZE
#define VALUE	PROBE_TERM_VALUE
#define TERM(values, by)                                                                           \
	{                                                                                          \
		.of = (values), .step = (by)                                                       \
	}

enum { ACCESSES = 3 };
static const uint64_t memory = 0x7f0000000000;

struct accesses {
	int64_t stride;
	struct {
		int32_t at;
		uint16_t bytes; /* 0 = no access */
	} access[ACCESSES];
};

/* Two waves; `exec` of both. */
static void run(const struct accesses *accesses, const uint64_t exec[2],
		const struct probe_site_term *terms)
{
	if (!instance)
		start(NULL);
	for (unsigned i = 0; i < ACCESSES && accesses->access[i].bytes; i++) {
		uint16_t bytes = accesses->access[i].bytes;
		uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, bytes, bytes);

		host_state.sites[site].near_site = 0;
		host_state.sites[site].near_distance =
			accesses->access[i].at - accesses->access[0].at;
		host_state.sites[site].line = 7 + i;
		host_state.sites[site].address_class = PROBE_ADDRESS_AFFINE;
		if (terms)
			set_terms(site, terms);
	}
	for (unsigned i = 0; i < ACCESSES && accesses->access[i].bytes; i++)
		for (unsigned wave = 0; wave < 2; wave++)
			send_affine(
				i, exec[wave],
				memory + (uint64_t)accesses->access[i].at +
					(uint64_t)accesses->stride *
						(64 * wave + (unsigned)__builtin_ctzll(exec[wave])),
				accesses->stride);
	finish();
}

static void expect(size_t site, double own, double shared, const char *cause)
{
	double is = host_real(&host_state, site, "line_used");
	double with = host_real(&host_state, site, "line_used_near");
	const char *text = host_text(&host_state, site, "cause");

	if (is < own - 0.01 || is > own + 0.01 || with < shared - 0.01 || with > shared + 0.01 ||
	    !strstr(text, cause))
		fail_msg("site %zu: %g and %g, not %g and %g; %s", site, is, with, own, shared,
			 text);
}

static const uint64_t all[2] = {~0ull, ~0ull};

/* What neighbouring lanes use counts, as far as it is in the lines of the same wave. */
static void test_neighbours(void **state)
{
	static const struct {
		struct accesses accesses;
		double own[ACCESSES], shared;
	} cases[] = {
		/* a[2 * t] + a[2 * t + 3] */
		{{8, {{0, 4}, {12, 4}}}, {64, 64}, 128},
		/* The first two loads of a[2 * t] + a[2 * t + 1] + a[2 * t + 2] are one. */
		{{8, {{0, 8}, {8, 4}}}, {128, 64}, 128},
		{{16, {{0, 4}, {28, 4}}}, {32, 32}, 64},
		{{16, {{4, 4}, {44, 4}, {80, 4}}}, {32, 32, 32}, 96},
		{{-16, {{4, 4}, {44, 4}, {80, 4}}}, {32, 32, 32}, 96},
		/* The same bytes of other lanes. */
		{{16, {{0, 4}, {32, 4}}}, {32, 32}, 32},
		/* Lanes are farther apart than lines are long. */
		{{512, {{0, 4}, {516, 4}}}, {4, 4}, 8},
		{{512, {{0, 4}, {256, 4}}}, {4, 4}, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run(&cases[i].accesses, all, NULL);
		for (unsigned k = 0; k < ACCESSES && cases[i].accesses.access[k].bytes; k++)
			expect(k, cases[i].own[k], cases[i].shared, "");
	}
}

/* Only some lines are shared, or those of another wave; all lanes are less far apart than that. */
static void test_far(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {
		TERM(X, 16), TERM(GROUP_X | SIZE, 16), TERM(VALUE, 8)};
	static const struct accesses far = {16, {{0, 8}, {16392, 8}}};
	static const struct accesses half = {16, {{0, 8}, {520, 8}}};

	(void)state;
	dispatch.grid[0] = 128;
	dispatch.grid[1] = dispatch.grid[2] = 1;
	run(&far, all, terms);
	for (unsigned k = 0; k < 2; k++)
		expect(k, 64, 64, ": 64 of 128 B of each cache line are used by this access");
	assert_null(strstr(host_text(&host_state, 0, "cause"), "next to it"));
	run(&half, all, terms);
	for (unsigned k = 0; k < 2; k++)
		expect(k, 64, 0, ": 64 of 128 B of each cache line are used by this access");
	assert_null(strstr(host_text(&host_state, 0, "cause"), "next to it"));
	/* Nothing is known of other workgroups. */
	run(&far, all, NULL);
	for (unsigned k = 0; k < 2; k++)
		expect(k, 64, 0, ": 64 of 128 B of each cache line are used by this access");
	memset(dispatch.grid, 0, sizeof(dispatch.grid));
}

/* Lanes in between are idle: what was requested was counted. */
static void test_idle(void **state)
{
	static const struct accesses one = {12, {{0, 4}}}, two = {12, {{0, 4}, {4, 4}}};
	static const struct accesses four = {16, {{0, 4}}}, far = {256, {{0, 4}, {4, 4}}};
	static const struct accesses three = {3, {{0, 2}, {2, 1}}};
	uint64_t fifths[2] = {0}, halves[2] = {0}, prefix[2] = {~0ull, ~0ull >> 1};

	(void)state;
	for (unsigned i = 0; i < 128; i++) {
		fifths[i / 64] |= (uint64_t)(i % 5 != 2) << i % 64;
		halves[i / 64] |= (uint64_t)(i % 8 < 4) << i % 64;
	}
	run(&one, fifths, NULL);
	expect(0, 34, 34, ": on average 34 of 128 B of each cache line are used by this access");
	run(&two, fifths, NULL);
	expect(0, 34, 0, ": on average 34 of 128 B of each cache line are used by this access");
	run(&four, halves, NULL);
	expect(0, 16, 16, "");
	/* Nearly all lines are used alike. */
	run(&two, prefix, NULL);
	expect(0, 42.67, 85.33,
	       ": on average 42.67 of 128 B of each cache line are used by this access, 85.33");
	/* As if (t < n): edges of waves are much of what is requested. */
	run(&three, prefix, NULL);
	expect(0, 85.33, 128, "");
	/* Each lane has a line of its own. */
	run(&far, fifths, NULL);
	expect(0, 4, 8, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_neighbours, start),
		cmocka_unit_test_setup(test_far, start),
		cmocka_unit_test_setup(test_idle, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
