/* SPDX-License-Identifier: MIT */
/*
 * Causes and fixes of the memory handler; results marked "verified" must be true. For global memory
 * see advice_global.c.
 */
#include "tests/unit/handlers/send_records.h"

static void advise(enum probe_access_kind access, enum probe_space space, uint16_t bytes,
		   uint16_t unit, uint64_t base, int64_t stride, const char *cause, const char *fix)
{
	void *state = NULL;
	uint32_t site;

	if (!instance)
		start(&state);
	site = add_site(access, space, bytes, unit);
	host_state.sites[site].element = space == PROBE_SPACE_LDS ? bytes : 0;
	send_affine(site, ~0ull, base, stride);
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
	       "lanes are contiguous but misaligned: one cache line of 128 B more "
	       "than needed",
	       "align the address of the first lane (base, offset, row pitch) to "
	       "128 B; verified: at most 2 cache lines of 128 B after, 3 before (per "
	       "execution); effect on other accesses to the buffer not evaluated");
	advise(PROBE_ACCESS_STORE, PROBE_SPACE_GLOBAL, 4, 4, base, 16,
	       "lanes are 16 B apart and 4 B are written: 32 of 128 B of each "
	       "cache line are used by this access",
	       "store these 4 B of neighbouring lanes, now 16 B apart, next to each other (a "
	       "structure of arrays); verified: at most 3 cache lines of 128 B after, "
	       "8 before (per execution); effect on other accesses to the buffer "
	       "not evaluated");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4, base, 4096,
	       "lanes are 4096 B apart and 4 B are read: 4 of 128 B of each cache "
	       "line are used by this access",
	       "let threadIdx.x run along consecutive addresses (swap the loops "
	       "or indices), or pass a tile through LDS; estimate: 3 cache lines of 128 B "
	       "after, 64 before (per execution), if neighbouring elements are 4 B apart and at least 64 consecutive ones are accessed, and other accesses do not lose what this one gains; effect on other accesses of the kernel not evaluated");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 32, 16, base, 32,
	       "each lane's 32 B are read in 2 accesses of 16 B, each of which "
	       "touches all cache lines",
	       "let neighbouring lanes access neighbouring 16 B pieces (elements "
	       "of 16 B, or one array per piece); verified: at most 18 cache lines of "
	       "128 B after, 32 before (per execution)");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4, 0, 128,
	       "lanes are 128 B apart: 32-way bank conflict",
	       "pad the row from 32 to 33 elements of 4 B (132 B), or store "
	       "column c (of 4 B) of row r in column c ^ (r % 32); verified: 0 conflicts "
	       "after, 62 before (per execution)");
	advise(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8, 0, 256,
	       "lanes are 256 B apart: 16-way bank conflict",
	       "pad the row from 32 to 33 elements of 8 B (264 B), or store "
	       "column c (of 8 B) of row r in column c ^ (r % 32); verified: 0 conflicts "
	       "after, 60 before (per execution)");
	advise(PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 16, 16, 0, -128,
	       "lanes are 128 B apart: 8-way bank conflict",
	       "put element i (of 16 B) at i + i / 8, or put element i (of 16 B) at "
	       "i ^ (i / 8 % 8); verified: 0 conflicts after, 56 before (per execution)");
	advise(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4, 0, 0,
	       "all active lanes update one word, which serialises them: 32 in a row",
	       "reduce within the wave first (cross-lane operations) and let one "
	       "lane update the word; verified: 0 conflicts after, 62 before (per "
	       "execution)");
}

static const char *advise_pairs(uint16_t bytes, uint16_t unit, int64_t stride, uint32_t declared)
{
	uint32_t site;

	if (!instance)
		start(NULL);
	site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, bytes, unit);
	host_state.sites[site].element = declared;
	host_state.sites[site].align = unit;
	send_affine(site, ~0ull, 0, stride);
	finish();
	return host_text(&host_state, 0, "fix");
}

