/* SPDX-License-Identifier: MIT */
/*
 * The memory handler's proposals for accesses that share an array in LDS: one layout for all. Its
 * conflicts, counted for each access by the reference rules, are those that the proposal states.
 */
#include "tests/unit/handlers/send_records.h"

enum { ACCESSES = 10, EXECUTIONS = 32 };

static struct made {
	enum probe_access_kind access;
	unsigned unit, count;
	uint32_t addr[EXECUTIONS][64];
} made[ACCESSES];

static void send_lds(uint32_t site, const uint32_t addr[64])
{
	struct made *m = &made[site];
	uint64_t wide[64];

	assert_true(m->count < EXECUTIONS);
	memcpy(m->addr[m->count++], addr, sizeof(m->addr[0]));
	for (unsigned lane = 0; lane < 64; lane++)
		wide[lane] = addr[lane];
	send_full(site, wide);
}

static uint32_t add_lds(enum probe_access_kind access, uint16_t unit)
{
	uint32_t site = add_site(access, PROBE_SPACE_LDS, unit, unit);

	made[site] = (struct made){.access = access, .unit = unit};
	return site;
}

/* A proposal, read back from its sentence. */
struct proposal {
	unsigned pitch, pad, column, columns, low, together;
	bool mapped; /* said as where each element goes */
	double after, before;
};

/* A swizzle moves so many elements together. */
static unsigned read_scale(const char *at, const char *format, unsigned *columns)
{
	unsigned scale;
	int count = sscanf(at, format, columns, &scale);

	assert_true(count >= 1);
	return count > 1 ? scale : 1;
}

static struct proposal read_fix(const char *fix)
{
	struct proposal p = {0};
	const char *at = strstr(fix, "accessed bytes ");
	unsigned size, per, more;

