/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler by the class of an address, and for adjacent accesses. */
#include "tests/unit/handlers/send_records.h"

#include <probe/words.h>

#define IDLE(lanes, lines, needed)                                                                 \
	lanes " of 64 lanes are active on average: they read " lines                               \
	      " cache lines of 128 B, " needed                                                     \
	      " would be enough (idle lanes are between active ones)"

/* Two halves of a struct use all of it, in twice the requests. */
static void test_near(void **state)
{
	uint32_t first = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 16, 16);
	uint32_t second = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 16, 16);

	(void)state;
	host_state.sites[second].near_site = first;
	host_state.sites[second].near_distance = 16;
	host_state.sites[second].line = 7;
	send_affine(first, ~0ull, 0x7f0000000000, 32);
	send_affine(second, ~0ull, 0x7f0000000010, 32);
	finish();
	for (uint32_t site = first; site <= second; site++) {
		assert_true(host_real(&host_state, site, "line_used") == 64);
		assert_true(host_real(&host_state, site, "line_used_near") == 128);
		assert_non_null(
			strstr(host_text(&host_state, site, "cause"),
			       "no byte is wasted, but cache lines are requested more than once"));
	}
	/* 4 bytes of 12: 128 is no multiple of it. */
	start(NULL);
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull, 0x7f0000000000,
		    12);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), ": on average 42.67 of 128 B of each"));
}

/* Two lanes, 32 lanes and 1024 B apart: that is no distance of lanes. */
static void test_halo(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {
		{.of = PROBE_TERM_ITEM, .step = 4}, {.of = PROBE_TERM_ITEM << 1, .step = 1024}};

	(void)state;
	dispatch.group[0] = 32;
	dispatch.group[1] = 8;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[0].address_class = PROBE_ADDRESS_ROWS;
	set_terms(0, terms);
	send_affine(0, 1ull << 32 | 1, 0x7f0000000000, 32);
	finish();
	assert_null(strstr(host_text(&host_state, 0, "cause"), "32 B apart"));
}

/* A struct of 24 words of which all are used, whichever comes first; other accesses are in between.
 */
static void test_many_near(void **state)
{
	uint32_t first = 0;

	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

		host_state.sites[site].near_site = first;
		host_state.sites[site].near_distance = 4 * (int32_t)i;
		host_state.sites[site].line = 7;
		site = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[site].near_site = first;
	}
	for (uint32_t i = 0; i < 24; i++) {
		send_affine(2 * i, ~0ull, 0x7f0000000000 + 4 * i, 96);
		send_affine(2 * i + 1, ~0ull, 0x7f0000000000, 4);
	}
	finish();
	for (uint32_t i = 0; i < 24; i++) {
		assert_true(host_real(&host_state, 2 * i, "line_used_near") == 128);
		assert_non_null(strstr(host_text(&host_state, 2 * i, "cause"),
				       ": on average 5.333 of 128 B of each cache line are used by this "
				       "access, 128 with the 23 accesses next to it (line 7)"));
	}
}

/* The cause says what data flow shows about the index. */
static void test_classes(void **state)
{
	static const struct {
		enum probe_address_class class;
		uint8_t flags;
		const char *says;
	} cases[] = {
		{PROBE_ADDRESS_GATHER, 0, "the index comes from the load at k.hip:12 (gather): "},
		{PROBE_ADDRESS_GATHER, PROBE_ADDRESS_UPDATE | PROBE_ADDRESS_STAGED,
		 "the index comes from the atomic update at k.hip:12 (gather): "},
		{PROBE_ADDRESS_CHASE, 0,
		 "the index comes from the load at k.hip:12 (pointer chase): "},
		{PROBE_ADDRESS_WRAPPED, 0,
		 "lanes are 64 B apart: 32.0 cache lines"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!instance)
			start(state);
		/* Even if all lanes happen to have one stride. */
		send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull,
			    0x7f0000000000, 64);
		host_state.sites[0].address_class = (uint8_t)cases[i].class;
		host_state.sites[0].address_flags = cases[i].flags;
		host_state.sites[0].index_source = "/home/me/k.hip:12";
		finish();
		assert_int_equal(strncmp(host_text(&host_state, 0, "cause"), cases[i].says,
					 strlen(cases[i].says)),
				 0);
		assert_string_equal(host_text(&host_state, 0, "fix"), "");
		assert_string_equal(host_text(&host_state, 0, "index_source"), "/home/me/k.hip:12");
		assert_string_equal(host_text(&host_state, 0, "address_class"),
				    probe_address_word(cases[i].class));
	}
}

