/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/gpu_allocations.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "simgpu/mem/deferred_unmap.h"
#include "simgpu/mem/block_table.h"
#include "simgpu/mem/code_generation.h"
#include "simgpu/base/sim_options.h"

enum { HUGE_PAGE = 2 << 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t vram_used[SIM_NODES];
static uint64_t next_serial = 1;

static struct sim_block *new_block(const struct sim_block *want)
{
	struct sim_block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	*block = *want;
	block->serial = next_serial++;
	block->node_list = block->nodes;
	return block;
}

static int insert(const struct sim_block *want)
{
	struct sim_block *block = new_block(want);
	int err;

	if (!block)
		return -ENOMEM;
	block->gpu = block->base;
	err = sim_table_insert(sim_page_down(block->base), sim_page_up(block->base + block->size),
			       block);
	if (err) {
		free(block);
		return err;
	}
	if (block->kind == SIM_BLOCK_USER)
		err = sim_table_alias(block);
	if (err)
		sim_table_erase(block);
	return err;
}

/* Blocks of 2 MiB and more begin at a multiple of 2 MiB, like the real thunk's. */
static void *map_pages(uint64_t wish, uint64_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint64_t extra = size >= HUGE_PAGE ? HUGE_PAGE : 0;
	uint64_t start, aligned;
	void *pages;

	if (wish) {
		pages = mmap((void *)(uintptr_t)wish, size, PROT_READ | PROT_WRITE,
			     flags | MAP_FIXED_NOREPLACE, -1, 0);
		return pages == MAP_FAILED ? NULL : pages;
	}
	pages = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (pages == MAP_FAILED)
		return NULL;
	if (!extra)
		return pages;
	start = (uint64_t)(uintptr_t)pages;
	aligned = (start + HUGE_PAGE - 1) & ~(uint64_t)(HUGE_PAGE - 1);
	if (aligned > start)
		munmap(pages, aligned - start);
	if (start + extra > aligned)
		munmap((void *)(uintptr_t)(aligned + size), start + extra - aligned);
	return (void *)(uintptr_t)aligned;
}

/*
 * Scratch is reserved address space, which ROCr divides further: it does not count as used memory.
 */
static bool counts_as_vram(const struct sim_block *block)
{
	return block->node != SIM_NODE_CPU;
}

/* Counts a block as device memory, if it is; -ENOMEM if there is not enough. */
static int take_vram(const struct sim_block *block)
{
	uint64_t limit = sim_options()->vram_mib << 20;

	if (!counts_as_vram(block))
		return 0;
	if (block->size > limit || vram_used[block->node] > limit - block->size)
		return -ENOMEM;
	vram_used[block->node] += block->size;
	return 0;
}

static void return_vram(const struct sim_block *block)
{
	if (counts_as_vram(block))
		vram_used[block->node] -= block->size;
}

int sim_mem_alloc(const struct sim_block *want, uint64_t *ret)
{
	struct sim_block block = *want;
	void *pages;
	int err;

	if (!want->size || want->size > (uint64_t)1 << 46)
		return -EINVAL;
	block.size = sim_page_up(want->size);
	pthread_rwlock_wrlock(&lock);
	err = take_vram(&block);
	pthread_rwlock_unlock(&lock);
	if (err)
		return err;

	pages = map_pages(want->base, block.size);
	block.base = (uint64_t)(uintptr_t)pages;
	pthread_rwlock_wrlock(&lock);
	err = pages ? insert(&block) : -ENOMEM;
	if (err)
		return_vram(&block);
	pthread_rwlock_unlock(&lock);
	if (err && pages)
		munmap(pages, block.size);
	if (err)
		return err;
	*ret = block.base;
	return 0;
}

int sim_mem_free(uint64_t base)
{
	struct sim_block block;
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_base(base, SIM_BLOCK_ALLOC);
	if (!row) {
		pthread_rwlock_unlock(&lock);
		return -EINVAL;
	}
	block = *row->block;
	if (block.pins) {
		pthread_rwlock_unlock(&lock);
		return -EBUSY;
	}
	return_vram(&block);
	sim_table_erase(row->block);
	pthread_rwlock_unlock(&lock);
	if (block.access & SIM_MEM_EXEC)
		sim_code_changed();
	sim_reclaim_unmap(block.base, block.size);
	return 0;
}

/* Under the lock. */
static int adopt_block(const struct sim_block *want, uint64_t gpu)
{
	uint64_t first = sim_page_down(gpu), end = sim_page_up(gpu + want->size);
	PROBE_AUTO_FREE struct sim_block *block = new_block(want);
	int err;

	if (!block)
		return -ENOMEM;
	block->gpu = gpu;
	err = take_vram(block);
	if (err)
		return err;
	err = sim_table_insert(first, end, block);
	if (err) {
		return_vram(block);
		return err;
	}
	if (block->gpu != block->base)
		sim_table_extend_window(first, end);
	block = NULL; /* the table's */
	return 0;
}

int sim_mem_adopt(const struct sim_block *want)
{
	uint64_t gpu = want->kind == SIM_BLOCK_USER ? want->gpu : want->base;
	int err;

	if (!want->size || gpu + want->size < gpu || want->base + want->size < want->base)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	err = adopt_block(want, gpu);
	pthread_rwlock_unlock(&lock);
	return err;
}

int sim_mem_disown(uint64_t gpu)
{
	uint32_t access = 0;
	struct sim_row *row;
	int err = -EINVAL;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_gpu(gpu);
	if (row && row->block->pins) {
		err = -EBUSY;
	} else if (row) {
		err = 0;
		access = row->block->access;
		return_vram(row->block);
		sim_table_erase(row->block);
	}
	pthread_rwlock_unlock(&lock);
	if (access & SIM_MEM_EXEC)
		sim_code_changed();
	return err;
}

int sim_mem_set_nodes(uint64_t gpu, uint32_t nodes)
{
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_gpu(gpu);
	if (row) {
		row->block->mapped = nodes != 0;
		row->block->node_count = 0;
		for (uint32_t node = 0; node < SIM_NODES; node++)
			if (nodes >> node & 1)
				row->block->nodes[row->block->node_count++] = node;
		sim_table_changed();
	}
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -EINVAL;
}

uint64_t sim_mem_available(uint32_t node)
{
	uint64_t used;

	pthread_rwlock_rdlock(&lock);
	used = vram_used[node];
	pthread_rwlock_unlock(&lock);
	return (sim_options()->vram_mib << 20) - used;
}

int sim_mem_pin(uint64_t base, uint64_t size)
{
	const uint32_t need = SIM_MEM_READ | SIM_MEM_WRITE;
	struct sim_row *row;
	int err = -EFAULT;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find(base, true);
	if (row && (row->block->access & need) == need && size <= row->end - base) {
		row->block->pins++;
		err = 0;
	}
	pthread_rwlock_unlock(&lock);
	return err;
}

void sim_mem_unpin(uint64_t base)
{
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find(base, false);
	if (row && row->block->pins)
		row->block->pins--;
	pthread_rwlock_unlock(&lock);
}

int sim_mem_register(const struct sim_block *want)
{
	struct sim_row *row = NULL;
	int err = 0;

	if (!want->size || want->base + want->size < want->base)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	if (want->kind == SIM_BLOCK_USER)
		row = sim_table_find_base(want->base, SIM_BLOCK_USER);
	if (!row) {
		err = insert(want);
	} else {
		row->block->registered++;
		if (want->size > row->block->size)
			err = sim_table_grow(row, want->size);
	}
	pthread_rwlock_unlock(&lock);
	return err;
}

int sim_mem_deregister(uint64_t base)
{
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_base(base, SIM_BLOCK_USER);
	if (row && !--row->block->registered)
		sim_table_erase(row->block);
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

/* Under the lock. */
static void erase_svm(uint64_t base, uint64_t end)
{
	for (size_t i = sim_table_used(); i > 0; i--) {
		struct sim_block *block = sim_table_block(i - 1);

		if (block->kind == SIM_BLOCK_SVM && block->base < end &&
		    block->base + block->size > base)
			sim_table_erase(block);
	}
}

int sim_mem_replace_svm(uint64_t base, uint64_t end, const struct sim_block *blocks, size_t count)
{
	int err = 0;

	pthread_rwlock_wrlock(&lock);
	erase_svm(base, end);
	for (size_t i = 0; i < count && !err; i++)
		err = insert(&blocks[i]);
	pthread_rwlock_unlock(&lock);
	return err;
}

/* Several callers may pin the same host memory at once, each for other GPUs. */
static void add_node(struct sim_block *block, uint32_t node)
{
	for (uint32_t i = 0; i < block->node_count; i++)
		if (block->nodes[i] == node)
			return;
	if (block->node_count < SIM_NODES)
		block->nodes[block->node_count++] = node;
}

int sim_mem_map(uint64_t addr, const uint32_t *nodes, uint32_t count, uint64_t *ret)
{
	struct sim_row *row;

	if (count > SIM_NODES)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_block(addr);
	if (row) {
		struct sim_block *block = row->block;

		if (block->kind == SIM_BLOCK_USER) {
			block->mapped++;
		} else {
			block->mapped = 1;
			block->node_count = 0;
		}
		for (uint32_t i = 0; i < count; i++)
			add_node(block, nodes[i]);
		if (ret)
			*ret = addr - block->base + block->gpu;
		sim_table_changed();
	}
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

/*
 * Two copies that pin the same host buffer at once map it twice and unmap it twice; the first unmap
 * must not remove the page while the second copy uses it.
 */
int sim_mem_unmap(uint64_t addr)
{
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_block(addr);
	if (row && row->block->kind != SIM_BLOCK_OWN && row->block->mapped &&
	    !--row->block->mapped) {
		row->block->node_count = 0;
		sim_table_changed();
	}
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

int sim_mem_query(uint64_t addr, struct sim_block *ret)
{
	struct sim_row *row;

	pthread_rwlock_rdlock(&lock);
	row = sim_table_find_block(addr);
	if (row)
		*ret = *row->block;
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

int sim_mem_set_user_data(uint64_t addr, void *data)
{
	struct sim_row *row;

	pthread_rwlock_wrlock(&lock);
	row = sim_table_find_block(addr);
	if (row)
		row->block->user_data = data;
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

static uint32_t flags_of(const struct sim_block *block)
{
	uint32_t flags = block->access;

	if (block->kind == SIM_BLOCK_OWN)
		return flags | SIM_MEM_EVERYBODY;
	for (uint32_t i = 0; i < block->node_count; i++)
		flags |= SIM_MEM_GPU(block->nodes[i]);
	return flags;
}

int sim_mem_find(uint64_t addr, struct sim_range *ret)
{
	struct sim_row *row;

	pthread_rwlock_rdlock(&lock);
	row = sim_table_find(addr, true);
	if (row)
		*ret = (struct sim_range){row->first, row->end, flags_of(row->block),
					  row->block->serial};
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -EFAULT;
}

uint64_t sim_mem_host(uint64_t addr)
{
	struct sim_row *row;

	pthread_rwlock_rdlock(&lock);
	row = sim_table_find(addr, true);
	if (row)
		addr = addr - row->first + sim_page_down(row->block->base);
	pthread_rwlock_unlock(&lock);
	return addr;
}

bool sim_mem_allows(uint64_t addr, uint64_t size, uint32_t flags, uint64_t *bad)
{
	struct sim_range range;
	uint64_t end = addr + size;

	if (end < addr)
		end = UINT64_MAX;
	while (addr < end) {
		if (sim_mem_find(addr, &range) || (range.flags & flags) != flags) {
			if (bad)
				*bad = addr;
			return false;
		}
		addr = range.end;
	}
	return true;
}

static void take_nearer(uint64_t addr, const struct sim_near *near, struct sim_near *best,
			uint64_t *distance)
{
	uint64_t this = sim_near_distance(near, addr);

	if (this >= *distance)
		return;
	*distance = this;
	*best = *near;
}

/* The range that contains addr (a live one first, then the newest freed one), else the nearest. */
static bool find_nearest(uint64_t addr, struct sim_near *ret)
{
	uint64_t distance = UINT64_MAX;
	struct sim_near near;

	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; i < sim_table_used() && distance; i++) {
		near = sim_table_near(i);
		take_nearer(addr, &near, ret, &distance);
		if (sim_table_host_near(i, &near))
			take_nearer(addr, &near, ret, &distance);
	}
	if (distance && sim_near_find_freed(addr, &near))
		take_nearer(addr, &near, ret, &distance);
	pthread_rwlock_unlock(&lock);
	return distance != UINT64_MAX;
}

void sim_mem_describe(uint64_t addr, char *buf, size_t size)
{
	struct sim_near near;
	bool found = find_nearest(addr, &near);

	sim_near_describe(addr, found ? &near : NULL, buf, size);
}