static const char *advise_column(uint16_t bytes, int64_t stride, uint32_t declared)
{
	return advise_pairs(bytes, bytes, stride, declared);
}

/*
 * Fixes speak of the program's elements: those smaller than a bank, and those of which an access
 * reads several, or a part.
 */
static void test_elements(void **state)
{
	(void)state;
	assert_non_null(strstr(advise_column(2, 128, 0), "from 64 to 66 elements of 2 B (132 B)"));
	assert_non_null(strstr(advise_column(1, 64, 1), "from 64 to 68 elements of 1 B (68 B)"));
	assert_non_null(
		strstr(advise_column(2, -128, 2), "put element i (of 2 B) at i + i / 64 * 2"));
	assert_non_null(strstr(advise_column(16, 128, 2), "from 64 to 72 elements of 2 B (144 B)"));
	assert_non_null(strstr(advise_column(16, 128, 1), "from 8 to 9 elements of 16 B (144 B)"));
	/* Structs, and members of smaller ones. */
	assert_non_null(strstr(advise_column(4, 128, 128), "pad the row by 4 B to 132 B"));
	assert_non_null(strstr(advise_column(8, -128, 128), "pad the row by 8 B to 136 B"));
	/* Two members of 4 B, which the compiler merged. */
	assert_non_null(strstr(advise_pairs(8, 4, 32, 32), "pad the row by 4 B to 36 B"));
	assert_non_null(strstr(advise_column(8, 128, 16), "from 8 to 9 elements of 16 B (144 B)"));
}

/* Many lanes on few words: the cause says so, and the proposed copies were counted. */
static void test_contended(void **state)
{
	uint32_t site = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4);
	uint64_t addr[64], copied[64];
	unsigned copies;
	double after;

	(void)state;
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 512 + lane % 2 * 4;
	send_full(site, addr);
	finish();
	assert_non_null(
		strstr(host_text(&host_state, 0, "cause"), "32 lanes of a wave update one word"));
	assert_int_equal(sscanf(host_text(&host_state, 0, "fix"), "keep %u copies", &copies), 1);
	/* Whether the copies fit depends on the size of the table, which is not known. */
	assert_string_equal(host_text(&host_state, 0, "verified"), "");
	assert_non_null(strstr(host_text(&host_state, 0, "fix"), "the whole table fit in LDS"));
	/* The fix, applied. */
	for (unsigned lane = 0; lane < 64; lane++)
		copied[lane] = 512 + (lane % 2 * copies + lane % copies) * 4;
	assert_true(host_real(&host_state, 0, "before") == (double)get(0, "conflicts"));
	after = host_real(&host_state, 0, "after");
	start(NULL);
	send_full(add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4), copied);
	finish();
	assert_true(after == (double)get(0, "conflicts"));
	/* Places in a queue, or locks: the old values of copies would be others. */
	for (unsigned flag = PROBE_ADDRESS_RESULT; flag <= PROBE_ADDRESS_EXCHANGE; flag *= 2) {
		start(NULL);
		site = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4);
		host_state.sites[site].address_flags = (uint8_t)flag;
		send_full(site, addr);
		finish();
		assert_non_null(strstr(host_text(&host_state, 0, "cause"), "serialises them"));
		assert_string_equal(host_text(&host_state, 0, "fix"), "");
	}
}

/* Conflicts by the plain rules, of addresses that a layout moved. */
static double reference(enum probe_access_kind access, unsigned unit, const uint32_t *addr)
{
	const struct probe_lds_rule rule = ref_lds_rule("gfx90a", 64, unit, access);
	struct probe_lds_cost cost = ref_lds(&rule, ~0ull, addr);

	return cost.passes - cost.ideal;
}

