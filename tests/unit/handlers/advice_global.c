/* SPDX-License-Identifier: MIT */
/*
 * Advice of the memory handler for accesses to global memory and to scratch, by the shapes of
 * workgroups and the active lanes.
 */
#include "tests/unit/handlers/send_records.h"

/* Holes between active lanes are not called contiguous, however the lanes are spaced. */
static void test_advice_idle_lanes(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_affine(site, 0x5555555555555555ull, 0x7f0000000000, 4);
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "32.0 of 64 lanes are active on average: they read 2.0 cache lines "
			    "of 128 B, 1.0 would be enough (the first active lane is not at the "
			    "start of a cache line, as in rows whose pitch is no multiple of 128 "
			    "B, or idle lanes are between active ones)");
	/* Work that moves to other lanes takes its elements with it: no fewer lines in all. */
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
	/* The first of eight lanes, of rows of 512 B: no structs of 64 B. */
	start(NULL);
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), 0x0101010101010101ull,
		    0x7f0000000000, 64);
	finish();
	assert_null(strstr(host_text(&host_state, 0, "cause"), "64 B apart"));
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/* Lanes that share bytes: two of them, of which one crosses the end of a cache line. */
static void test_overlapping_lanes(void **state)
{
	(void)state;
	send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 8, 8), 0x3, 0x7f000000003c, 4);
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "2.0 of 64 lanes are active on average: they read 2.0 cache lines "
			    "of 64 B, 1.0 would be enough");
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/*
 * The same where other executions have more lanes: counted without what they share, the cache lines
 * needed are more than those touched, and are not said to be enough.
 */
static void test_shared_bytes(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 8, 8);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		send_affine(site, 0xffffffffffffull, 0x7f0000000000, 4);
	send_affine(site, 0x3, 0x7f000000007c, 4);
	finish();
	assert_int_equal(get(0, "excess128"), 1);
	assert_true(get(0, "lines128") < get(0, "needed128"));
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "36.5 of 64 lanes are active on average: some executions touch more "
			    "cache lines of 128 B than needed (0.25 more on average over all); "
			    "neighbouring lanes share bytes");
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/* data[x * lane + y * row] of a workgroup of width x height, wave by wave. */
static void send_group(uint32_t site, unsigned width, unsigned height, uint64_t lane, uint64_t row)
{
	unsigned items = width * height;

	dispatch.group[0] = width;
	dispatch.group[1] = height;
	for (unsigned first = 0; first < items; first += 64) {
		struct probe_wave_info wave = {.wave = first / 64};
		unsigned lanes = items - first < 64 ? items - first : 64;
		uint64_t addr[64];

		for (unsigned l = 0; l < lanes; l++)
			addr[l] = 0x7f0000000000 + (first + l) % width * lane +
				  (first + l) / width * row;
		send_lanes(site, &wave, ~0ull >> (64 - lanes), addr);
	}
}

/* What is said of a group's access, and what is left when the indices are swapped. */
static double advise_group(unsigned width, unsigned height, uint64_t lane, uint64_t row,
			   const char *cause, const char *fix)
{
	double result;

	if (!instance)
		start(NULL);
	send_group(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), width, height, lane, row);
	host_state.sites[0].align = row % 4 ? 2 : 4;
	finish();
	if (!strstr(host_text(&host_state, 0, "cause"), cause) ||
	    !strstr(host_text(&host_state, 0, "fix"), fix))
		fail_msg("%s | %s", host_text(&host_state, 0, "cause"),
			 host_text(&host_state, 0, "fix"));
	result = host_real(&host_state, 0, "after");
	assert_true(result < host_real(&host_state, 0, "before"));
	return result;
}

/* Strides within a row of the workgroup come before waves that are not full. */
static void test_group_shapes(void **state)
{
	double after;

	(void)state;
	after = advise_group(16, 4, 64, 4, "within each row of 16 work-items lanes are 64 B apart",
			     "swap the loops or indices");
	/* The fix, applied: one row of 64, which may begin at any position. */
	start(NULL);
	send_group(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), 64, 1, 4, 256);
	finish();
	assert_true(after == (double)get(0, "lines128") + 1);
	advise_group(13, 7, 132, 4, "within each row of 13 work-items lanes are 132 B apart",
		     "swap the loops or indices");
	advise_group(16, 4, 4, 4096, "rows of 16 work-items are contiguous",
		     "make the workgroup wider");
	/* Eight lines either way: swapping alone would not do. */
	advise_group(8, 8, 128, 4, "within each row of 8 work-items lanes are 128 B apart",
		     "and make the workgroup wider");
}

