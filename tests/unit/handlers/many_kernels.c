/* SPDX-License-Identifier: MIT */
/* What a handler keeps of a code object with many kernels: memory in proportion to what was run. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <malloc.h>

#include <cmocka.h>

#include <probe/handler.h>

#include "handlers/common/site_table.h"

enum { KERNELS = 10000, SITES = 20, SITE_BYTES = 512 };

static uint32_t count_sites(void *ctx, uint32_t code_object)
{
	(void)ctx;
	(void)code_object;
	return KERNELS * SITES;
}

static const struct probe_site_info *find_site(void *ctx, uint32_t code_object, uint32_t id)
{
	static const struct probe_site_info info = {
		.size = sizeof(info), .bytes = 4, .unit = 4, .space = PROBE_SPACE_GLOBAL};

	(void)ctx;
	(void)code_object;
	(void)id;
	return &info;
}

static const struct probe_host host = {.site_count = count_sites, .site = find_site};

struct site {
	struct site_facts facts;
	unsigned char rest[SITE_BYTES - sizeof(struct site_facts)];
};

/* Bytes allocated now; a sanitizer's allocator has a count of its own. */
static size_t allocated(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	extern size_t __sanitizer_get_current_allocated_bytes(void);

	return __sanitizer_get_current_allocated_bytes();
#else
	return mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
}

static void test_memory(void **state)
{
	struct sites sites = {.host = &host, .site_size = sizeof(struct site)};
	size_t before = allocated();

	(void)state;
	/* Twice, so that each kernel is looked for among all. */
	for (uint32_t i = 0; i < 2 * KERNELS; i++) {
		uint32_t k = i % KERNELS;
		struct probe_dispatch_info dispatch = {
			.code_object = 1, .kernel_id = k, .wave_size = 64};
		struct sites_kernel *kernel = sites_kernel(&sites, &dispatch);

		assert_non_null(kernel);
		assert_int_equal(kernel->id, k);
		for (uint32_t id = k * SITES; id < (k + 1) * SITES; id++) {
			struct site *site = sites_get(&sites, kernel, id);

			assert_non_null(site);
			assert_int_equal(site->rest[0], i >= KERNELS);
			site->rest[0] = 1;
		}
	}
	assert_int_equal(sites.count, KERNELS);
	/* The sites, and at most as much again: of the page before and the page behind. */
	assert_in_range(allocated() - before,
			(size_t)KERNELS * SITES * SITE_BYTES,
			(size_t)KERNELS * (SITES + 2 * SITES_OF_PAGE) * SITE_BYTES);
	sites_deinit(&sites);
}

/* All that was made, by rising ids, whatever the order in which it was; and each neighbour once. */
static void test_order(void **state)
{
	static const uint32_t ids[] = {900, 3, 70000, 5, 0, 901, 40000, 199999};
	struct sites sites = {.host = &host, .site_size = sizeof(struct site)};
	struct probe_dispatch_info dispatch = {.code_object = 1, .kernel_id = 7};
	struct sites_kernel *kernel = sites_kernel(&sites, &dispatch);
	uint32_t marked = 0, seen = 0, last = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		((struct site *)sites_get(&sites, kernel, ids[i]))->rest[1] = (unsigned char)i + 1;
	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		unsigned char mark = ((struct site *)sites_at(kernel, id))->rest[1];

		assert_true(!seen || id > last);
		last = id;
		seen++;
		if (mark) {
			assert_int_equal(ids[mark - 1], id);
			marked++;
		}
	}
	assert_int_equal(marked, sizeof(ids) / sizeof(ids[0]));
	assert_int_equal(seen, 5 * SITES_OF_PAGE);
	assert_int_equal(seen, sites_made(kernel));
	assert_null(sites_get(&sites, kernel, KERNELS * SITES));
	assert_int_equal(sites.invalid, 1);
	sites_deinit(&sites);
}

/* Each launch shape has its own entry; after SITES_SHAPES_MAX of them they share one. */
static void test_shapes(void **state)
{
	struct sites sites = {.host = &host, .site_size = sizeof(struct site), .by_shape = true};
	struct probe_dispatch_info dispatch = {.code_object = 1, .kernel_id = 7};

	(void)state;
	for (uint32_t i = 0; i < 3 * (SITES_SHAPES_MAX + 4); i++) {
		uint32_t shape = i % (SITES_SHAPES_MAX + 4);
		struct sites_kernel *kernel;

		dispatch.grid[0] = 64 * (shape / 2 + 1);
		dispatch.group[0] = shape % 2 ? 64 : 32;
		kernel = sites_kernel(&sites, &dispatch);
		assert_non_null(kernel);
		if (shape < SITES_SHAPES_MAX) {
			assert_int_equal(kernel->shape.grid[0], dispatch.grid[0]);
			assert_int_equal(kernel->shape.group[0], dispatch.group[0]);
		} else {
			assert_int_equal(kernel->shape.group[0], 0);
		}
	}
	assert_int_equal(sites.count, SITES_SHAPES_MAX + 1);
	sites_deinit(&sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
