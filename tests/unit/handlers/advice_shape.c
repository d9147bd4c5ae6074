/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler for waves that have several rows, from the terms of addresses. */
#include "tests/unit/handlers/send_records.h"

#define X	    PROBE_TERM_ITEM
#define Y	    (PROBE_TERM_ITEM << 1)
#define Z	    (PROBE_TERM_ITEM << 2)
#define GROUP_X	    PROBE_TERM_GROUP
#define SIZE	    PROBE_TERM_SIZE
#define VALUE	    PROBE_TERM_VALUE
#define LOOP	    PROBE_TERM_LOOP
#define SWAP	    "let threadIdx.x run along consecutive addresses (swap the loops or indices)"
#define WIDER(to)   "make the workgroup wider, for example " to
#define MADE(shape) ", adapting any arrays and constants of the kernel that are made for " shape
#define LINES	    " cache lines of 128 B after, "

/* The waves of one workgroup, whose lanes are `step` bytes apart along each axis. */
static void send_group(uint32_t site, const int64_t step[3])
{
	const uint32_t *group = dispatch.group;
	uint64_t addr[64],
		base = host_state.sites[site].space == PROBE_SPACE_LDS ? 0 : 0x7f0000000000;

	for (uint32_t item = 0; item < group[0] * group[1] * group[2]; item++) {
		addr[item % 64] = base + (uint64_t)(item % group[0] * step[0] +
						    item / group[0] % group[1] * step[1] +
						    item / group[0] / group[1] * step[2]);
		if (item % 64 == 63)
			send_full(site, addr);
	}
}

static void expect_fix(uint32_t site, const char *fix)
{
	if (strncmp(host_text(&host_state, site, "fix"), fix, strlen(fix)))
		fail_msg("%s\n%s\n%s", fix, host_text(&host_state, site, "fix"),
			 host_text(&host_state, site, "cause"));
}

/* Four waves, which touch so many cache lines each, without a stride. */
static void send_counters(uint64_t lines)
{
	struct probe_counter_row row = {.site = 0};
	uint64_t *c = row.value;

	c[PROBE_C_EXECUTIONS] = 4;
	c[PROBE_C_LANES] = 256;
	c[PROBE_C_LINES64] = c[PROBE_C_LINES128] = 4 * lines;
	c[PROBE_C_NEEDED64] = 16;
	c[PROBE_C_NEEDED128] = 8;
	c[PROBE_C_EXCESS64] = 4 * lines - 16;
	c[PROBE_C_EXCESS128] = 4 * lines - 8;
	send_counter_rows(&row, 1);
}

/* a[(z * ny + y) * nx + x], in any order, with sizes that are arguments. */
static void test_volumes(void **state)
{
	const struct probe_dispatch_info before = dispatch;
	static const struct {
		struct probe_site_term terms[SEND_TERMS];
		const char *fix;
		uint8_t class; /* 0 = computed */
	} cases[] = {
		{{{.of = X, .step = 4}, {.of = Y | VALUE, .step = 4}, {.of = Z | VALUE, .step = 4}},
		 WIDER("dim3(64, 4)") ", so that a wave is in one row; verified: at most 3" LINES,
		 0},
		{{{.of = Z, .step = 4},
		  {.of = GROUP_X << 2 | SIZE, .step = 4},
		  {.of = Y | VALUE, .step = 4},
		  {.of = X | VALUE, .step = 4}},
		 SWAP ", or pass a tile through LDS; verified: at most 16" LINES,
		 0},
		{{{.of = Y, .step = 4},
		  {.of = GROUP_X << 1 | SIZE, .step = 4},
		  {.of = Z | VALUE, .step = 4},
		  {.of = X | VALUE, .step = 4}},
		 SWAP ", or pass a tile through LDS; verified: at most 16" LINES,
		 0},
		/* Neither is known. */
		{{{.of = PROBE_TERM_UNKNOWN}}, "", 0},
		{{{.of = X | PROBE_TERM_PART, .step = 4}, {.of = Z, .step = 4}}, "", 0},
		/* A loaded index may be another one in each lane. */
		{{{.of = X, .step = 4}, {.of = VALUE, .step = 4}}, "", PROBE_ADDRESS_GATHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!instance)
			start(NULL);
		dispatch.group[0] = dispatch.group[1] = 8;
		dispatch.group[2] = 4;
		dispatch.grid[0] = dispatch.grid[1] = dispatch.grid[2] = 64;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].address_class =
			cases[i].class ? cases[i].class : PROBE_ADDRESS_COMPUTED;
		host_state.sites[0].align = 4;
		set_terms(0, cases[i].terms);
		send_counters(32);
		finish();
		if (*cases[i].fix)
			expect_fix(0, cases[i].fix);
		else
			assert_string_equal(host_text(&host_state, 0, "fix"), "");
	}
	dispatch = before;
}

