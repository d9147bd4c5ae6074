/* SPDX-License-Identifier: MIT */
/*
 * Advice of the memory handler is said only if it holds for what was counted: causes for all
 * executions, fixes with the figure of the finding.
 */
#include "handlers/advice/recorded_addresses.h"
#include "tests/unit/handlers/send_records.h"

#define BASE 0x7f0000010000ull

static void check_cause(size_t row, const char *part, bool there)
{
	if ((strstr(host_text(&host_state, row, "cause"), part) != NULL) != there)
		fail_msg("%s: %s", part, host_text(&host_state, row, "cause"));
}

/* A wave of four rows of 16 work-items; lanes of a row are `stride` apart, rows `pitch`. */
static void send_rows(uint32_t site, uint64_t base, uint64_t stride, uint64_t pitch)
{
	struct probe_wave_info wave = {.wave = 0};
	uint64_t addr[64];

	dispatch.group[0] = 16;
	dispatch.group[1] = 4;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = base + lane % 16 * stride + lane / 16 * pitch;
	send_lanes(site, &wave, ~0ull, addr);
}

/* ---- Strides that some executions have ------------------------------------------------------ */

/* Executions that cost no more than needed have other strides, of which no addresses are kept. */
static void test_alternating(void **state)
{
	uint32_t global = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t lds = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t always = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		send_rows(global, BASE, i % 2 ? 512 : 4, i % 2 ? 8 : 64);
		send_rows(lds, 0, i % 2 ? 128 : 4, i % 2 ? 8 : 64);
		send_rows(always, BASE, 512, 8);
	}
	finish();
	check_cause(global, "within each row", false);
	check_cause(lds, "within each row", false);
	check_cause(always, "within each row of 16 work-items lanes are 512 B apart", true);
}

/* Columns of an array by launches whose rows differ: the layout for the first one is not said. */
static void test_other_launches(void **state)
{
	(void)state;
	for (unsigned differ = 0; differ < 2; differ++) {
		if (!instance)
			start(NULL);
		for (unsigned site = 0; site < 2; site++) {
			add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
			host_state.sites[site].variable = 1;
			host_state.sites[site].address_class = PROBE_ADDRESS_COMPUTED;
		}
		for (unsigned i = 0; i < 2 * RECORDED_EXECUTIONS; i++) {
			bool other = differ && i >= RECORDED_EXECUTIONS;

			dispatch.id = 1 + i / RECORDED_EXECUTIONS;
			send_rows(0, i % 4 * 4, other ? 160 : 128, 4);
			send_affine(1, ~0ull, 0, 4);
		}
		finish();
		check_cause(0, "within each row", false);
		if ((*host_text(&host_state, 0, "fix") == 0) != differ)
			fail_msg("%s", host_text(&host_state, 0, "fix"));
	}
	dispatch.id = 1;
}

/* Active lanes that are no neighbours: rows are not the reason. */
static void test_guarded_rows(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	struct probe_wave_info wave = {.wave = 0};
	uint64_t addr[64];

	(void)state;
	dispatch.group[0] = 16;
	dispatch.group[1] = 4;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = lane % 16 * 64 + lane / 16 * 4;
	send_lanes(site, &wave, 0x1111111111111111, addr);
	finish();
	check_cause(0, "within each row", false);
	check_cause(0, "way", true);
}

