/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/block_table.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct sim_row *table;
static size_t used, room;
static atomic_uint_fast64_t generation = 1;
struct sim_mem_window sim_mem_window;
_Atomic uint16_t sim_mem_alias_pages[SIM_ALIAS_PAGES];

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

struct sim_row *sim_table_find_gpu(uint64_t gpu)
{
	for (size_t i = rows_upto(gpu); i > 0 && table[i - 1].reach > gpu; i--)
		if (table[i - 1].block->gpu == gpu && table[i - 1].first == sim_page_down(gpu))
			return &table[i - 1];
	return NULL;
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

/* Counts a registration on each of its pages, or no longer. */
static void count_pages(const struct sim_row *row, int by)
{
	uint64_t first = row->first / SIM_PAGE, count = (row->end - row->first) / SIM_PAGE;

	if (count > SIM_ALIAS_PAGES)
		count = SIM_ALIAS_PAGES;
	for (uint64_t i = 0; i < count; i++)
		atomic_fetch_add_explicit(&sim_mem_alias_pages[(first + i) % SIM_ALIAS_PAGES], by,
					  memory_order_relaxed);
}

static void extend_window(const struct sim_row *row)
{
	if (!sim_mem_window.end || row->first < sim_mem_window.base)
		sim_mem_window.base = row->first;
	if (row->end > sim_mem_window.end)
		sim_mem_window.end = row->end;
}

static bool has_own_address(const struct sim_block *block)
{
	return block->gpu != block->base;
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
	if (has_own_address(block)) {
		count_pages(&table[at], 1);
		extend_window(&table[at]);
	}
	update_reach(at);
	if (block->mapped)
		sim_table_changed();
	return 0;
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
		if (has_own_address(block))
			count_pages(&table[i], -1);
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
