/* SPDX-License-Identifier: MIT */
/*
 * The memory handler through the plugin ABI: each counter of random accesses against the plain
 * reference, known kernels with their numbers.
 */
#include <inttypes.h>
#include "tests/unit/handlers/send_records.h"

/* ---- Against the reference ------------------------------------------------------------------- */

struct want {
	uint64_t executions, lanes, quads, lines64, needed64, excess64, lines128, needed128,
		excess128, passes, ideal, way, affine, waiting;
	int64_t low, high;
	bool strided;
};

static void want_lines(struct want *want, unsigned unit, uint64_t exec, const uint64_t *addr)
{
	struct probe_cache_lines lines = ref_lines(64, unit, exec, addr);
	uint64_t bytes = (uint64_t)__builtin_popcountll(exec) * unit;
	uint64_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;

	want->quads += lines.quads;
	want->lines64 += lines.used64;
	want->lines128 += lines.used128;
	want->needed64 += needed64;
	want->needed128 += needed128;
	want->excess64 += lines.used64 > needed64 ? lines.used64 - needed64 : 0;
	want->excess128 += lines.used128 > needed128 ? lines.used128 - needed128 : 0;
}

static void want_lds(struct want *want, const struct probe_site_info *info, uint64_t exec,
		     const uint64_t *addr)
{
	const struct probe_lds_rule rule =
		ref_lds_rule("gfx90a", 64, info->unit, (enum probe_access_kind)info->access);
	uint32_t natural = info->unit == 12 ? 16 : info->unit, at[64];
	struct probe_lds_cost cost;

	for (unsigned lane = 0; lane < 64; lane++)
		at[lane] = (uint32_t)addr[lane] / natural * natural;
	cost = ref_lds(&rule, exec, at);
	want->passes += cost.passes;
	want->ideal += cost.ideal;
	want->way = cost.way > want->way ? cost.way : want->way;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Lanes beyond the first one of each word. */
static uint64_t want_waiting(uint64_t exec, const uint64_t *addr)
{
	uint64_t sorted[64] = {0}, waiting = 0;
	unsigned n = 0;

	for (unsigned lane = 0; lane < 64; lane++)
		if (exec >> lane & 1)
			sorted[n++] = addr[lane];
	qsort(sorted, n, sizeof(sorted[0]), by_value);
	for (unsigned i = 1; i < n; i++)
		waiting += sorted[i] == sorted[i - 1];
	return waiting;
}

static void want_access(struct want *want, uint32_t site, const struct probe_access *access,
			const uint64_t ranks[64])
{
	const struct probe_site_info *info = &host_state.sites[site];
	uint64_t addr[64] = {0}, global = 0, lds = 0;
	unsigned n = 0;

	for (unsigned lane = 0; lane < 64; lane++) {
		uint32_t high;

		if (!(access->exec >> lane & 1))
			continue;
		addr[lane] = ranks[n++];
		high = (uint32_t)(addr[lane] >> 32);
		if (info->space == PROBE_SPACE_LDS ||
		    (info->space == PROBE_SPACE_FLAT && high == dispatch.lds_aperture))
			lds |= 1ull << lane;
		else if (info->space != PROBE_SPACE_FLAT || high != dispatch.scratch_aperture)
			global |= 1ull << lane;
	}
	want->executions++;
	want->lanes += n;
	if (access->form == PROBE_FORM_AFFINE) {
		want->affine++;
		if (n > 1) {
			want->low = want->strided && want->low < access->stride ? want->low
										: access->stride;
			want->high = want->strided && want->high > access->stride ? want->high
										  : access->stride;
			want->strided = true;
		}
	}
	if (info->access == PROBE_ACCESS_ATOMIC)
		want->waiting += want_waiting(global, addr);
	for (unsigned k = 0; k < info->bytes / info->unit; k++) {
		if (global)
			want_lines(want, info->unit, global, addr);
		if (lds)
			want_lds(want, info, lds, addr);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] += info->unit;
	}
}

static uint64_t random_exec(uint64_t *seed)
{
	uint64_t exec;

	switch (ref_random(seed) % 4) {
	case 0:
		exec = ref_random(seed);
		break;
	case 1:
		exec = ~0ull >> ref_random(seed) % 64 << ref_random(seed) % 64;
		break;
	default:
		exec = ~0ull;
	}
	return exec ? exec : 1;
}