/* What else the launch of a wider workgroup needs. */
static void test_fixed_shapes(void **state)
{
	static const struct {
		struct probe_site_term terms[SEND_TERMS], lds[SEND_TERMS];
		const char *fix;
	} cases[] = {
		{{{.of = X, .step = 4}, {.of = GROUP_X | SIZE, .step = 4}, {.of = Y, .step = 4096}},
		 {{0}},
		 WIDER("dim3(64, 4)") ", so"},
		{{{.of = X, .step = 4}, {.of = GROUP_X, .step = 64}, {.of = Y, .step = 4096}},
		 {{0}},
		 WIDER("dim3(64, 4)") MADE("dim3(16, 16)") ", so"},
		{{{.of = X, .step = 4}, {.of = LOOP, .step = 65536}, {.of = Y, .step = 4096}},
		 {{0}},
		 WIDER("dim3(64, 4)") MADE("dim3(16, 16)") ", so"},
		/* A tile, and an array with an element for each work-item of any shape. */
		{{{.of = X, .step = 4}, {.of = Y, .step = 4096}},
		 {{.of = X, .step = 4}, {.of = Y, .step = 68}},
		 WIDER("dim3(64, 4)") MADE("dim3(16, 16)") ", so"},
		{{{.of = X, .step = 4}, {.of = Y, .step = 4096}},
		 {{.of = X, .step = 4}, {.of = Y | SIZE, .step = 4}},
		 WIDER("dim3(64, 4)") ", so"},
	};
	static const int64_t step[3] = {4, 4096, 0}, tile[3] = {4, 68, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!instance)
			start(NULL);
		dispatch.group[0] = dispatch.group[1] = 16;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
		for (unsigned k = 0; k < 2; k++) {
			host_state.sites[k].align = 4;
			host_state.sites[k].address_class = PROBE_ADDRESS_ROWS;
			set_terms(k, k ? cases[i].lds : cases[i].terms);
			send_group(k, k ? tile : step);
		}
		finish();
		expect_fix(0, cases[i].fix);
	}
}

/* Updates of a word per row, or of a row of words, by the work-items of 16 x 16. */
static void test_words_of_groups(void **state)
{
	static const struct probe_site_term rows[SEND_TERMS] = {{.of = Y, .step = 4}},
					    columns[SEND_TERMS] = {{.of = X, .step = 4}};
	static const int64_t by_row[3] = {0, 4, 0}, by_column[3] = {4, 0, 0};
	uint32_t row = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t column = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	dispatch.group[0] = dispatch.group[1] = 16;
	set_terms(row, rows);
	set_terms(column, columns);
	host_state.sites[row].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[column].address_class = PROBE_ADDRESS_AFFINE;
	send_group(row, by_row);
	send_group(column, by_column);
	finish();
	assert_string_equal(host_text(&host_state, row, "fix"),
			    "reduce within the wave first (cross-lane operations) and let one lane "
			    "update each word; verified: at most 4 updates after, 64 before (per "
			    "execution)");
	assert_true(host_real(&host_state, column, "after") == 16);
}

/* One work-item wide, where addresses are contiguous in x: a mistake of the launch. */
static void test_column(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {
		{.of = X, .step = 4}, {.of = GROUP_X | SIZE, .step = 4}, {.of = Y, .step = 4096}};

	(void)state;
	dispatch.group[0] = 1;
	dispatch.group[1] = 64;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[0].align = 4;
	host_state.sites[0].address_class = PROBE_ADDRESS_ROWS;
	set_terms(0, terms);
	send_affine(0, ~0ull, 0x7f0000000000, 4096);
	finish();
	expect_fix(
		0,
		WIDER("dim3(64, 1)") ", so that a wave is in one row; verified: at most 3" LINES);
}