/* A struct of 20 B for each work-item of a group of 16 x 4; its other 16 B are stored next to it.
 */
static void test_structs_in_rows(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t other = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 16, 16);

	(void)state;
	host_state.sites[site].address_class = PROBE_ADDRESS_ROWS;
	host_state.sites[site].address_flags = PROBE_ADDRESS_MEMBER;
	host_state.sites[other].near_site = site;
	host_state.sites[other].near_distance = -16;
	host_state.sites[other].line = 7;
	send_group(site, 16, 4, 20, 20480);
	send_group(other, 16, 4, 20, 20480);
	finish();
	assert_string_equal(
		host_text(&host_state, 0, "cause"),
		"within each row of 16 work-items lanes are 20 B apart and 4 B are "
		"written: 12.0 cache lines of 128 B touched, 2.0 needed; with the 1 access "
		"next to it (line 7) no byte is wasted, but cache lines are requested more than "
		"once");
	assert_string_equal(
		host_text(&host_state, 0, "fix"),
		"store these 4 B of neighbouring lanes, now 20 B apart, next to each other (a "
		"structure of arrays); verified: at most 8 cache lines of 128 B after, 12 before "
		"(per execution)");
}

/* a[y * n + k]: a word for each row of the group. */
static void test_word_per_row(void **state)
{
	uint32_t table = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	double after;

	(void)state;
	/* An update would only wait longer in a wider group. */
	send_group(table, 16, 16, 0, 512);
	finish();
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
	start(NULL);
	after = advise_group(16, 16, 0, 256,
			     "each row of 16 work-items reads one word (4 B): "
			     "4.0 cache lines of 128 B touched, 1.0 needed",
			     "make the workgroup wider, for example dim3(64, 4)");
	assert_null(strstr(host_text(&host_state, 0, "fix"), "sort"));
	assert_string_equal(host_text(&host_state, 0, "verified"), "cache lines of 128 B");
	/* The fix, applied: each of the 4 waves in a row. */
	start(NULL);
	send_group(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), 64, 4, 0, 256);
	finish();
	assert_true(4 * after == (double)get(0, "lines128"));
	/* A word that lies over the end of a line is in two. */
	assert_true(advise_group(16, 16, 0, 254, "reads one word (4 B)",
				 "make the workgroup wider") > 1);
	/* Shorter rows. */
	start(NULL);
	advise_group(8, 32, 0, 1024, "each row of 8 work-items reads one word (4 B)",
		     "make the workgroup wider, for example dim3(64, 4)");
}

/* Counters are no reason to sort: they do not distinguish this from short rows. */
static void test_row_each_counted(void **state)
{
	struct probe_counter_row row = {.site = 0};
	static const struct probe_site_bitfield none[PROBE_BITFIELDS];
	/* The pitch is an argument. */
	static const struct probe_site_stride strides[3] = {{0}, {.factor = 4, .bits = 32}, {0}};
	uint64_t *c = row.value;

	for (unsigned width = 8; width <= 16; width += 8) {
		uint64_t rows = 64 / width;

		if (!instance)
			start(state);
		dispatch.group[0] = dispatch.group[1] = width;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		c[PROBE_C_EXECUTIONS] = 10;
		c[PROBE_C_LANES] = 640;
		c[PROBE_C_LINES64] = c[PROBE_C_LINES128] = 10 * rows;
		c[PROBE_C_NEEDED64] = 40;
		c[PROBE_C_NEEDED128] = 20;
		c[PROBE_C_EXCESS64] = 10 * (rows - 4);
		c[PROBE_C_EXCESS128] = 10 * (rows - 2);
		send_counter_rows(&row, 1);
		finish();
		assert_string_equal(host_text(&host_state, 0, "fix"), "");
		/* The compiler's proof shows it: a word for each row, wherever the rows are. */
		start(NULL);
		dispatch.group[0] = dispatch.group[1] = width;
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].strides = strides;
		host_state.sites[0].bitfields = none;
		host_state.sites[0].align = 4;
		send_counter_rows(&row, 1);
		finish();
		assert_non_null(strstr(host_text(&host_state, 0, "cause"), "reads one word"));
		assert_non_null(strstr(host_text(&host_state, 0, "fix"), "wider, for example"));
		assert_true(host_real(&host_state, 0, "after") == 1);
	}
}

