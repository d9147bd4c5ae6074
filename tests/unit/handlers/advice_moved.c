/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler to swap indices, in kernels where that would move the cost. */
#include "tests/unit/handlers/send_records.h"

#define X	PROBE_TERM_ITEM
#define Y	(PROBE_TERM_ITEM << 1)
#define GROUP_X PROBE_TERM_GROUP
#define GROUP_Y (PROBE_TERM_GROUP << 1)
#define SIZE	PROBE_TERM_SIZE
#define VALUE	PROBE_TERM_VALUE
#define LOOP	PROBE_TERM_LOOP
#define TERM(values, by)                                                                           \
	{                                                                                          \
		.of = (values), .step = (by)                                                       \
	}
#define SWAP "let threadIdx.x run along consecutive addresses (swap the loops or indices), or"
#define TILE_IF(may)                                                                               \
	"stage a tile in LDS, with as many rows as columns, so that threadIdx.x runs along "       \
	"consecutive addresses here and in the store at line 9, column 4 (swapping the indices "   \
	"alone " may " move the cost there); "
#define TILE	 TILE_IF("would")
#define MAY_TILE TILE_IF("may")

/*
 * Columns of a matrix, and `other`, whose lanes are `apart` bytes apart, executed `times` times, and so
 * many source lines below.
 */
static void advise_below(const struct probe_site_term columns[SEND_TERMS],
			 const struct probe_site_term other[SEND_TERMS], unsigned times,
			 int64_t apart, unsigned below, const char *fix)
{
	uint32_t site, store;

	if (!instance)
		start(NULL);
	site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	store = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	for (uint32_t i = site; i <= store; i++) {
		host_state.sites[i].address_class = PROBE_ADDRESS_AFFINE;
		host_state.sites[i].align = 4;
		host_state.sites[i].near_site = i;
		host_state.sites[i].line = i == site ? 8 : 8 + below;
		host_state.sites[i].column = 4;
	}
	set_terms(site, columns);
	set_terms(store, other);
	for (unsigned i = 0; i < 16; i++)
		send_affine(site, ~0ull, 0x7f0000010000, 1024);
	for (unsigned i = 0; i < times; i++)
		send_affine(store, ~0ull, 0x7f0000020000, apart);
	finish();
	if (strncmp(host_text(&host_state, 0, "fix"), fix, strlen(fix)))
		fail_msg("%s: %s", fix, host_text(&host_state, 0, "fix"));
}

/* An assignment of a struct: both halves have one position. */
static void test_same_position(void **state)
{
	static const struct probe_site_term columns[SEND_TERMS] = {
		TERM(X | VALUE, 4), TERM(GROUP_Y | SIZE, 4), TERM(Y, 4)};
	static const struct probe_site_term rows[SEND_TERMS] = {
		TERM(Y | VALUE, 4), TERM(GROUP_X | SIZE, 4), TERM(X, 4)};

	(void)state;
	advise_below(columns, rows, 16, 4, 0,
		     "stage a tile in LDS, with as many rows as columns, so that threadIdx.x runs "
		     "along consecutive addresses here and in the store at the same "
		     "position (swapping the indices alone would move the cost there); ");
}

