/* SPDX-License-Identifier: MIT */
/*
 * The memory handler through the plugin ABI: each counter of random accesses against the plain
 * reference, known kernels with their numbers, and what it advises.
 */
#include <stdlib.h>

#include "handlers_host.h"
#include "handlers_reference.h"

extern const struct probe_handler probe_handler;

static struct host_state host_state;
static struct probe_host host;
static void *instance;

static struct probe_dispatch_info dispatch = {
	.size = sizeof(dispatch),
	.id = 1,
	.kernel = "kernel",
	.arch = "gfx90a:sramecc+:xnack-",
	.code_object = 3,
	.kernel_id = 5,
	.wave_size = 64,
	.group = {64, 1, 1},
	.lds_aperture = 0x10000,
	.scratch_aperture = 0x20000,
};

static int start(void **state)
{
	(void)state;
	memset(&host_state, 0, sizeof(host_state));
	host = host_of(&host_state);
	dispatch.group[0] = 64;
	dispatch.arch = "gfx90a:sramecc+:xnack-";
	return probe_handler.open(&host, &instance);
}

static uint32_t add_site(enum probe_access_kind access, enum probe_space space, uint16_t bytes,
			 uint16_t unit)
{
	uint32_t id = host_state.site_count++;

	host_state.sites[id] = (struct probe_site_info){
		.size = sizeof(struct probe_site_info),
		.id = id,
		.code_object = 3,
		.access = (uint8_t)access,
		.space = (uint8_t)space,
		.bytes = bytes,
		.unit = unit,
		.file = "a.hip",
		.function = "f",
	};
	return id;
}

static void send(const struct probe_access *access, size_t count)
{
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &dispatch,
		.count = count,
		.access = access,
	};

	assert_int_equal(probe_handler.batch(instance, &batch), 0);
}

static void send_affine(uint32_t site, uint64_t exec, uint64_t base, int64_t stride)
{
	struct probe_access access = {
		.site = site,
		.form = PROBE_FORM_AFFINE,
		.lanes = (uint8_t)__builtin_popcountll(exec),
		.exec = exec,
		.base = base,
		.stride = stride,
	};

	send(&access, 1);
}

/* A full wave by its addresses. */
static void send_full(uint32_t site, const uint64_t addr[64])
{
	struct probe_access access = {
		.site = site,
		.form = PROBE_FORM_FULL,
		.lanes = 64,
		.exec = ~0ull,
		.addresses = addr,
	};

	send(&access, 1);
}

static void finish(void)
{
	assert_int_equal(probe_handler.close(instance), 0);
	instance = NULL;
}

static int64_t get(size_t row, const char *name)
{
	return host_get(&host_state, row, name);
}

/* ---- Against the reference ------------------------------------------------------------------- */

struct want {
	uint64_t executions, lanes, quads, lines64, needed64, excess64, lines128, needed128,
		excess128, passes, ideal, way, affine;
	int64_t low, high;
	bool strided;
};

static void want_lines(struct want *want, unsigned unit, uint64_t exec, const uint64_t *addr)
{
	struct lines lines = ref_lines(64, unit, exec, addr);
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
	const struct lds_model *model = lds_model_find("gfx90a");
	const struct lds_phases *phases =
		lds_model_phases(model, info->unit, info->access == PROBE_ACCESS_STORE);
	uint32_t natural = info->unit == 12 ? 16 : info->unit, at[64];
	struct lds_cost cost;

	for (unsigned lane = 0; lane < 64; lane++)
		at[lane] = (uint32_t)addr[lane] / natural * natural;
	cost = ref_lds(model, phases, info->access != PROBE_ACCESS_ATOMIC, 64, info->unit, exec,
		       at);
	want->passes += cost.passes;
	want->ideal += cost.ideal;
	want->way = cost.way > want->way ? cost.way : want->way;
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

	(void)state;
	for (size_t s = 0; s < 3; s++)
		for (size_t k = 0; k < 8; k++)
			for (int a = PROBE_ACCESS_LOAD; a <= PROBE_ACCESS_STORE; a++)
				add_site((enum probe_access_kind)a, spaces[s], shapes[k][0],
					 shapes[k][1]);
	for (uint32_t i = 0; i < 48 * 60; i++)
		random_access(&seed, i % 48, &want[i % 48]);
	finish();
	assert_int_equal(host_state.row_count, 48);
	for (size_t row = 0; row < 48; row++)
		check_row(row, &want[get(row, "site")]);
}

/* ---- Rows of counters, kernels, bad input ---------------------------------------------------- */

