/* SPDX-License-Identifier: MIT */
/* Kernel table, doorbells, counter sums, URIs: the small parts of the injected library. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <probe/wire.h>

#include "hsa-plugin/code_image.h"
#include "hsa-plugin/counter_sum.h"
#include "hsa-plugin/kernel_verdict.h"
#include "hsa-plugin/doorbells.h"
#include "hsa-plugin/kernel_table.h"

enum { KERNELS = 5000 };

static void kernels_come_and_go(void **state)
{
	static struct probe_kernel kernels[KERNELS], again;

	(void)state;
	assert_null(probe_kernel_table_find(0x1000));
	for (uint64_t i = 0; i < KERNELS; i++) {
		kernels[i].object = 0x7f0000000000 + i * 64;
		assert_int_equal(probe_kernel_table_add(&kernels[i]), 0);
	}
	for (uint64_t i = 0; i < KERNELS; i++)
		assert_ptr_equal(probe_kernel_table_find(0x7f0000000000 + i * 64), &kernels[i]);
	assert_null(probe_kernel_table_find(0x7f0000000000 + KERNELS * 64));
	assert_null(probe_kernel_table_find(0));
	for (uint64_t i = 0; i < KERNELS; i += 2)
		probe_kernel_table_remove(&kernels[i]);
	for (uint64_t i = 0; i < KERNELS; i++)
		assert_ptr_equal(probe_kernel_table_find(0x7f0000000000 + i * 64),
				 i % 2 ? &kernels[i] : NULL);
	/* an address loaded anew before its old kernel leaves */
	again.object = kernels[1].object;
	assert_int_equal(probe_kernel_table_add(&again), 0);
	probe_kernel_table_remove(&kernels[1]);
	assert_ptr_equal(probe_kernel_table_find(again.object), &again);
}

static void doorbells_come_and_go(void **state)
{
	struct probe_queue *queue = (struct probe_queue *)0x10;
	int err;

	(void)state;
	assert_null(probe_doorbell_find(0x4000));
	for (uint64_t i = 1; i <= 2048; i++)
		assert_int_equal(probe_doorbell_add(i * 64, queue), 0);
	err = probe_doorbell_add(4096 * 64, queue);
	assert_int_equal(err, -ENOSPC);
	assert_null(probe_doorbell_find(4096 * 64));
	for (uint64_t i = 1; i <= 2048; i++) {
		assert_ptr_equal(probe_doorbell_find(i * 64), queue);
		probe_doorbell_remove(i * 64);
		assert_null(probe_doorbell_find(i * 64));
	}
	/* a signal at an old address */
	assert_int_equal(probe_doorbell_add(64, queue), 0);
	assert_ptr_equal(probe_doorbell_find(64), queue);
	probe_doorbell_remove(64);
}

static void counters_are_summed(void **state)
{
	enum { REPLICAS = 4, SITES = 3 };
	uint64_t table[REPLICAS][SITES][PROBE_COUNTERS];

	(void)state;
	for (uint64_t r = 0; r < REPLICAS; r++)
		for (uint64_t s = 0; s < SITES; s++)
			for (uint64_t c = 0; c < PROBE_COUNTERS; c++)
				table[r][s][c] = (r * 7 + s * 3 + c) % 11;
	uint64_t want[SITES][PROBE_COUNTERS] = {0};

	for (uint64_t r = 0; r < REPLICAS; r++)
		for (uint64_t s = 0; s < SITES; s++)
			for (uint64_t c = 0; c < PROBE_COUNTERS; c++) {
				uint64_t value = table[r][s][c];

				if (c <= PROBE_C_AFFINE)
					want[s][c] += value;
				else if (value > want[s][c])
					want[s][c] = value;
			}
	probe_counters_sum(&table[0][0][0], REPLICAS, SITES);
	assert_memory_equal(table[0], want, sizeof(want));
}

static void uris(void **state)
{
	uint64_t offset, size;
	char *path;

	(void)state;
	assert_int_equal(probe_image_parse_uri("file:///a/b%20c#offset=0x1000&size=20", &path,
					       &offset, &size),
			 0);
	assert_string_equal(path, "/a/b c");
	assert_int_equal(offset, 0x1000);
	assert_int_equal(size, 20);
	free(path);
	assert_int_equal(probe_image_parse_uri("file:///x?size=010", &path, &offset, &size), 0);
	assert_string_equal(path, "/x");
	assert_int_equal(offset, 0);
	assert_int_equal(size, 8);
	free(path);
	assert_int_equal(probe_image_parse_uri("file:///bad%2", &path, &offset, &size), 0);
	assert_string_equal(path, "/bad%2");
	free(path);
	assert_int_equal(probe_image_parse_uri("memory://1#offset=2&size=3", &path, &offset, &size),
			 -EINVAL);
}

static void images(void **state)
{
	char name[] = "/tmp/probe-image-XXXXXX", uri[100];
	struct probe_image image;
	int fd = mkstemp(name);

	(void)state;
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	snprintf(uri, sizeof(uri), "file://%s#offset=3&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), 0);
	assert_int_equal(image.size, 4);
	assert_memory_equal(image.bytes, "3456", 4);
	free(image.bytes);
	snprintf(uri, sizeof(uri), "file://%s#offset=8&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), -ENODATA);
	snprintf(uri, sizeof(uri), "file://%s#offset=80&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), -EINVAL);
	assert_int_equal(probe_image_copy(0, 0, "file:///dev/zero#size=4", &image), -EINVAL);
	assert_int_equal(probe_image_copy(0, 0, "file:///nowhere/at/all", &image), -ENOENT);
	assert_int_equal(probe_image_copy((uint64_t)(uintptr_t)name, 5, "", &image), 0);
	assert_memory_equal(image.bytes, "/tmp/", 5);
	free(image.bytes);
	/* freed by the application before it was read */
	assert_int_equal(probe_image_copy(4096, 100, "", &image), -EFAULT);
	unlink(name);
}

static void clone_names(void **state)
{
	uint32_t kind = 0;

	(void)state;
	assert_string_equal(probe_clone_of("__probe_memory__Z3fooPf", &kind), "_Z3fooPf");
	assert_int_equal(kind, PROBE_KIND_MEMORY);
	assert_string_equal(probe_clone_of("__probe_trace_foo", &kind), "foo");
	assert_int_equal(kind, PROBE_KIND_TRACE);
	assert_null(probe_clone_of("__probe_other_foo", &kind));
	assert_null(probe_clone_of("__probe_memory_", &kind));
	assert_null(probe_clone_of("foo", &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_come_and_go),
		cmocka_unit_test(doorbells_come_and_go),
		cmocka_unit_test(counters_are_summed),
		cmocka_unit_test(uris),
		cmocka_unit_test(images),
		cmocka_unit_test(clone_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
