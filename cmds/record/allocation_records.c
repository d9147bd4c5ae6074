/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/allocation_records.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/record/call_sites.h"
#include "store/store_facts.h"

enum {
	ALLOCATIONS_MAX = 1 << 20,
	FREED_MAX = 4096, /* how many of the newest requests are searched */
};

struct allocation {
	struct probe_allocation_info info;
	uint64_t first, last; /* dispatches */
};

struct run_allocations {
	struct allocation **items; /* sorted by request */
	struct allocation **live;  /* sorted by address */
	size_t count, live_count, capacity;
};

struct run_allocations *run_allocations_create(void)
{
	return calloc(1, sizeof(struct run_allocations));
}

void run_allocations_destroy(struct run_allocations *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->count; i++) {
		free((void *)all->items[i]->info.site);
		free(all->items[i]);
	}
	free(all->items);
	free(all->live);
	free(all);
}

static bool holds(const struct allocation *item, uint64_t address)
{
	return address - item->info.address < item->info.bytes;
}

/* How many live allocations begin at or below an address. */
static size_t live_below(const struct run_allocations *all, uint64_t address)
{
	size_t low = 0, high = all->live_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all->live[middle]->info.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct run_allocations *all)
{
	size_t capacity = all->capacity ? 2 * all->capacity : 64;
	struct allocation **items = realloc(all->items, capacity * sizeof(*items)), **live;

	if (items)
		all->items = items;
	live = items ? realloc(all->live, capacity * sizeof(*live)) : NULL;
	if (!live)
		return false;
	all->live = live;
	all->capacity = capacity;
	return true;
}

static void remove_live(struct run_allocations *all, size_t at)
{
	all->live_count--;
	memmove(all->live + at, all->live + at + 1, (all->live_count - at) * sizeof(*all->live));
}

/* Allocations that overlap a new one must have been freed, although no record says so. */
static void insert_live(struct run_allocations *all, struct allocation *item)
{
	size_t at = live_below(all, item->info.address + item->info.bytes - 1);

	while (at && all->live[at - 1]->info.address + all->live[at - 1]->info.bytes >
			     item->info.address) {
		all->live[at - 1]->last = item->first - 1;
		remove_live(all, --at);
	}
	memmove(all->live + at + 1, all->live + at, (all->live_count - at) * sizeof(*all->live));
	all->live[at] = item;
	all->live_count++;
}

bool run_allocations_add(struct run_allocations *all, const struct probe_allocation_info *info,
			 uint64_t first, uint64_t last)
{
	struct allocation *item;

	if (!info->bytes || info->address + info->bytes < info->address ||
	    all->count == ALLOCATIONS_MAX || (all->count == all->capacity && !grow(all)))
		return false;
	item = calloc(1, sizeof(*item));
	if (!item)
		return false;
	*item = (struct allocation){.info = *info, .first = first, .last = last};
	item->info.size = sizeof(item->info);
	item->info.id = (uint32_t)all->count + 1;
	item->info.site = strdup(info->site);
	if (!item->info.site) {
		free(item);
		return false;
	}
	all->items[all->count++] = item;
	if (last == UINT64_MAX)
		insert_live(all, item);
	return true;
}

bool run_allocations_free(struct run_allocations *all, uint64_t address, uint64_t dispatch)
{
	size_t at = live_below(all, address);

	if (!at || all->live[at - 1]->info.address != address)
		return false;
	all->live[at - 1]->last = dispatch;
	remove_live(all, at - 1);
	return true;
}

/*
 * Most requested allocations are live. Of the freed ones only the newest are searched, because
 * records arrive soon after.
 */
const struct probe_allocation_info *run_allocations_find(const struct run_allocations *all,
							 uint64_t dispatch, uint64_t address)
{
	size_t at = live_below(all, address), oldest;

	if (at && holds(all->live[at - 1], address) && dispatch >= all->live[at - 1]->first)
		return &all->live[at - 1]->info;
	oldest = all->count > FREED_MAX ? all->count - FREED_MAX : 0;
	for (size_t i = all->count; i-- > oldest;) {
		const struct allocation *item = all->items[i];

		if (holds(item, address) && dispatch >= item->first && dispatch <= item->last)
			return &item->info;
	}
	return NULL;
}

void run_allocations_store(const struct run_allocations *all, struct probe_facts *facts)
{
	for (size_t i = 0; i < all->count; i++)
		probe_facts_allocation(facts, &all->items[i]->info, all->items[i]->first,
				       all->items[i]->last);
}

void run_allocations_resolve(struct run_allocations *all)
{
	struct call_sites *sites = call_sites_create();

	for (size_t i = 0; sites && i < all->count; i++) {
		struct probe_allocation_info *info = &all->items[i]->info;
		char *site = *info->site ? call_sites_resolve(sites, info->site) : NULL;

		if (!site)
			continue;
		free((void *)info->site);
		info->site = site;
	}
	call_sites_destroy(sites);
}
