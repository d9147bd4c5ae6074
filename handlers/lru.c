/* SPDX-License-Identifier: MIT */
/* A set-associative cache; see lru.h. */
#include "lru.h"

#include <stdlib.h>
#include <string.h>

static bool power(uint64_t number)
{
	return number && !(number & (number - 1));
}

bool lru_shape_valid(const struct lru_shape *shape)
{
	return power(shape->size) && power(shape->line) && power(shape->ways) &&
	       shape->size / shape->line >= shape->ways;
}

/* Sets of more ways have a count of what is held. */
enum { WAYS_SEARCHED = 16 };

static bool make_held(struct lru *lru)
{
	uint64_t places = 4 * lru->sets * lru->ways;

	if (lru->ways <= WAYS_SEARCHED)
		return true;
	lru->held_shift = 64 - (unsigned)__builtin_ctzll(places);
	lru->held = calloc(places, sizeof(*lru->held));
	return lru->held != NULL;
}

bool lru_init(struct lru *lru, const struct lru_shape *shape)
{
	lru->ways = (unsigned)shape->ways;
	lru->sets = shape->size / shape->line / shape->ways;
	lru->tags = calloc(lru->sets * lru->ways, sizeof(*lru->tags));
	if (lru->tags && make_held(lru))
		return true;
	lru_deinit(lru);
	return false;
}

void lru_deinit(struct lru *lru)
{
	free(lru->tags);
	free(lru->held);
	lru->tags = NULL;
	lru->held = NULL;
}

void lru_empty(struct lru *lru)
{
	size_t lines = lru->sets * lru->ways;

	memset(lru->tags, 0, lines * sizeof(*lru->tags));
	if (lru->held)
		memset(lru->held, 0, 4 * lines * sizeof(*lru->held));
}

static uint32_t *held_of(const struct lru *lru, uint64_t tag)
{
	return &lru->held[tag * 0x9e3779b97f4a7c15ull >> lru->held_shift];
}

static uint64_t *set_of(const struct lru *lru, uint64_t line)
{
	return lru->tags + (line & (lru->sets - 1)) * lru->ways;
}

/* The way that holds `tag`; else the first free one, or `ways`. */
static unsigned search(const struct lru *lru, const uint64_t *set, uint64_t tag)
{
	unsigned way = 0;

	if (lru->held && set[lru->ways - 1] && !*held_of(lru, tag))
		return lru->ways;
	while (way < lru->ways && set[way] != tag && set[way])
		way++;
	return way;
}

bool lru_touch(struct lru *lru, uint64_t line, bool allocate)
{
	uint64_t *set = set_of(lru, line), tag = line + 1;
	unsigned way;
	bool hit;

	if (set[0] == tag)
		return true;
	way = search(lru, set, tag);
	hit = way < lru->ways && set[way] == tag;
	if (!hit && !allocate)
		return false;
	/* A miss in a full set takes the last place. */
	if (way == lru->ways)
		way--;
	if (lru->held && !hit) {
		if (set[way])
			--*held_of(lru, set[way]);
		++*held_of(lru, tag);
	}
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = tag;
	return hit;
}

void lru_prefetch(const struct lru *lru, uint64_t line)
{
	__builtin_prefetch(set_of(lru, line));
}
