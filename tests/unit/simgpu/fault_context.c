/* SPDX-License-Identifier: MIT */
/* The contents of error messages: what is near an address, and which file code came from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "simgpu/diag/code_object_file.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/diag/source_line.h"

enum { PAGE = SIM_PAGE };

static const uint32_t gpu = 1u << SIM_NODE_GPU;

/* Addresses that the process never uses. */
static uint64_t device_memory(uint64_t base, uint64_t size, uint32_t access)
{
	struct sim_block want = {.kind = SIM_BLOCK_ALLOC,
				 .base = base,
				 .size = size,
				 .node = SIM_NODE_GPU,
				 .access = access};

	assert_int_equal(sim_mem_adopt(&want), 0);
	return base;
}

static const char *near(uint64_t addr)
{
	static char text[256];

	sim_mem_describe(addr, text, sizeof(text));
	return text;
}

static const char *expected(const char *format, ...)
{
	static char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

#define RANGE(base, size)                                                                          \
	(unsigned long long)(base), (unsigned long long)((base) + (size)),                         \
		(unsigned long long)(size)

static void one_allocation_after_another(void **state)
{
	uint64_t first = device_memory(0x40000000, 2 * PAGE, SIM_MEM_READ);

	(void)state;
	assert_string_equal(near(first + 8),
			    expected("8 bytes into not mapped to the GPU: device memory "
				     "0x%llx-0x%llx (%llu bytes)",
				     RANGE(first, 2 * PAGE)));
	assert_int_equal(sim_mem_set_nodes(first, gpu), 0);
	assert_string_equal(near(first + 2 * PAGE - 1),
			    expected("8191 bytes into read-only device memory "
				     "0x%llx-0x%llx (%llu bytes)",
				     RANGE(first, 2 * PAGE)));
	assert_string_equal(near(first + 2 * PAGE),
			    expected("0 bytes past the end of device memory "
				     "0x%llx-0x%llx (%llu bytes)",
				     RANGE(first, 2 * PAGE)));
	assert_string_equal(near(first - 1), expected("1 bytes before device memory "
						      "0x%llx-0x%llx (%llu bytes)",
						      RANGE(first, 2 * PAGE)));
	assert_int_equal(sim_mem_disown(first), 0);
	assert_string_equal(near(first + 100), expected("100 bytes into freed device memory "
							"0x%llx-0x%llx (%llu bytes)",
							RANGE(first, 2 * PAGE)));
	/* The same addresses again: live memory hides what was there before. */
	device_memory(first, 2 * PAGE, SIM_MEM_READ | SIM_MEM_WRITE | SIM_MEM_EXEC);
	assert_int_equal(sim_mem_set_nodes(first, gpu), 0);
	assert_string_equal(near(first + 100), expected("100 bytes into executable device memory "
							"0x%llx-0x%llx (%llu bytes)",
							RANGE(first, 2 * PAGE)));
	assert_int_equal(sim_mem_disown(first), 0);
}

/*
 * A registration is described as its owner knows it, not in whole pages. The host's address is no
 * address of the GPU.
 */
static void registered_memory(void **state)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t base = (uint64_t)(uintptr_t)pages + 100, at = 0x50000000 + 100;
	struct sim_block want = {.kind = SIM_BLOCK_USER,
				 .base = base,
				 .gpu = at,
				 .size = 5000,
				 .access = SIM_MEM_READ | SIM_MEM_WRITE};

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(sim_mem_adopt(&want), 0);
	assert_int_equal(sim_mem_set_nodes(at, gpu), 0);
	assert_string_equal(near(at + 5004),
			    expected("4 bytes past the end of registered host memory "
				     "0x%llx-0x%llx (%llu bytes)",
				     RANGE(at, 5000)));
	assert_string_equal(near(base + 4),
			    expected("4 bytes into the host's address of registered host memory "
				     "0x%llx-0x%llx; the GPU's address is 0x%llx "
				     "(hipHostGetDevicePointer)",
				     (unsigned long long)base, (unsigned long long)(base + 5000),
				     (unsigned long long)(at + 4)));
	assert_int_equal(sim_mem_disown(at), 0);
	assert_string_equal(near(at), expected("0 bytes into no longer registered host memory "
					       "0x%llx-0x%llx (%llu bytes)",
					       RANGE(at, 5000)));
	assert_string_equal(near(base), expected("0 bytes into no longer registered host memory "
						 "0x%llx-0x%llx (%llu bytes)",
						 RANGE(base, 5000)));
	munmap(pages, 2 * PAGE);
}

