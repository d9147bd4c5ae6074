/* SPDX-License-Identifier: MIT */
/* The heatmap handler against counting byte by byte. */
#include <stdlib.h>

#include "tests/unit/handlers/random_accesses.h"

extern const struct probe_handler probe_handler;

static struct host_state state;
static struct probe_host host;
static void *instance;

/* Global memory of the test: 4 MiB from here. */
#define ORIGIN 0x7f1200000000ull
enum { PAGES = 1024, LINES = PAGES * 64, FIRST = 100, SECOND = 600 };

/* Two allocations of the first pages; the others are unknown. */
static const struct probe_allocation_info allocations[] = {
	{.size = sizeof(allocations[0]),
	 .id = 7,
	 .address = ORIGIN,
	 .bytes = FIRST * 4096,
	 .site = "a.c:1\nmain.c:9"},
	{.size = sizeof(allocations[0]),
	 .id = 9,
	 .address = ORIGIN + FIRST * 4096,
	 .bytes = (SECOND - FIRST) * 4096,
	 .site = "b.c:2"},
};

static const struct probe_allocation_info *
find_allocation(void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address)
{
	(void)ctx;
	assert_non_null(dispatch);
	for (size_t i = 0; i < 2; i++)
		if (address - allocations[i].address < allocations[i].bytes)
			return &allocations[i];
	return NULL;
}

static int start(void **unused)
{
	(void)unused;
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	host.allocation = find_allocation;
	return probe_handler.open(&host, &instance);
}

static struct want {
	int64_t count[3], bytes[3];
} pages[PAGES];
static bool lines[LINES];
static int64_t banks[3][32];

static void want_lane(const struct probe_site_info *site, uint64_t addr)
{
	unsigned kind = site->access - PROBE_ACCESS_LOAD;
	int64_t last_page = -1;
	int64_t last_dword = -1;

	for (uint64_t at = addr; at < addr + site->bytes; at++) {
		int64_t page = (int64_t)((at - ORIGIN) / 4096);
		int64_t dword = (int64_t)((uint32_t)at / 4);

		if (random_space(site, addr) == PROBE_SPACE_LDS) {
			banks[kind][dword % 32] += dword != last_dword;
			last_dword = dword;
		} else if (random_space(site, addr) == PROBE_SPACE_GLOBAL) {
			assert_in_range(page, 0, PAGES - 1);
			pages[page].count[kind] += page != last_page;
			pages[page].bytes[kind]++;
			lines[(at - ORIGIN) / 64] = true;
			last_page = page;
		}
	}
}

static int64_t lines_of(size_t first, size_t count)
{
	int64_t sum = 0;

	for (size_t i = first * 64; i < (first + count) * 64; i++)
		sum += lines[i];
	return sum;
}

static void check_counts(size_t row, const struct want *want)
{
	assert_int_equal(host_get(&state, row, "reads"), want->count[0]);
	assert_int_equal(host_get(&state, row, "writes"), want->count[1]);
	assert_int_equal(host_get(&state, row, "atomics"), want->count[2]);
	assert_int_equal(host_get(&state, row, "read_bytes"), want->bytes[0] + want->bytes[2]);
	assert_int_equal(host_get(&state, row, "written_bytes"), want->bytes[1] + want->bytes[2]);
}

static bool touched(const struct want *want)
{
	return want->count[0] || want->count[1] || want->count[2];
}

static void check_region(size_t row)
{
	size_t first = ((size_t)host_get(&state, row, "address") - ORIGIN) / 4096;
	struct want sum = {0};
	int64_t used = 0;

	for (size_t i = first; i < first + 512; i++) {
		used += touched(&pages[i]);
		for (unsigned kind = 0; kind < 3; kind++) {
			sum.count[kind] += pages[i].count[kind];
			sum.bytes[kind] += pages[i].bytes[kind];
		}
	}
	check_counts(row, &sum);
	assert_int_equal(host_get(&state, row, "pages"), used);
	assert_int_equal(host_get(&state, row, "lines64"), lines_of(first, 512));
}