/* t / 16 * pitch + t % 16, by proof. */
static void test_runs(void **state)
{
	static const struct probe_site_stride none[3];
	static const struct probe_site_bitfield fields[PROBE_BITFIELDS] = {
		{.scale = 4, .mask = 15}, {.scale = 512, .shift = 4, .mask = 63}};
	uint64_t addr[64];

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	dispatch.group[0] = 256;
	host_state.sites[0].address_class = PROBE_ADDRESS_ROWS;
	host_state.sites[0].align = 4;
	host_state.sites[0].strides = none;
	host_state.sites[0].bitfields = fields;
	for (unsigned first = 0; first < 256; first += 64) {
		for (unsigned l = first; l < first + 64; l++)
			addr[l % 64] = 0x7f0000000000 + l % 16 * 4 + l / 16 * 512;
		send_full(0, addr);
	}
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "runs of 16 lanes are contiguous, but apart from each other: 4.0 cache "
			    "lines of 128 B touched, 2.0 needed");
	expect_fix(0, "let 64 consecutive lanes use consecutive elements (wider rows: t % 64 and t "
		      "/ 64 instead of t % 16 and t / 16); estimate: 3" LINES);
}

/*
 * o[t / run * pitch + t % run] of workgroups of 128, of an id in the grid or in the workgroup. The
 * last wave has 60 active lanes.
 */
static void send_runs(uint32_t site, unsigned groups, unsigned run, bool grid)
{
	dispatch.group[0] = 128;
	dispatch.grid[0] = 128 * groups;
	dispatch.grid[1] = dispatch.grid[2] = 1;
	for (uint32_t item = 0; item < 128 * groups; item += 64) {
		struct probe_wave_info wave = {.group = {item / 128, 0, 0}, .wave = item / 64 % 2};
		uint64_t addr[64];

		for (uint32_t lane = 0; lane < 64; lane++) {
			uint32_t t = grid ? item + lane : (item + lane) % 128;

			addr[lane] = 0x7f0000000040 + t / run * 1000ull + t % run * 4ull;
		}
		send_lanes(site, &wave, item + 64 == 128 * groups ? ~0ull >> 4 : ~0ull, addr);
	}
}

static uint32_t add_computed(void)
{
	uint32_t site = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);

	host_state.sites[site].address_class = PROBE_ADDRESS_COMPUTED;
	host_state.sites[site].align = 4;
	return site;
}

static bool names_runs(uint32_t site, unsigned run)
{
	char text[64];

	snprintf(text, sizeof(text), "runs of %u lanes are contiguous", run);
	return !strncmp(host_text(&host_state, site, "cause"), text, strlen(text));
}

/* Runs that do not divide a wave begin at other lanes in each wave. */
static void test_runs_recorded(void **state)
{
	static const unsigned runs[] = {2, 7, 12, 16, 20, 24, 48};
	enum { RUNS = sizeof(runs) / sizeof(runs[0]) };

	(void)state;
	for (unsigned i = 0; i < 2 * RUNS; i++)
		add_computed();
	for (unsigned i = 0; i < 2 * RUNS; i++)
		send_runs(i, 3, runs[i / 2], i % 2);
	finish();
	for (unsigned i = 0; i < 2 * RUNS; i++) {
		char formula[32];

		snprintf(formula, sizeof(formula), "instead of t %% %u and", runs[i / 2]);
		if (!names_runs(i, runs[i / 2]) ||
		    !strstr(host_text(&host_state, i, "fix"), formula))
			fail_msg("%u: %s\n%s", runs[i / 2], host_text(&host_state, i, "cause"),
				 host_text(&host_state, i, "fix"));
	}
}

/* Of launches with other runs there is no common one; nor does one break show any. */
static void test_runs_unknown(void **state)
{
	uint32_t both = add_computed(), one = add_computed(), longer = add_computed();
	uint64_t addr[64];

	(void)state;
	send_runs(both, 3, 20, true);
	send_runs(both, 3, 10, true);
	send_runs(longer, 2, 100, true);
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane * 4 + lane / 48 * 400;
	send_full(one, addr);
	finish();
	for (uint32_t site = both; site <= one; site++)
		if (strstr(host_text(&host_state, site, "cause"), "runs of"))
			fail_msg("%s", host_text(&host_state, site, "cause"));
	/* Rows that are longer than a wave need not be longer. */
	assert_true(names_runs(longer, 100));
	assert_string_equal(host_text(&host_state, longer, "fix"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_volumes, start),
		cmocka_unit_test_setup(test_fixed_shapes, start),
		cmocka_unit_test_setup(test_words_of_groups, start),
		cmocka_unit_test_setup(test_column, start),
		cmocka_unit_test_setup(test_runs, start),
		cmocka_unit_test_setup(test_runs_recorded, start),
		cmocka_unit_test_setup(test_runs_unknown, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