/* A fix that changes nothing is not proposed. */
static void test_sorting_useless(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 1, 1);
	uint64_t addr[64];

	(void)state;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane * 64 + lane % 3;
	send_full(site, addr);
	finish();
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
	assert_string_equal(host_text(&host_state, 0, "verified"), "");
}

/* Waves that each go over 64 words of their own, in 64 lines that all share, step by step. */
static const char *fix_of_steps(unsigned waves, unsigned steps, unsigned scatter)
{
	uint32_t site;

	if (!instance)
		start(NULL);
	dispatch.grid[0] = 64 * waves;
	site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	for (unsigned step = 0; step < steps; step++)
		for (unsigned w = 0; w < waves; w++) {
			struct probe_wave_info wave = {.group = {w, 0, 0}};
			uint64_t addr[64];

			for (uint64_t lane = 0; lane < 64; lane++)
				addr[lane] = 0x7f0000000000 +
					     (lane * scatter + step) % 64 * (uint64_t)waves * 128 +
					     w * 4;
			send_lanes(site, &wave, ~0ull, addr);
		}
	host_state.sites[0].address_class = PROBE_ADDRESS_GATHER;
	finish();
	return host_text(&host_state, 0, "fix");
}

/* Reuse by one wave at another step does not help within a step. */
static void test_sorted_by_step(void **state)
{
	(void)state;
	/* 64 lines in every step, over and over the same: all recorded, or more than that. */
	assert_string_equal(fix_of_steps(1, 64, 37), "");
	assert_string_equal(fix_of_steps(1, 200, 37), "");
	/* 32 waves with the same 64 lines in each step: two for each wave. */
	assert_non_null(strstr(fix_of_steps(32, 4, 37),
			       "estimate: 2 cache lines of 128 B after, 64 before (per execution), "
			       "if the addresses that all waves use in one step can be sorted"));
	assert_true(host_real(&host_state, 0, "after") == 2);
	/* Sorted already. */
	assert_string_equal(fix_of_steps(1, 1, 1), "");
}

/* Lanes of their own arrays: nothing there is to be sorted. */
static void test_scratch(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_SCRATCH, 4, 4);
	uint64_t addr[64];

	(void)state;
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane * 37 % 64 * 256 + lane * 4;
	send_full(site, addr);
	finish();
	assert_non_null(
		strstr(host_text(&host_state, 0, "cause"), "of their private arrays: 64.0"));
	assert_null(strstr(host_text(&host_state, 0, "fix"), "sort"));
	assert_non_null(strstr(host_text(&host_state, 0, "fix"), "the same index in all lanes"));
}

/* Updates of few words of global memory touch few lines, and wait for each other. */
static void test_contended_global(void **state)
{
	uint32_t counter = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t table = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t own = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t single = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t broadcast = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint64_t addr[64];

	(void)state;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 0x7f0000000000 + lane * 37 % 8 * 4;
	send_affine(counter, 0xffff, 0x7f0000001000, 0);
	send_affine(counter, ~0ull, 0x7f0000001000, 0);
	send_full(table, addr);
	send_affine(own, ~0ull, 0x7f0000002000, 4);
	send_affine(single, 1, 0x7f0000001000, 0);
	send_affine(broadcast, ~0ull, 0x7f0000001000, 0);
	finish();
	assert_string_equal(host_text(&host_state, counter, "cause"),
			    "all active lanes update one word of global memory, which "
			    "serialises them: 40.0 on average");
	assert_string_equal(host_text(&host_state, counter, "verified"), "updates of the word");
	assert_true(host_real(&host_state, counter, "before") == 40);
	assert_true(host_real(&host_state, counter, "after") == 1);
	assert_non_null(strstr(host_text(&host_state, table, "cause"),
			       "which serialises them: 64.0 lanes update 8.0 words"));
	assert_string_equal(host_text(&host_state, table, "fix"), "");
	for (uint32_t site = own; site <= broadcast; site++)
		assert_string_equal(host_text(&host_state, site, "cause"), "");
}

/* ---- Several accesses of one buffer ---------------------------------------------------------- */

enum { BUFFER = 1 << 20, BUFFERS = 0x7f0000 };