static void test_counters_add(void **state)
{
	struct probe_counter_row rows[3] = {{.site = 0}, {.site = 0}, {.site = 9}};
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_COUNTERS,
		.dispatch = &dispatch,
		.count = 3,
		.counters = rows,
	};

	(void)state;
	add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	for (unsigned i = 0; i < PROBE_COUNTERS; i++) {
		rows[0].value[i] = 100 + i;
		rows[1].value[i] = 1000 + i;
	}
	rows[0].value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + 8;
	rows[0].value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - 8;
	rows[1].value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS - 4;
	rows[1].value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS + 4;
	assert_int_equal(probe_handler.batch(instance, &batch), 0);
	/* The same site in another kernel is another row. */
	dispatch.kernel_id = 6;
	batch.count = 1;
	assert_int_equal(probe_handler.batch(instance, &batch), 0);
	dispatch.kernel_id = 5;
	assert_int_equal(probe_handler.batch(instance, &batch), 0);
	finish();

	assert_string_equal(host_table_of(&host_state, 0), "site");
	assert_int_equal(host_state.row_count, 2);
	assert_int_equal(host_state.logged, 1);
	assert_int_equal(get(0, "kernel"), 5);
	assert_int_equal(get(0, "code_object"), 3);
	assert_int_equal(get(0, "executions"), 1200);
	assert_int_equal(get(0, "affine"), 1233);
	assert_int_equal(get(0, "max_way"), 1012);
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

/* out[x * n + y] of a 32 x 32 workgroup; tile[x * pitch + y] as well. */
static void send_columns(uint32_t site, uint64_t base, uint64_t pitch)
{
	uint64_t addr[64];

	dispatch.group[0] = 32;
	for (uint64_t wave = 0; wave < 16; wave++) {
		for (uint64_t lane = 0; lane < 64; lane++)
			addr[lane] = base + 4 * (lane % 32 * pitch + wave * 2 + lane / 32);
		send_full(site, addr);
	}
}

static void test_transpose(void **state)
{
	uint32_t lds = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t padded = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t write = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_columns(lds, 0, 32);
	send_columns(padded, 0, 33);
	send_columns(write, 0x7f0000000000, 32);
	finish();
	assert_int_equal(get(0, "executions"), 16);
	assert_int_equal(get(0, "conflicts"), 992);
	assert_int_equal(get(0, "max_way"), 32);
	assert_string_equal(host_text(&host_state, 0, "cause"),
			    "within each row of 32 work-items lanes are a multiple of 128 B apart: "
			    "32-way bank conflict");
	assert_string_equal(host_text(&host_state, 0, "fix"),
			    "pad the row by 4 B, for example from 32 to 33 elements of 4 B: no "
			    "conflicts then");
	assert_int_equal(get(1, "conflicts"), 0);
	assert_string_equal(host_text(&host_state, 1, "cause"), "");
	assert_string_equal(host_text(&host_state, 1, "fix"), "");
	assert_int_equal(get(2, "lines128"), 512);
	assert_int_equal(get(2, "needed128"), 32);
	assert_string_equal(host_text(&host_state, 2, "cause"),
			    "32.0 lines of 128 B touched, 2.0 needed: as if each lane of a row of "
			    "32 work-items were in a line of its own");
}

/* Uniform reads touch fewer lines than lanes could need: good, and no finding. */
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

/* ---- Advice ------------------------------------------------------------------------------------
 */

static void advise(enum probe_access_kind access, enum probe_space space, uint16_t bytes,
		   uint16_t unit, uint64_t base, int64_t stride, const char *cause, const char *fix)
{
	void *state = NULL;

	if (!instance)
		start(&state);
	send_affine(add_site(access, space, bytes, unit), ~0ull, base, stride);
	finish();
	assert_string_equal(host_text(&host_state, 0, "cause"), cause);
	assert_string_equal(host_text(&host_state, 0, "fix"), fix);
}

static void test_advice(void **state)
{
	const uint64_t base = 0x7f0000000000;

	(void)state;
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4, base, 4, "", "");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4, base, 0, "", "");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4, 0, 0, "", "");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4, base + 8, 4,
	       "lanes are contiguous but start inside a line: one line of 128 B more than needed",
	       "align the first lane's address (base, offset, row pitch) to 128 B");
	advise(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4, base, 16,
	       "lanes are 16 B apart and 4 B are written: 32 of 128 B of each line are used",
	       "make the elements that neighbouring lanes use neighbours in memory: one array per "
	       "member instead of an array of structs of 16 B");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4, base, 4096,
	       "lanes are 4096 B apart and 4 B are read: 4 of 128 B of each line are used",
	       "let neighbouring lanes use neighbouring elements (swap the loops or indices), or "
	       "pass a tile through LDS");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 32, 16, base, 32,
	       "each lane's 32 B are read in 2 accesses of 16 B, and each of them reaches over all "
	       "lines",
	       "let neighbouring lanes take neighbouring 16 B pieces (elements of 16 B, or one "
	       "array per member)");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4, 0, 128,
	       "lanes are 128 B apart: 32-way bank conflict",
	       "pad the row from 32 to 33 elements of 4 B (132 B): no conflicts then");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8, 0, 256,
	       "lanes are 256 B apart: 16-way bank conflict",
	       "pad the row from 32 to 33 elements of 8 B (264 B): no conflicts then");
	advise(PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 16, 16, 0, -128,
	       "lanes are 128 B apart: 8-way bank conflict",
	       "pad the row from 8 to 9 elements of 16 B (144 B): no conflicts then");
}

