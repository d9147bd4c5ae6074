/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/gpu_allocations.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "simgpu/mem/block_table.h"
#include "simgpu/mem/code_generation.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/base/sim_options.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t vram_used[SIM_NODES];
static uint64_t next_serial = 1;

/* Under the lock. */
static int add_block(const struct sim_block *want, uint64_t gpu)
{
	uint64_t first = sim_page_down(gpu), end = sim_page_up(gpu + want->size);
	PROBE_AUTO_FREE struct sim_block *block = malloc(sizeof(*block));
	int err;

	if (!block)
		return -ENOMEM;
	*block = *want;
	block->gpu = gpu;
	block->serial = next_serial++;
	err = sim_table_insert(first, end, block);
	if (err)
		return err;
	block = NULL; /* the table's */
	return 0;
}

static bool counts_as_vram(const struct sim_block *block)
{
	return block->node != SIM_NODE_CPU && !block->counted;
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

/* Under the lock. */
static int adopt_block(const struct sim_block *want, uint64_t gpu)
{
	int err = take_vram(want);

	if (err)
		return err;
	err = add_block(want, gpu);
	if (err)
		return_vram(want);
	return err;
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
	if (!err)
		sim_memory_wait();
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
		err = add_block(&blocks[i], blocks[i].base);
	pthread_rwlock_unlock(&lock);
	return err;
}

int sim_mem_query(uint64_t addr, struct sim_block *ret)
{
	struct sim_row *row;

	pthread_rwlock_rdlock(&lock);
	row = sim_table_find(addr, false);
	if (row)
		*ret = *row->block;
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

static uint32_t flags_of(const struct sim_block *block)
{
	uint32_t flags = block->access;

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
