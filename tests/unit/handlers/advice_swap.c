/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler to swap indices, if what is accessed is a member of an element. */
#include "tests/unit/handlers/send_records.h"

#define SWAP		      "let threadIdx.x run along consecutive addresses (swap the loops or indices)"
#define SWAP_TILE	      SWAP ", or pass a tile through LDS; "
#define RESULT(count, before) count " cache lines of 128 B after, " before " before (per execution)"
#define OTHERS		      "; effect on other accesses to the buffer not evaluated"
#define ROWS(bytes)                                                                                                    \
	"store these 4 B of neighbouring lanes, now " bytes                                                            \
	" B apart, next to each other (a structure of arrays, or columns or diagonals instead of rows); verified: at " \
	"most " RESULT("3", "64") OTHERS

#define MANY		      ", if at least 64 consecutive elements are accessed"
#define CONSECUTIVE(elements) " and at least " elements " consecutive ones are accessed"
#define LOSE		      ", and other accesses do not lose what this one gains"
#define X		      PROBE_TERM_ITEM
#define Y		      (PROBE_TERM_ITEM << 1)
#define SIZE		      PROBE_TERM_SIZE
#define GROUP_X		      PROBE_TERM_GROUP
#define VALUE		      PROBE_TERM_VALUE
#define LOOP		      PROBE_TERM_LOOP
#define TERM(values, by)                                                                           \
	{                                                                                          \
		.of = (values), .step = (by)                                                       \
	}
#define LINEAR(by)  TERM(X, by), TERM(GROUP_X | SIZE, by)
#define PITCHED(by) TERM(X | VALUE, by), TERM(GROUP_X | SIZE | VALUE, by)
#define UNKNOWN                                                                                    \
	{                                                                                          \
		.of = PROBE_TERM_UNKNOWN                                                           \
	}

struct expected {
	struct probe_site_term terms[SEND_TERMS]; /* up to the first without values */
	uint8_t flags;
	uint16_t bytes;
	int64_t stride;
	const char *fix;
};

/* Swapped indices, and wider workgroups, change other accesses, too. */
static void expect_fix(const char *fix)
{
	const char *kernel = "; effect on other accesses of the kernel not evaluated";
	bool swap = !strncmp(fix, SWAP, strlen(SWAP)) && !strstr(fix, OTHERS);
	char text[1024];

	snprintf(text, sizeof(text), "%s%s", fix, swap ? kernel : "");
	if (strcmp(host_text(&host_state, 0, "fix"), text))
		fail_msg("%s: %s", text, host_text(&host_state, 0, "fix"));
}

static void advise(const struct expected *expected)
{
	uint32_t site;

	if (!instance)
		start(NULL);
	site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, expected->bytes, expected->bytes);
	host_state.sites[site].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[site].address_flags = expected->flags;
	set_terms(site, expected->terms);
	host_state.sites[site].align = 4;
	send_affine(site, ~0ull, 0x7f0000010000, expected->stride);
	finish();
	expect_fix(expected->fix);
	assert_int_equal(strstr(expected->fix, "verified") != NULL,
			 *host_text(&host_state, 0, "verified") != 0);
}