/* Holes between active lanes are not called contiguous, however the lanes are spaced. */
static void test_advice_idle_lanes(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);

	(void)state;
	send_affine(site, 0x5555555555555555ull, 0x7f0000000000, 4);
	finish();
	assert_string_equal(
		host_text(&host_state, 0, "cause"),
		"32.0 of 64 lanes are active on average: what they read lies in 2.0 lines of "
		"128 B, 1.0 would hold it");
	assert_non_null(strstr(host_text(&host_state, 0, "fix"), "active lanes be neighbours"));
}

/* Different strides, and none at all, are said to be so. */
static void test_advice_without_stride(void **state)
{
	uint32_t varying = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint32_t gather = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t histogram = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4);
	uint32_t mixed = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t rows = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint64_t seed = 12345, addr[64];

	(void)state;
	/* 16-way: many patterns have these counts, so it says no more than that. */
	send_columns(rows, 0, 16);
	send_affine(mixed, ~0ull, 0x7f0000000000, 4);
	for (int64_t stride = 8; stride <= 512; stride *= 2)
		send_affine(varying, ~0ull, 0, stride);
	for (int i = 0; i < 10; i++) {
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000000 + ref_random(&seed) % 0x1000000 / 4 * 4;
		send_full(gather, addr);
		send_full(mixed, addr);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = ref_random(&seed) % 256 * 4;
		send_full(histogram, addr);
	}
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "varies from 8 to 512 B"));
	assert_non_null(
		strstr(host_text(&host_state, 1, "cause"), "no constant stride over the wave"));
	assert_non_null(strstr(host_text(&host_state, 2, "cause"), "no constant stride"));
	assert_non_null(strstr(host_text(&host_state, 2, "fix"), "copy of the table"));
	assert_non_null(
		strstr(host_text(&host_state, 3, "cause"), "only 1 of 11 executions have a"));
	assert_non_null(strstr(host_text(&host_state, 4, "cause"),
			       "the counts are those of lanes 64 B apart within rows of 32"));
	assert_non_null(
		strstr(host_text(&host_state, 4, "fix"), "pad the row by 4 B (elements of 4 B)"));
}

/* Every padding that is proposed must be free of conflicts on the target. */
static void test_padding_holds(void **state)
{
	static const char *const archs[] = {"gfx90a", "gfx942", "gfx950"};
	static struct lds_scratch scratch;
	unsigned proposed = 0;

	for (int i = 0; i < 3 * 60; i++) {
		int64_t stride = 8 + 8 * (i / 3);
		unsigned long long padded;
		const char *text;
		uint32_t addr[64];
		struct lds_cost cost;

		if (!instance)
			start(state);
		dispatch.arch = archs[i % 3];
		send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4), ~0ull, 0, stride);
		finish();
		text = strchr(host_text(&host_state, 0, "fix"), '(');
		if (!text || sscanf(text, "(%llu B)", &padded) != 1)
			continue;
		proposed++;
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = (uint32_t)(padded * lane);
		cost = lds_count(lds_model_find(archs[i % 3]),
				 lds_model_phases(lds_model_find(archs[i % 3]), 4, false), true, 64,
				 4, ~0ull, addr, &scratch);
		assert_int_equal(cost.passes, cost.ideal);
	}
	assert_true(proposed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_counters_add, start),
		cmocka_unit_test_setup(test_bad_input, start),
		cmocka_unit_test_setup(test_nothing, start),
		cmocka_unit_test_setup(test_transpose, start),
		cmocka_unit_test_setup(test_broadcast, start),
		cmocka_unit_test_setup(test_executions_do_not_cancel, start),
		cmocka_unit_test_setup(test_widths, start),
		cmocka_unit_test_setup(test_flat, start),
		cmocka_unit_test_setup(test_advice, start),
		cmocka_unit_test_setup(test_advice_idle_lanes, start),
		cmocka_unit_test_setup(test_advice_without_stride, start),
		cmocka_unit_test_setup(test_padding_holds, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