static uint64_t random_base(uint64_t *seed, enum probe_space space)
{
	static const uint64_t high[] = {0x10000, 0x20000, 0x7f12, 0x10000};
	uint64_t low = ref_random(seed) % 0x8000;

	if (space == PROBE_SPACE_LDS)
		return low;
	if (space == PROBE_SPACE_FLAT)
		return high[ref_random(seed) % 4] << 32 | (low + 0x8000);
	return 0x7f1200000000 + low;
}

static void random_access(uint64_t *seed, uint32_t site, struct want *want)
{
	const struct probe_site_info *info = &host_state.sites[site];
	static uint64_t addresses[64];
	static int32_t offsets[64];
	struct probe_access access = {.site = site, .exec = random_exec(seed)};
	uint64_t ranks[64], align = ref_random(seed) % 4 ? info->unit : 1;
	uint32_t range = 1u << (3 + ref_random(seed) % 12);

	access.lanes = (uint8_t)__builtin_popcountll(access.exec);
	access.base = random_base(seed, info->space) / align * align;
	for (unsigned i = 0; i < 64; i++) {
		offsets[i] = (int32_t)(ref_random(seed) % range / align * align);
		addresses[i] = random_base(seed, info->space) / align * align;
	}
	switch (ref_random(seed) % 3) {
	case 0:
		access.form = PROBE_FORM_AFFINE;
		access.stride = (int64_t)(ref_random(seed) % range) - (int64_t)(range / 4);
		access.stride -= access.stride % (int64_t)align;
		access.base += info->space == PROBE_SPACE_LDS ? 0x20000 : 0x4000;
		break;
	case 1:
		access.form = PROBE_FORM_NEAR;
		access.offsets = offsets;
		break;
	default:
		access.form = PROBE_FORM_FULL;
		access.addresses = addresses;
	}
	probe_access_expand(&access, ranks);
	/* Sometimes twice, as loops do. */
	for (unsigned n = 1 + ref_random(seed) % 2; n; n--) {
		send(&access, 1);
		want_access(want, site, &access, ranks);
	}
}

static void check_row(size_t row, const struct want *want)
{
	assert_int_equal(get(row, "executions"), want->executions);
	assert_int_equal(get(row, "lanes"), want->lanes);
	assert_int_equal(get(row, "quads"), want->quads);
	assert_int_equal(get(row, "lines64"), want->lines64);
	assert_int_equal(get(row, "needed64"), want->needed64);
	assert_int_equal(get(row, "excess64"), want->excess64);
	assert_int_equal(get(row, "lines128"), want->lines128);
	assert_int_equal(get(row, "needed128"), want->needed128);
	assert_int_equal(get(row, "excess128"), want->excess128);
	assert_int_equal(get(row, "passes"), want->passes);
	assert_int_equal(get(row, "ideal_passes"), want->ideal);
	assert_int_equal(get(row, "conflicts"), want->passes - want->ideal);
	assert_int_equal(get(row, "max_way"), want->way);
	assert_int_equal(get(row, "affine"), want->affine);
	assert_int_equal(get(row, "waiting_updates"), want->waiting);
	assert_int_equal(get(row, "stride_lo"), want->low);
	assert_int_equal(get(row, "stride_hi"), want->high);
}

static void test_random(void **state)
{
	static const enum probe_space spaces[] = {PROBE_SPACE_GLOBAL, PROBE_SPACE_LDS,
						  PROBE_SPACE_FLAT};
	static const uint16_t shapes[][2] = {{1, 1},   {2, 2},	 {4, 4},   {8, 8},
					     {12, 12}, {16, 16}, {32, 16}, {20, 4}};
	uint64_t seed = 88172645463325252ull;
	struct want want[HOST_SITES] = {0};
	uint32_t sites = 0;

	(void)state;
	for (size_t s = 0; s < 3; s++)
		for (size_t k = 0; k < 8; k++)
			for (int a = PROBE_ACCESS_LOAD; a <= PROBE_ACCESS_ATOMIC; a++) {
				if (a == PROBE_ACCESS_ATOMIC && k != 2 && k != 3)
					continue;
				add_site((enum probe_access_kind)a, spaces[s], shapes[k][0],
					 shapes[k][1]);
				sites++;
			}
	for (uint32_t i = 0; i < sites * 60; i++)
		random_access(&seed, i % sites, &want[i % sites]);
	finish();
	assert_int_equal(host_state.row_count, sites);
	for (size_t row = 0; row < sites; row++)
		check_row(row, &want[get(row, "site")]);
}

