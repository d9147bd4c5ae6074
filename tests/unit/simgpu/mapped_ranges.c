/* SPDX-License-Identifier: MIT */
/* Ranges the GPU may touch, against a plain list of what was mapped. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/base/simulated_device.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/mem/managed_memory.h"
#include "simgpu/mem/code_generation.h"
#include "tests/unit/simgpu/fake_isa.h"

enum { PAGE = SIM_PAGE };

static const uint32_t gpu = 1u << SIM_NODE_GPU;

static struct sim_block device_memory(uint64_t base, uint64_t size, uint32_t access)
{
	return (struct sim_block){.kind = SIM_BLOCK_ALLOC,
				  .base = base,
				  .size = size,
				  .node = SIM_NODE_GPU,
				  .access = access};
}

static struct sim_block host_range(uint64_t base, uint64_t size)
{
	return (struct sim_block){.kind = SIM_BLOCK_USER,
				  .base = base,
				  .gpu = base,
				  .size = size,
				  .access = SIM_MEM_READ | SIM_MEM_WRITE};
}

static bool visible(uint64_t addr)
{
	struct sim_range range;

	return !sim_mem_find(addr, &range);
}

static void alloc_is_invisible_until_mapped(void **state)
{
	const uint64_t base = 0x10000000;
	struct sim_block want = device_memory(base, 3 * PAGE - 5, SIM_MEM_READ | SIM_MEM_WRITE);
	struct sim_range range = {1, 2, 3, 4};
	uint64_t generation;

	(void)state;
	assert_int_equal(sim_mem_adopt(&want), 0);
	assert_int_equal(sim_mem_find(base, &range), -EFAULT);
	assert_int_equal(range.base, 1); /* untouched on failure */
	generation = sim_mem_generation();
	assert_int_equal(sim_mem_set_nodes(base, gpu), 0);
	assert_true(sim_mem_generation() > generation);
	assert_int_equal(sim_mem_find(base + 3 * PAGE - 1, &range), 0);
	assert_int_equal(range.base, base);
	assert_int_equal(range.end, base + 3 * PAGE);
	assert_int_equal(range.flags, SIM_MEM_READ | SIM_MEM_WRITE | SIM_MEM_GPU(SIM_NODE_GPU));
	assert_false(visible(base + 3 * PAGE));
	assert_false(visible(base - 1));

	generation = sim_mem_generation();
	assert_int_equal(sim_mem_set_nodes(base, 0), 0);
	assert_true(sim_mem_generation() > generation);
	assert_false(visible(base));
	assert_int_equal(sim_mem_disown(base + PAGE), -EINVAL);
	assert_int_equal(sim_mem_disown(base), 0);
	assert_int_equal(sim_mem_disown(base), -EINVAL);
	assert_int_equal(sim_mem_set_nodes(base, gpu), -EINVAL);
}

static void memory_of_the_device_is_finite(void **state)
{
	const uint64_t size = (uint64_t)sim_device()->vram_mib << 19, base = (uint64_t)1 << 42;
	struct sim_block first = device_memory(base, size, SIM_MEM_READ), second = first,
			 third = first;

	(void)state;
	second.base += size;
	third.base += 2 * size;
	assert_int_equal(sim_mem_adopt(&first), 0);
	assert_int_equal(sim_mem_adopt(&second), 0);
	assert_int_equal(sim_mem_adopt(&third), -ENOMEM);
	assert_int_equal(sim_mem_disown(first.base), 0);
	assert_int_equal(sim_mem_adopt(&third), 0);
	assert_int_equal(sim_mem_disown(second.base), 0);
	assert_int_equal(sim_mem_disown(third.base), 0);
}

static void freeing_code_drops_decoded_code(void **state)
{
	struct sim_block code = device_memory(0x10000000, PAGE, SIM_MEM_READ | SIM_MEM_EXEC);
	struct sim_block data = device_memory(0x11000000, PAGE, SIM_MEM_READ);
	uint64_t before = sim_code_generation;

	(void)state;
	assert_int_equal(sim_mem_adopt(&data), 0);
	assert_int_equal(sim_mem_disown(data.base), 0);
	assert_int_equal(sim_code_generation, before);
	assert_int_equal(sim_mem_adopt(&code), 0);
	assert_int_equal(sim_mem_disown(code.base), 0);
	assert_int_equal(sim_code_generation, before + 1);
}