/* Of a page: where it lies in which allocation. */
static void check_owner(size_t row, size_t page)
{
	size_t first = page < FIRST ? 0 : page < SECOND ? FIRST : SECOND;

	assert_int_equal(host_get(&state, row, "allocation"), page < FIRST    ? 7
							      : page < SECOND ? 9
									      : 0);
	assert_int_equal(host_get(&state, row, "offset"),
			 page < SECOND ? (page - first) * 4096 : 0);
	assert_string_equal(host_text(&state, row, "call_site"), page < FIRST ? "a.c:1 <- main.c:9"
								 : page < SECOND ? "b.c:2"
										 : "");
}

static void check_allocation(size_t row)
{
	int64_t id = host_get(&state, row, "allocation"), used = 0;
	size_t first = id == 7 ? 0 : id == 9 ? FIRST : SECOND;
	size_t end = id == 7 ? FIRST : id == 9 ? SECOND : PAGES;
	struct want sum = {0};

	for (size_t i = first; i < end; i++) {
		used += touched(&pages[i]);
		for (unsigned kind = 0; kind < 3; kind++) {
			sum.count[kind] += pages[i].count[kind];
			sum.bytes[kind] += pages[i].bytes[kind];
		}
	}
	check_counts(row, &sum);
	assert_int_equal(host_get(&state, row, "pages"), used);
	assert_string_equal(host_text(&state, row, "call_site"), id == 7   ? "a.c:1 <- main.c:9"
								 : id == 9 ? "b.c:2"
									   : "");
}

static void test_random(void **unused)
{
	static struct random_access random;
	uint64_t seed = 88172645463325252ull;
	size_t regions = 0, rows = 0, used = 0, owners = 0;

	(void)unused;
	memset(pages, 0, sizeof(pages));
	memset(lines, 0, sizeof(lines));
	memset(banks, 0, sizeof(banks));
	random_add_sites(&state);
	for (uint32_t i = 0; i < state.site_count * 200; i++) {
		const struct probe_site_info *site = &state.sites[i % state.site_count];

		random_access(&seed, site, &random);
		random_send(&probe_handler, instance, &random.access, 1);
		for (unsigned lane = 0; lane < 64; lane++)
			if (random.active[lane])
				want_lane(site, random.addr[lane]);
	}
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t i = 0; i < PAGES; i++)
		used += touched(&pages[i]);
	for (size_t row = 0; row < state.row_count; row++) {
		const char *table = host_table_of(&state, row);
		size_t page;

		if (!strcmp(table, "region")) {
			regions++;
			check_region(row);
		} else if (!strcmp(table, "page")) {
			rows++;
			page = ((size_t)host_get(&state, row, "address") - ORIGIN) / 4096;
			check_counts(row, &pages[page]);
			assert_int_equal(host_get(&state, row, "lines64"), lines_of(page, 1));
			check_owner(row, page);
		} else if (!strcmp(table, "allocation")) {
			owners++;
			check_allocation(row);
		} else {
			int64_t bank = host_get(&state, row, "bank");

			assert_int_equal(host_get(&state, row, "reads"), banks[0][bank]);
			assert_int_equal(host_get(&state, row, "writes"), banks[1][bank]);
			assert_int_equal(host_get(&state, row, "atomics"), banks[2][bank]);
		}
	}
	assert_true(regions >= 1);
	assert_true(rows > 300);
	assert_int_equal(rows, used);
	assert_int_equal(owners, 3);
	assert_int_equal(state.row_count, regions + rows + owners + 32);
}

