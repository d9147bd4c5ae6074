/* SPDX-License-Identifier: MIT */
#include "proved_each.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "launch_places.h"
#include "proved_cost.h"

enum { SHAPES = 1024 }; /* a power of two */

/* Waves whose active lanes lie alike. */
struct shape {
	uint64_t exec, count; /* 0 = free */
	uint32_t place;	      /* of the first lane, modulo 128 */
	int64_t distance[64]; /* from it; 0 in lanes that are not active */
};

struct shapes {
	struct proved_scratch *scratch;
	const struct probe_sites *table;
	const struct proved_launch *launch;
	uint32_t first, end;
	proved_each_add add;
	void *data;
	size_t used;
	struct shape shape[SHAPES];
};

bool proved_each_same(const struct probe_site_proof *a, const struct probe_site_proof *b)
{
	const uint32_t flags = PROBE_PROOF_ALIGNED | 7u << 8;

	return a->group == b->group && (a->flags & flags) == (b->flags & flags);
}

static void settle_shape(const struct shapes *shapes, const struct shape *shape)
{
	const struct execution e = {.exec = shape->exec, .base = shape->place};
	const struct probe_site_proof *proofs = shapes->table->proofs;

	for (uint32_t id = shapes->first; id < shapes->end; id++) {
		const struct probe_site *site = &shapes->table->sites[id];
		uint64_t value[PROBE_COUNTERS];

		if (probe_site_is_row(site->access) ||
		    !proved_each_same(&proofs[id], &proofs[shapes->first]))
			continue;
		proved_cost_apart(shapes->scratch, shapes->launch, site, &proofs[id], &e,
				  shape->distance, value);
		shapes->add(shapes->data, id, value, shape->count);
	}
}

static void settle_shapes(struct shapes *shapes)
{
	for (size_t i = 0; i < SHAPES; i++) {
		if (shapes->shape[i].count)
			settle_shape(shapes, &shapes->shape[i]);
		shapes->shape[i].count = 0;
	}
	shapes->used = 0;
}

/* The place of those that lie alike, or a free one. */
static struct shape *find_shape(struct shapes *shapes, const struct shape *like)
{
	uint64_t hash = like->exec ^ like->place;
	struct shape *at;

	for (unsigned lane = 0; lane < 64; lane++) {
		hash = (hash ^ (uint64_t)like->distance[lane]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	for (;; hash++) {
		at = &shapes->shape[hash % SHAPES];
		if (!at->count || (at->exec == like->exec && at->place == like->place &&
				   !memcmp(at->distance, like->distance, sizeof(at->distance))))
			return at;
	}
}

static bool add_wave(void *data, uint64_t exec, const uint64_t address[64], uint64_t times)
{
	struct shapes *shapes = data;
	uint64_t from = address[__builtin_ctzll(exec)];
	struct shape shape = {.exec = exec, .place = (uint32_t)(from % 128)}, *at;

	for (unsigned lane = 0; lane < 64; lane++)
		if (exec >> lane & 1)
			shape.distance[lane] = (int64_t)(address[lane] - from);
	at = find_shape(shapes, &shape);
	shapes->used += !at->count;
	shape.count = at->count + times;
	*at = shape;
	if (2 * shapes->used > SHAPES)
		settle_shapes(shapes);
	return true;
}

bool proved_each(struct proved_scratch *scratch, const struct probe_sites *table,
		 const struct proved_launch *launch, uint32_t first, uint32_t end,
		 proved_each_add add, void *data)
{
	const struct probe_site_proof *proof = &table->proofs[first];
	struct shapes *shapes = calloc(1, sizeof(*shapes));
	bool done;

	if (!shapes)
		return false;
	shapes->scratch = scratch;
	shapes->table = table;
	shapes->launch = launch;
	shapes->first = first;
	shapes->end = end;
	shapes->add = add;
	shapes->data = data;
	done = launch_each(table, launch, table->proofs[proof->group].group, proof->group,
			   proof->flags >> 8 & 7, add_wave, shapes);
	if (done)
		settle_shapes(shapes);
	free(shapes);
	return done;
}