static void overlapping_registrations(void **state)
{
	struct sim_block large = host_range(0x20000000, 64 * PAGE);
	struct sim_block inner = host_range(0x20000000 + 8 * PAGE, PAGE);
	struct sim_block query;

	(void)state;
	assert_int_equal(sim_mem_adopt(&large), 0);
	assert_int_equal(sim_mem_adopt(&inner), 0);
	assert_int_equal(sim_mem_set_nodes(large.base, gpu), 0);
	assert_true(visible(inner.base));
	assert_true(visible(large.base + 63 * PAGE));
	assert_int_equal(sim_mem_set_nodes(inner.base, gpu), 0);
	assert_int_equal(sim_mem_set_nodes(large.base, 0), 0);
	assert_false(visible(large.base));
	assert_false(visible(large.base + 63 * PAGE));
	assert_true(visible(inner.base));
	assert_int_equal(sim_mem_query(large.base + 63 * PAGE, &query), 0);
	assert_int_equal(query.base, large.base);
	assert_int_equal(sim_mem_disown(inner.base), 0);
	assert_int_equal(sim_mem_disown(large.base), 0);
	assert_int_equal(sim_mem_query(large.base, &query), -ENOENT);
}

static void allows_spans_neighbours(void **state)
{
	struct sim_block first = host_range(0x30000000, PAGE);
	struct sim_block second = host_range(0x30000000 + PAGE, PAGE);
	uint64_t bad = 0;

	(void)state;
	second.access = SIM_MEM_READ;
	assert_int_equal(sim_mem_adopt(&first), 0);
	assert_int_equal(sim_mem_adopt(&second), 0);
	assert_int_equal(sim_mem_set_nodes(first.base, gpu), 0);
	assert_int_equal(sim_mem_set_nodes(second.base, gpu), 0);
	assert_true(sim_mem_allows(first.base + 8, 2 * PAGE - 8, SIM_MEM_READ, &bad));
	assert_false(sim_mem_allows(first.base + 8, PAGE, SIM_MEM_WRITE, &bad));
	assert_int_equal(bad, second.base);
	assert_false(sim_mem_allows(first.base, 2 * PAGE + 1, SIM_MEM_READ, &bad));
	assert_int_equal(bad, second.base + PAGE);
	assert_true(sim_mem_allows(bad, 0, SIM_MEM_WRITE, NULL));
	assert_false(sim_mem_allows(UINT64_MAX - 3, 8, SIM_MEM_READ, NULL));
	assert_int_equal(sim_mem_disown(first.base), 0);
	assert_int_equal(sim_mem_disown(second.base), 0);
}

/* Random blocks, found or not at random addresses as a linear search says. */
static void look_ups_agree_with_a_list(void **state)
{
	enum { BLOCKS = 200 };
	static struct sim_block blocks[BLOCKS];
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < BLOCKS; i++) {
		uint64_t base = 0x40000000 + (uint64_t)(rand_r(&seed) % 4096) * PAGE + (uint64_t)i;

		blocks[i] = host_range(base, 1 + (uint64_t)(rand_r(&seed) % (40 * PAGE)));
		blocks[i].mapped = rand_r(&seed) % 2;
		assert_int_equal(sim_mem_adopt(&blocks[i]), 0);
	}
	for (int i = 0; i < 20000; i++) {
		uint64_t addr = 0x40000000 + (uint64_t)(rand_r(&seed) % (4200 * PAGE));
		bool expected = false;

		for (int j = 0; j < BLOCKS; j++) {
			uint64_t first = blocks[j].base / PAGE * PAGE;
			uint64_t end = (blocks[j].base + blocks[j].size + PAGE - 1) / PAGE * PAGE;

			expected = expected || (blocks[j].mapped && addr >= first && addr < end);
		}
		assert_int_equal(visible(addr), expected);
	}
	for (int i = 0; i < BLOCKS; i++)
		assert_int_equal(sim_mem_disown(blocks[i].base), 0);
	assert_false(visible(0x40000000 + 2000 * PAGE));
}