/* The counters of rows[v + 1] of few vertices, as data chooses: some quads are in two lines. */
static void test_chosen_lanes(void **state)
{
	struct probe_counter_row row = {.site = 0};
	uint64_t *c = row.value;

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[0].address_class = PROBE_ADDRESS_AFFINE;
	dispatch.group[0] = 256;
	c[PROBE_C_EXECUTIONS] = c[PROBE_C_NEEDED64] = c[PROBE_C_NEEDED128] = 78;
	c[PROBE_C_AFFINE] = 78;
	c[PROBE_C_LANES] = 451;
	c[PROBE_C_QUADS] = 78 * 16 + 12;
	c[PROBE_C_LINES64] = 247;
	c[PROBE_C_EXCESS64] = 169;
	c[PROBE_C_LINES128] = 178;
	c[PROBE_C_EXCESS128] = 100;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - 4;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 4;
	send_counter_rows(&row, 1);
	finish();
	check_cause(0, "misaligned", false);
	check_cause(0, "5.8 of 64 lanes are active on average", true);
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/* ---- Values that may be each lane's own ------------------------------------------------------ */

/* The counters of four waves of four rows of 16 work-items, in so many lines each. */
static void send_row_counters(uint32_t site, uint64_t lines)
{
	struct probe_counter_row row = {.site = site};

	dispatch.group[0] = 16;
	dispatch.group[1] = 16;
	row.value[PROBE_C_EXECUTIONS] = 4;
	row.value[PROBE_C_LANES] = 256;
	row.value[PROBE_C_LINES64] = row.value[PROBE_C_LINES128] = 4 * lines;
	row.value[PROBE_C_NEEDED64] = 16;
	row.value[PROBE_C_NEEDED128] = 8;
	row.value[PROBE_C_EXCESS64] = 4 * lines - 16;
	row.value[PROBE_C_EXCESS128] = 4 * lines - 8;
	send_counter_rows(&row, 1);
}

/* An index of unknown origin is not the same in all lanes of a row; recorded addresses show it. */
static void test_unknown_index(void **state)
{
	static const struct probe_site_term value[] = {{.of = PROBE_TERM_VALUE, .step = 4}, {0}};
	uint32_t counted = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t recorded = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t word = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	for (uint32_t site = counted; site <= word; site++)
		set_terms(site, value);
	send_row_counters(counted, 38);
	send_rows(recorded, BASE, 160, 28);
	send_rows(word, BASE, 0, 160);
	finish();
	check_cause(counted, "addresses follow no constant stride", true);
	assert_string_equal(host_text(&host_state, counted, "fix"), "");
	check_cause(recorded, "within each row of 16 work-items lanes are 160 B apart", true);
	check_cause(word, "each row of 16 work-items reads one word", true);
}

/* A multiple of an argument may be a small one: then rows may be what is apart. */
static void test_small_argument(void **state)
{
	static const struct probe_site_term terms[] = {
		{.of = PROBE_TERM_ITEM | PROBE_TERM_VALUE, .step = 4},
		{.of = PROBE_TERM_ITEM << 1, .step = 512},
		{0}};
	uint32_t close = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t far = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	for (uint32_t site = close; site <= far; site++) {
		host_state.sites[site].address_class = PROBE_ADDRESS_COMPUTED;
		set_terms(site, terms);
	}
	/* Rows of 16 lanes 16 B apart are in at most three lines each. */
	send_row_counters(close, 12);
	send_row_counters(far, 13);
	finish();
	check_cause(close, "far apart", false);
	check_cause(close, "12.0 cache lines of 128 B touched", true);
	assert_null(strstr(host_text(&host_state, close, "fix"), "swap"));
	check_cause(far, "within each row of 16 work-items lanes are far apart", true);
}

/* A window that moves on by some elements for each work-item: threadIdx.x has the least step. */
static void test_least_step(void **state)
{
	static const unsigned strides[] = {8, 16, 64, 160};

	(void)state;
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		if (!instance)
			start(NULL);
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		host_state.sites[0].address_class = PROBE_ADDRESS_COMPUTED;
		send_rows(0, BASE, strides[i], 8192);
		finish();
		check_cause(0, "within each row of 16 work-items lanes are ", true);
		assert_null(strstr(host_text(&host_state, 0, "fix"), "swap"));
	}
}

/* ---- Lanes that share words ----------------------------------------------------------------- */

