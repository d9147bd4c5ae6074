/* SPDX-License-Identifier: MIT */
/*
 * Expressions over what a launch hands to a kernel (enum probe_expr_code), as a graph in which each
 * value is there once. Example: the global id of an item, blockIdx.x * blockDim.x + threadIdx.x, is
 *
 *	0: GROUP 0	1: PACKET 4	2: MUL 0, 1	3: ITEM 0	4: ADD 2, 3
 *
 * A graph is an array of nodes whose operands are nodes before them. So a loop over the array sees
 * operands first, and there are no cycles.
 */
#ifndef PROBE_COMMON_EXPR_H
#define PROBE_COMMON_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Growing; all zeros = empty. */
struct expr_graph {
	struct probe_expr_node *node;
	uint32_t count, capacity;
	uint32_t *slot; /* hash table: index + 1 */
	uint32_t slots;
};

void expr_graph_deinit(struct expr_graph *graph);
/* The node's index, of an equal one if there is one already; PROBE_EXPR_NONE without memory. */
uint32_t expr_add(struct expr_graph *graph, const struct probe_expr_node *node);
/* Forget the nodes from this index on. */
void expr_truncate(struct expr_graph *graph, uint32_t count);
/* How many operands a node with this op has. 0 for one that does not exist, too. */
unsigned expr_operands(uint8_t op);
/* Ops exist, widths are 32 or 64, operands are nodes before this one, axes 0 to 2. */
bool expr_node_valid(const struct probe_expr_node *node, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
