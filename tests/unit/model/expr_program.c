/* SPDX-License-Identifier: MIT */
/* Expressions of a wave's lanes, against one lane at a time by another interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/expr_builder.h"
#include "model/expr_program.h"
#include "model/launch.h"

enum { LANES = 13 };

static struct probe_sites table;
static const uint64_t arguments[2] = {0x1234567890ull, 77};
static const struct model_launch launch = {
	.grid = {640, 3, 1},
	.group = {64, 1, 1},
	.arguments = (const void *)arguments,
	.argument_bytes = sizeof(arguments),
};
static const uint32_t group_id[3] = {5, 2, 0};
static uint64_t iterations[PROBE_LOOPS_MAX];

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

static int64_t extend(uint64_t value, unsigned bits)
{
	return bits == 32 ? (int32_t)value : (int64_t)value;
}

static bool value_of(uint32_t node, uint32_t item, uint64_t *ret);

/* In 128 bits, so that nothing overflows before it is truncated. */
static bool binary_of(const struct probe_expr_node *node, uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t ua = node->bits == 32 ? (uint32_t)a : a, ub = node->bits == 32 ? (uint32_t)b : b;
	__int128 sa = extend(a, node->bits), sb = extend(b, node->bits);

	switch (node->op) {
	case PROBE_EXPR_ADD:
		*ret = (uint64_t)(sa + sb);
		return true;
	case PROBE_EXPR_SUB:
		*ret = (uint64_t)(sa - sb);
		return true;
	case PROBE_EXPR_MUL:
		*ret = (uint64_t)sa * (uint64_t)sb;
		return true;
	case PROBE_EXPR_AND:
		*ret = ua & ub;
		return true;
	case PROBE_EXPR_OR:
		*ret = ua | ub;
		return true;
	case PROBE_EXPR_XOR:
		*ret = ua ^ ub;
		return true;
	case PROBE_EXPR_SHL:
		*ret = ub < node->bits ? ua << ub : 0;
		return ub < node->bits;
	case PROBE_EXPR_LSHR:
		*ret = ub < node->bits ? ua >> ub : 0;
		return ub < node->bits;
	case PROBE_EXPR_ASHR:
		*ret = ub < node->bits ? (uint64_t)(sa >> ub) : 0;
		return ub < node->bits;
	case PROBE_EXPR_UDIV:
		*ret = ub ? ua / ub : 0;
		return ub;
	case PROBE_EXPR_SDIV:
		*ret = ub ? (uint64_t)(sa / sb) : 0;
		return ub;
	case PROBE_EXPR_UREM:
		*ret = ub ? ua % ub : 0;
		return ub;
	case PROBE_EXPR_SREM:
		*ret = ub ? (uint64_t)(sa % sb) : 0;
		return ub;
	case PROBE_EXPR_UMIN:
		*ret = ua < ub ? ua : ub;
		return true;
	case PROBE_EXPR_UMAX:
		*ret = ua > ub ? ua : ub;
		return true;
	case PROBE_EXPR_SMIN:
		*ret = (uint64_t)(sa < sb ? sa : sb);
		return true;
	case PROBE_EXPR_SMAX:
		*ret = (uint64_t)(sa > sb ? sa : sb);
		return true;
	case PROBE_EXPR_EQ:
		*ret = ua == ub;
		return true;
	case PROBE_EXPR_NE:
		*ret = ua != ub;
		return true;
	case PROBE_EXPR_ULT:
		*ret = ua < ub;
		return true;
	case PROBE_EXPR_ULE:
		*ret = ua <= ub;
		return true;
	case PROBE_EXPR_SLT:
		*ret = sa < sb;
		return true;
	case PROBE_EXPR_SLE:
		*ret = sa <= sb;
		return true;
	default:
		fail();
		return false;
	}
}

static uint64_t leaf_of(const struct probe_expr_node *node, uint32_t item)
{
	switch (node->op) {
	case PROBE_EXPR_CONSTANT:
		return (uint64_t)node->value;
	case PROBE_EXPR_ARGUMENT:
		return node->bits == 32 ? (uint32_t)arguments[node->value / 8]
					: arguments[node->value / 8];
	case PROBE_EXPR_PACKET:
		return node->value == 4 ? launch.group[0] : launch.grid[0];
	case PROBE_EXPR_GROUP:
		return group_id[node->value];
	case PROBE_EXPR_ITERATION:
		return iterations[node->value];
	default:
		return node->value ? 0 : item;
	}
}

static uint64_t reversed(uint64_t value, uint8_t bits)
{
	uint64_t ret = 0;

	for (uint8_t i = 0; i < bits; i++, value >>= 1)
		ret = ret << 1 | (value & 1);
	return ret;
}

static bool value_of(uint32_t index, uint32_t item, uint64_t *ret)
{
	const struct probe_expr_node *node = &graph.node[index];
	uint64_t a, b;

	if (!expr_operands(node->op)) {
		*ret = leaf_of(node, item);
		return true;
	}
	if (!value_of(node->operand[0], item, &a))
		return false;
	if (node->op == PROBE_EXPR_SELECT)
		return value_of(node->operand[a ? 1 : 2], item, ret);
	if (expr_operands(node->op) == 1) {
		*ret = node->op == PROBE_EXPR_REVERSE ? reversed(a, node->bits)
		       : node->op == PROBE_EXPR_SEXT  ? (uint64_t)extend(a, 32)
						      : (uint32_t)a;
		return true;
	}
	return value_of(node->operand[1], item, &b) && binary_of(node, a, b, ret);
}