/* Every pitch that is proposed is free of conflicts by the plain rules, and so is every swizzle. */
static void test_pitches_proposed(void **state)
{
	static const uint16_t units[] = {4, 8, 16};
	unsigned proposed = 0, swizzled = 0;

	for (unsigned u = 0; u < 3; u++) {
		for (int64_t pitch = 2 * units[u]; pitch <= 4096; pitch *= 2) {
			enum probe_access_kind access =
				pitch % 3 == 1 ? PROBE_ACCESS_STORE : PROBE_ACCESS_LOAD;
			const char *fix, *found;
			uint32_t addr[64], site;
			unsigned columns;
			int64_t to;

			if (!instance)
				start(state);
			site = add_site(access, PROBE_SPACE_LDS, units[u], units[u]);
			host_state.sites[site].element = units[u];
			send_affine(site, ~0ull, 0, pitch);
			finish();
			if (!get(0, "conflicts"))
				continue;
			fix = host_text(&host_state, 0, "fix");
			assert_string_equal(host_text(&host_state, 0, "verified"), "conflicts");
			assert_true(host_real(&host_state, 0, "after") == 0);
			assert_true(host_real(&host_state, 0, "before") ==
				    (double)get(0, "conflicts"));
			found = strchr(fix, '(');
			assert_true(found && sscanf(found, "(%" SCNd64 " B)", &to) == 1);
			for (unsigned lane = 0; lane < 64; lane++)
				addr[lane] = (uint32_t)(lane * to);
			assert_true(reference(access, units[u], addr) == 0);
			found = strstr(fix, "c ^ (r % ");
			proposed++;
			if (!found)
				continue;
			assert_int_equal(sscanf(found, "c ^ (r %% %u", &columns), 1);
			assert_int_equal(columns * units[u], pitch);
			for (unsigned lane = 0; lane < 64; lane++)
				addr[lane] = (uint32_t)(lane * pitch) +
					     (5 % columns ^ lane % columns) * units[u];
			assert_true(reference(access, units[u], addr) == 0);
			swizzled++;
		}
	}
	assert_true(proposed > 20 && swizzled > 10);
}