/* Counters do not show whether rows share words: what is needed is a bound then. */
static void test_needed_of_rows(void **state)
{
	static const struct probe_site_term by_value[] = {
		{.of = PROBE_TERM_ITEM | PROBE_TERM_VALUE, .step = 4},
		{.of = PROBE_TERM_ITEM << 1 | PROBE_TERM_VALUE, .step = 4},
		{0}};
	struct probe_counter_row row = {.site = 0};

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	host_state.sites[0].address_class = PROBE_ADDRESS_ROWS;
	set_terms(0, by_value);
	dispatch.group[0] = 16;
	dispatch.group[1] = 4;
	row.value[PROBE_C_EXECUTIONS] = 4;
	row.value[PROBE_C_LANES] = 256;
	row.value[PROBE_C_QUADS] = 256;
	row.value[PROBE_C_LINES64] = row.value[PROBE_C_LINES128] = 76;
	row.value[PROBE_C_NEEDED64] = 16;
	row.value[PROBE_C_NEEDED128] = 8;
	row.value[PROBE_C_EXCESS64] = 60;
	row.value[PROBE_C_EXCESS128] = 68;
	send_counter_rows(&row, 1);
	finish();
	check_cause(0, "lanes are far apart", true);
	check_cause(0, "19.0 cache lines of 128 B touched, 2.0 needed at most", true);
}

/* ---- Sorted indices ------------------------------------------------------------------------- */

/* `costly` executions of 64 lanes in 64 lines, which all share, and as many that cost nothing. */
static void gather(unsigned costly, uint8_t flags)
{
	if (!instance)
		start(NULL);
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	dispatch.grid[0] = 64 * 2 * costly;
	for (unsigned w = 0; w < 2 * costly; w++) {
		struct probe_wave_info wave = {.group = {w, 0, 0}};
		uint64_t addr[64];

		for (uint64_t lane = 0; lane < 64; lane++)
			addr[lane] = w % 2 ? BASE + lane * 37 % 64 * 4
					   : BASE + lane * 37 % 64 * 128 + w / 2 % 32 * 4;
		send_lanes(0, &wave, ~0ull, addr);
	}
	host_state.sites[0].address_class = PROBE_ADDRESS_GATHER;
	host_state.sites[0].address_flags = flags;
	finish();
}

/*
 * Also where some executions cost nothing, the figure before is that of the finding. Sorted, each
 * of 32 waves uses 2 of the 64 lines. Of 256, the first 128 are kept, of which 2 use one line
 * together.
 */
