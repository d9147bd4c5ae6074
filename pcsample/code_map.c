/* SPDX-License-Identifier: MIT */
#include "pcsample/code_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void probe_code_map_destroy(struct probe_code_map *map)
{
	free(map->ranges);
	*map = (struct probe_code_map){0};
}

/* The first range that ends after pc; count if there is none. */
static size_t first_behind(const struct probe_code_map *map, uint64_t pc)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct probe_code_range *range = &map->ranges[middle];

		if (range->base + (range->size - 1) < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int probe_code_map_load(struct probe_code_map *map, const struct probe_code_range *range)
{
	size_t at;

	if (!range->size || range->base + (range->size - 1) < range->base)
		return -EINVAL;
	at = first_behind(map, range->base);
	if (at < map->count && map->ranges[at].base <= range->base + (range->size - 1))
		return -EEXIST;
	if (map->count == map->room) {
		size_t room = map->room ? 2 * map->room : 16;
		struct probe_code_range *ranges = reallocarray(map->ranges, room, sizeof(*ranges));

		if (!ranges)
			return -ENOMEM;
		map->ranges = ranges;
		map->room = room;
	}
	memmove(&map->ranges[at + 1], &map->ranges[at], (map->count - at) * sizeof(map->ranges[0]));
	map->ranges[at] = *range;
	map->count++;
	map->last = at;
	return 0;
}

int probe_code_map_unload(struct probe_code_map *map, uint64_t id)
{
	for (size_t i = 0; i < map->count; i++) {
		if (map->ranges[i].id != id)
			continue;
		map->count--;
		memmove(&map->ranges[i], &map->ranges[i + 1],
			(map->count - i) * sizeof(map->ranges[0]));
		map->last = 0;
		return 0;
	}
	return -ENOENT;
}

const struct probe_code_range *probe_code_map_find(struct probe_code_map *map, uint64_t pc)
{
	const struct probe_code_range *range;

	if (!map->count)
		return NULL;
	range = &map->ranges[map->last];
	/* Consecutive samples are mostly in one kernel. */
	if (map->last < map->count && pc - range->base < range->size)
		return range;
	map->last = first_behind(map, pc);
	range = &map->ranges[map->last];
	return map->last < map->count && pc - range->base < range->size ? range : NULL;
}
