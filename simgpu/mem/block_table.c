/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/block_table.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WINDOW_BYTES ((uint64_t)1 << 40)
#define WINDOW_LEAST ((uint64_t)1 << 28)

static struct sim_row *table;
static size_t used, room;
static atomic_uint_fast64_t generation = 1;
static uint64_t window_next;
struct sim_mem_window sim_mem_window;

uint64_t sim_mem_generation(void)
{
	/* Pairs with the release in sim_table_changed(): a range found afterwards is at least this
	 * new. */
	return atomic_load_explicit(&generation, memory_order_acquire);
}

void sim_table_changed(void)
{
	atomic_fetch_add_explicit(&generation, 1, memory_order_release);
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

struct sim_row *sim_table_find(uint64_t addr, bool mapped_only)
{
	struct sim_row *found = NULL;

	for (size_t i = rows_upto(addr); i > 0 && table[i - 1].reach > addr; i--) {
		struct sim_row *row = &table[i - 1];

		if (row->end <= addr)
			continue;
		if (row->block->mapped)
			return row;
		if (!mapped_only && !found)
			found = row;
	}
	return found;
}

struct sim_row *sim_table_find_base(uint64_t base, enum sim_block_kind kind)
{
	for (size_t i = rows_upto(base); i > 0 && table[i - 1].reach > base; i--)
		if (table[i - 1].block->base == base && table[i - 1].block->kind == kind &&
		    table[i - 1].first == sim_page_down(base))
			return &table[i - 1];
	return NULL;
}

struct sim_row *sim_table_find_gpu(uint64_t gpu)
{
	for (size_t i = rows_upto(gpu); i > 0 && table[i - 1].reach > gpu; i--)
		if (table[i - 1].block->gpu == gpu && table[i - 1].first == sim_page_down(gpu))
			return &table[i - 1];
	return NULL;
}

struct sim_row *sim_table_find_block(uint64_t addr)
{
	struct sim_row *row = sim_table_find_base(addr, SIM_BLOCK_USER);

	return row ? row : sim_table_find(addr, false);
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
	struct sim_row *moved;

	if (used < room)
		return 0;
	moved = realloc(table, grown * sizeof(*table));
	if (!moved)
		return -ENOMEM;
	table = moved;
	room = grown;
	return 0;
}

int sim_table_insert(uint64_t first, uint64_t end, struct sim_block *block)
{
	size_t at = rows_upto(first);

	if (make_room())
		return -ENOMEM;
	sim_near_reused(first, end);
	memmove(&table[at + 1], &table[at], (used - at) * sizeof(*table));
	used++;
	table[at] = (struct sim_row){first, end, 0, block};
	update_reach(at);
	if (block->mapped)
		sim_table_changed();
	return 0;
}

/* Rows are whole pages; this is the part that was requested. */
static struct sim_near near_of(const struct sim_row *row)
{
	const struct sim_block *block = row->block;
	uint64_t base = row->first + (block->base - sim_page_down(block->base));

	return (struct sim_near){
		.base = base,
		.end = row->end < base + block->size ? row->end : base + block->size,
		.state = block->mapped ? SIM_NEAR_LIVE : SIM_NEAR_UNMAPPED,
		.kind = block->kind,
		.node = block->node,
		.access = block->access,
		.gpu = base,
	};
}

static bool host_near_of(const struct sim_row *row, struct sim_near *ret)
{
	const struct sim_block *block = row->block;

	*ret = near_of(row);
	if (ret->base == block->base)
		return false;
	ret->base = block->base;
	ret->end = block->base + block->size;
	return true;
}

size_t sim_table_used(void)
{
	return used;
}

struct sim_block *sim_table_block(size_t row)
{
	return table[row].block;
}

struct sim_near sim_table_near(size_t row)
{
	return near_of(&table[row]);
}

bool sim_table_host_near(size_t row, struct sim_near *ret)
{
	return host_near_of(&table[row], ret);
}

void sim_table_erase(struct sim_block *block)
{
	size_t kept = 0;

	for (size_t i = 0; i < used; i++) {
		struct sim_near near;

		if (table[i].block != block) {
			table[kept++] = table[i];
			continue;
		}
		if (host_near_of(&table[i], &near))
			sim_near_freed(&near);
		near = near_of(&table[i]);
		sim_near_freed(&near);
	}
	used = kept;
	free(block);
	update_reach(0);
	sim_table_changed();
}

/* Reserves less if the address space is limited (ulimit -v, valgrind). */
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
 * Addresses for a registration: a part of the window that no row touches, with a free page before
 * it, so that no access runs from one registration into the next.
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
 * HIP 5.2.3 requires the GPU's address of registered memory to differ from the host's: it enters
 * both in one map and, on hipHostUnregister, aborts if it cannot remove both.
 */
int sim_table_alias(struct sim_block *block)
{
	uint64_t first = sim_page_down(block->base),
		 size = sim_page_up(block->base + block->size) - first;
	uint64_t alias = take_window(size);
	int err;

	if (!alias)
		return -ENOMEM;
	err = sim_table_insert(alias, alias + size, block);
	if (err)
		return err;
	block->gpu = alias + (block->base - first);
	return 0;
}

/*
 * The window then also contains other memory, whose accesses are slower: sim_mem_host() returns its
 * addresses unchanged.
 */
void sim_table_extend_window(uint64_t first, uint64_t end)
{
	if (!sim_mem_window.end) {
		sim_mem_window.base = first;
		sim_mem_window.end = end;
		return;
	}
	if (first < sim_mem_window.base)
		sim_mem_window.base = first;
	if (end > sim_mem_window.end)
		sim_mem_window.end = end;
}

int sim_table_grow(struct sim_row *row, uint64_t size)
{
	struct sim_block *block = row->block;

	block->size = size;
	row->end = sim_page_up(block->base + size);
	update_reach((size_t)(row - table));
	sim_table_changed();
	return sim_table_alias(block);
}