	if (at)
		assert_int_equal(sscanf(at, "accessed bytes %u", &p.low), 1);
	if (sscanf(fix, "pad each row of %u B", &p.pitch) == 1)
		assert_int_equal(sscanf(strstr(fix, " by "), " by %u B", &p.pad), 1);
	else if (sscanf(fix, "pad the row from %u to %u elements of %u B", &per, &more, &size) ==
		 3) {
		p.pitch = per * size;
		p.pad = (more - per) * size;
	} else if (sscanf(fix, "store column c (of %u B) of row r (of %u B", &p.column, &p.pitch) ==
		   2)
		p.column *= read_scale(strstr(fix, "(r % "), "(r %% %u * %u", &p.columns);
	else if (sscanf(fix, "put element i (of %u B", &size) == 1) {
		p.mapped = true;
		if (sscanf(strstr(fix, " at "), " at i + i / %u * %u", &per, &more) == 2)
			p.pad = more * size;
		else
			p.column = size * read_scale(strstr(fix, "% "), "%% %u * %u", &p.columns);
		p.pitch = per * size;
	} else
		fail_msg("no layout is proposed: %s", fix);
	at = strstr(fix, "; the ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "; the %u ", &p.together), 1);
	at = strstr(at, "together: ") + strlen("together: ");
	at += strncmp(at, "at most ", 8) ? 0 : 8;
	assert_int_equal(sscanf(at, "%lf after, %lf before", &p.after, &p.before), 2);
	return p;
}

static uint32_t moved(const struct proposal *p, uint32_t addr)
{
	uint32_t row = (addr - p->low) / p->pitch, in = (addr - p->low) % p->pitch;

	if (p->pad)
		return addr + row * p->pad;
	return p->low + row * p->pitch + (in / p->column ^ row % p->columns) * p->column +
	       in % p->column;
}

/* Conflicts of a site in all its executions, in a new layout or the present one (NULL). */
static double conflicts(const struct made *m, const struct proposal *p)
{
	const struct probe_lds_rule rule = ref_lds_rule("gfx90a", 64, m->unit, m->access);
	double sum = 0;

	for (unsigned i = 0; i < m->count; i++) {
		struct probe_lds_cost cost;
		uint32_t addr[64];

		for (unsigned lane = 0; lane < 64; lane++) {
			addr[lane] = p ? moved(p, m->addr[i][lane]) : m->addr[i][lane];
			assert_int_equal(addr[lane] % m->unit, 0);
		}
		cost = ref_lds(&rule, ~0ull, addr);
		sum += cost.passes - cost.ideal;
	}
	return sum;
}

/* What is said of a padding also holds for a swizzle that is offered instead. */
static void check_alternative(uint32_t site, uint32_t sites)
{
	const char *other = strstr(host_text(&host_state, site, "fix"), ", or store column");
	struct proposal p;
	double after = 0;

	if (!other)
		return;
	p = read_fix(other + strlen(", or "));
	for (uint32_t i = 0; i < sites; i++)
		after += conflicts(&made[i], &p);
	assert_true(p.after == after);
	assert_true(host_real(&host_state, site, "after") ==
		    conflicts(&made[site], &p) / made[site].count);
}

/* The row of a site says what it should. */
static void check(uint32_t site, uint32_t sites)
{
	struct proposal p = read_fix(host_text(&host_state, site, "fix"));
	double before = 0, after = 0;

	for (uint32_t i = 0; i < sites; i++) {
		before += conflicts(&made[i], NULL);
		after += conflicts(&made[i], &p);
	}
	assert_int_equal(p.together, sites);
	assert_true(p.before == before && p.after == after && 2 * after <= before);
	assert_true(host_real(&host_state, site, "after") ==
		    conflicts(&made[site], &p) / made[site].count);
	assert_true(host_real(&host_state, site, "before") ==
		    conflicts(&made[site], NULL) / made[site].count);
	assert_string_equal(host_text(&host_state, site, "verified"), "conflicts");
	check_alternative(site, sites);
}

/* A tile of 32 x 32 floats, filled four floats at a time, read down its columns. */
static void send_tile(uint32_t fill, uint32_t columns, uint32_t low)
{
	uint32_t addr[64];

	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = low + 1024 * i + 16 * lane;
		if (fill != UINT32_MAX)
			send_lds(fill, addr);
	}
	for (uint32_t i = 0; i < 16; i++) {
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = low + lane % 32 * 128 + (2 * i + lane / 32) * 4;
		send_lds(columns, addr);
	}
}

/* Alone, a column's padding is a float; with others, it must leave those whole. */
static void test_shared(void **state)
{
	uint32_t columns = add_lds(PROBE_ACCESS_LOAD, 4), fill;

	(void)state;
	dispatch.group[0] = 32;
	send_tile(UINT32_MAX, columns, 256);
	finish();
	assert_non_null(strstr(host_text(&host_state, 0, "fix"), "from 32 to 33 elements of 4 B"));
	start(NULL);
	dispatch.group[0] = 32;
	columns = add_lds(PROBE_ACCESS_LOAD, 4);
	fill = add_lds(PROBE_ACCESS_STORE, 16);
	send_tile(fill, columns, 256);
	finish();
	check(columns, 2);
	assert_string_equal(host_text(&host_state, fill, "fix"), "");
}

/* Two costly accesses of different shape get the same advice. */
static void test_same_for_both(void **state)
{
	uint32_t columns = add_lds(PROBE_ACCESS_LOAD, 4), pairs = add_lds(PROBE_ACCESS_STORE, 8);
	uint32_t rows = add_lds(PROBE_ACCESS_LOAD, 4), addr[64];
	size_t length;

	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = lane * 128 + 4 * i;
		send_lds(columns, addr);
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = lane * 128 + 8 * i;
		send_lds(pairs, addr);
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = 256 * i + 4 * lane;
		send_lds(rows, addr);
	}
	finish();
	check(columns, 3);
	check(pairs, 3);
	length = strcspn(host_text(&host_state, columns, "fix"), "(;");
	assert_int_equal(strncmp(host_text(&host_state, columns, "fix"),
				 host_text(&host_state, pairs, "fix"), length),
			 0);
}