/* Layouts are tried on addresses without a stride, and the advice about them is true. */
static void test_trials(void **state)
{
	uint32_t tile = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 16, 16);
	uint32_t gather = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	uint32_t random = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	uint64_t addr[64], seed = 999;
	unsigned padded;
	const char *fix;
	uint32_t now[64];
	double before;

	(void)state;
	dispatch.group[0] = 16;
	host_state.sites[gather].address_class = PROBE_ADDRESS_GATHER;
	/* Rows of 128 B, sixteen of them side by side: each 8 lanes of a phase on one row's banks.
	 */
	for (unsigned lane = 0; lane < 64; lane++)
		now[lane] = (uint32_t)(addr[lane] = 256 + lane % 16 * 128 + lane / 16 * 16);
	before = reference(PROBE_ACCESS_LOAD, 16, now);
	for (int i = 0; i < 100; i++)
		send_full(tile, addr);
	/* All words of 1 KiB, one execution after the other in an order that no wave likes. */
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000000 + 4 * (lane * 37 % 64 * 4 + i);
		send_lanes(gather, &(struct probe_wave_info){.group = {i, 0, 0}}, ~0ull, addr);
	}
	for (int i = 0; i < 50; i++) {
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 32768 + ref_random(&seed) % 4096 * 4;
		send_full(random, addr);
	}
	finish();
	assert_string_equal(host_text(&host_state, 0, "verified"), "conflicts");
	assert_true(before > 0 && host_real(&host_state, 0, "before") == before);
	assert_true(host_real(&host_state, 0, "after") == 0);
	/* 256 was the lowest address. */
	fix = host_text(&host_state, 0, "fix");
	if (sscanf(fix, "pad the row from %*u to %*u elements of %*u B (%u B)", &padded) != 1)
		fail_msg("proposes nothing that can be recomputed: %s", fix);
	for (unsigned lane = 0; lane < 64; lane++)
		now[lane] += (now[lane] - 256) / 128 * (padded - 128);
	assert_non_null(strstr(fix, "verified: 0 conflicts after"));
	assert_true(reference(PROBE_ACCESS_LOAD, 16, now) == 0);
	/* Eight lines of 1 KiB; each execution touched all of them. */
	assert_true(host_real(&host_state, 1, "before") == 8);
	assert_true(host_real(&host_state, 1, "after") == 2);
	assert_non_null(strstr(host_text(&host_state, 1, "fix"), "estimate: 2 cache lines of 128"));
	assert_string_equal(host_text(&host_state, 1, "verified"), "");
	assert_string_equal(host_text(&host_state, 2, "fix"), "");
	assert_string_equal(host_text(&host_state, 2, "verified"), "");
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
	send_columns(rows, 49152, 16);
	send_affine(mixed, ~0ull, 0x7f0000000000, 4);
	for (int64_t stride = 8; stride <= 512; stride *= 2)
		send_affine(varying, ~0ull, 0, stride);
	for (int i = 0; i < 10; i++) {
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 0x7f0000000000 + ref_random(&seed) % 0x1000000 / 4 * 4;
		send_full(gather, addr);
		send_full(mixed, addr);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 53248 + ref_random(&seed) % 256 * 4;
		send_full(histogram, addr);
	}
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "varies from 8 to 512 B"));
	assert_non_null(strstr(host_text(&host_state, 1, "cause"), "follow no constant stride"));
	assert_non_null(strstr(host_text(&host_state, 2, "cause"), "no constant stride"));
	assert_non_null(
		strstr(host_text(&host_state, 2, "fix"), "copies of each entry of the table"));
	/* Other lanes may use other parts of the table: its size is not known. */
	assert_non_null(strstr(host_text(&host_state, 2, "fix"), "the whole table fit in LDS"));
	assert_string_equal(host_text(&host_state, 2, "verified"), "");
	assert_non_null(
		strstr(host_text(&host_state, 3, "cause"), "only 1 of 11 executions have a"));
	assert_non_null(strstr(host_text(&host_state, 4, "cause"),
			       "within each row of 32 work-items lanes are 64 B apart: 16-way"));
	assert_non_null(strstr(host_text(&host_state, 4, "fix"), "pad the row from 16 to 17"));
}

/* Counters as the device makes them: those of the trace of one row of the table. */
static void send_counters(uint32_t site, const uint64_t value[PROBE_COUNTERS])
{
	struct probe_counter_row row = {.site = site};

	memcpy(row.value, value, sizeof(row.value));
	send_counter_rows(&row, 1);
}

/* double tile[16][pitch], read down its columns by rows of 16 work-items. */
static void send_doubles(uint32_t site, unsigned pitch)
{
	dispatch.group[0] = dispatch.group[1] = 16;
	for (unsigned wave = 0; wave < 4; wave++) {
		struct probe_wave_info info = {.wave = wave};
		uint64_t addr[64];

		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = 8 * (lane % 16 * pitch + wave * 4 + lane / 16);
		send_lanes(site, &info, ~0ull, addr);
	}
}

/* Rows of 16 and of 32 elements give the same counts: a trace distinguishes them, counters do not.
 */