/* A period or a clamp that moves the lanes of few executions is not the cause of what all cost. */
static void test_usual_stride(void **state)
{
	static const struct {
		enum probe_address_class class;
		unsigned others; /* of 8 executions, with another distance in one lane */
		const char *says;
	} cases[] = {
		{PROBE_ADDRESS_WRAPPED, 1,
		 "lanes are 4 B apart in 7 of 8 executions (in the others, a remainder"},
		{PROBE_ADDRESS_WRAPPED, 5, "the index has a remainder, a minimum or a select"},
		{PROBE_ADDRESS_ROWS, 1,
		 "lanes are 4 B apart in 7 of 8 executions (the index has several terms)"},
		{PROBE_ADDRESS_ROWS, 8, "lanes have several strides (rows, or parts of an id): "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t addr[64];

		if (!instance)
			start(state);
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000004 + (lane ? 4 * lane : 0x8000);
		for (unsigned k = cases[i].others; k < 8; k++)
			send_affine(0, ~0ull, 0x7f0000000004, 4);
		for (unsigned k = 0; k < cases[i].others; k++)
			send_full(0, addr);
		host_state.sites[0].address_class = (uint8_t)cases[i].class;
		finish();
		assert_int_equal(strncmp(host_text(&host_state, 0, "cause"), cases[i].says,
					 strlen(cases[i].says)),
				 0);
	}
}

/* Each source line near the access is named once, and only if it is known. */
static void test_near_lines(void **state)
{
	static const uint32_t lines[] = {0, 7, 7, 0, 9};

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

		host_state.sites[site].near_site = 0;
		host_state.sites[site].near_distance = (int32_t)(4 * i);
		host_state.sites[site].line = lines[i];
	}
	for (uint32_t i = 0; i < 5; i++)
		send_affine(i, ~0ull, 0x7f0000000000 + 4 * i, 32);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"),
			       "with the 4 accesses next to it (lines 7, 9)"));
	/* Without lines there is no list. */
	start(NULL);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

		host_state.sites[site].near_site = 0;
		host_state.sites[site].near_distance = (int32_t)(4 * i);
		host_state.sites[site].line = 0;
	}
	for (uint32_t i = 0; i < 2; i++)
		send_affine(i, ~0ull, 0x7f0000000000 + 4 * i, 32);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "with the 1 access next to it"));
	assert_null(strstr(host_text(&host_state, 0, "cause"), "(line"));
}

/* A class is no reason to deny the stride that was counted. */
static void test_computed(void **state)
{
	(void)state;
	send_affine(add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4), 0x1111, 0x7f0000000000,
		    16);
	host_state.sites[0].address_class = PROBE_ADDRESS_COMPUTED;
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"),
			       "computed from ids or loop variables: "));
}

/* A loop whose step is not known is no reason to say what its rows are. */
static void test_moving(void **state)
{
	(void)state;
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull, 0x7f0000000004,
		    4);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[0].address_flags = PROBE_ADDRESS_MOVES;
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "lanes are contiguous but misaligned: one cache line of 128 B more "
			    "than needed");
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/*
 * An offset that is data, such as the diagonal of a matrix, is no row: where some executions are
 * aligned, the others cannot be, too.
 */
static void test_shifted(void **state)
{
	(void)state;
	for (unsigned mixed = 0; mixed < 2; mixed++) {
		uint32_t site;

		if (!instance)
			start(NULL);
		dispatch.group[0] = 256;
		site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		send_affine(site, ~0ull, 0x7f0000000004, 4);
		send_affine(site, ~0ull, 0x7f0000000100 + (mixed ? 0 : 4), 4);
		host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
		host_state.sites[0].address_flags = PROBE_ADDRESS_SHIFTS;
		finish();
		assert_string_equal(host_text(&host_state, 0, "cause"),
				    mixed ? "lanes are contiguous but misaligned: one cache line "
					    "of 128 B more than needed in 1 of 2 executions"
					  : "lanes are contiguous but misaligned: one cache line "
					    "of 128 B more than needed");
		assert_int_equal(!*host_text(&host_state, 0, "fix"), mixed);
		/* It may be another one in each launch. */
		assert_true(mixed || strstr(host_text(&host_state, 0, "fix"),
					    "if the offset (an argument or a loaded value) is "
					    "always the same"));
		assert_string_equal(host_text(&host_state, 0, "verified"), "");
	}
}

/* One lane can take places in a queue for all, but not a lock; sorted updates would meet. */
static void test_results(void **state)
{
	uint32_t queue = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t lock = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t table = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint64_t addr[64];

	(void)state;
	host_state.sites[queue].address_flags = PROBE_ADDRESS_RESULT;
	host_state.sites[lock].address_flags = PROBE_ADDRESS_RESULT | PROBE_ADDRESS_EXCHANGE;
	host_state.sites[table].address_class = PROBE_ADDRESS_GATHER;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane * 37 % 64 / 4 * 128;
	send_affine(queue, ~0ull, 0x7f0000001000, 0);
	send_affine(lock, ~0ull, 0x7f0000001000, 0);
	send_full(table, addr);
	finish();
	assert_non_null(strstr(host_text(&host_state, queue, "fix"),
			       "let one lane update the word, and compute each lane's result"));
	for (uint32_t site = lock; site <= table; site++) {
		assert_string_not_equal(host_text(&host_state, site, "cause"), "");
		assert_string_equal(host_text(&host_state, site, "fix"), "");
	}
}