/* The busiest pages stay, in the order of their addresses, and a message says so. */
static void test_few_pages(void **unused)
{
	struct probe_access access = {.form = PROBE_FORM_AFFINE, .lanes = 64, .exec = ~0ull};
	unsigned page_rows = 0;

	(void)unused;
	assert_int_equal(probe_handler.close(instance), 0);
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	state.args[0][0] = "pages";
	state.args[0][1] = "2";
	assert_int_equal(probe_handler.open(&host, &instance), 0);
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	access.stride = 4;
	for (unsigned page = 0; page < 4; page++)
		for (unsigned n = 0; n < (page == 1 ? 1u : page == 2 ? 7u : 3u + page); n++) {
			access.base = ORIGIN + page * 4096;
			random_send(&probe_handler, instance, &access, 1);
		}
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.logged, 1);
	for (size_t row = 0; row < state.row_count; row++) {
		if (!strcmp(host_table_of(&state, row), "region")) {
			assert_int_equal(host_get(&state, row, "pages"), 4);
			assert_int_equal(host_get(&state, row, "reads"), 64 * (3 + 1 + 7 + 6));
			continue;
		}
		if (!strcmp(host_table_of(&state, row), "allocation"))
			continue;
		assert_int_equal(host_get(&state, row, "address"), ORIGIN + 4096 * (2 + page_rows));
		page_rows++;
	}
	assert_int_equal(page_rows, 2);
}

/* All memory was in the first allocation at first, and in the second one in the last dispatch. */
enum { DISPATCHES = 8192 };

static const struct probe_allocation_info *
find_later(void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address)
{
	(void)ctx, (void)address;
	return &allocations[dispatch->id == DISPATCHES];
}

static void send_in(uint64_t dispatch, uint64_t base, unsigned times)
{
	const struct probe_access access = {
		.form = PROBE_FORM_AFFINE, .lanes = 64, .exec = ~0ull, .base = base, .stride = 4};
	struct probe_dispatch_info info = random_dispatch;
	const struct probe_batch batch = {.size = sizeof(batch),
					  .stream = PROBE_STREAM_ACCESS,
					  .dispatch = &info,
					  .count = 1,
					  .access = &access};

	info.id = dispatch;
	for (unsigned i = 0; i < times; i++)
		assert_int_equal(probe_handler.batch(instance, &batch), 0);
}

/* What came in a dispatch stays with the allocation of then, however many come after it. */
static void test_dispatches(void **unused)
{
	const int64_t reads[] = {64 + 64 * 2000 + 64 * (DISPATCHES - 2), 64};
	size_t owners = 0;

	(void)unused;
	host.allocation = find_later;
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	send_in(1, ORIGIN, 1);
	send_in(1, ORIGIN + 4096, 2000);
	for (uint64_t dispatch = 2; dispatch < DISPATCHES; dispatch++)
		send_in(dispatch, ORIGIN + 4096, 1);
	send_in(DISPATCHES, ORIGIN, 1);
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t row = 0; row < state.row_count; row++) {
		if (strcmp(host_table_of(&state, row), "allocation") != 0)
			continue;
		assert_in_range(owners, 0, 1);
		assert_int_equal(host_get(&state, row, "reads"), reads[owners]);
		assert_int_equal(host_get(&state, row, "read_bytes"), 4 * reads[owners]);
		owners++;
	}
	assert_int_equal(owners, 2);
}

static void test_bad_argument(void **unused)
{
	static const char *const bad[] = {"", "x", "-1", "1x", "1Kx", "99999999999G"};

	(void)unused;
	assert_int_equal(probe_handler.close(instance), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&state, 0, sizeof(state));
		host = host_of(&state);
		state.args[0][0] = "pages";
		state.args[0][1] = bad[i];
		assert_true(probe_handler.open(&host, &instance) < 0);
		assert_int_equal(state.level, PROBE_LOG_ERROR);
		assert_int_equal(state.logged, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_random, start),
		cmocka_unit_test_setup(test_few_pages, start),
		cmocka_unit_test_setup(test_dispatches, start),
		cmocka_unit_test_setup(test_bad_argument, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
