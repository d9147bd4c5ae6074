/* SPDX-License-Identifier: MIT */
/*
 * Advice of the memory handler to align contiguous lanes, of which some are idle, and on workgroups
 * that begin within cache lines.
 */
#include "tests/unit/handlers/send_records.h"

/* A last wave that is not full is not the cause of what the offset costs. */
static void test_partial_wave(void **state)
{
	static const struct {
		uint64_t offset, exec;
		double after; /* lines of an average execution, by hand */
	} cases[] = {
		/* 3 and 2 lines (36 lanes from byte 4); then 2 and 2. */
		{4, ~0ull >> 28, 2},
		{16, ~0ull >> 28, 2},
		{64, ~0ull >> 28, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t base = 0x7f0000000000 + cases[i].offset;
		uint32_t site;

		if (!instance)
			start(NULL);
		dispatch.group[0] = 256;
		site = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
		send_affine(site, ~0ull, base, 4);
		send_affine(site, cases[i].exec, base + 256, 4);
		finish();
		assert_non_null(strstr(host_text(&host_state, 0, "cause"), "misaligned"));
		assert_int_equal(strncmp(host_text(&host_state, 0, "fix"), "align ", 6), 0);
		assert_string_equal(host_text(&host_state, 0, "verified"), "cache lines of 128 B");
		assert_true(host_real(&host_state, 0, "after") == cases[i].after);
	}
	/* 3 and 1 lines: which lanes the second one has is not known, so it may be 2 and 2 after.
	 */
	start(NULL);
	dispatch.group[0] = 256;
	add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	send_affine(0, ~0ull, 0x7f0000000004, 4);
	send_affine(0, 0xfffff, 0x7f0000000104, 4);
	finish();
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
	/* Half a wave at a distance: alignment and compaction do not change it. */
	start(NULL);
	send_affine(add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4), 0xffffffff,
		    0x7f0000000000, 8);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "lanes are 8 B apart"));
}

/* Lanes that go down: what must begin at a line is the lowest address, not that of the first lane.
 */
static void test_downwards(void **state)
{
	(void)state;
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull, 0x7f0000000410,
		    -4);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "misaligned"));
	assert_non_null(strstr(host_text(&host_state, 0, "fix"),
			       "align the lowest address of each wave, that of its last lane"));
}

