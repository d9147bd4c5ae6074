/* SPDX-License-Identifier: MIT */
/* Expressions, written as for a calculator with a stack: operands first. Include cmocka.h first. */
#ifndef TEST_MODEL_EXPR_BUILDER_H
#define TEST_MODEL_EXPR_BUILDER_H

#include <stdint.h>

#include "codeobj/sites.h"
#include "common/expr.h"

static struct expr_graph graph;
static uint32_t stack[64], stack_depth;

static void put(uint8_t op, uint8_t bits, int64_t value)
{
	struct probe_expr_node node = {.op = op, .bits = bits, .value = value};
	unsigned operands = expr_operands(op);

	assert_true(stack_depth >= operands && stack_depth - operands < 64);
	stack_depth -= operands;
	for (unsigned i = 0; i < operands; i++)
		node.operand[i] = stack[stack_depth + i];
	assert_true(expr_node_valid(&node, graph.count));
	stack[stack_depth++] = expr_add(&graph, &node);
	assert_int_not_equal(stack[stack_depth - 1], DERIVED_NONE);
}

/* Ends an expression: its root. */
static uint32_t take(struct probe_sites *to)
{
	assert_int_equal(stack_depth, 1);
	stack_depth = 0;
	to->expressions = graph.node;
	to->expression_count = graph.count;
	return stack[0];
}

/* The global id of an item: group * size + item, of an axis. */
static inline void put_id(uint32_t axis)
{
	put(PROBE_EXPR_GROUP, 32, axis);
	put(PROBE_EXPR_PACKET, 64, 4 + 2 * axis);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_ITEM, 32, axis);
	put(PROBE_EXPR_ADD, 32, 0);
}

/* Of a group of tests. */
static inline int free_expressions(void **state)
{
	(void)state;
	expr_graph_deinit(&graph);
	return 0;
}

#endif
