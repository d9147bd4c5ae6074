/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "simgpu/mem/gpu_allocations.h"
#include "tests/unit/simgpu/gpu_memory.h"

static size_t whole_pages(size_t size)
{
	return (size + SIM_PAGE - 1) & ~(size_t)(SIM_PAGE - 1);
}

static void adopt(const struct sim_block *block)
{
	assert_int_equal(sim_mem_adopt(block), 0);
	assert_int_equal(sim_mem_set_nodes(block->base, 1u << SIM_NODE_GPU), 0);
}

void *gpu_memory(size_t size)
{
	struct sim_block block = {
		.kind = SIM_BLOCK_ALLOC,
		.size = whole_pages(size),
		.access = SIM_MEM_READ | SIM_MEM_WRITE | SIM_MEM_EXEC,
	};
	void *pages = mmap(NULL, block.size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	block.base = (uint64_t)(uintptr_t)pages;
	adopt(&block);
	return pages;
}

int gpu_free(void *memory, size_t size)
{
	int err = sim_mem_disown((uint64_t)(uintptr_t)memory);

	if (!err)
		munmap(memory, whole_pages(size));
	return err;
}

void gpu_register(void *memory, size_t size, uint32_t access)
{
	uint64_t base = (uint64_t)(uintptr_t)memory;

	adopt(&(struct sim_block){
		.kind = SIM_BLOCK_USER, .base = base, .gpu = base, .size = size, .access = access});
}

void gpu_deregister(void *memory)
{
	assert_int_equal(sim_mem_disown((uint64_t)(uintptr_t)memory), 0);
}
