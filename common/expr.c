/* SPDX-License-Identifier: MIT */
#include "common/expr.h"

#include <stdlib.h>
#include <string.h>

void expr_graph_deinit(struct expr_graph *graph)
{
	free(graph->node);
	free(graph->slot);
	*graph = (struct expr_graph){0};
}

unsigned expr_operands(uint8_t op)
{
	if (op < PROBE_EXPR_ADD || op >= PROBE_EXPR_ITERATION)
		return 0;
	if (op < PROBE_EXPR_SELECT)
		return 2;
	return op == PROBE_EXPR_SELECT ? 3 : 1;
}

bool expr_node_valid(const struct probe_expr_node *node, uint32_t index)
{
	bool axis = node->op == PROBE_EXPR_GROUP || node->op == PROBE_EXPR_ITEM;

	for (unsigned i = 0; i < expr_operands(node->op); i++)
		if (node->operand[i] >= index)
			return false;
	return node->op >= PROBE_EXPR_CONSTANT && node->op < PROBE_EXPR_CODES &&
	       (node->bits == 32 || node->bits == 64) &&
	       (!axis || (node->value >= 0 && node->value < 3)) &&
	       (node->op != PROBE_EXPR_ITERATION ||
		(node->value >= 0 && node->value < PROBE_LOOPS_MAX));
}

static bool has(const uint32_t *seen, unsigned count, uint32_t node)
{
	for (unsigned i = 0; i < count; i++)
		if (seen[i] == node)
			return true;
	return false;
}

unsigned expr_count(const struct expr_graph *graph, const uint32_t *roots, unsigned count,
		    unsigned limit)
{
	uint32_t *seen = malloc((limit + 1ul) * sizeof(*seen));
	unsigned found = 0;

	/* Without memory: as if there were too many. */
	for (unsigned i = 0; i < count && seen && found < limit; i++)
		if (!has(seen, found, roots[i]))
			seen[found++] = roots[i];
	for (unsigned at = 0; at < found && found < limit; at++) {
		const struct probe_expr_node *node = &graph->node[seen[at]];

		for (unsigned k = 0; k < expr_operands(node->op) && found < limit; k++)
			if (!has(seen, found, node->operand[k]))
				seen[found++] = node->operand[k];
	}
	if (!seen)
		found = limit;
	free(seen);
	return found;
}

static uint64_t hash_of(const struct probe_expr_node *node)
{
	const uint64_t words[] = {
		node->op | (uint64_t)node->bits << 8 | (uint64_t)node->operand[0] << 32,
		node->operand[1] | (uint64_t)node->operand[2] << 32,
		(uint64_t)node->value,
	};
	uint64_t hash = 0;

	for (int i = 0; i < 3; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

static uint32_t *find(const struct expr_graph *graph, const struct probe_expr_node *node)
{
	uint64_t at = hash_of(node) & (graph->slots - 1);

	while (graph->slot[at] &&
	       memcmp(&graph->node[graph->slot[at] - 1], node, sizeof(*node)) != 0)
		at = (at + 1) & (graph->slots - 1);
	return &graph->slot[at];
}

static bool grow(struct expr_graph *graph)
{
	uint32_t capacity = graph->capacity ? 2 * graph->capacity : 64, slots = 2 * capacity;
	void *nodes = realloc(graph->node, capacity * sizeof(*graph->node));
	uint32_t *slot;

	if (!nodes)
		return false;
	graph->node = nodes;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return false;
	free(graph->slot);
	graph->slot = slot;
	graph->slots = slots;
	graph->capacity = capacity;
	for (uint32_t i = 0; i < graph->count; i++)
		*find(graph, &graph->node[i]) = i + 1;
	return true;
}

uint32_t expr_add(struct expr_graph *graph, const struct probe_expr_node *node)
{
	uint32_t *slot;

	if (graph->count == graph->capacity && !grow(graph))
		return PROBE_EXPR_NONE;
	slot = find(graph, node);
	if (!*slot) {
		graph->node[graph->count++] = *node;
		*slot = graph->count;
	}
	return *slot - 1;
}

/* Slots are freed in reverse order of use, so that no probe sequence has a gap. */
void expr_truncate(struct expr_graph *graph, uint32_t count)
{
	while (graph->count > count) {
		*find(graph, &graph->node[graph->count - 1]) = 0;
		graph->count--;
	}
}