/* Lanes in reverse order are contiguous, also if some are idle; a single row is not several. */
static void test_reversed(void **state)
{
	const char *cause;

	(void)state;
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), 0xffffffffffff,
		    0x7f0000000104, -4);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	finish();
	cause = host_text(&host_state, 0, "cause");
	assert_non_null(strstr(cause, "lanes are contiguous but misaligned"));
	assert_null(strstr(cause, "rows"));
}

/* Rows of a matrix are not called structs. */
static void test_rows_of_data(void **state)
{
	(void)state;
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull, 0x7f0000000000,
		    32);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	finish();
	assert_non_null(strstr(
		host_text(&host_state, 0, "fix"),
		"store these 4 B of neighbouring lanes, now 32 B apart, next to each other"));
	start(NULL);
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), ~0ull, 0x7f0000000000,
		    32);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[0].address_flags = PROBE_ADDRESS_MEMBER;
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "fix"),
			       "now 32 B apart, next to each other (a structure of arrays)"));
}

/* With one stride by proof, idle lanes are not the reason for lines far apart. */
static void test_idle_lanes(void **state)
{
	static const struct probe_site_term term = {.of = PROBE_TERM_ITEM, .step = 256};

	(void)state;
	for (unsigned i = 1; i < 64; i++)
		send_affine(i > 1 ? 0 : add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4),
			    ~0ull >> i, 0x7f0000000000, 256);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[0].terms = &term;
	host_state.sites[0].term_count = 1;
	finish();
	assert_int_equal(strncmp(host_text(&host_state, 0, "cause"),
				 "lanes are 256 B apart and 4 B are read", 38),
			 0);
	assert_string_equal(host_text(&host_state, 0, "verified"), "cache lines of 128 B");
}

/* The distance of neighbouring lanes is that of active ones only if neighbours are active. */
static void test_idle_neighbours(void **state)
{
	static const struct {
		uint64_t exec;
		int64_t stride;
		const char *cause;
	} cases[] = {
		{0x0001000100010001, 32, IDLE("4.0", "4.0", "1.0")},
		{0x0001000100010001, 256, IDLE("4.0", "4.0", "1.0")},
		{0x0001000100010001, -64, IDLE("4.0", "4.0", "1.0")},
		{0x5555555555555555, 32, IDLE("32.0", "16.0", "1.0")},
		{0x5555555555555555, 512, IDLE("32.0", "32.0", "1.0")},
		{0xf, 256, "lanes are 256 B apart and 4 B are read: "},
		{0x18, 256, "lanes are 256 B apart and 4 B are read: "},
		{0x78, 256, "lanes are 256 B apart and 4 B are read: "},
		{0x3ff8, 32, "lanes are 32 B apart and 4 B are read: "},
		{0xffefdfffeffffffd, 96, "lanes are 96 B apart and 4 B are read: "},
		{0xffefdfffeffffffd, 32, "lanes are 32 B apart and 4 B are read: "},
	};
	static const struct probe_site_term term = {.of = PROBE_TERM_ITEM, .step = 256};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!instance)
			start(NULL);
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
		host_state.sites[0].terms = &term;
		host_state.sites[0].term_count = 1;
		send_affine(0, cases[i].exec, 0x7f0000010000, cases[i].stride);
		finish();
		if (strncmp(host_text(&host_state, 0, "cause"), cases[i].cause,
			    strlen(cases[i].cause)))
			fail_msg("%s: %s", cases[i].cause, host_text(&host_state, 0, "cause"));
	}
}

/* Lanes share lines in most executions, so the sums hide the others. */
static void test_hidden_excess(void **state)
{
	uint64_t addr[64];

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[0].address_class = PROBE_ADDRESS_WRAPPED;
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000000 + (i ? lane / 32 * 4 : lane / 16 * 512);
		send_full(0, addr);
	}
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"),
			       ": some executions touch more cache lines of 128 B than needed "
			       "(0.5 more on average over all)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_near, start),
		cmocka_unit_test_setup(test_halo, start),
		cmocka_unit_test_setup(test_many_near, start),
		cmocka_unit_test_setup(test_near_lines, start),
		cmocka_unit_test_setup(test_computed, start),
		cmocka_unit_test_setup(test_results, start),
		cmocka_unit_test_setup(test_shifted, start),
		cmocka_unit_test_setup(test_moving, start),
		cmocka_unit_test_setup(test_reversed, start),
		cmocka_unit_test_setup(test_rows_of_data, start),
		cmocka_unit_test_setup(test_idle_lanes, start),
		cmocka_unit_test_setup(test_idle_neighbours, start),
		cmocka_unit_test_setup(test_hidden_excess, start),
		cmocka_unit_test_setup(test_classes, start),
		cmocka_unit_test_setup(test_usual_stride, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