static bool reads(uint64_t addr, uint32_t node)
{
	return sim_mem_allows(addr, 8, SIM_MEM_READ | SIM_MEM_GPU(node), NULL);
}

static void set_one(uint64_t base, uint64_t size, uint32_t type, uint32_t value)
{
	const struct sim_svm_attribute attribute = {type, value};

	assert_int_equal(sim_svm_set(base, size, &attribute, 1), 0);
}

static uint32_t get_one(uint64_t base, uint64_t size, uint32_t type, uint32_t value)
{
	struct sim_svm_attribute attribute = {type, value};

	assert_int_equal(sim_svm_get(base, size, &attribute, 1), 0);
	return type >= SIM_SVM_ACCESS && type <= SIM_SVM_NO_ACCESS ? attribute.type
								   : attribute.value;
}

static void managed_memory_comes_and_goes(void **state)
{
	const uint64_t base = 0x50000000;
	uint64_t generation;

	(void)state;
	set_one(base, 4 * PAGE, SIM_SVM_ACCESS, 1);
	assert_true(visible(base + 3 * PAGE));
	assert_false(reads(base, 2));
	/* A part of it goes, the rest stays. */
	set_one(base + PAGE, PAGE, SIM_SVM_NO_ACCESS, 1);
	assert_true(visible(base));
	assert_false(visible(base + PAGE));
	assert_true(visible(base + 2 * PAGE));
	assert_int_equal(get_one(base, 4 * PAGE, SIM_SVM_ACCESS, 1), SIM_SVM_NO_ACCESS);
	assert_int_equal(get_one(base + 2 * PAGE, 2 * PAGE, SIM_SVM_ACCESS, 1), SIM_SVM_ACCESS);
	/*
	 * Setting the same attributes again changes nothing, so ranges that were found stay valid.
	 */
	generation = sim_mem_generation();
	set_one(base + 2 * PAGE, PAGE, SIM_SVM_ACCESS, 1);
	assert_int_equal(sim_mem_generation(), generation);
	set_one(base, 4 * PAGE, SIM_SVM_NO_ACCESS, 1);
	assert_false(visible(base));
	assert_false(visible(base + 3 * PAGE));
}

static void attributes_are_kept_by_pages(void **state)
{
	const uint64_t base = 0x51000000;

	(void)state;
	assert_int_equal(get_one(base, PAGE, SIM_SVM_PREFERRED_LOCATION, 0), SIM_SVM_NOWHERE);
	set_one(base, 2 * PAGE, SIM_SVM_PREFERRED_LOCATION, 1);
	assert_int_equal(get_one(base, 2 * PAGE, SIM_SVM_PREFERRED_LOCATION, 0), 1);
	assert_int_equal(get_one(base, 3 * PAGE, SIM_SVM_PREFERRED_LOCATION, 0), 1);
	set_one(base + 2 * PAGE, PAGE, SIM_SVM_PREFERRED_LOCATION, 0);
	assert_int_equal(get_one(base, 3 * PAGE, SIM_SVM_PREFERRED_LOCATION, 0), SIM_SVM_NOWHERE);
	set_one(base, 3 * PAGE, SIM_SVM_SET_FLAGS, 3);
	set_one(base + PAGE, PAGE, SIM_SVM_CLEAR_FLAGS, 1);
	assert_int_equal(get_one(base, 3 * PAGE, SIM_SVM_SET_FLAGS, 0), 2);
	assert_int_equal(sim_svm_set(base, 0, NULL, 0), -EINVAL);
	assert_int_equal(sim_svm_set(base, PAGE, &(struct sim_svm_attribute){8, 0}, 1), -EINVAL);
}

/* Against a table of pages: any order of ranges that overlap. */
static void managed_ranges_overlap_in_any_way(void **state)
{
	enum { PAGES = 64 };
	const uint64_t base = 0x52000000;
	bool may[PAGES] = {false};
	unsigned seed = 7;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		unsigned first = (unsigned)rand_r(&seed) % PAGES;
		unsigned count = 1 + (unsigned)rand_r(&seed) % (PAGES - first);
		bool on = rand_r(&seed) & 1;

		set_one(base + first * PAGE, count * PAGE, on ? SIM_SVM_ACCESS : SIM_SVM_NO_ACCESS,
			1);
		for (unsigned page = first; page < first + count; page++)
			may[page] = on;
		for (unsigned page = 0; page < PAGES; page++)
			assert_int_equal(reads(base + page * PAGE, 1), may[page]);
	}
}