/* A buffer at each multiple of 1 MiB but the first. */
static const struct probe_allocation_info *
find_buffer(void *ctx, const struct probe_dispatch_info *of, uint64_t address)
{
	static struct probe_allocation_info found[16];
	uint64_t number = address / BUFFER - BUFFERS;

	(void)ctx, (void)of;
	if (!number || number >= 16)
		return NULL;
	found[number] = (struct probe_allocation_info){.size = sizeof(found[0]),
						       .id = (uint32_t)number,
						       .address = address / BUFFER * BUFFER,
						       .bytes = BUFFER};
	return &found[number];
}

struct use {
	unsigned buffer, offset, bytes;
	int64_t stride;
};

/* One execution of each; returns all lines of 128 bytes. */
static int64_t send_uses(const struct use *uses, size_t count)
{
	int64_t lines = 0;

	if (!instance)
		start(NULL);
	host.allocation = find_buffer;
	for (size_t i = 0; i < count; i++)
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, (uint16_t)uses[i].bytes,
			 (uint16_t)uses[i].bytes);
	for (size_t i = 0; i < count; i++)
		send_affine((uint32_t)i, ~0ull,
			    (uint64_t)(BUFFERS + uses[i].buffer) * BUFFER + uses[i].offset,
			    uses[i].stride);
	finish();
	for (size_t i = 0; i < count; i++)
		lines += get(i, "lines128");
	return lines;
}

/* The numbers of a fix for all accesses to the buffer are those measured after it is applied. */
static void test_structs(void **state)
{
	static const struct use structs[] = {{1, 0, 4, 16}, {1, 4, 4, 16}, {2, 4, 4, 16}};
	static const struct use members[] = {{1, 0, 4, 4}, {1, 4096, 4, 4}};
	static const struct use whole[] = {{1, 0, 4, 16}, {1, 0, 16, 16}, {1, 2032, 16, -16}};
	static const struct use through[] = {
		{1, 0, 4, 64}, {1, 0, 4, 4}, {1, 512, 4, 4}, {1, 1024, 4, 4}};
	static struct use pieces[17] = {{1, 0, 4, 4}};
	static const struct use mixed[] = {{1, 0, 4, 16}, {1, 8, 8, 16}};
	static const struct use apart[] = {{1, 0, 4, 4}, {1, 4096, 8, 8}};
	int after, before, listed[2];
	const char *cause;

	(void)state;
	/* The four structs that the second one went through: four of each member. */
	for (unsigned i = 0; i < 16; i++)
		pieces[1 + i] = (struct use){1, 4096 * i, 16, 0};
	send_uses(structs, 3);
	assert_int_equal(
		sscanf(strstr(host_text(&host_state, 0, "fix"), "; with"),
		       "; with 1 other access to the buffer, each array from the start of a cache line, at most %d cache lines of 128 B in "
		       "the run after, %d before",
		       &after, &before),
		2);
	/* No other access uses the buffer of the third. */
	assert_null(strstr(host_text(&host_state, 2, "fix"), "other access"));
	assert_null(strstr(host_text(&host_state, 2, "fix"), "alone"));
	assert_string_equal(host_text(&host_state, 2, "verified"), "cache lines of 128 B");
	assert_int_equal(before, send_uses(structs, 2));
	assert_int_equal(after, send_uses(members, 2));
	/* Three that go through all members, one after the other, lose more than one gains. */
	before = (int)send_uses(through, 4);
	cause = strstr(host_text(&host_state, 0, "cause"), "; a structure of arrays");
	assert_int_equal(sscanf(cause,
				"; a structure of arrays may cost the 3 other accesses to the "
				"buffer what it gains here (up to %d cache lines of 128 B in "
				"the run after, %d before)",
				&after, &listed[0]),
			 2);
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
	assert_int_equal(listed[0], before);
	assert_int_equal(after, 2 + 3 * (send_uses(pieces, 17) - 2));
	/* One does not. */
	send_uses(through, 2);
	assert_non_null(strstr(
		host_text(&host_state, 0, "fix"),
		"with 1 other access to the buffer, each array from the start of a cache line, at most 18 cache lines of 128 B in the "
		"run after, 34 before"));
	/* Members of different sizes get the same advice. */
	send_uses(mixed, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			sscanf(strstr(host_text(&host_state, i, "fix"), "; with"),
			       "; with 1 other access to the buffer, in arrays of 4 to 8 B, each array from the start of a cache line, "
			       "at most %d cache lines of 128 B",
			       &listed[i]),
			1);
	assert_int_equal(listed[0], listed[1]);
	assert_int_equal(listed[0], send_uses(apart, 2));
	/* Accesses to whole structs neither gain nor lose. */
	send_uses(whole, 3);
	assert_non_null(strstr(
		host_text(&host_state, 0, "fix"),
		"with 2 other accesses to the buffer, each array from the start of a cache line, at most 18 cache lines of 128 B in "
		"the run after, 24 before"));
}