static void stray_pointers(void **state)
{
	static int global;

	(void)state;
	assert_string_equal(near(8), "a null pointer");
	assert_string_equal(near((uint64_t)(uintptr_t)&global),
			    "host memory that was never given to the GPU");
	assert_string_equal(near(0x1234567812345678), "nothing was allocated near it");
	assert_string_equal(near(UINT64_MAX), "nothing was allocated near it");
}

/* More frees than are remembered: the newest still are. */
static void history_is_bounded(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		last = device_memory(0x60000000 + (uint64_t)i * PAGE, PAGE, SIM_MEM_READ);
		assert_int_equal(sim_mem_disown(last), 0);
	}
	assert_string_equal(near(last + 1), expected("1 bytes into freed device memory "
						     "0x%llx-0x%llx (%llu bytes)",
						     RANGE(last, PAGE)));
}

/* ---- Where code came from ------------------------------------------------------------------- */

static void expect_bytes(const char *uri, const char *bytes)
{
	struct sim_code_file file;
	char got[64] = "";

	assert_int_equal(sim_code_file_open_uri(uri, &file), 0);
	assert_int_equal(file.size, strlen(bytes));
	assert_int_equal(pread(file.fd, got, file.size, (off_t)file.offset), strlen(bytes));
	assert_string_equal(got, bytes);
	close(file.fd);
}

static void code_in_files(void **state)
{
	char path[] = "/tmp/sim near XXXXXX", uri[128];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	snprintf(uri, sizeof(uri), "file:///tmp/sim%%20near%%20%s#offset=3&size=4",
		 path + sizeof("/tmp/sim near"));
	expect_bytes(uri, "3456");
	snprintf(uri, sizeof(uri), "file://%s", path);
	expect_bytes(uri, "0123456789");
	snprintf(uri, sizeof(uri), "file://%s?offset=0x8&size=100", path);
	expect_bytes(uri, "89");
	unlink(path);
	close(fd);
}

static void code_in_memory(void **state)
{
	static const char bytes[] = "a code object";
	struct sim_code_file file;
	char uri[128];
	char *gone;

	(void)state;
	snprintf(uri, sizeof(uri), "memory://%d#offset=0x%llx&size=%zu", getpid(),
		 (unsigned long long)(uintptr_t)bytes, sizeof(bytes) - 1);
	expect_bytes(uri, bytes);
	/* Already freed: an error, not a crash. */
	gone = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(gone, PAGE);
	snprintf(uri, sizeof(uri), "memory://%d#offset=0x%llx&size=%d", getpid(),
		 (unsigned long long)(uintptr_t)gone, PAGE);
	assert_int_equal(sim_code_file_open_uri(uri, &file), -EFAULT);
}

static void no_such_code(void **state)
{
	static const char *const uris[] = {
		"",
		"file:///",
		"file:///dev/zero#size=100",
		"file:///nowhere/at/all",
		"memory://1#offset=0&size=0",
		"memory://1#offset=0x1000&size=0xffffffffffffffff",
		"http://example.org/",
	};
	struct sim_code_file file;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++)
		assert_true(sim_code_file_open_uri(uris[i], &file) < 0);
	/* No runtime in this program, so nothing is known of any code. */
	sim_source_prepare();
	assert_true(sim_source_line(0x1000, text, sizeof(text)) < 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_allocation_after_another),
		cmocka_unit_test(registered_memory),
		cmocka_unit_test(stray_pointers),
		cmocka_unit_test(history_is_bounded),
		cmocka_unit_test(code_in_files),
		cmocka_unit_test(code_in_memory),
		cmocka_unit_test(no_such_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
