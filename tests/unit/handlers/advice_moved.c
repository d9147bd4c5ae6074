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
#define TILE                                                                                       \
	"stage a tile in LDS, with as many rows as columns, so that threadIdx.x runs along "       \
	"consecutive addresses here and in the store at line 9, column 4 (swapping the indices "   \
	"alone would move the cost there); "

/*
 * Columns of a matrix, and `other`, which is contiguous, executed `times` times, and so many source
 * lines below.
 */
static void advise_below(const struct probe_site_term columns[SEND_TERMS],
			 const struct probe_site_term other[SEND_TERMS], unsigned times,
			 unsigned below, const char *fix)
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
		send_affine(store, ~0ull, 0x7f0000020000, 4);
	finish();
	if (strncmp(host_text(&host_state, 0, "fix"), fix, strlen(fix)))
		fail_msg("%s: %s", fix, host_text(&host_state, 0, "fix"));
}

static void advise(const struct probe_site_term columns[SEND_TERMS],
		   const struct probe_site_term other[SEND_TERMS], unsigned times, const char *fix)
{
	advise_below(columns, other, times, 1, fix);
}

/* An assignment of a struct: both halves have one position. */
static void test_same_position(void **state)
{
	static const struct probe_site_term columns[SEND_TERMS] = {
		TERM(X | VALUE, 4), TERM(GROUP_Y | SIZE, 4), TERM(Y, 4)};
	static const struct probe_site_term rows[SEND_TERMS] = {
		TERM(Y | VALUE, 4), TERM(GROUP_X | SIZE, 4), TERM(X, 4)};

	(void)state;
	advise_below(columns, rows, 16, 0,
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
	} cases[] = {
		/* out[y * n + x]; the rows of one wave are few, but those of the next one follow */
		{by_rows, {TERM(X, 4), TERM(GROUP_X | SIZE, 4), TERM(Y | VALUE, 4)}, 16, TILE},
		/* out[i * n + x] */
		{by_loop, {TERM(X, 4), TERM(GROUP_X | SIZE, 4), TERM(LOOP | VALUE, 4)}, 16, TILE},
		{by_loop, {TERM(X, 4), TERM(LOOP, 1024)}, 16, TILE},
		/* Nothing is known of the other one. */
		{by_loop, {{0}}, 16, TILE},
		{by_loop, {TERM(X, 4), TERM(PROBE_TERM_UNKNOWN, 0)}, 16, TILE},
		/* out[x] does not depend on the other index: lanes would share it. */
		{by_loop, {TERM(X, 4), TERM(GROUP_X | SIZE, 4)}, 16, SWAP},
		{by_rows, {TERM(X, 4), TERM(GROUP_X | SIZE, 4)}, 16, SWAP},
		/* Seldom executed. */
		{by_loop, {TERM(X, 4), TERM(LOOP | VALUE, 4)}, 1, SWAP},
		/* Lanes are apart there, too. */
		{by_loop, {TERM(X, 8), TERM(LOOP | VALUE, 4)}, 16, SWAP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		advise(cases[i].columns, cases[i].other, cases[i].times, cases[i].fix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_moved, start),
		cmocka_unit_test_setup(test_same_position, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