/* Nothing can be swapped: lanes use neighbouring structs, however long. */
static void test_neighbours(void **state)
{
	static const struct expected cases[] = {
		{{LINEAR(152)},
		 PROBE_ADDRESS_MEMBER,
		 4,
		 152,
		 "store these 4 B of neighbouring lanes, now 152 B apart, next to each other (a "
		 "structure of arrays, or columns instead of rows); verified: at most " RESULT(
			 "3", "64") OTHERS},
		{{TERM(X, -128)},
		 PROBE_ADDRESS_MEMBER,
		 8,
		 -128,
		 "store these 8 B of neighbouring lanes, now 128 B apart, next to each other (a structure "
		 "of arrays, or columns instead of rows); verified: at most " RESULT("5", "64")
			 OTHERS},
		{{TERM(X, 1024), TERM(GROUP_X | VALUE, 1024)},
		 0,
		 4,
		 1024,
		 "store these 4 B of neighbouring lanes, now 1024 B apart, next to each other (a structure of arrays, "
		 "or columns or diagonals instead of rows); verified: at most " RESULT("3", "64")
			 OTHERS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise(&cases[i]);
}

/* Afterwards lanes are one element apart, of which they use a member. */
static void test_elements(void **state)
{
	static const struct expected cases[] = {
		{{PITCHED(4), TERM(LOOP, 4)},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT("3", "64") MANY},
		{{PITCHED(8), TERM(LOOP, 8)},
		 PROBE_ADDRESS_MEMBER,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT("5", "64") MANY},
		{{TERM(X, 128), TERM(LOOP, 16)},
		 PROBE_ADDRESS_MEMBER,
		 4,
		 128,
		 SWAP_TILE "estimate: " RESULT("9", "64") MANY},
		{{TERM(X, 400), TERM(VALUE, 8), TERM(GROUP_X, 8)},
		 0,
		 4,
		 400,
		 SWAP_TILE "estimate: " RESULT("5", "64") MANY},
		{{TERM(X, -720), TERM(PROBE_TERM_PART | VALUE | GROUP_X, 24)},
		 0,
		 4,
		 -720,
		 SWAP_TILE "estimate: " RESULT("13", "64") MANY},
		/* An access may be longer than an element: the compiler joined several. */
		{{TERM(X | VALUE, 4), TERM(LOOP, 4)},
		 0,
		 8,
		 800,
		 SWAP_TILE "estimate: " RESULT("5", "64") MANY},
		/* Elements as long as cache lines: swapping alone would be no use. */
		{{TERM(X | VALUE, 152), TERM(LOOP, 152)},
		 PROBE_ADDRESS_MEMBER,
		 4,
		 2432,
		 SWAP ", and store these 4 B of all elements of 152 B next to each other (a "
		      "structure of arrays); verified: at most " RESULT("3", "64") OTHERS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise(&cases[i]);
}

/* Other values do not vary within a dispatch, or have no smaller step. */
static void test_no_other_index(void **state)
{
	static const struct expected cases[] = {
		/* a[i * s]; a[i * n + c]; workgroups or iterations of a literal size. */
		{{PITCHED(4)}, 0, 4, 1028, ROWS("1028")},
		{{PITCHED(4), TERM(VALUE, 4)}, 0, 4, 1024, ROWS("1024")},
		{{TERM(X, 400), TERM(VALUE, 8)}, 0, 4, 400, ROWS("400")},
		{{TERM(X | VALUE, 4), TERM(GROUP_X | VALUE, 256)}, 0, 4, 1024, ROWS("1024")},
		{{PITCHED(4), TERM(LOOP | SIZE | VALUE, 4)}, 0, 4, 1024, ROWS("1024")},
		/* A diagonal has no rows of that length. */
		{{LINEAR(4), PITCHED(4)}, 0, 4, 1028, ""},
		{{LINEAR(-4), PITCHED(4)}, 0, 4, 1020, ""},
		{{TERM(X, 4), TERM(GROUP_X, 256), PITCHED(4)}, 0, 4, 1028, ""},
		/* Another index along a diagonal. */
		{{TERM(X, 4), TERM(X | VALUE, 4), TERM(LOOP, 4)},
		 0,
		 4,
		 1028,
		 SWAP_TILE "estimate: " RESULT("3", "64") MANY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise(&cases[i]);
}

/* Workgroups have another index if there are several, and work-items along y as well. */
static void test_one_workgroup(void **state)
{
	const struct probe_dispatch_info before = dispatch;
	struct expected swapped = {
		{TERM(X | VALUE, 4), TERM(GROUP_X << 1 | SIZE, 4), TERM(Y, 4)}, 0, 4, 1024, NULL};
	static const struct {
		uint32_t groups;
		const char *fix;
	} cases[] = {{64, SWAP_TILE "verified: at most " RESULT("3", "64")},
		     {4, SWAP_TILE "verified: at most " RESULT("32", "64")},
		     {2, ""},
		     {1, ROWS("1024")}};

	(void)state;
	dispatch.grid[0] = 64;
	dispatch.grid[1] = dispatch.grid[2] = 1;
	/* Two values would be in 32 rows, each of which may be in two lines. */
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dispatch.grid[1] = cases[i].groups;
		swapped.fix = cases[i].fix;
		advise(&swapped);
	}
	dispatch = before;
}

/* A loop that was unrolled: the same place in the source, a step away. */
static void test_unrolled(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {PITCHED(4)};

	(void)state;
	for (uint32_t column = 1; column <= 2; column++) {
		if (!instance)
			start(NULL);
		for (uint32_t i = 0; i < 2; i++) {
			add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
			host_state.sites[i].address_class = PROBE_ADDRESS_AFFINE;
			host_state.sites[i].align = 4;
			host_state.sites[i].near_site = 0;
			host_state.sites[i].near_distance = (int32_t)i * 4;
			host_state.sites[i].line = 7;
			host_state.sites[i].column = i ? column : 1;
			set_terms(i, terms);
		}
		for (uint32_t i = 0; i < 2; i++)
			send_affine(i, ~0ull, 0x7f0000010000 + i * 4, 1024);
		finish();
		assert_int_equal(strstr(host_text(&host_state, 0, "fix"), SWAP_TILE) != NULL,
				 column == 1);
	}
}

/* It is not certain which of the elements lanes will use, or how long they are. */
static void test_uncertain(void **state)
{
	static const struct expected cases[] = {
		/* An array in a struct. */
		{{TERM(X | VALUE, 152), TERM(LOOP, 8)},
		 PROBE_ADDRESS_MEMBER,
		 8,
		 2432,
		 SWAP_TILE "estimate: " RESULT(
			 "5", "64") ", if neighbouring elements are 8 B apart" CONSECUTIVE("64")},
		{{PITCHED(4), TERM(LOOP, 8)},
		 0,
		 4,
		 2432,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")},
		/* Workgroups have tiles of elements, or of structs. */
		{{TERM(GROUP_X | VALUE, 256), TERM(X | VALUE, 4), TERM(LOOP, 4)},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT("3", "64") MANY},
		{{TERM(X, 1024), TERM(GROUP_X, 64), TERM(LOOP, 4)},
		 PROBE_ADDRESS_MEMBER,
		 4,
		 1024,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")},
		{{UNKNOWN, TERM(X | VALUE, 16)},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")
			 LOSE},
		{{UNKNOWN, TERM(X | VALUE, 8)},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")
			 LOSE},
		{{{0}},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")
			 LOSE},
		{{UNKNOWN, TERM(X, 720)},
		 0,
		 4,
		 720,
		 SWAP_TILE "estimate: " RESULT(
			 "3", "64") ", if neighbouring elements are 4 B apart" CONSECUTIVE("64")
			 LOSE},
		/* Of a struct of unknown length nothing is announced. */
		{{UNKNOWN, TERM(X | VALUE, 16)}, PROBE_ADDRESS_MEMBER, 4, 720, ""},
		{{{0}}, PROBE_ADDRESS_MEMBER, 4, 720, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise(&cases[i]);
}

/*
 * A workgroup of width x width, whose lanes are `lane` and `row` bytes apart. `iteration`: a step
 * of a loop; < 0: the terms are not known.
 */
static void advise_rows(int64_t width, int64_t iteration, int64_t lane, int64_t row,
			const char *fix)
{
	static const struct probe_site_bitfield none[PROBE_BITFIELDS];
	const struct probe_site_stride strides[3] = {{.constant = lane}, {.constant = row}, {0}};
	const struct probe_site_term terms[SEND_TERMS] = {TERM(X, lane), TERM(Y, row),
							  TERM(iteration ? LOOP : 0, iteration)};
	uint64_t addr[64];

	if (!instance)
		start(NULL);
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	dispatch.group[0] = dispatch.group[1] = (uint32_t)width;
	host_state.sites[0].address_class = PROBE_ADDRESS_ROWS;
	host_state.sites[0].address_flags = PROBE_ADDRESS_MEMBER;
	if (iteration >= 0)
		set_terms(0, terms);
	host_state.sites[0].strides = strides;
	host_state.sites[0].bitfields = none;
	host_state.sites[0].align = 4;
	for (int64_t first = 0; first < width * width; first += 64) {
		for (int64_t l = 0; l < 64; l++)
			addr[l] = (uint64_t)(0x7f0000010000 + l % width * lane +
					     (first + l) / width * row);
		send_full(0, addr);
	}
	finish();
	expect_fix(fix);
}

/* Workgroups of several rows: the other axis shows the length of an element. */
static void test_rows(void **state)
{
	(void)state;
	/* Four rows of 16 elements. */
	advise_rows(16, 0, 1024, 4,
		    SWAP ", or pass a tile through LDS; verified: at most " RESULT("8", "16"));
	advise_rows(16, 0, 1024, 8,
		    SWAP ", or pass a tile through LDS; verified: at most " RESULT("8", "16"));
	advise_rows(16, 0, 3072, 24,
		    SWAP ", or pass a tile through LDS; verified: at most " RESULT("16", "24"));
	advise_rows(8, 0, 1024, 8,
		    SWAP ", and make the workgroup wider, for example dim3(64, 1), so that a "
			 "wave is in one row; estimate: " RESULT("5", "8") MANY);
	advise_rows(16, 0, 2432, 152,
		    SWAP ", and store these 4 B of all elements of 152 B next to each other (a "
			 "structure of arrays); verified: at most " RESULT("8", "64"));
	/* Nothing to swap. */
	advise_rows(16, 0, 152, 2432,
		    "store these 4 B of neighbouring lanes, now 152 B apart, next to each other (a "
		    "structure of arrays, or columns instead of rows); verified: at most " RESULT(
			    "8", "64"));
	/* An array in a struct, or no expression. */
	advise_rows(
		16, 8, 2432, 152,
		SWAP ", or pass a tile through LDS; estimate: " RESULT(
			"8", "64") ", if neighbouring elements are 8 B apart" CONSECUTIVE("16"));
	advise_rows(16, -1, 1024, 8,
		    SWAP ", or pass a tile through LDS; verified: at most " RESULT("8", "16"));
}

static const struct probe_allocation_info *
find_buffer(void *ctx, const struct probe_dispatch_info *of, uint64_t address)
{
	static const struct probe_allocation_info buffer = {
		.size = sizeof(buffer), .id = 1, .address = 0x7f0000000000, .bytes = 1 << 20};

	(void)ctx, (void)of, (void)address;
	return &buffer;
}

/* Columns instead of rows would cost an access along the rows, which is said. */
static void test_rows_used_too(void **state)
{
	static const char note[] =
		OTHERS ": 1 of them uses neighbouring elements in its present layout";

	(void)state;
	for (unsigned others = 0; others < 2; others++) {
		const char *fix;

		if (!instance)
			start(NULL);
		host.allocation = find_buffer;
		for (unsigned i = 0; i <= others; i++)
			add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
		set_terms(0, (const struct probe_site_term[SEND_TERMS]){TERM(X, 1024)});
		for (unsigned i = 0; i <= others; i++)
			send_affine(i, ~0ull, 0x7f0000000000, i ? 4 : 1024);
		finish();
		fix = host_text(&host_state, 0, "fix");
		assert_non_null(strstr(fix, "instead of rows"));
		assert_int_equal(strstr(fix, note) != NULL, others);
		assert_int_equal(strstr(fix, OTHERS) != NULL, others);
	}
}

/* The same if the stride changes between executions. */
static void test_strides(void **state)
{
	static const struct probe_site_term terms[SEND_TERMS] = {PITCHED(8)};
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	host_state.sites[site].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[site].address_flags = PROBE_ADDRESS_MEMBER;
	set_terms(site, terms);
	send_affine(site, ~0ull, 0x7f0000010000, 720);
	send_affine(site, ~0ull, 0x7f0000010000, 1440);
	finish();
	assert_string_equal(host_text(&host_state, 0, "fix"),
			    "let neighbouring lanes use neighbouring elements in every step; "
			    "estimate: " RESULT("5", "64") ", if the elements of each step are, or "
							   "can be stored, next to each other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_neighbours, start),
		cmocka_unit_test_setup(test_elements, start),
		cmocka_unit_test_setup(test_no_other_index, start),
		cmocka_unit_test_setup(test_one_workgroup, start),
		cmocka_unit_test_setup(test_unrolled, start),
		cmocka_unit_test_setup(test_uncertain, start),
		cmocka_unit_test_setup(test_strides, start),
		cmocka_unit_test_setup(test_rows, start),
		cmocka_unit_test_setup(test_rows_used_too, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