/* ---- Rows of counters, kernels, bad input ---------------------------------------------------- */

/*
 * 7 exact executions; and in two dispatches 50 and 40, of which 3 and 0 were measured, one in 16: 3
 * lines each.
 */
static void test_sample(void **state)
{
	struct probe_counter_row rows[3] = {{.site = 0}, {.site = 0}, {.site = 0}};

	(void)state;
	host_state.sites[add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4)].measured_every = 16;
	rows[0].value[PROBE_C_EXECUTIONS] = 7;
	rows[0].value[PROBE_C_LINES128] = 14;
	rows[1].value[PROBE_C_EXECUTIONS] = 50;
	rows[1].value[PROBE_C_LANES] = 600;
	rows[1].value[PROBE_C_LINES128] = 16 * 9;
	rows[1].value[PROBE_C_MEASURED] = 1 + 3;
	rows[2].value[PROBE_C_EXECUTIONS] = 40;
	rows[2].value[PROBE_C_MEASURED] = 1;
	send_counter_rows(rows, 3);
	finish();
	assert_int_equal(get(0, "executions"), 97);
	assert_int_equal(get(0, "lanes"), 600);
	assert_int_equal(get(0, "lines128"), 14 + 90 * 3);
	assert_int_equal(get(0, "measured_every"), 16);
	assert_int_equal(get(0, "measured"), 3);
	assert_int_equal(host_state.logged, 1);
}

static void test_counters_add(void **state)
{
	struct probe_counter_row rows[3] = {{.site = 0}, {.site = 0}, {.site = 9}};

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	for (unsigned i = 0; i < PROBE_C_MEASURED; i++) {
		rows[0].value[i] = 100 + i;
		rows[1].value[i] = 1000 + i;
	}
	rows[0].value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 8;
	rows[0].value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - 8;
	rows[1].value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS - 4;
	rows[1].value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS + 4;
	send_counter_rows(rows, 3);
	/* The same site in another kernel is another row. */
	dispatch.kernel_id = 6;
	send_counter_rows(rows, 1);
	dispatch.kernel_id = 5;
	send_counter_rows(rows, 1);
	finish();

	assert_string_equal(host_table_of(&host_state, 0), "site");
	assert_int_equal(host_state.row_count, 2);
	assert_int_equal(host_state.logged, 1);
	assert_int_equal(get(0, "kernel"), 5);
	assert_int_equal(get(0, "code_object"), 3);
	assert_int_equal(get(0, "executions"), 1200);
	assert_int_equal(get(0, "affine"), 1233);
	assert_int_equal(get(0, "max_way"), 1012);
	assert_int_equal(get(0, "waiting_updates"), -1);
	assert_int_equal(get(0, "stride_hi"), 8);
	assert_int_equal(get(0, "stride_lo"), -4);
	assert_int_equal(get(1, "kernel"), 6);
	assert_int_equal(get(1, "executions"), 100);
}

static void test_bad_input(void **state)
{
	struct probe_access access = {.site = 1, .form = PROBE_FORM_AFFINE, .lanes = 1, .exec = 1};

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	send(&access, 1);
	access.site = UINT32_MAX;
	send(&access, 1);
	access.site = 0;
	access.exec = 0;
	send(&access, 1);
	finish();
	assert_int_equal(host_state.row_count, 0);
	assert_int_equal(host_state.logged, 1);
}

static void test_nothing(void **state)
{
	(void)state;
	finish();
	assert_int_equal(host_state.row_count, 0);
	assert_int_equal(host_state.logged, 0);
}

/* ---- Kernels with known answers ---------------------------------------------------------------
 */