/* a[blockIdx.x * n + threadIdx.x]: if workgroups overlap, no pitch aligns all of them. */
static void test_windows(void **state)
{
	static const struct {
		int64_t step;
		bool aligns;
	} cases[] = {{260, true}, {200, false}, {128, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct probe_site_term terms[SEND_TERMS] = {
			{.of = PROBE_TERM_ITEM, .step = 4},
			{.of = PROBE_TERM_GROUP, .step = cases[i].step}};

		if (!instance)
			start(state);
		dispatch.group[0] = 64;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		set_terms(0, terms);
		send_affine(0, ~0ull, 0x7f0000000004, 4);
		finish();
		assert_int_equal(!strncmp(host_text(&host_state, 0, "fix"), "align ", 6),
				 cases[i].aligns);
	}
}

/* Rows of whole lines that begin within one: that they are apart from each other costs nothing. */
static void test_rows_of_lines(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {
		{.of = PROBE_TERM_ITEM, .step = 4}, {.of = PROBE_TERM_ITEM << 1, .step = 1024}};
	uint64_t addr[64];

	(void)state;
	for (unsigned row = 16; row <= 32; row += 16) {
		if (!instance)
			start(NULL);
		dispatch.group[0] = row;
		dispatch.group[1] = 8;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
		set_terms(0, terms);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000004 + lane / row * 1024 + lane % row * 4;
		send_full(0, addr);
		finish();
		if (row == 16) {
			assert_non_null(
				strstr(host_text(&host_state, 0, "cause"), "apart from each other"));
			continue;
		}
		assert_non_null(strstr(host_text(&host_state, 0, "cause"), "but misaligned"));
		assert_non_null(strstr(host_text(&host_state, 0, "fix"),
				       "align the address of the first lane of each row"));
		assert_true(host_real(&host_state, 0, "after") == 2);
	}
}

/* Lines of 128 B that contiguous lanes of a float each touch, with lane 0 at that byte of a line.
 */
static unsigned lines_at(uint64_t exec, uint64_t first)
{
	uint64_t addr[64];

	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + first + 4 * lane;
	return ref_lines(64, 4, exec, addr).used128;
}

/*
 * Lanes that data chooses: no shift puts the first active lane of all executions at the start of a
 * line, so what is announced is that of lane 0, or of the first active lane if that is the same.
 */
static void test_lanes_by_data(void **state)
{
	static const struct {
		const char *fix; /* "" if it does not help */
		unsigned lane;	 /* that is aligned */
		uint64_t exec[4];
	} cases[] = {
		{"align the address of the first lane", 0, {~0ull, ~1ull, ~0ull << 5, ~0ull >> 7}},
		{"align the address of the first active lane",
		 40,
		 {~0ull << 40, ~0ull << 40, ~0ull << 40, ~0ull << 40}},
		{"",
		 0,
		 {0x1fffffull << 20, 0x1fffffull << 21, 0x1fffffull << 22, 0x1fffffull << 23}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double after = 0;

		if (!instance)
			start(NULL);
		dispatch.group[0] = 256;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		for (unsigned k = 0; k < 4; k++) {
			uint64_t first = (uint64_t)__builtin_ctzll(cases[i].exec[k]);

			send_affine(0, cases[i].exec[k], 0x7f0000000004 + 4 * first, 4);
			after += lines_at(cases[i].exec[k], 128 - cases[i].lane * 4 % 128);
		}
		finish();
		assert_int_equal(strncmp(host_text(&host_state, 0, "fix"), cases[i].fix,
					 strlen(cases[i].fix)),
				 0);
		assert_int_equal(!*host_text(&host_state, 0, "fix"), !*cases[i].fix);
		if (*cases[i].fix)
			assert_true(host_real(&host_state, 0, "after") == after / 4);
	}
}

/* The same from counters: what they show, and what they cannot. */
static void test_partial_wave_counted(void **state)
{
	struct probe_counter_row row = {.site = 0};
	uint64_t *c = row.value;

	c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = 2;
	c[PROBE_C_LANES] = 100;
	c[PROBE_C_LINES64] = 5 + 3;
	c[PROBE_C_NEEDED64] = 4 + 3;
	c[PROBE_C_EXCESS64] = 1;
	c[PROBE_C_LINES128] = 3 + 2;
	c[PROBE_C_NEEDED128] = 2 + 2;
	c[PROBE_C_EXCESS128] = 1;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - 4;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 4;
	for (unsigned shifted = 0; shifted < 2; shifted++) {
		if (!instance)
			start(state);
		dispatch.group[0] = 256;
		add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
		/* From byte 4 on, quads lie over the ends of lines: four and two of them. */
		c[PROBE_C_QUADS] = 2 * 16 + 6 * shifted;
		send_counter_rows(&row, 1);
		finish();
		if (shifted) {
			assert_int_equal(strncmp(host_text(&host_state, 0, "fix"), "align ", 6), 0);
			assert_true(host_real(&host_state, 0, "after") == 2);
		} else {
			assert_string_equal(host_text(&host_state, 0, "fix"), "");
		}
	}
}

/* Workgroups of 100 stores each, 400 B apart, of which some lanes are idle. */
static void send_odd_groups(const struct probe_site_term terms[SEND_TERMS], uint64_t last)
{
	uint32_t site;

	if (!instance)
		start(NULL);
	dispatch.group[0] = 100;
	site = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[site].address_class = PROBE_ADDRESS_AFFINE;
	set_terms(site, terms);
	for (unsigned group = 0; group < 5; group++) {
		send_affine(site, ~0ull, 0x7f0000000000 + group * 400, 4);
		send_affine(site, last, 0x7f0000000100 + group * 400, 4);
	}
	finish();
}

/* Waves that the group's size leaves empty in part have no idle lanes that a branch made. */
static void test_odd_group(void **state)
{
	static const struct probe_site_term whole[SEND_TERMS] = {
		{.of = PROBE_TERM_ITEM, .step = 4},
		{.of = PROBE_TERM_GROUP | PROBE_TERM_SIZE, .step = 4}};
	static const struct probe_site_term literal[SEND_TERMS] = {
		{.of = PROBE_TERM_ITEM, .step = 4}, {.of = PROBE_TERM_GROUP, .step = 400}};

	(void)state;
	send_odd_groups(whole, ~0ull >> 28);
	assert_string_equal(
		host_text(&host_state, 0, "cause"),
		"workgroups of 100 work-items fill 50.0 of 64 lanes of their waves on "
		"average and begin within cache lines: 2.4 cache lines of 128 B touched, "
		"2.0 needed");
	assert_non_null(strstr(host_text(&host_state, 0, "fix"), "a multiple of 64 work-items"));
	/* What a branch leaves idle is not what the size does. */
	send_odd_groups(literal, ~0ull >> 32);
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "fill 50.0 of 64 lanes"));
}

/* Another size would leave them where they begin: windows that overlap, rows, offsets. */
static void test_odd_group_elsewhere(void **state)
{
	static const unsigned of[] = {
		PROBE_TERM_GROUP | PROBE_TERM_LOOP | PROBE_TERM_VALUE,
		PROBE_TERM_GROUP | PROBE_TERM_VALUE,
		PROBE_TERM_LOOP | PROBE_TERM_VALUE,
		PROBE_TERM_VALUE,
		PROBE_TERM_LOOP,
		PROBE_TERM_GROUP << 1,
		PROBE_TERM_ITEM << 1,
		PROBE_TERM_UNKNOWN,
		PROBE_TERM_GROUP,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct probe_site_term terms[SEND_TERMS] = {
			{.of = PROBE_TERM_ITEM, .step = 4},
			{.of = PROBE_TERM_GROUP | PROBE_TERM_SIZE, .step = 4},
			{.of = (uint16_t)of[i], .step = -8}};

		send_odd_groups(terms, ~0ull >> 28);
		assert_string_not_equal(host_text(&host_state, 0, "cause"), "");
		assert_null(strstr(host_text(&host_state, 0, "cause"), "workgroup"));
		assert_null(strstr(host_text(&host_state, 0, "fix"), "workgroup"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_partial_wave, start),
		cmocka_unit_test_setup(test_downwards, start),
		cmocka_unit_test_setup(test_windows, start),
		cmocka_unit_test_setup(test_rows_of_lines, start),
		cmocka_unit_test_setup(test_lanes_by_data, start),
		cmocka_unit_test_setup(test_partial_wave_counted, start),
		cmocka_unit_test_setup(test_odd_group, start),
		cmocka_unit_test_setup(test_odd_group_elsewhere, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
