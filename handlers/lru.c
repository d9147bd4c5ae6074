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

bool lru_init(struct lru *lru, const struct lru_shape *shape)
{
	lru->ways = (unsigned)shape->ways;
	lru->sets = shape->size / shape->line / shape->ways;
	lru->tags = calloc(lru->sets * lru->ways, sizeof(*lru->tags));
	return lru->tags != NULL;
}

void lru_deinit(struct lru *lru)
{
	free(lru->tags);
	lru->tags = NULL;
}

void lru_empty(struct lru *lru)
{
	memset(lru->tags, 0, lru->sets * lru->ways * sizeof(*lru->tags));
}

bool lru_touch(struct lru *lru, uint64_t line, bool allocate)
{
	uint64_t *set = lru->tags + (line & (lru->sets - 1)) * lru->ways, tag = line + 1;
	unsigned way = 0;
	bool hit;

	if (set[0] == tag)
		return true;
	while (way < lru->ways && set[way] != tag && set[way])
		way++;
	hit = way < lru->ways && set[way] == tag;
	if (!hit && !allocate)
		return false;
	/* A miss in a full set takes the last place. */
	if (way == lru->ways)
		way--;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = tag;
	return hit;
}