static void test_transpose(void **state)
{
	uint32_t lds = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t padded = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t write = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_columns(lds, 0, 32);
	send_columns(padded, 8192, 33);
	send_columns(write, 0x7f0000000000, 32);
	finish();
	assert_int_equal(get(0, "executions"), 16);
	assert_int_equal(get(0, "conflicts"), 992);
	assert_int_equal(get(0, "max_way"), 32);
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "within each row of 32 work-items lanes are 128 B apart: 32-way "
			    "bank conflict");
	assert_string_equal(
		host_text(&host_state, 0, "fix"),
		"pad the row from 32 to 33 elements of 4 B (132 B), or store "
		"column c (of 4 B) of row r in column c ^ (r % 32); verified: 0 conflicts "
		"after, 62 before (per execution)");
	assert_int_equal(get(1, "conflicts"), 0);
	assert_string_equal(host_text(&host_state, 1, "cause"), "");
	assert_string_equal(host_text(&host_state, 1, "fix"), "");
	assert_int_equal(get(2, "lines128"), 512);
	assert_int_equal(get(2, "needed128"), 32);
	assert_string_equal(host_text(&host_state, 2, "cause"),
			    "within each row of 32 work-items lanes are 128 B apart and 4 B "
			    "are written: 32.0 cache lines of 128 B touched, 2.0 needed");
	assert_non_null(strstr(host_text(&host_state, 2, "fix"),
			       "estimate: 4 cache lines of 128 B after, 32 before"));
}

/* Uniform loads touch fewer cache lines than lanes could need: no finding. */
static void test_broadcast(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_affine(site, ~0ull, 0x7f0000000000, 0);
	send_affine(site, ~0ull, 0x7f0000000000, 4);
	finish();
	assert_int_equal(get(0, "lines128"), 3);
	assert_int_equal(get(0, "needed128"), 4);
	assert_int_equal(get(0, "excess128"), 0);
	assert_string_equal(host_text(&host_state, 0, "cause"), "");
}

/* One execution with one line, one with three, two needed each: they do not cancel. */
static void test_executions_do_not_cancel(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_affine(site, ~0ull, 0x7f0000000000, 0);
	send_affine(site, ~0ull, 0x7f0000000004, 4);
	finish();
	assert_int_equal(get(0, "lines128"), 4);
	assert_int_equal(get(0, "needed128"), 4);
	assert_int_equal(get(0, "excess128"), 1);
	assert_string_not_equal(host_text(&host_state, 0, "cause"), "");
}

/* A 16-byte LDS write that only contiguous groups of 8 lanes serve without conflict; a 12-byte
 * one; lines of a strided store. */
static void test_widths(void **state)
{
	uint32_t write = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 16, 16);
	uint32_t read = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 16, 16);
	uint32_t twelve = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 12, 12);
	uint32_t strided = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);
	uint64_t addr[64];

	(void)state;
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = (lane % 8 + lane / 8) % 8 * 16 + lane / 8 * 128;
	send_full(write, addr);
	send_full(read, addr);
	send_affine(twelve, ~0ull, 0, 16);
	send_affine(strided, ~0ull, 0x7f0000000000, 64);
	send_affine(strided, ~0ull, 0x7f0000001000, 64);
	finish();
	assert_int_equal(get(0, "conflicts"), 0);
	assert_int_equal(get(1, "conflicts"), 8);
	assert_int_equal(get(2, "conflicts"), 0);
	assert_int_equal(get(2, "ideal_passes"), 8);
	assert_int_equal(get(3, "needed128"), 4);
	assert_int_equal(get(3, "lines128"), 64);
}

/* A flat access whose lanes lie in LDS, scratch and global memory. */
static void test_flat(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_FLAT, 4, 4);
	uint64_t addr[64];

	(void)state;
	for (uint64_t lane = 0; lane < 64; lane++)
		addr[lane] = lane < 8	 ? 0x1000000000000 + lane * 128
			     : lane < 16 ? 0x2000000000000 + lane * 128
					 : 0x7f0000000000 + lane * 128;
	send_full(site, addr);
	finish();
	assert_int_equal(get(0, "lanes"), 64);
	assert_int_equal(get(0, "lines128"), 48);
	assert_int_equal(get(0, "conflicts"), 7);
	assert_int_equal(get(0, "needed128"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_counters_add, start),
		cmocka_unit_test_setup(test_sample, start),
		cmocka_unit_test_setup(test_bad_input, start),
		cmocka_unit_test_setup(test_nothing, start),
		cmocka_unit_test_setup(test_transpose, start),
		cmocka_unit_test_setup(test_broadcast, start),
		cmocka_unit_test_setup(test_executions_do_not_cancel, start),
		cmocka_unit_test_setup(test_widths, start),
		cmocka_unit_test_setup(test_flat, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