/* Pages of the caller, as the driver has them: known by their address on the GPU. */
static void adopted_blocks(void **state)
{
	const uint64_t free_bytes = sim_mem_available(1);
	struct sim_block vram = {.kind = SIM_BLOCK_ALLOC,
				 .base = 0x60000000,
				 .size = 2 * PAGE,
				 .node = 1,
				 .access = SIM_MEM_READ};
	struct sim_block user = {.kind = SIM_BLOCK_USER,
				 .base = 0x61000010,
				 .size = PAGE,
				 .gpu = 0x62000010,
				 .access = SIM_MEM_READ};

	(void)state;
	assert_int_equal(sim_mem_adopt(&vram), 0);
	assert_int_equal(sim_mem_available(1), free_bytes - 2 * PAGE);
	assert_false(visible(vram.base));
	assert_int_equal(sim_mem_set_nodes(vram.base, 1 << 1), 0);
	assert_true(reads(vram.base, 1));
	assert_false(reads(vram.base, 2));
	assert_int_equal(sim_mem_adopt(&user), 0);
	assert_int_equal(sim_mem_set_nodes(user.gpu, 1 << 1 | 1 << 2), 0);
	assert_true(reads(user.gpu, 2));
	assert_false(visible(user.base));
	assert_true(sim_mem_aliased(user.gpu, user.gpu + 1));
	assert_true(sim_mem_aliased(user.gpu - PAGE, user.gpu + 1));
	assert_false(sim_mem_aliased(user.gpu - PAGE, user.gpu - PAGE + 8));
	assert_false(sim_mem_aliased(user.base, user.base + 8));
	assert_false(sim_mem_aliased(vram.base, vram.base + vram.size));
	assert_int_equal(sim_mem_host(user.gpu + 5), user.base + 5);
	assert_int_equal(sim_mem_set_nodes(user.gpu, 0), 0);
	assert_false(visible(user.gpu));
	assert_int_equal(sim_mem_disown(user.gpu), 0);
	assert_false(sim_mem_aliased(user.gpu, user.gpu + 1));
	assert_int_equal(sim_mem_disown(user.gpu), -EINVAL);
	assert_int_equal(sim_mem_disown(vram.base), 0);
	assert_int_equal(sim_mem_available(1), free_bytes);
}

/* A GPU sees what was mapped to it, and nothing of its peers'. */
static void each_gpu_sees_its_own(void **state)
{
	const uint64_t base = 0x10000000;
	struct sim_block want = device_memory(base, PAGE, SIM_MEM_READ | SIM_MEM_WRITE);

	(void)state;
	want.node = 2;
	assert_int_equal(sim_mem_adopt(&want), 0);
	assert_int_equal(sim_mem_set_nodes(base, 1 << 2), 0);
	assert_true(reads(base, 2));
	assert_false(reads(base, 1));
	assert_true(sim_mem_allows(base, 8, SIM_MEM_READ, NULL));
	assert_int_equal(sim_mem_set_nodes(base, 1 << 1 | 1 << 2), 0);
	assert_true(reads(base, 1) && reads(base, 2));
	assert_int_equal(sim_mem_set_nodes(base, 1 << 2), 0);
	assert_false(reads(base, 1));
	assert_int_equal(sim_mem_disown(base), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alloc_is_invisible_until_mapped),
		cmocka_unit_test(memory_of_the_device_is_finite),
		cmocka_unit_test(freeing_code_drops_decoded_code),
		cmocka_unit_test(overlapping_registrations),
		cmocka_unit_test(allows_spans_neighbours),
		cmocka_unit_test(look_ups_agree_with_a_list),
		cmocka_unit_test(managed_memory_comes_and_goes),
		cmocka_unit_test(attributes_are_kept_by_pages),
		cmocka_unit_test(managed_ranges_overlap_in_any_way),
		cmocka_unit_test(adopted_blocks),
		cmocka_unit_test(each_gpu_sees_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