/*
 * A square of `width` x `width` elements of `unit` bytes in a workgroup of that shape, filled along
 * its rows and read down its columns.
 */
static void send_square(uint32_t fill, uint32_t columns, uint32_t width, uint32_t unit)
{
	uint32_t addr[64];

	dispatch.group[0] = dispatch.group[1] = width;
	for (uint32_t first = 0; first < width * width; first += 64) {
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = (first + lane) * unit;
		send_lds(fill, addr);
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] =
				((first + lane) % width * width + (first + lane) / width) * unit;
		send_lds(columns, addr);
	}
}

/* Rows are named only if some lanes are that far apart; else it is said where elements go. */
static void test_rows_that_are(void **state)
{
	unsigned mapped = 0, named = 0;

	for (uint32_t width = 8; width <= 32; width *= 2)
		for (uint32_t unit = 4; unit <= 8; unit *= 2) {
			uint32_t fill, columns;
			struct proposal p;

			if (!instance)
				start(state);
			fill = add_lds(PROBE_ACCESS_STORE, (uint16_t)unit);
			columns = add_lds(PROBE_ACCESS_LOAD, (uint16_t)unit);
			send_square(fill, columns, width, unit);
			finish();
			check(columns, 2);
			p = read_fix(host_text(&host_state, columns, "fix"));
			assert_int_equal(p.mapped, p.pitch != width * unit);
			mapped += p.mapped;
			named += !p.mapped;
		}
	assert_true(mapped && named);
}

/* Arrays side by side have nothing to do with each other. */
static void test_apart(void **state)
{
	uint32_t left = add_lds(PROBE_ACCESS_LOAD, 4), right = add_lds(PROBE_ACCESS_LOAD, 8);
	uint32_t addr[64];

	(void)state;
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane * 128;
	send_lds(left, addr);
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = 8192 + lane * 128;
	send_lds(right, addr);
	finish();
	assert_null(strstr(host_text(&host_state, left, "fix"), "together"));
	assert_non_null(
		strstr(host_text(&host_state, left, "fix"), "from 32 to 33 elements of 4 B"));
	assert_non_null(
		strstr(host_text(&host_state, right, "fix"), "from 16 to 17 elements of 8 B"));
}

/* Counters of executions by 64 lanes at one stride, with so many passes each; `ideal` is the
 * fewest. */
static void fill_row(uint64_t *c, uint64_t executions, uint64_t passes, uint64_t ideal,
		     int64_t stride)
{
	c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = executions;
	c[PROBE_C_LANES] = 64 * executions;
	c[PROBE_C_IDEAL_PASSES] = ideal * executions;
	c[PROBE_C_PASSES] = passes * executions;
	c[PROBE_C_MAX_WAY] = passes / ideal;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
}

/*
 * Counters of accesses down a column, without addresses. The last one of `count` has no stride that
 * was counted.
 */
static void send_counters(uint16_t variable, uint32_t count)
{
	static const unsigned units[] = {4, 8, 4};
	struct probe_counter_row rows[3] = {{.site = 0}, {.site = 1}, {.site = 2}};
	uint32_t addr[64];

	for (uint32_t site = 0; site < count; site++) {
		struct made *m = &made[add_lds(PROBE_ACCESS_LOAD, (uint16_t)units[site])];
		uint64_t *c = rows[site].value;

		host_state.sites[site].variable = variable;
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = lane * 128;
		while (m->count < 10)
			memcpy(m->addr[m->count++], addr, sizeof(addr));
		fill_row(c, 10, 64, units[site] == 8 ? 4 : 2, 128);
		if (site == 2)
			c[PROBE_C_AFFINE] = 5;
	}
	send_counter_rows(rows, count);
	finish();
}

/* Counters without addresses, of unknown variables: nothing is known about arrays. */
static void test_counters(void **state)
{
	(void)state;
	send_counters(0, 2);
	for (uint32_t site = 0; site < 2; site++) {
		assert_null(strstr(host_text(&host_state, site, "fix"), "together"));
		assert_string_equal(host_text(&host_state, site, "verified"), "conflicts");
		assert_non_null(strstr(host_text(&host_state, site, "fix"),
				       "; effect on other accesses to the array not evaluated"));
	}
}