static void test_rows_known(void **state)
{
	static const struct probe_site_bitfield none[PROBE_BITFIELDS];
	struct probe_site_stride strides[3] = {{0}, {.constant = 8}, {0}};
	uint64_t value[PROBE_COUNTERS] = {0};
	char text[64];

	(void)state;
	for (unsigned pitch = 16; pitch <= 32; pitch += 16) {
		if (!instance)
			start(NULL);
		send_doubles(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8), pitch);
		finish();
		snprintf(text, sizeof(text), "pad the row from %u to %u elements of 8 B", pitch,
			 pitch + 1);
		assert_int_equal(strncmp(host_text(&host_state, 0, "fix"), text, strlen(text)), 0);
		value[PROBE_C_EXECUTIONS] = (uint64_t)get(0, "executions");
		value[PROBE_C_LANES] = (uint64_t)get(0, "lanes");
		value[PROBE_C_PASSES] = (uint64_t)get(0, "passes");
		value[PROBE_C_IDEAL_PASSES] = (uint64_t)get(0, "ideal_passes");
		value[PROBE_C_MAX_WAY] = (uint64_t)get(0, "max_way");
		start(NULL);
		dispatch.group[0] = dispatch.group[1] = 16;
		send_counters(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8), value);
		finish();
		assert_string_equal(host_text(&host_state, 0, "fix"), "");
		/* With what the compiler proved, they are as good. */
		start(NULL);
		dispatch.group[0] = dispatch.group[1] = 16;
		send_counters(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8), value);
		strides[0].constant = 8 * pitch;
		host_state.sites[0].strides = strides;
		host_state.sites[0].bitfields = none;
		finish();
		assert_int_equal(strncmp(host_text(&host_state, 0, "fix"), text, strlen(text)), 0);
		assert_string_equal(host_text(&host_state, 0, "verified"), "conflicts");
		snprintf(text, sizeof(text), "0,%u,%u,", 8 * pitch, 16 * pitch);
		assert_int_equal(
			strncmp(host_text(&host_state, 0, "lane_offsets"), text, strlen(text)), 0);
	}
	/* Advice for both accesses holds for both. */
	for (unsigned pitch = 17; pitch <= 33; pitch += 16) {
		start(NULL);
		send_doubles(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 8, 8), pitch);
		finish();
		assert_int_equal(get(0, "conflicts"), 0);
	}
}

/* Thousands of conflicts are written as whole numbers. */
static void test_numbers(void **state)
{
	uint64_t value[PROBE_COUNTERS] = {
		[PROBE_C_EXECUTIONS] = 3,   [PROBE_C_LANES] = 192, [PROBE_C_PASSES] = 48,
		[PROBE_C_IDEAL_PASSES] = 6, [PROBE_C_MAX_WAY] = 9,
	};

	(void)state;
	value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS;
	value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS;
	value[PROBE_C_AFFINE] = 3;
	value[PROBE_C_PASSES] += 3 * 15870;
	send_counters(add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4), value);
	finish();
	assert_non_null(
		strstr(host_text(&host_state, 0, "fix"), "0 conflicts after, 15884 before"));
}

/* Every padding that is proposed must be free of conflicts on the target. */
static void test_padding_holds(void **state)
{
	static const char *const archs[] = {"gfx90a", "gfx942", "gfx950"};
	static struct probe_lds_scratch scratch;
	unsigned proposed = 0;

	for (int i = 0; i < 3 * 60; i++) {
		int64_t stride = 8 + 8 * (i / 3);
		unsigned long long padded;
		const char *text;
		uint32_t addr[64];
		struct probe_lds_rule rule;
		struct probe_lds_cost cost;

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
		rule = ref_lds_rule(archs[i % 3], 64, 4, PROBE_ACCESS_LOAD);
		cost = probe_lds_count(&rule, ~0ull, addr, &scratch);
		assert_int_equal(cost.passes, cost.ideal);
	}
	assert_true(proposed > 100);
}

