/* SPDX-License-Identifier: MIT */
#include "sim_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mem_limbo.h"
#include "mem_near.h"
#include "sim_options.h"
#include "wave.h"

enum { HUGE_PAGE = 2 << 20 };
#define WINDOW_BYTES ((uint64_t)1 << 40)
#define WINDOW_LEAST ((uint64_t)1 << 28)

/*
 * Blocks sorted by first page. User blocks may overlap one another, so each row also knows how
 * far any row up to it reaches: a look-up walks back only while that covers the address.
 *
 * A user block has several rows: one at its host address and one for each address it was given on
 * the GPU. The driver maps only the latter; here both work, since a program that uses the host's
 * pointer does no harm.
 */
struct row {
	uint64_t first, end; /* page-rounded */
	uint64_t reach;
	struct sim_block *block;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct row *table;
static size_t used, room;
static uint64_t vram_used[SIM_NODES];
static uint64_t next_serial = 1;
static atomic_uint_fast64_t generation = 1;
static uint64_t window_next;
struct sim_mem_window sim_mem_window;

uint64_t sim_mem_generation(void)
{
	/* Pairs with the release in changed(): a range found afterwards is at least this new. */
	return atomic_load_explicit(&generation, memory_order_acquire);
}

static void changed(void)
{
	atomic_fetch_add_explicit(&generation, 1, memory_order_release);
}

static uint64_t page_down(uint64_t value)
{
	return value & ~(uint64_t)(SIM_PAGE - 1);
}

static uint64_t page_up(uint64_t value)
{
	return page_down(value + SIM_PAGE - 1);
}

/* Number of rows that begin at or below addr. */
static size_t rows_upto(uint64_t addr)
{
	size_t low = 0, high = used;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table[mid].first <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A row that holds addr; a mapped one is preferred. */
static struct row *find_row(uint64_t addr, bool mapped_only)
{
	struct row *found = NULL;

	for (size_t i = rows_upto(addr); i > 0 && table[i - 1].reach > addr; i--) {
		struct row *row = &table[i - 1];

		if (row->end <= addr)
			continue;
		if (row->block->mapped)
			return row;
		if (!mapped_only && !found)
			found = row;
	}
	return found;
}

static struct row *find_base(uint64_t base, enum sim_block_kind kind)
{
	for (size_t i = rows_upto(base); i > 0 && table[i - 1].reach > base; i--)
		if (table[i - 1].block->base == base && table[i - 1].block->kind == kind &&
		    table[i - 1].first == page_down(base))
			return &table[i - 1];
	return NULL;
}

/* Overlapping registrations are told apart by the address they were made with. */
static struct row *find_block(uint64_t addr)
{
	struct row *row = find_base(addr, SIM_BLOCK_USER);

	return row ? row : find_row(addr, false);
}

static void update_reach(size_t from)
{
	uint64_t reach = from ? table[from - 1].reach : 0;

	for (size_t i = from; i < used; i++) {
		if (table[i].end > reach)
			reach = table[i].end;
		table[i].reach = reach;
	}
}

static int make_room(void)
{
	size_t grown = room ? room * 2 : 64;
	struct row *moved;

	if (used < room)
		return 0;
	moved = realloc(table, grown * sizeof(*table));
	if (!moved)
		return -ENOMEM;
	table = moved;
	room = grown;
	return 0;
}

static int insert_row(uint64_t first, uint64_t end, struct sim_block *block)
{
	size_t at = rows_upto(first);

	if (make_room())
		return -ENOMEM;
	sim_near_taken(first, end);
	memmove(&table[at + 1], &table[at], (used - at) * sizeof(*table));
	used++;
	table[at] = (struct row){first, end, 0, block};
	update_reach(at);
	if (block->mapped)
		changed();
	return 0;
}

/* Rows are whole pages: the part its owner knows of. */
static struct sim_near near_of(const struct row *row)
{
	const struct sim_block *block = row->block;
	uint64_t base = row->first + (block->base - page_down(block->base));

	return (struct sim_near){
		.base = base,
		.end = row->end < base + block->size ? row->end : base + block->size,
		.state = block->mapped ? SIM_NEAR_LIVE : SIM_NEAR_UNMAPPED,
		.kind = block->kind,
		.node = block->node,
		.access = block->access,
	};
}

/* All rows of a block, and the block. */
static void erase(struct sim_block *block)
{
	size_t kept = 0;

	for (size_t i = 0; i < used; i++) {
		struct sim_near near;

		if (table[i].block != block) {
			table[kept++] = table[i];
			continue;
		}
		near = near_of(&table[i]);
		sim_near_freed(&near);
	}
	used = kept;
	free(block);
	update_reach(0);
	changed();
}

/* Less where the address space is limited (ulimit -v, valgrind). */
static bool reserve_window(void)
{
	for (uint64_t size = WINDOW_BYTES; size >= WINDOW_LEAST; size /= 4) {
		void *pages = mmap(NULL, size, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (pages == MAP_FAILED)
			continue;
		window_next = (uint64_t)(uintptr_t)pages;
		sim_mem_window = (struct sim_mem_window){window_next, window_next + size};
		return true;
	}
	return false;
}

/*
 * Addresses for a registration: a part of the window that no row touches, with a page in front
 * that stays free, so that no access runs from one registration into the next.
 */
static uint64_t take_window(uint64_t size)
{
	if (!sim_mem_window.end && !reserve_window())
		return 0;
	for (int round = 0; round < 2; round++) {
		while (size + SIM_PAGE <= sim_mem_window.end - window_next) {
			uint64_t first = window_next + SIM_PAGE;
			size_t below = rows_upto(first + size);

			if (!below || table[below - 1].end <= window_next ||
			    table[below - 1].first < sim_mem_window.base) {
				window_next = first + size;
				return first;
			}
			window_next = table[below - 1].end;
		}
		window_next = sim_mem_window.base;
	}
	return 0;
}

/*
 * HIP 5.2.3 needs the GPU's address of registered memory to differ from the host's: it enters both
 * in one map and, on hipHostUnregister, aborts when it cannot remove both.
 */
static int give_gpu_address(struct sim_block *block)
{
	uint64_t first = page_down(block->base), size = page_up(block->base + block->size) - first;
	uint64_t alias = take_window(size);
	int err;

	if (!alias)
		return -ENOMEM;
	err = insert_row(alias, alias + size, block);
	if (!err)
		block->gpu = alias + (block->base - first);
	return err;
}

static int insert(const struct sim_block *want)
{
	struct sim_block *block = malloc(sizeof(*block));
	int err;

	if (!block)
		return -ENOMEM;
	*block = *want;
	block->gpu = block->base;
	block->serial = next_serial++;
	block->node_list = block->nodes;
	err = insert_row(page_down(block->base), page_up(block->base + block->size), block);
	if (err) {
		free(block);
		return err;
	}
	if (block->kind == SIM_BLOCK_USER)
		err = give_gpu_address(block);
	if (err)
		erase(block);
	return err;
}

/* Blocks of 2 MiB and more begin on a 2 MiB border, as the real thunk's do. */
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

/* Scratch is address space, handed out piecemeal by ROCr: it is not counted as used memory. */
static bool counts_as_vram(const struct sim_block *block)
{
	return block->node != SIM_NODE_CPU;
}

int sim_mem_alloc(const struct sim_block *want, uint64_t *ret)
{
	uint64_t limit = sim_options()->vram_mib << 20;
	struct sim_block block = *want;
	void *pages;
	int err = 0;

	if (!want->size || want->size > (uint64_t)1 << 46)
		return -EINVAL;
	block.size = page_up(want->size);
	pthread_rwlock_wrlock(&lock);
	if (counts_as_vram(&block) &&
	    (block.size > limit || vram_used[block.node] > limit - block.size))
		err = -ENOMEM;
	else if (counts_as_vram(&block))
		vram_used[block.node] += block.size;
	pthread_rwlock_unlock(&lock);
	if (err)
		return err;

	pages = map_pages(want->base, block.size);
	block.base = (uint64_t)(uintptr_t)pages;
	pthread_rwlock_wrlock(&lock);
	err = pages ? insert(&block) : -ENOMEM;
	if (err && counts_as_vram(&block))
		vram_used[block.node] -= block.size;
	pthread_rwlock_unlock(&lock);
	if (err && pages)
		munmap(pages, block.size);
	if (!err)
		*ret = block.base;
	return err;
}

int sim_mem_free(uint64_t base)
{
	struct sim_block block;
	struct row *row;

	pthread_rwlock_wrlock(&lock);
	row = find_base(base, SIM_BLOCK_ALLOC);
	if (!row) {
		pthread_rwlock_unlock(&lock);
		return -EINVAL;
	}
	block = *row->block;
	if (block.pins) {
		pthread_rwlock_unlock(&lock);
		return -EBUSY;
	}
	if (counts_as_vram(&block))
		vram_used[block.node] -= block.size;
	erase(row->block);
	pthread_rwlock_unlock(&lock);
	if (block.access & SIM_MEM_EXEC)
		sim_code_invalidate(block.base, block.base + block.size);
	sim_limbo_unmap(block.base, block.size);
	return 0;
}

int sim_mem_pin(uint64_t base, uint64_t size)
{
	const uint32_t need = SIM_MEM_READ | SIM_MEM_WRITE;
	struct row *row;
	int err = -EFAULT;

	pthread_rwlock_wrlock(&lock);
	row = find_row(base, true);
	if (row && (row->block->access & need) == need && size <= row->end - base) {
		row->block->pins++;
		err = 0;
	}
	pthread_rwlock_unlock(&lock);
	return err;
}

void sim_mem_unpin(uint64_t base)
{
	struct row *row;

	pthread_rwlock_wrlock(&lock);
	row = find_row(base, false);
	if (row && row->block->pins)
		row->block->pins--;
	pthread_rwlock_unlock(&lock);
}

/* Under the lock; row is the one at the block's host address. */
static int grow(struct row *row, uint64_t size)
{
	struct sim_block *block = row->block;

	block->size = size;
	row->end = page_up(block->base + size);
	update_reach((size_t)(row - table));
	changed();
	return give_gpu_address(block);
}

int sim_mem_register(const struct sim_block *want)
{
	struct row *row = NULL;
	int err = 0;

	if (!want->size || want->base + want->size < want->base)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	if (want->kind == SIM_BLOCK_USER)
		row = find_base(want->base, SIM_BLOCK_USER);
	if (!row) {
		err = insert(want);
	} else {
		row->block->registered++;
		if (want->size > row->block->size)
			err = grow(row, want->size);
	}
	pthread_rwlock_unlock(&lock);
	return err;
}

int sim_mem_deregister(uint64_t base)
{
	struct row *row;

	pthread_rwlock_wrlock(&lock);
	row = find_base(base, SIM_BLOCK_USER);
	if (row && !--row->block->registered)
		erase(row->block);
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

void sim_mem_forget_svm(uint64_t base, uint64_t size)
{
	pthread_rwlock_wrlock(&lock);
	for (size_t i = used; i > 0; i--) {
		struct sim_block *block = table[i - 1].block;

		if (block->kind == SIM_BLOCK_SVM && block->base >= base &&
		    block->base + block->size <= base + size)
			erase(block);
	}
	pthread_rwlock_unlock(&lock);
}

/* Host memory may be pinned by several at once, each for GPUs of its own. */
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
	struct row *row;

	if (count > SIM_NODES)
		return -EINVAL;
	pthread_rwlock_wrlock(&lock);
	row = find_block(addr);
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
		changed();
	}
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

/*
 * Two copies that pin the same host buffer at once map it twice and unmap it twice; the first
 * unmap must not take the page from the second copy.
 */
int sim_mem_unmap(uint64_t addr)
{
	struct row *row;

	pthread_rwlock_wrlock(&lock);
	row = find_block(addr);
	if (row && row->block->kind != SIM_BLOCK_OWN && row->block->mapped &&
	    !--row->block->mapped) {
		row->block->node_count = 0;
		changed();
	}
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

int sim_mem_query(uint64_t addr, struct sim_block *ret)
{
	struct row *row;

	pthread_rwlock_rdlock(&lock);
	row = find_block(addr);
	if (row)
		*ret = *row->block;
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -ENOENT;
}

int sim_mem_set_user_data(uint64_t addr, void *data)
{
	struct row *row;

	pthread_rwlock_wrlock(&lock);
	row = find_block(addr);
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
	struct row *row;

	pthread_rwlock_rdlock(&lock);
	row = find_row(addr, true);
	if (row)
		*ret = (struct sim_range){row->first, row->end, flags_of(row->block)};
	pthread_rwlock_unlock(&lock);
	return row ? 0 : -EFAULT;
}

uint64_t sim_mem_host(uint64_t addr)
{
	struct row *row;

	pthread_rwlock_rdlock(&lock);
	row = find_row(addr, true);
	if (row)
		addr = addr - row->first + page_down(row->block->base);
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

bool sim_mem_nearest(uint64_t addr, struct sim_near *ret)
{
	uint64_t best = UINT64_MAX, distance;
	struct sim_near near;
	bool found = false;

	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; i < used && best; i++) {
		near = near_of(&table[i]);
		distance = sim_near_distance(&near, addr);
		if (found && distance >= best)
			continue;
		best = distance;
		*ret = near;
		found = true;
	}
	if (best && sim_near_find_freed(addr, &near) &&
	    (!found || sim_near_distance(&near, addr) < best)) {
		*ret = near;
		found = true;
	}
	pthread_rwlock_unlock(&lock);
	return found;
}
