/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler about bytes of a cache line that others use, and that lanes share.
 */
#include "tests/unit/handlers/send_records.h"

#define X    PROBE_TERM_ITEM
#define LOOP PROBE_TERM_LOOP
#define TERM(values, by)                                                                           \
	{                                                                                          \
		.of = (values), .step = (by)                                                       \
	}

static uint32_t add(enum probe_address_class class, uint32_t line)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	host_state.sites[site].address_class = (uint8_t) class;
	host_state.sites[site].align = 4;
	host_state.sites[site].near_site = site;
	host_state.sites[site].line = line;
	host_state.sites[site].column = 3;
	host_state.sites[site].index_source = "/home/me/k.hip:12";
	return site;
}

static void expect(const char *cause)
{
	if (!strstr(host_text(&host_state, 0, "cause"), cause))
		fail_msg("%s: %s", cause, host_text(&host_state, 0, "cause"));
}

/* What one execution leaves of a line, other iterations may use, if they are less than a line
 * apart. */
static void test_iterations(void **state)
{
	static const struct {
		struct probe_site_term terms[SEND_TERMS];
		const char *uses; /* NULL = the cause does not say */
	} cases[] = {
		{{TERM(X, 64), TERM(LOOP, 4)}, "may use"},
		{{TERM(X, 64), TERM(LOOP, -4)}, "may use"},
		/* The bytes of the lane after the next one. */
		{{TERM(X, 64), TERM(LOOP, -64)}, NULL},
		{{TERM(X, 64), TERM(LOOP, 4096)}, NULL},
		{{TERM(X, 64), TERM(LOOP | PROBE_TERM_VALUE, 4)}, NULL},
		/* min(i + r, w - 1) */
		{{TERM(X, 64), TERM(LOOP | PROBE_TERM_VALUE | PROBE_TERM_PART, 4)}, "may use"},
		/* A variable that changes with iterations, and one that does not. */
		{{{.of = PROBE_TERM_UNKNOWN | LOOP}}, "may use"},
		{{{.of = PROBE_TERM_UNKNOWN}}, NULL},
		{{TERM(X, 64)}, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];

		if (!instance)
			start(state);
		add(PROBE_ADDRESS_AFFINE, 7);
		set_terms(0, cases[i].terms);
		send_affine(0, ~0ull, 0x7f0000000000, 64);
		finish();
		expect("8 of 128 B of each cache line are used");
		snprintf(text, sizeof(text),
			 " at a time; other iterations %s other bytes of these cache lines",
			 cases[i].uses ? cases[i].uses : "");
		assert_int_equal(strstr(host_text(&host_state, 0, "cause"),
					cases[i].uses ? text : " at a time") != NULL,
				 cases[i].uses != NULL);
	}
}

/* Copies of an access in blocks of their own, as of a loop that was unrolled. */
static void test_copies(void **state)
{
	for (uint32_t line = 7; line <= 8; line++) {
		if (!instance)
			start(state);
		add(PROBE_ADDRESS_AFFINE, 7);
		add(PROBE_ADDRESS_AFFINE, line);
		for (uint32_t site = 0; site < 2; site++)
			send_affine(site, ~0ull, 0x7f0000000000 + 4 * site, 64);
		finish();
		assert_int_equal(strstr(host_text(&host_state, 0, "cause"),
					"its 1 copy (an unrolled loop) may use other bytes") !=
					 NULL,
				 line == 7);
	}
}

/* Four lanes share a word: the fewest lines are those of 16 words, not of 64. */
static void test_needed(void **state)
{
	uint64_t addr[64];

	(void)state;
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane / 4 * 256;
	add(PROBE_ADDRESS_ROWS, 7);
	send_full(0, addr);
	finish();
	expect("16.0 cache lines of 128 B touched, 1.0 needed");
	/* Lanes of their own. */
	start(state);
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane / 4 * 256 + lane % 4 * 4;
	add(PROBE_ADDRESS_ROWS, 7);
	send_full(0, addr);
	finish();
	expect("16.0 cache lines of 128 B touched, 2.0 needed");
}