/* Accesses to a variable get one layout; its conflicts are at most those that are said. */
static void check_variable(uint32_t site)
{
	struct proposal p = read_fix(host_text(&host_state, site, "fix"));

	assert_int_equal(p.together, 2);
	assert_true(p.pad == 8 && p.pitch == 128);
	assert_true(p.before == conflicts(&made[0], NULL) + conflicts(&made[1], NULL));
	assert_true(p.after >= conflicts(&made[0], &p) + conflicts(&made[1], &p));
	assert_true(host_real(&host_state, site, "after") >=
		    conflicts(&made[site], &p) / made[site].count);
}

static void test_variable(void **state)
{
	const char *others = "1 other access to this array was not evaluated";

	send_counters(7, 2);
	for (uint32_t site = 0; site < 2; site++) {
		check_variable(site);
		assert_null(strstr(host_text(&host_state, site, "fix"), "evaluated"));
	}
	start(state);
	send_counters(7, 3);
	for (uint32_t site = 0; site < 2; site++) {
		check_variable(site);
		assert_non_null(strstr(host_text(&host_state, site, "fix"), others));
	}
	assert_string_equal(host_text(&host_state, 2, "fix"), "");
}

/*
 * A column of a variable, ten times, and rows without conflicts `rows` times: with rows that are
 * longer, lanes that continue in the next row are in other banks.
 */
static const char *advise_column_and_rows(uint64_t rows)
{
	struct probe_counter_row row[2] = {{.site = 0}, {.site = 1}};

	if (!instance)
		start(NULL);
	for (uint32_t site = 0; site < 2; site++) {
		const uint64_t executions = site ? rows : 10, stride = site ? 4 : 128;
		uint64_t *c = row[site].value;

		add_lds(PROBE_ACCESS_LOAD, 4);
		host_state.sites[site].variable = 7;
		fill_row(c, executions, site ? 2 : 64, 2, (int64_t)stride);
	}
	send_counter_rows(row, 2);
	finish();
	return host_text(&host_state, 0, "fix");
}

static void test_harm(void **state)
{
	(void)state;
	assert_non_null(strstr(advise_column_and_rows(10),
			       "the array's 1 access that has no conflicts now: at most "));
	assert_string_equal(advise_column_and_rows(10000), "");
}

/*
 * Lanes `stride` bytes apart in a flat array, with accesses of `unit` bytes at constant distances
 * from the first one, as many as there are up to the second 0.
 */
static const char *advise_flat(int64_t stride, unsigned unit, const int32_t distance[10])
{
	struct probe_counter_row row[10] = {{.site = 0}};
	uint32_t count = 0;

	if (!instance)
		start(NULL);
	do {
		uint32_t site = add_lds(PROBE_ACCESS_LOAD, (uint16_t)unit);

		host_state.sites[site].variable = 7;
		host_state.sites[site].element = 4;
		host_state.sites[site].near_site = 0;
		host_state.sites[site].near_distance = distance[count];
		row[count].site = site;
		fill_row(row[count].value, 10, 64, 2, stride);
	} while (++count < 10 && distance[count]);
	send_counter_rows(row, count);
	finish();
	return host_text(&host_state, 0, "fix");
}

