/* SPDX-License-Identifier: MIT */
/* Advice of the memory handler about LDS, by the elements of the source and by launch shapes. */
#include "tests/unit/handlers/send_records.h"

enum { EXECUTIONS = 10 };

static uint32_t add(uint16_t bytes, uint16_t variable, uint32_t element)
{
	uint32_t site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, bytes, bytes);

	host_state.sites[site].variable = variable;
	host_state.sites[site].element = element;
	return site;
}

/* Executions of full waves with lanes `stride` bytes apart, by their addresses or by counters. */
static void run(uint32_t site, int64_t stride, bool traced)
{
	struct probe_counter_row row = {.site = site};
	uint64_t *c = row.value;

	for (int i = 0; i < EXECUTIONS && traced; i++)
		send_affine(site, ~0ull, 0, stride);
	if (traced)
		return;
	c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = EXECUTIONS;
	c[PROBE_C_LANES] = 64 * EXECUTIONS;
	c[PROBE_C_IDEAL_PASSES] = 4 * EXECUTIONS;
	c[PROBE_C_PASSES] = 64 * EXECUTIONS;
	c[PROBE_C_MAX_WAY] = 16;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
	send_counter_rows(&row, 1);
}

/*
 * Columns that an exclusive-or moves are elements of the source: the compiler does not merge
 * accesses to them afterwards.
 */