/* Counters of a gather do not tell whether lanes share words. */
static void test_needed_at_most(void **state)
{
	struct probe_counter_row row = {
		.value = {[PROBE_C_EXECUTIONS] = 10,
			  [PROBE_C_LANES] = 640,
			  [PROBE_C_QUADS] = 600,
			  [PROBE_C_LINES64] = 600,
			  [PROBE_C_NEEDED64] = 40,
			  [PROBE_C_EXCESS64] = 560,
			  [PROBE_C_LINES128] = 580,
			  [PROBE_C_NEEDED128] = 20,
			  [PROBE_C_EXCESS128] = 560},
	};

	(void)state;
	row.site = add(PROBE_ADDRESS_GATHER, 7);
	send_counter_rows(&row, 1);
	finish();
	expect("58.0 cache lines of 128 B touched, 2.0 needed at most");
}

/* Contiguous lanes that begin at a loaded index, or at one with a remainder. */
static void test_misaligned(void **state)
{
	static const struct {
		enum probe_address_class class;
		const char *cause;
	} cases[] = {
		{PROBE_ADDRESS_GATHER,
		 "lanes are contiguous but misaligned (the index comes from the "
		 "load at k.hip:12 (gather)): one cache line of 128 B more than "
		 "needed"},
		{PROBE_ADDRESS_WRAPPED,
		 "lanes are contiguous but misaligned: one cache line of 128 B more than needed"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!instance)
			start(state);
		add(cases[i].class, 7);
		send_affine(0, ~0ull, 0x7f0000000020, 4);
		finish();
		assert_string_equal(host_text(&host_state, 0, "cause"), cases[i].cause);
		/* What would align all executions is not known. */
		assert_string_equal(host_text(&host_state, 0, "fix"), "");
	}
}

/* A stencil. */
static void test_stencil(void **state)
{
	(void)state;
	for (uint32_t site = 0; site < 2; site++) {
		add(PROBE_ADDRESS_AFFINE, 7 + site);
		host_state.sites[site].near_site = 0;
		host_state.sites[site].near_distance = 8 * (int32_t)site;
	}
	for (uint32_t site = 0; site < 2; site++)
		send_affine(site, ~0ull, 0x7f0000000010 + 8 * site, 4);
	finish();
	assert_string_equal(
		host_text(&host_state, 0, "cause"),
		"lanes are contiguous but misaligned: one cache line of 128 B more than "
		"needed; the kernel also uses neighbouring elements (line 8), so that only "
		"some of these accesses can begin at the start of a cache line");
}

/* Every 16th lane: what counts is what active ones use, not what neighbouring ones would. */
static void test_idle_neighbours(void **state)
{
	(void)state;
	add(PROBE_ADDRESS_AFFINE, 7);
	send_affine(0, 0x0001000100010001ull, 0x7f0000000000, 32);
	finish();
	assert_true(host_real(&host_state, 0, "line_used") == 4);
	assert_true(host_real(&host_state, 0, "line_used_near") == 4);
}

/* In LDS, every second lane: active lanes are twice as far apart as neighbours. */
static void test_idle_lds(void **state)
{
	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	send_affine(0, 0x5555555555555555ull, 0x10000ull << 32, 8);
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "neighbouring lanes are 8 B apart, and 32.0 of 64 are active on "
			    "average: 2-way bank conflict");
}

/* Short diagonals of matrices are neither structs nor rows. */
static void test_diagonal(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {TERM(X, 4),
								 TERM(X | PROBE_TERM_VALUE, 4)};

	(void)state;
	add(PROBE_ADDRESS_AFFINE, 7);
	set_terms(0, terms);
	send_affine(0, ~0ull, 0x7f0000000000, 36);
	finish();
	expect("lanes are 36 B apart");
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_iterations, start),
		cmocka_unit_test_setup(test_copies, start),
		cmocka_unit_test_setup(test_needed, start),
		cmocka_unit_test_setup(test_needed_at_most, start),
		cmocka_unit_test_setup(test_misaligned, start),
		cmocka_unit_test_setup(test_stencil, start),
		cmocka_unit_test_setup(test_idle_neighbours, start),
		cmocka_unit_test_setup(test_idle_lds, start),
		cmocka_unit_test_setup(test_diagonal, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