static void put_leaf(uint8_t bits)
{
	switch (below(6)) {
	case 0:
		put(PROBE_EXPR_CONSTANT, bits, (int64_t)below(90) - 20);
		return;
	case 5:
		put(PROBE_EXPR_ITERATION, 64, below(PROBE_LOOPS_MAX));
		return;
	case 1:
		put(PROBE_EXPR_ARGUMENT, bits, 8 * below(2));
		return;
	case 2:
		put(PROBE_EXPR_PACKET, 64, below(2) ? 4 : 12);
		return;
	case 3:
		put(PROBE_EXPR_GROUP, 32, below(3));
		break;
	default:
		put(PROBE_EXPR_ITEM, 32, below(3));
	}
	if (bits == 64)
		put(below(2) ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT, 64, 0);
}

/* Anything of that width; truths are of both. */
static void put_any(uint8_t bits, unsigned levels)
{
	if (!levels || !below(5)) {
		put_leaf(bits);
		return;
	}
	switch (below(7)) {
	case 6:
		put_any(bits, levels - 1);
		put(PROBE_EXPR_REVERSE, bits, 0);
		return;
	case 0:
		put_any(bits == 64 ? 32 : 64, levels - 1);
		put(bits == 32 ? PROBE_EXPR_TRUNC
		    : below(2) ? PROBE_EXPR_SEXT
			       : PROBE_EXPR_ZEXT,
		    bits, 0);
		return;
	case 1:
		put_any(bits, levels - 1);
		put_any(bits, levels - 1);
		put((uint8_t)(PROBE_EXPR_EQ + below(6)), bits, 0);
		put_any(bits, levels - 1);
		put_any(bits, levels - 1);
		put(PROBE_EXPR_SELECT, bits, 0);
		return;
	default:
		put_any(bits, levels - 1);
		put_any(bits, levels - 1);
		put((uint8_t)(PROBE_EXPR_ADD + below(PROBE_EXPR_SELECT - PROBE_EXPR_ADD)), bits, 0);
	}
}

/* Values count modulo 2^32 if the root has 32 bits. */
static bool same(uint32_t root, uint64_t a, uint64_t b)
{
	return graph.node[root].bits == 32 ? (uint32_t)a == (uint32_t)b : a == b;
}

static void check_lane(struct expr_program *program, uint32_t number, uint32_t root, uint32_t lane,
		       uint32_t item)
{
	const uint64_t *got = expr_program_result(program, number, 1ull << lane);
	uint64_t want;

	assert_int_equal(value_of(root, item, &want), got != NULL);
	assert_true(!got || same(root, got[lane], want));
}

static void check_lanes(const uint32_t *roots, uint32_t count)
{
	uint32_t x[LANES], zero[LANES] = {0};
	const uint32_t *const ids[3] = {x, zero, zero};
	struct expr_program program;

	for (uint32_t i = 0; i < LANES; i++)
		x[i] = 7 + i;
	assert_true(expr_program_init(&program, &table, &launch, roots, count));
	expr_program_set_group(&program, group_id);
	expr_program_set_lanes(&program, ids, LANES);
	for (uint32_t round = 0; round < 2; round++) {
		uint32_t loop = below(PROBE_LOOPS_MAX);

		iterations[loop] += below(3);
		for (uint32_t i = 0; i < PROBE_LOOPS_MAX; i++)
			expr_program_set_iteration(&program, i, iterations[i]);
		for (uint32_t k = 0; k < count; k++)
			for (uint32_t i = 0; i < LANES; i++)
				check_lane(&program, k, roots[k], i, x[i]);
	}
	expr_program_deinit(&program);
}

static void test_lanes(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 5000; i++) {
		uint32_t roots[3];

		for (int k = 0; k < 3; k++) {
			put_any(below(2) ? 32 : 64, 4);
			roots[k] = take(&table);
		}
		check_lanes(roots, 3);
		if (graph.count > 1000)
			expr_graph_deinit(&graph);
	}
}

/* What is the same is there once, whatever the order in which it was built. */
static void test_shared(void **state)
{
	uint32_t first, again, nodes;

	(void)state;
	expr_graph_deinit(&graph);
	put_id(0);
	first = take(&table);
	nodes = graph.count;
	put_id(0);
	again = take(&table);
	assert_int_equal(first, again);
	assert_int_equal(graph.count, nodes);
}

/* One lane's value is not known without arguments; that of others is. */
static void test_unknown(void **state)
{
	static const struct model_launch bare = {.group = {64, 1, 1}};
	const uint32_t x[2] = {0, 1}, *const ids[3] = {x, x, x};
	struct expr_program program;
	uint32_t root;

	(void)state;
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 5);
	put(PROBE_EXPR_ARGUMENT, 32, 0);
	put(PROBE_EXPR_SELECT, 32, 0);
	root = take(&table);
	assert_true(expr_program_init(&program, &table, &bare, &root, 1));
	expr_program_set_lanes(&program, ids, 2);
	assert_null(expr_program_result(&program, 0, 3));
	assert_null(expr_program_result(&program, 0, 1));
	assert_int_equal(expr_program_result(&program, 0, 2)[1], 5);
	expr_program_deinit(&program);
	/* There is no such root. */
	root = table.expression_count;
	assert_false(expr_program_init(&program, &table, &bare, &root, 1));
	expr_program_deinit(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, free_expressions);
}