static void test_flat_rows(void **state)
{
	static const struct {
		int64_t stride;
		unsigned unit;
		int32_t distance[10];
		const char *fix;
	} cases[] = {
		/* A neighbour in the column of a diagonal. */
		{-256, 4, {0, 260}, "pad the row from 65 to 66 elements of 4 B"},
		{-256, 4, {0, 252, -252}, "pad the row from 63 to 64 elements of 4 B"},
		/* Or the first and the last element of the lane's own row. */
		{-256, 4, {0, 252}, "put element i (of 4 B) at i + i / 64, or"},
		{256, 4, {0, 252}, "pad the row from 64 to 65 elements of 4 B"},
		{-256, 4, {0, 256}, "put element i (of 4 B) at i + i / 64, or"},
		{-256, 4, {0, 4}, "put element i (of 4 B) at i + i / 64, or"},
		/* A lane's own row, in merged accesses. */
		{128,
		 16,
		 {0, 16, 32, 48, 64, 80, 96, 112},
		 "pad the row from 32 to 36 elements of 4 B"},
		/* With some elements of the next lane's. */
		{32,
		 4,
		 {0, 4, 8, 12, 16, 20, 24, 28, 32, 36},
		 "pad the row from 8 to 9 elements of 4 B"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fix = advise_flat(cases[i].stride, cases[i].unit, cases[i].distance);

		if (strncmp(fix, cases[i].fix, strlen(cases[i].fix)) != 0)
			fail_msg("%s: %s", cases[i].fix, fix);
	}
}

/* Whether lanes of one row conflict, or only those of different rows, is said of the rows. */
static void test_conflicts_of_rows(void **state)
{
	static const struct {
		uint32_t width, stride, row; /* bytes from lane to lane, and from row to row */
		const char *says;
	} cases[] = {
		{16, 68, 4,
		 "within each row of 16 work-items lanes are 68 B apart, without conflicts, but "
		 "different rows use the same banks: 2-way bank conflict"},
		{16, 64, 4,
		 "within each row of 16 work-items lanes are 64 B apart: 8-way bank conflict"},
		{8, 64, 4096,
		 "within each row of 8 work-items lanes are 64 B apart (4-way), and different rows use "
		 "the same banks: 16-way bank conflict"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t addr[64], width = cases[i].width;

		if (!instance)
			start(NULL);
		dispatch.group[0] = width;
		dispatch.group[1] = 64 / width;
		for (uint32_t lane = 0; lane < 64; lane++)
			addr[lane] = lane % width * cases[i].stride + lane / width * cases[i].row;
		add_lds(PROBE_ACCESS_LOAD, 4);
		send_lds(0, addr);
		finish();
		assert_int_equal(strncmp(host_text(&host_state, 0, "cause"), cases[i].says,
					 strlen(cases[i].says)),
				 0);
	}
}

/* Rows that begin at no multiple of a bank: which bytes share a bank depends on it. */
static void test_small_elements(void **state)
{
	uint32_t column = add_lds(PROBE_ACCESS_STORE, 1), other = add_lds(PROBE_ACCESS_LOAD, 1);
	uint32_t addr[64];

	(void)state;
	dispatch.group[0] = 16;
	dispatch.group[1] = 4;
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = 1 + lane % 16 * 128 + lane / 16;
	send_lds(column, addr);
	send_lds(other, addr);
	finish();
	check(column, 2);
}

/* A padding and a swizzle that are equal in all, but not for each access, are no alternatives. */
static void test_unequal_alternatives(void **state)
{
	uint32_t column = add_lds(PROBE_ACCESS_STORE, 4), rows = add_lds(PROBE_ACCESS_LOAD, 4);
	uint32_t addr[64];

	(void)state;
	dispatch.group[0] = dispatch.group[1] = 8;
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane % 8 * 64 + lane / 8 * 4;
	send_lds(column, addr);
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = 64 + 4 * lane;
	send_lds(rows, addr);
	finish();
	check(column, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_shared, start),
		cmocka_unit_test_setup(test_same_for_both, start),
		cmocka_unit_test_setup(test_rows_that_are, start),
		cmocka_unit_test_setup(test_apart, start),
		cmocka_unit_test_setup(test_counters, start),
		cmocka_unit_test_setup(test_variable, start),
		cmocka_unit_test_setup(test_harm, start),
		cmocka_unit_test_setup(test_flat_rows, start),
		cmocka_unit_test_setup(test_conflicts_of_rows, start),
		cmocka_unit_test_setup(test_small_elements, start),
		cmocka_unit_test_setup(test_unequal_alternatives, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