static void test_columns(void **state)
{
	static const struct {
		uint16_t bytes;
		uint32_t element;
		bool columns;
	} cases[] = {
		{8, 8, true},
		{8, 4, false},
		{16, 16, true},
		{16, 8, false},
		{4, 4, true},
		/* Unknown, or raw space. */
		{4, 0, true},
		{4, 1, true},
		{8, 0, false},
		{8, 1, false},
		/* Members of structs. */
		{4, 8, false},
		{8, 16, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned how = 0; how < 8; how++) {
			const char *fix;

			if (!instance)
				start(state);
			/* With another access to the variable, and of one that is unknown. */
			for (unsigned n = 0; n <= (how & 1); n++)
				run(add(cases[i].bytes, how & 2 ? 7 : 0, cases[i].element), 128,
				    how & 4);
			finish();
			fix = host_text(&host_state, 0, "fix");
			assert_int_equal(strncmp(fix, "pad ", 4), 0);
			if (strstr(fix, "column c") ? !cases[i].columns : cases[i].columns)
				fail_msg("%u B of %u: %s", cases[i].bytes, cases[i].element, fix);
		}
}

/* ---- Launch shapes --------------------------------------------------------------------------- */

/* A layout that puts element i (of 4 B) at i + i / row * pad. */
struct layout {
	unsigned row, pad;
};

/* Lanes of a workgroup that transposes a tile of its own shape: t[x * height + y], or t[id]. */
static uint64_t tile_lanes(uint32_t width, uint32_t height, uint32_t wave, bool column,
			   const struct layout *layout, uint64_t addr[64])
{
	uint64_t exec = 0;

	for (uint32_t lane = 0; lane < 64 && wave * 64 + lane < width * height; lane++) {
		uint32_t id = wave * 64 + lane;
		uint32_t i = column ? id % width * height + id / width : id;

		addr[lane] = 4 * (i + (layout ? i / layout->row * layout->pad : 0));
		exec |= 1ull << lane;
	}
	return exec;
}

static const uint32_t tiles[][3] = {{32, 16, 1}, {24, 21, 2}}; /* and how many */

static void send_tiles(uint32_t store, uint32_t load)
{
	for (size_t shape = 0; shape < 2; shape++) {
		const uint32_t *tile = tiles[shape];

		dispatch.id = shape + 1;
		dispatch.group[0] = tile[0];
		dispatch.group[1] = tile[1];
		dispatch.grid[0] = tile[0] * tile[2];
		dispatch.grid[1] = tile[1];
		dispatch.grid[2] = 1;
		for (uint32_t wave = 0; wave < (tile[0] * tile[1] + 63) / 64 * tile[2]; wave++) {
			uint32_t group = wave % tile[2], in = wave / tile[2];
			struct probe_wave_info info = {.group = {group, 0, 0}, .wave = (uint8_t)in};
			uint64_t addr[64], exec;

			exec = tile_lanes(tile[0], tile[1], in, true, NULL, addr);
			send_lanes(store, &info, exec, addr);
			exec = tile_lanes(tile[0], tile[1], in, false, NULL, addr);
			send_lanes(load, &info, exec, addr);
		}
	}
	dispatch.id = 1;
	memset(dispatch.grid, 0, sizeof(dispatch.grid));
}

/* Conflicts of both accesses in all launches. */
static double tile_conflicts(const struct layout *layout)
{
	double sum = 0;

	for (size_t shape = 0; shape < 2; shape++)
		for (uint32_t wave = 0; wave * 64 < tiles[shape][0] * tiles[shape][1]; wave++)
			for (int column = 0; column < 2; column++) {
				const struct probe_lds_rule rule = ref_lds_rule(
					"gfx90a", 64, 4,
					column ? PROBE_ACCESS_STORE : PROBE_ACCESS_LOAD);
				uint64_t addr[64] = {0}, exec;
				uint32_t addr32[64];
				struct probe_lds_cost cost;

				exec = tile_lanes(tiles[shape][0], tiles[shape][1], wave, column,
						  layout, addr);
				for (unsigned lane = 0; lane < 64; lane++)
					addr32[lane] = (uint32_t)addr[lane];
				cost = ref_lds(&rule, exec, addr32);
				sum += (cost.passes - cost.ideal) * tiles[shape][2];
			}
	return sum;
}

/* One layout for all launches, whose rows are of different lengths; with all their conflicts. */
static void test_launches(void **state)
{
	uint32_t store = add_site(PROBE_ACCESS_STORE, PROBE_SPACE_LDS, 4, 4);
	uint32_t load = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
	const char *together = "; the 2 accesses to this array in launches of 2 shapes together: ";
	struct layout layout = {.pad = 1};
	double after, before;
	const char *fix;

	(void)state;
	send_tiles(store, load);
	finish();
	fix = host_text(&host_state, 0, "fix");
	assert_true(sscanf(fix, "put element i (of 4 B) at i + i / %u * %u; verified", &layout.row,
			   &layout.pad) >= 1);
	fix = strstr(fix, together);
	assert_non_null(fix);
	assert_int_equal(
		sscanf(fix + strlen(together), "%lf after, %lf before (in all)", &after, &before),
		2);
	assert_true(before == tile_conflicts(NULL) && after == tile_conflicts(&layout));
	assert_true(2 * after <= before);
}

/* Strides of one access in two launch shapes, by counters, to a variable or to unknown arrays. */
static const char *advise_launches(uint16_t variable, int64_t first, int64_t second)
{
	uint32_t site;

	if (!instance)
		start(NULL);
	site = add(8, variable, 8);
	dispatch.grid[0] = 64;
	run(site, first, false);
	dispatch.grid[0] = 128;
	run(site, second, false);
	dispatch.grid[0] = 0;
	finish();
	return host_text(&host_state, 0, "fix");
}

static void test_launches_counted(void **state)
{
	static const struct {
		uint16_t variable;
		int64_t second;
		const char *fix, *end;
	} cases[] = {
		{7, 128, "pad the row from 16 to 17 elements of 8 B (136 B), or store",
		 "; this access in launches of 2 shapes together: 0 after, 1200 before (in all)"},
		/* A distance that depends on the launch is no row. */
		{7, 256, "put element i (of 8 B) at i + i / 16, or",
		 "; this access in launches of 2 shapes together: at most 40 after, 1200 before (in all)"},
		{0, 256, "pad the row from 16 to 17 elements of 8 B (136 B), or store",
		 "; launches of other shapes not evaluated"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fix = advise_launches(cases[i].variable, 128, cases[i].second);
		const char *end = strstr(fix, cases[i].end);

		if (strncmp(fix, cases[i].fix, strlen(cases[i].fix)) != 0 || !end ||
		    strcmp(end, cases[i].end) != 0)
			fail_msg("%s...%s: %s", cases[i].fix, cases[i].end, fix);
	}
}

/* Only shapes with an access that was evaluated are counted. */
static void test_launches_partly(void **state)
{
	static const char end[] = "; not all accesses were evaluated in launches of all shapes";
	uint32_t column = add(4, 7, 4), row = add(4, 7, 4);
	struct probe_counter_row unknown = {.site = column};
	const char *fix;

	(void)state;
	dispatch.grid[0] = 64;
	run(column, 128, false);
	run(row, 4, true);
	dispatch.grid[0] = 128;
	unknown.value[PROBE_C_EXECUTIONS] = EXECUTIONS;
	unknown.value[PROBE_C_LANES] = 64 * EXECUTIONS;
	unknown.value[PROBE_C_PASSES] = unknown.value[PROBE_C_IDEAL_PASSES] = EXECUTIONS;
	send_counter_rows(&unknown, 1);
	dispatch.grid[0] = 0;
	finish();
	fix = host_text(&host_state, 0, "fix");
	if (!strstr(fix, end) || strstr(fix, "of 2 shapes") ||
	    !strstr(fix, "the array's 1 access that has no conflicts now: at most "))
		fail_msg("%s", fix);
}

/* Executions of lanes without one stride, by counters. */
static void run_rows(uint32_t site, const struct probe_site_stride *strides,
		     const struct probe_site_bitfield *fields)
{
	struct probe_counter_row row = {.site = site};

	host_state.sites[site].address_class = PROBE_ADDRESS_ROWS;
	host_state.sites[site].strides = strides;
	host_state.sites[site].bitfields = fields;
	row.value[PROBE_C_EXECUTIONS] = EXECUTIONS;
	row.value[PROBE_C_LANES] = 64 * EXECUTIONS;
	row.value[PROBE_C_IDEAL_PASSES] = 4 * EXECUTIONS;
	row.value[PROBE_C_PASSES] = 64 * EXECUTIONS;
	row.value[PROBE_C_MAX_WAY] = 16;
	send_counter_rows(&row, 1);
}

/*
 * struct { float a[32][32]; double b[8][32]; }: a[x][y] and b[x % 8][y * 4 + x / 8]. The layout of
 * all is in rows of a, which are not those of b.
 */
static void test_arrays_of_struct(void **state)
{
	static const struct probe_site_stride column[3] = {{.constant = 128}, {.constant = 4}, {0}};
	static const struct probe_site_stride parts[3] = {{0}, {.constant = 32}, {0}};
	static const struct probe_site_bitfield fields[PROBE_BITFIELDS] = {
		{.scale = 256, .mask = 7}, {.scale = 8, .shift = 3, .mask = 3}};
	static const struct probe_site_bitfield none[PROBE_BITFIELDS];
	uint32_t a = add(4, 1, 0), b = add(8, 1, 0);

	(void)state;
	dispatch.group[0] = 32;
	dispatch.group[1] = 8;
	run_rows(a, column, none);
	run_rows(b, parts, fields);
	finish();
	if (strncmp(host_text(&host_state, a, "fix"), "pad the row from 32 to 34 elements of 4 B ",
		    42) ||
	    strncmp(host_text(&host_state, b, "fix"), "put element i (of 8 B) at i + i / 16; ", 38))
		fail_msg("%s\n%s", host_text(&host_state, a, "fix"),
			 host_text(&host_state, b, "fix"));
}

/* A layout for the executions with conflicts may harm those without, which are not recorded. */
static void test_others_unlike(void **state)
{
	for (unsigned others = 0; others <= 10; others += 10) {
		uint32_t site;
		const char *fix;

		start(state);
		site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, 4, 4);
		send_columns(site, 49152, 16);
		for (unsigned i = 0; i < others; i++)
			send_columns(site, 49152, 17);
		finish();
		fix = host_text(&host_state, 0, "fix");
		if (*fix ? others > 0 : others == 0)
			fail_msg("%u others: %s", others, fix);
	}
}

/* Steps of a tree whose loop was unrolled: each access has a stride of its own. */
static void test_unrolled_tree(void **state)
{
	(void)state;
	for (unsigned line = 7; line <= 8; line++) {
		const char *fix;

		if (!instance)
			start(NULL);
		for (unsigned step = 0; step < 3; step++)
			host_state.sites[add(4, 0, 4)].line = step ? 7 : line;
		for (unsigned step = 0; step < 3; step++) {
			struct probe_counter_row row = {.site = step};
			uint64_t *c = row.value;

			c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = EXECUTIONS;
			c[PROBE_C_LANES] = 16 * EXECUTIONS;
			c[PROBE_C_IDEAL_PASSES] = EXECUTIONS;
			c[PROBE_C_PASSES] = 4 * EXECUTIONS;
			c[PROBE_C_MAX_WAY] = 4;
			c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (32u << step);
			c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (32u << step);
			send_counter_rows(&row, 1);
		}
		finish();
		fix = host_text(&host_state, 0, "fix");
		if (line == 7)
			assert_int_equal(strncmp(fix, "change the index so that active lanes", 37),
					 0);
		else
			assert_string_equal(fix, "");
	}
}

/*
 * t[x][y] of float4 t[16][17], by waves of 4 rows of 16: a wave never begins where its lanes would
 * be beyond the end of a row.
 */
static void test_in_rows(void **state)
{
	static const struct probe_site_stride store[3] = {{.constant = 16}, {.constant = 272}, {0}};
	static const struct probe_site_stride load[3] = {{.constant = 272}, {.constant = 16}, {0}};
	static const struct probe_site_bitfield none[PROBE_BITFIELDS];
	uint32_t sites[] = {add(16, 1, 16), add(16, 1, 16)};

	(void)state;
	dispatch.group[0] = dispatch.group[1] = 16;
	for (int i = 0; i < 2; i++)
		host_state.sites[sites[i]].row = 272;
	run_rows(sites[0], store, none);
	run_rows(sites[1], load, none);
	finish();
	assert_non_null(strstr(host_text(&host_state, 1, "fix"),
			       "pad the row from 17 to 18 elements of 16 B (288 B); verified: 0 "));
}

/* Copies of a table must save more passes than it takes to set them to 0 and to sum them. */
static void test_copies_pay(void **state)
{
	/* Executions of the one workgroup; passes for 31 more copies of 1 KiB: 496. */
	static const struct {
		unsigned executions;
		uint32_t grid;
		const char *end;
	} cases[] = {
		{30, 64, ""},
		/* As many workgroups as a grid has at most. */
		{800, UINT32_MAX, ""},
		{800, 64,
		 "takes 0.6 more LDS passes per execution, if the table has the 256 entries "
		 "that were updated"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t seed = 12345, addr[64];
		uint32_t site;
		const char *fix;

		start(state);
		dispatch.grid[0] = cases[i].grid;
		dispatch.grid[1] = dispatch.grid[2] = 1;
		site = add_site(PROBE_ACCESS_ATOMIC, PROBE_SPACE_LDS, 4, 4);
		for (unsigned k = 0; k < cases[i].executions; k++) {
			for (unsigned lane = 0; lane < 64; lane++)
				addr[lane] = 53248 + ref_random(&seed) % 256 * 4;
			send_full(site, addr);
		}
		assert_int_equal(probe_handler.dispatch_end(instance, &dispatch), 0);
		memset(dispatch.grid, 0, sizeof(dispatch.grid));
		finish();
		fix = host_text(&host_state, 0, "fix");
		if (*cases[i].end ? !strstr(fix, cases[i].end) : *fix)
			fail_msg("%u executions: %s", cases[i].executions, fix);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_columns, start),
		cmocka_unit_test_setup(test_launches, start),
		cmocka_unit_test_setup(test_launches_counted, start),
		cmocka_unit_test_setup(test_launches_partly, start),
		cmocka_unit_test_setup(test_arrays_of_struct, start),
		cmocka_unit_test(test_others_unlike),
		cmocka_unit_test_setup(test_unrolled_tree, start),
		cmocka_unit_test_setup(test_in_rows, start),
		cmocka_unit_test(test_copies_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
