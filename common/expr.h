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
/* Index of the node, or of an equal node that exists; PROBE_EXPR_NONE without memory. */
uint32_t expr_add(struct expr_graph *graph, const struct probe_expr_node *node);
/* Remove the nodes from this index on. */
void expr_truncate(struct expr_graph *graph, uint32_t count);
/* Number of different nodes of these roots; `limit` if there are as many or more. */
unsigned expr_count(const struct expr_graph *graph, const uint32_t *roots, unsigned count,
		    unsigned limit);
/* Number of operands of this op; 0 also for an op that does not exist. */
unsigned expr_operands(uint8_t op);
/*
 * True if the op exists, the width is 32 or 64, operands precede the node, axes are 0 to 2, and
 * loops are less than PROBE_LOOPS_MAX.
 */
bool expr_node_valid(const struct probe_expr_node *node, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