static void test_sorted(void **state)
{
	(void)state;
	gather(32, 0);
	check_cause(0, "33.0 cache lines of 128 B touched", true);
	assert_true(host_real(&host_state, 0, "before") == 33);
	assert_true(host_real(&host_state, 0, "after") == (2 + 2) / 2.);
	gather(256, 0);
	check_cause(0, "33.0 cache lines of 128 B touched", true);
	assert_true(host_real(&host_state, 0, "before") == 33);
	assert_true(host_real(&host_state, 0, "after") == (1 + 2) / 2.);
	/* Indices that belong to the work-items. */
	gather(32, PROBE_ADDRESS_LISTED);
	check_cause(0, "33.0 cache lines of 128 B touched", true);
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

/* A store of every second word, next to a contiguous load: without terms, no other index is known.
 */
static void test_no_tile(void **state)
{
	uint32_t store = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t load = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	host_state.sites[store].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[load].address_class = PROBE_ADDRESS_AFFINE;
	host_state.sites[load].near_site = load;
	for (unsigned i = 0; i < 8; i++) {
		send_affine(store, ~0ull, BASE, 8);
		send_affine(load, ~0ull, BASE + 0x1000, 4);
	}
	finish();
	check_cause(store, "lanes are 8 B apart", true);
	if (strstr(host_text(&host_state, store, "fix"), "tile") ||
	    !strstr(host_text(&host_state, store, "fix"), "next to each other"))
		fail_msg("%s", host_text(&host_state, store, "fix"));
}

/* ---- Updates -------------------------------------------------------------------------------- */

/* Ten lanes a word: the words are in lines of their own, but it is the lanes that wait. */
static void test_waiting_in_many_lines(void **state)
{
	uint32_t few = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t pairs = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	uint64_t addr[64];

	(void)state;
	host_state.sites[few].address_class = PROBE_ADDRESS_COMPUTED;
	host_state.sites[pairs].address_class = PROBE_ADDRESS_COMPUTED;
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = BASE + lane / 10 * 200;
	send_full(few, addr);
	/* 32 lanes wait, and 31 lines of 128 B are extra. */
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = BASE + lane / 2 * 128;
	send_full(pairs, addr);
	finish();
	assert_int_equal(get(few, "excess128"), 5);
	check_cause(few, "which serialises them: 64.0 lanes update 7.0 words", true);
	if (!strstr(host_text(&host_state, few, "fix"),
		    "let one lane update each word; verified: 7 updates after, 64 before (per execution)"))
		fail_msg("%s", host_text(&host_state, few, "fix"));
	assert_int_equal(get(pairs, "waiting_updates"), 32);
	check_cause(pairs, "serialises", false);
	check_cause(pairs, "32.0 cache lines of 128 B touched", true);
}

/* Some lanes update one word. Addresses show it, where cache lines do not. */
static void test_waiting(void **state)
{
	struct probe_counter_row row = {.site = 0};
	uint64_t addr[64];

	(void)state;
	add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = BASE + (lane < 24 ? 0 : lane) * 4;
	send_full(0, addr);
	finish();
	assert_int_equal(get(0, "waiting_updates"), 23);
	check_cause(0, "which serialises them: 64.0 lanes update 41.0 words", true);
	/* The counters of the same. */
	start(NULL);
	add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	row.value[PROBE_C_EXECUTIONS] = 1;
	row.value[PROBE_C_LANES] = 64;
	row.value[PROBE_C_LINES64] = row.value[PROBE_C_NEEDED64] = 4;
	row.value[PROBE_C_LINES128] = row.value[PROBE_C_NEEDED128] = 2;
	send_counter_rows(&row, 1);
	finish();
	assert_int_equal(get(0, "waiting_updates"), -1);
	assert_string_equal(host_text(&host_state, 0, "cause"), "");
	/* In fewer lines than as many words fill. */
	start(NULL);
	add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_GLOBAL, 4, 4);
	row.value[PROBE_C_LINES64] = row.value[PROBE_C_LINES128] = 1;
	send_counter_rows(&row, 1);
	finish();
	check_cause(
		0,
		"64.0 lanes share 1.0 cache lines of 64 B, where a word for each lane would fill 4.0",
		true);
}

/* A function copies from LDS to memory, and from memory to LDS: one site of two kinds of rows. */
static void test_in_both(void **state)
{
	struct probe_counter_row row = {.site = 0};

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_FLAT, 16, 16);
	row.value[PROBE_C_EXECUTIONS] = 2;
	row.value[PROBE_C_LANES] = 128;
	row.value[PROBE_C_AFFINE] = 2;
	row.value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 32;
	row.value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS + 32;
	row.value[PROBE_C_PASSES] = 16;
	row.value[PROBE_C_IDEAL_PASSES] = 8;
	row.value[PROBE_C_MAX_WAY] = 2;
	row.value[PROBE_C_LINES64] = 32;
	row.value[PROBE_C_NEEDED64] = 16;
	row.value[PROBE_C_EXCESS64] = 16;
	send_counter_rows(&row, 1);
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "some executions access LDS and others memory: their addresses are "
			    "not distinguished");
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_alternating, start),
		cmocka_unit_test_setup(test_other_launches, start),
		cmocka_unit_test_setup(test_guarded_rows, start),
		cmocka_unit_test_setup(test_chosen_lanes, start),
		cmocka_unit_test_setup(test_unknown_index, start),
		cmocka_unit_test_setup(test_small_argument, start),
		cmocka_unit_test_setup(test_least_step, start),
		cmocka_unit_test_setup(test_needed_of_rows, start),
		cmocka_unit_test_setup(test_sorted, start),
		cmocka_unit_test_setup(test_no_tile, start),
		cmocka_unit_test_setup(test_waiting, start),
		cmocka_unit_test_setup(test_waiting_in_many_lines, start),
		cmocka_unit_test_setup(test_in_both, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
