/* SPDX-License-Identifier: MIT */
#include "pcsample/dispatch_map.h"

#include <errno.h>
#include <stdlib.h>

enum {
	FIRST_ROOM = 64,
	DELIVERIES = 2, /* number without a flush until no sample can be in flight */
};

static size_t home(const struct probe_dispatch_map *map, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (map->room - 1);
}

/* The slot of key, or the free one where it would be inserted. */
static struct probe_dispatch_entry *slot_of(const struct probe_dispatch_map *map, uint64_t key)
{
	size_t at = home(map, key);

	while (map->slots[at].dispatch && map->slots[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

static int grow(struct probe_dispatch_map *map)
{
	struct probe_dispatch_map larger = *map;

	larger.room = map->room ? 2 * map->room : FIRST_ROOM;
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].dispatch)
			*slot_of(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

static void retire(struct probe_dispatch_map *map, const struct probe_dispatch_entry *entry)
{
	if (map->retired)
		map->retired(map->user, entry);
	free(entry->events);
}

void probe_dispatch_map_destroy(struct probe_dispatch_map *map)
{
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].dispatch)
			retire(map, &map->slots[i]);
	free(map->slots);
	map->slots = NULL;
	map->room = map->count = 0;
}

int probe_dispatch_map_add(struct probe_dispatch_map *map, uint64_t key, uint64_t dispatch)
{
	struct probe_dispatch_entry *slot;

	if (!dispatch)
		return -EINVAL;
	if (4 * (map->count + 1) > 3 * map->room) {
		int err = grow(map);

		if (err)
			return err;
	}
	slot = slot_of(map, key);
	if (slot->dispatch)
		return -EBUSY;
	*slot = (struct probe_dispatch_entry){.key = key, .dispatch = dispatch};
	map->count++;
	return 0;
}

int probe_dispatch_map_complete(struct probe_dispatch_map *map, uint64_t key)
{
	struct probe_dispatch_entry *entry = probe_dispatch_map_find(map, key);

	if (!entry)
		return -ENOENT;
	entry->completed = true;
	return 0;
}

/* Closes the gap that a slot leaves, so that later entries are still found. */
static void empty(struct probe_dispatch_map *map, size_t gap)
{
	size_t mask = map->room - 1, at = gap;

	for (;;) {
		size_t wanted;

		at = (at + 1) & mask;
		if (!map->slots[at].dispatch)
			break;
		wanted = home(map, map->slots[at].key);
		if (((at - wanted) & mask) < ((at - gap) & mask))
			continue;
		map->slots[gap] = map->slots[at];
		gap = at;
	}
	map->slots[gap] = (struct probe_dispatch_entry){0};
	map->count--;
}

/*
 * One pass; true if it retired anything: an entry may then have moved to a slot that was already
 * visited.
 */
static bool retire_ripe(struct probe_dispatch_map *map)
{
	bool any = false;

	for (size_t i = 0; i < map->room; i++) {
		while (map->slots[i].dispatch && map->slots[i].deliveries >= DELIVERIES) {
			struct probe_dispatch_entry entry = map->slots[i];

			empty(map, i);
			retire(map, &entry);
			any = true;
		}
	}
	return any;
}

void probe_dispatch_map_delivered(struct probe_dispatch_map *map, bool flush)
{
	for (size_t i = 0; i < map->room; i++) {
		struct probe_dispatch_entry *entry = &map->slots[i];

		if (entry->dispatch && entry->completed)
			entry->deliveries = flush ? DELIVERIES : (uint8_t)(entry->deliveries + 1);
	}
	while (retire_ripe(map))
		;
}

struct probe_dispatch_entry *probe_dispatch_map_find(struct probe_dispatch_map *map, uint64_t key)
{
	struct probe_dispatch_entry *slot;

	if (!map->room)
		return NULL;
	slot = slot_of(map, key);
	return slot->dispatch ? slot : NULL;
}