/* Advice does not depend on the order in which waves are delivered. */
static void test_order(void **state)
{
	enum { WAVES = 300, EACH = 3 };
	static const unsigned steps[] = {1, 7, 299};
	char fixes[2][600];
	double after[2];

	for (unsigned n = 0; n < 3; n++) {
		uint32_t sites[2];

		if (n)
			start(state);
		dispatch.grid[0] = WAVES * 64;
		sites[0] = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		sites[1] = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
		host_state.sites[sites[0]].address_class = PROBE_ADDRESS_GATHER;
		for (unsigned i = 0; i < WAVES; i++) {
			struct probe_wave_info wave = {.group = {i * steps[n] % WAVES, 0, 0}};
			uint64_t addr[64], seed = 77 + wave.group[0];

			for (unsigned k = 0; k < 2 * EACH; k++) {
				for (unsigned lane = 0; lane < 64; lane++)
					addr[lane] = (k % 2 ? 0 : 0x7f0000000000) +
						     ref_random(&seed) % 4096 * 4;
				send_lanes(sites[k % 2], &wave, ~0ull, addr);
			}
		}
		finish();
		for (size_t row = 0; row < 2; row++) {
			const char *fix = host_text(&host_state, row, "fix");
			double is = host_real(&host_state, row, "after");

			if (n) {
				assert_string_equal(fix, fixes[row]);
				assert_true(is == after[row]);
			}
			snprintf(fixes[row], sizeof(fixes[row]), "%s", fix);
			after[row] = is;
		}
		assert_non_null(strstr(fixes[0], "estimate: "));
	}
}

/* A padding is proposed only if the workgroup's LDS may have space for it, and for copies. */
static void test_space(void **state)
{
	static const struct {
		uint32_t used;
		const char *padding; /* NULL: none */
	} cases[] = {
		{0, "from 128 to 129 elements of 4 B (516 B), or store"},
		{127 * 512, "from 128 to 129 elements of 4 B (516 B), or store"},
		{65200, "if LDS has space for it in all rows (a workgroup uses 65200 of 65536 B)"},
		{65536, NULL},
	};
	uint64_t addr[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fix;

		if (!instance)
			start(NULL);
		dispatch.lds_bytes = cases[i].used;
		send_affine(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4), ~0ull, 0, 512);
		finish();
		fix = host_text(&host_state, 0, "fix");
		assert_non_null(strstr(fix, "store column c"));
		assert_non_null(strstr(fix, "verified: 0 conflicts"));
		assert_int_equal(!strstr(fix, "pad"), !cases[i].padding);
		if (cases[i].padding)
			assert_non_null(strstr(fix, cases[i].padding));
	}
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = 512 + lane % 2 * 4;
	start(NULL);
	dispatch.lds_bytes = 65536;
	send_full(add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4), addr);
	finish();
	assert_string_equal(host_text(&host_state, 0, "fix"), "");
}

/*
 * Lanes on a diagonal are a row less an element apart. What is proposed for rows as declared is
 * checked with the lanes of such a diagonal.
 */
static void test_declared_rows(void **state)
{
	const unsigned row = 65, element = 4;
	unsigned was, is;
	uint64_t addr[64];
	uint32_t site;

	(void)state;
	site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	host_state.sites[site].row = row * element;
	host_state.sites[site].element = element;
	send_affine(site, ~0ull, 256, (row - 1) * element);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "cause"), "lanes are 256 B apart"));
	assert_int_equal(sscanf(host_text(&host_state, 0, "fix"),
				"pad the row from %u to %u elements of 4 B", &was, &is),
			 2);
	assert_int_equal(was, row);
	start(NULL);
	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = (lane * is + 64 - lane) * element;
	send_full(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4), addr);
	finish();
	assert_int_equal(get(0, "conflicts"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_advice, start),
		cmocka_unit_test_setup(test_elements, start),
		cmocka_unit_test_setup(test_pitches_proposed, start),
		cmocka_unit_test_setup(test_trials, start),
		cmocka_unit_test_setup(test_advice_without_stride, start),
		cmocka_unit_test_setup(test_contended, start),
		cmocka_unit_test_setup(test_rows_known, start),
		cmocka_unit_test_setup(test_numbers, start),
		cmocka_unit_test_setup(test_padding_holds, start),
		cmocka_unit_test_setup(test_order, start),
		cmocka_unit_test_setup(test_space, start),
		cmocka_unit_test_setup(test_declared_rows, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