/* a[i - 1], a[i], a[i + 1]: whichever begins at a line, the others do not. */
static void test_neighbours(void **state)
{
	static const struct use stencil[] = {{1, 124, 4, 4}, {1, 128, 4, 4}, {1, 132, 4, 4}};
	static const struct use moved[] = {{1, 120, 4, 4}, {1, 124, 4, 4}, {1, 128, 4, 4}};
	static const struct use shifted[] = {{1, 4, 4, 4}, {1, 516, 4, 4}};
	static const struct use aligned[] = {{1, 128, 4, 4}, {1, 640, 4, 4}};
	int64_t before;

	(void)state;
	before = send_uses(stencil, 3);
	assert_non_null(
		strstr(host_text(&host_state, 2, "cause"),
		       "; to shift the whole buffer may cost the 2 other accesses to the buffer "
		       "what it gains here (up to 8 cache lines of 128 B in the run after, "
		       "8 before)"));
	assert_string_equal(host_text(&host_state, 2, "fix"), "");
	assert_string_equal(host_text(&host_state, 2, "verified"), "");
	assert_int_equal(before, 8);
	assert_int_equal(send_uses(moved, 3), 8);
	/* Both off by as much. */
	before = send_uses(shifted, 2);
	assert_non_null(
		strstr(host_text(&host_state, 0, "fix"),
		       "with 1 other access to the buffer at most 4 cache lines of 128 B in the "
		       "run after, 6 before"));
	assert_int_equal(before, 6);
	assert_int_equal(send_uses(aligned, 2), 4);
}

static void test_rows_and_columns(void **state)
{
	static const struct use both[] = {{1, 0, 4, 4096}, {1, 0, 4, 4}, {3, 0, 4, 4096}};
	static const struct use mixed[] = {
		{1, 0, 4, 4096}, {1, 0, 4, 4}, {1, 0, 4, 20}, {1, 0, 4, 0}};

	(void)state;
	send_uses(both, 3);
	assert_non_null(strstr(host_text(&host_state, 0, "fix"),
			       "do not transpose the buffer itself: its 1 other access uses"));
	assert_null(strstr(host_text(&host_state, 2, "fix"), "transpose"));
	send_uses(mixed, 4);
	assert_non_null(strstr(host_text(&host_state, 0, "fix"),
			       "do not transpose the buffer itself: 1 of its 3 other accesses uses "
			       "neighbouring elements"));
}

/* In no known allocation. */
static void test_unknown_allocation(void **state)
{
	static const struct use nobodys[] = {{0, 0, 4, 16}, {1, 0, 4, 16}};

	(void)state;
	send_uses(nobodys, 2);
	assert_non_null(strstr(host_text(&host_state, 0, "fix"),
			       "; effect on other accesses to the buffer not evaluated"));
	assert_null(strstr(host_text(&host_state, 1, "fix"), "alone"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_advice_idle_lanes, start),
		cmocka_unit_test_setup(test_overlapping_lanes, start),
		cmocka_unit_test_setup(test_shared_bytes, start),
		cmocka_unit_test_setup(test_structs_in_rows, start),
		cmocka_unit_test_setup(test_group_shapes, start),
		cmocka_unit_test_setup(test_word_per_row, start),
		cmocka_unit_test_setup(test_row_each_counted, start),
		cmocka_unit_test_setup(test_sorting_useless, start),
		cmocka_unit_test_setup(test_sorted_by_step, start),
		cmocka_unit_test_setup(test_scratch, start),
		cmocka_unit_test_setup(test_contended_global, start),
		cmocka_unit_test_setup(test_structs, start),
		cmocka_unit_test_setup(test_neighbours, start),
		cmocka_unit_test_setup(test_rows_and_columns, start),
		cmocka_unit_test_setup(test_unknown_allocation, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