static void test_moved(void **state)
{
	/* in[x * n + y], and in[x * n + i] in a loop */
	static const struct probe_site_term by_rows[SEND_TERMS] = {
		TERM(X | VALUE, 4), TERM(GROUP_Y | SIZE, 4), TERM(Y, 4)};
	static const struct probe_site_term by_loop[SEND_TERMS] = {TERM(X | VALUE, 4),
								   TERM(LOOP, 4)};
	static const struct {
		const struct probe_site_term *columns, other[SEND_TERMS];
		unsigned times;
		const char *fix;
		int64_t apart; /* bytes between lanes of `other` */
	} cases[] = {
		/* out[y * n + x]; the rows of one wave are few, but those of the next one follow */
		{by_rows, {TERM(X, 4), TERM(GROUP_X | SIZE, 4), TERM(Y | VALUE, 4)}, 16, TILE, 4},
		/* out[i * n + x] */
		{by_loop, {TERM(X, 4), TERM(GROUP_X | SIZE, 4), TERM(LOOP | VALUE, 4)}, 16, TILE, 4},
		{by_loop, {TERM(X, 4), TERM(LOOP, 1024)}, 16, TILE, 4},
		/* Nothing is known of the other one. */
		{by_loop, {{0}}, 16, MAY_TILE, 4},
		{by_loop, {TERM(X, 4), TERM(PROBE_TERM_UNKNOWN, 0)}, 16, MAY_TILE, 4},
		/* out[x] does not depend on the other index: lanes would share it. */
		{by_loop, {TERM(X, 4), TERM(GROUP_X | SIZE, 4)}, 16, SWAP, 4},
		{by_rows, {TERM(X, 4), TERM(GROUP_X | SIZE, 4)}, 16, SWAP, 4},
		/* Seldom executed. */
		{by_loop, {TERM(X, 4), TERM(LOOP | VALUE, 4)}, 1, SWAP, 4},
		/* One address for all lanes now. */
		{by_loop, {TERM(Y | VALUE, 4), TERM(LOOP | VALUE, 4)}, 16, TILE, 0},
		/* Lanes share bytes: other[x] and other[x + 1]. */
		{by_loop, {TERM(X, 2), TERM(LOOP | VALUE, 4)}, 16, TILE, 2},
		/* Lanes are apart there, too. */
		{by_loop, {TERM(X, 16), TERM(LOOP | VALUE, 4)}, 16, SWAP, 16},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise_below(cases[i].columns, cases[i].other, cases[i].times,
			     cases[i].apart, 1, cases[i].fix);
}

/*
 * in[y * n + x] in groups of 8 x 32: dim3(64, 4) helps, unless out[x * n + y] loses more, or a tile
 * that is stored by rows is loaded by columns, whose rows become shorter.
 */
static void test_widening(void **state)
{
	static const struct probe_site_term rows[SEND_TERMS] = {TERM(Y | VALUE, 4), TERM(X, 4)};
	static const struct probe_site_term columns[SEND_TERMS] = {TERM(X | VALUE, 4), TERM(Y, 4)};
	static const struct probe_site_term tile[SEND_TERMS] = {TERM(X, 132), TERM(Y, 4)};
	enum { ALONE, WITH_COLUMNS, WITH_TILE };

	(void)state;
	for (int with = ALONE; with <= WITH_TILE; with++) {
		uint64_t in[64], out[64];
		enum probe_space space = with == WITH_TILE ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL;

		if (!instance)
			start(NULL);
		dispatch.group[0] = 8;
		dispatch.group[1] = 32;
		for (unsigned lane = 0; lane < 64; lane++) {
			in[lane] = 0x7f0000000000 + lane / 8 * 2048 + lane % 8 * 4;
			out[lane] = (with == WITH_TILE ? 4096 : 0x7f0000100000) +
				    lane % 8 * (with == WITH_TILE ? 132 : 2048) + lane / 8 * 4;
		}
		set_terms(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), rows);
		if (with)
			set_terms(add_site(PROBE_ACCESS_STORE, space, 4, 4),
				  with == WITH_TILE ? tile : columns);
		for (uint32_t i = 0; i < host_state.site_count; i++)
			host_state.sites[i].address_class = PROBE_ADDRESS_AFFINE;
		send_full(0, in);
		if (with)
			send_full(1, out);
		finish();
		assert_non_null(strstr(host_text(&host_state, 0, "cause"), "apart from each other"));
		assert_int_equal(!strncmp(host_text(&host_state, 0, "fix"), "make the workgroup", 18),
				 with == ALONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_moved, start),
		cmocka_unit_test_setup(test_same_position, start),
		cmocka_unit_test_setup(test_widening, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
