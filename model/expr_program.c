/* SPDX-License-Identifier: MIT */
#include "model/expr_program.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/expr.h"
#include "model/launch.h"

/* ---- One step ------------------------------------------------------------------------------- */

static int64_t with_sign(uint64_t value, unsigned bits)
{
	return bits == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static bool divide(const struct probe_expr_node *node, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t left = with_sign(a, node->bits), right = with_sign(b, node->bits);
	bool rest = node->op == PROBE_EXPR_UREM || node->op == PROBE_EXPR_SREM;

	if (!b)
		return false;
	if (node->op == PROBE_EXPR_UDIV || node->op == PROBE_EXPR_UREM)
		*ret = rest ? a % b : a / b;
	else if (right == -1)
		*ret = rest ? 0 : -a;
	else
		*ret = (uint64_t)(rest ? left % right : left / right);
	return true;
}

static bool shift(const struct probe_expr_node *node, uint64_t a, uint64_t b, uint64_t *ret)
{
	*ret = node->op == PROBE_EXPR_SHL    ? a << (b & 63)
	       : node->op == PROBE_EXPR_LSHR ? a >> (b & 63)
					     : (uint64_t)(with_sign(a, node->bits) >> (b & 63));
	return b < node->bits;
}

static bool less(const struct probe_expr_node *node, uint64_t a, uint64_t b)
{
	int64_t left = with_sign(a, node->bits), right = with_sign(b, node->bits);

	switch (node->op) {
	case PROBE_EXPR_ULT:
	case PROBE_EXPR_UMIN:
		return a < b;
	case PROBE_EXPR_ULE:
		return a <= b;
	case PROBE_EXPR_SLT:
	case PROBE_EXPR_SMIN:
		return left < right;
	case PROBE_EXPR_SLE:
		return left <= right;
	case PROBE_EXPR_UMAX:
		return a > b;
	case PROBE_EXPR_SMAX:
		return left > right;
	case PROBE_EXPR_EQ:
		return a == b;
	default: /* PROBE_EXPR_NE */
		return a != b;
	}
}

/* Other operations than sums, products and bitwise ones. False: there is no value. */
static bool apply(const struct probe_expr_node *node, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (node->op) {
	case PROBE_EXPR_SHL:
	case PROBE_EXPR_LSHR:
	case PROBE_EXPR_ASHR:
		return shift(node, a, b, ret);
	case PROBE_EXPR_UDIV:
	case PROBE_EXPR_SDIV:
	case PROBE_EXPR_UREM:
	case PROBE_EXPR_SREM:
		return divide(node, a, b, ret);
	case PROBE_EXPR_UMIN:
	case PROBE_EXPR_UMAX:
	case PROBE_EXPR_SMIN:
	case PROBE_EXPR_SMAX:
		*ret = less(node, a, b) ? a : b;
		return true;
	default:
		*ret = less(node, a, b);
		return true;
	}
}

/* One loop per operation, so that it is vectorised. Returns a mask of lanes without a value. */
static uint64_t binary(const struct probe_expr_node *node, const uint64_t *a, const uint64_t *b,
		       uint32_t count, uint64_t *ret)
{
	const uint64_t mask = node->bits == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t undefined = 0;

#define EACH(op)                                                                                   \
	for (uint32_t i = 0; i < count; i++)                                                       \
		ret[i] = (a[i] & mask) op(b[i] & mask);                                            \
	return 0
	switch (node->op) {
	case PROBE_EXPR_ADD:
		EACH(+);
	case PROBE_EXPR_SUB:
		EACH(-);
	case PROBE_EXPR_MUL:
		EACH(*);
	case PROBE_EXPR_AND:
		EACH(&);
	case PROBE_EXPR_OR:
		EACH(|);
	case PROBE_EXPR_XOR:
		EACH(^);
	default:
		break;
	}
#undef EACH
	for (uint32_t i = 0; i < count; i++)
		if (!apply(node, a[i] & mask, b[i] & mask, &ret[i]))
			undefined |= 1ull << i;
	return undefined;
}

static uint64_t reversed(uint64_t value, uint8_t bits)
{
	uint64_t ret = 0;

	for (unsigned i = 0; i < bits; i++)
		ret |= (value >> i & 1) << (bits - 1 - i);
	return ret;
}

static void unary(const struct probe_expr_node *node, const uint64_t *from, uint32_t count,
		  uint64_t *ret)
{
	for (uint32_t i = 0; i < count; i++)
		ret[i] = node->op == PROBE_EXPR_REVERSE ? reversed(from[i], node->bits)
			 : node->op == PROBE_EXPR_SEXT	? (uint64_t)with_sign(from[i], 32)
							: (uint32_t)from[i];
}

static void leaf(struct expr_program *program, uint32_t at, const uint32_t id[3], uint32_t count)
{
	const struct probe_expr_node *node = &program->step[at].node;
	uint32_t offset = (uint32_t)node->value;
	uint64_t value = (uint64_t)node->value, *ret = program->value[at];
	bool known = true;

	if (node->op == PROBE_EXPR_ITEM) {
		for (uint32_t i = 0; i < count; i++)
			ret[i] = program->item[node->value][i];
		return;
	}
	if (node->op == PROBE_EXPR_ITERATION) {
		for (uint32_t i = 0; i < count; i++)
			ret[i] = program->iteration[node->value];
		return;
	}
	if (node->op == PROBE_EXPR_ARGUMENT)
		known = launch_argument(program->launch, offset, node->bits / 8u, &value);
	else if (node->op == PROBE_EXPR_PACKET)
		known = launch_packet_field(program->launch, offset, &value);
	else if (node->op == PROBE_EXPR_GROUP)
		value = id[node->value];
	ret[0] = value;
	program->undefined[at] = known ? 0 : 1;
}

static void step(struct expr_program *program, uint32_t at, const uint32_t id[3], uint32_t count)
{
	const struct probe_expr_node *node = &program->step[at].node;
	const uint32_t *from = node->operand;
	uint64_t *undefined = program->undefined, *ret = program->value[at];
	uint64_t(*value)[WAVE_LANES] = program->value;

	undefined[at] = 0;
	switch (expr_operands(node->op)) {
	case 0:
		leaf(program, at, id, count);
		return;
	case 1:
		unary(node, value[from[0]], count, ret);
		undefined[at] = undefined[from[0]];
		return;
	case 2:
		undefined[at] = undefined[from[0]] | undefined[from[1]];
		undefined[at] |= binary(node, value[from[0]], value[from[1]], count, ret);
		return;
	default:
		undefined[at] = undefined[from[0]];
		for (uint32_t i = 0; i < count; i++) {
			uint32_t chosen = value[from[0]][i] ? from[1] : from[2];

			ret[i] = value[chosen][i];
			undefined[at] |= undefined[chosen] & 1ull << i;
		}
	}
}

/* Steps that are the same in all lanes: computed in one, then copied to the others. */
static void make_uniform(struct expr_program *program, enum expr_level level, const uint32_t id[3])
{
	for (uint32_t at = 0; at < program->steps; at++) {
		uint64_t *value = program->value[at];

		if (program->step[at].level != level)
			continue;
		step(program, at, id, 1);
		for (uint32_t i = 1; i < WAVE_LANES; i++)
			value[i] = value[0];
		program->undefined[at] = program->undefined[at] & 1 ? UINT64_MAX : 0;
	}
}

void expr_program_set_group(struct expr_program *program, const uint32_t id[3])
{
	make_uniform(program, EXPR_OF_GROUP, id);
}

void expr_program_set_lanes(struct expr_program *program, const uint32_t *const item[3],
			    uint32_t lanes)
{
	memcpy(program->item, item, sizeof(program->item));
	program->lanes = lanes;
	program->done = 0;
}

void expr_program_set_iteration(struct expr_program *program, uint32_t loop, uint64_t iteration)
{
	program->iteration[loop] = iteration;
	program->done = 0;
}

const uint64_t *expr_program_result(struct expr_program *program, uint32_t root, uint64_t needed)
{
	static const uint32_t none[3];
	uint32_t at = program->root[root];

	for (; program->done < program->end[root]; program->done++)
		if (program->step[program->done].level == EXPR_OF_LANE)
			step(program, program->done, none, program->lanes);
	return program->undefined[at] & needed ? NULL : program->value[at];
}

/* ---- Construction --------------------------------------------------------------------------- */

/*
 * Mark the nodes of a root that have no step yet, from the root down. Returns the lowest of them.
 */
static uint32_t mark(const struct probe_sites *table, uint32_t root, uint32_t *step_of)
{
	const uint32_t marked = DERIVED_NONE;
	uint32_t pending = !step_of[root], i = root;

	step_of[root] = pending ? marked : step_of[root];
	for (; pending; i--) {
		const struct probe_expr_node *node = &table->expressions[i];

		if (step_of[i] != marked)
			continue;
		pending--;
		for (unsigned k = 0; k < expr_operands(node->op); k++)
			if (!step_of[node->operand[k]]) {
				step_of[node->operand[k]] = marked;
				pending++;
			}
		if (!pending)
			break;
	}
	return i;
}

static bool add_step(struct expr_program *program, const struct probe_expr_node *node,
		     const uint32_t *step_of)
{
	struct expr_step *to = &program->step[program->steps];

	if (program->steps == EXPR_STEPS)
		return false;
	to->node = *node;
	to->level = node->op == PROBE_EXPR_ITEM || node->op == PROBE_EXPR_ITERATION ? EXPR_OF_LANE
		    : node->op == PROBE_EXPR_GROUP				    ? EXPR_OF_GROUP
						   : EXPR_OF_LAUNCH;
	if (node->op == PROBE_EXPR_GROUP)
		program->group[node->value] = true;
	if (node->op == PROBE_EXPR_ITERATION)
		program->loops |= 1u << node->value;
	for (unsigned k = 0; k < expr_operands(node->op); k++) {
		uint32_t from = step_of[node->operand[k]] - 1;

		to->node.operand[k] = from;
		if (program->step[from].level > to->level)
			to->level = program->step[from].level;
	}
	program->steps++;
	return true;
}

/* step_of: index of a node's step + 1; 0 = none. */
static bool add_root(struct expr_program *program, const struct probe_sites *table, uint32_t root,
		     uint32_t *step_of)
{
	if (program->roots == EXPR_ROOTS)
		return false;
	for (uint32_t i = mark(table, root, step_of); i <= root; i++)
		if (step_of[i] == DERIVED_NONE) {
			if (!add_step(program, &table->expressions[i], step_of))
				return false;
			step_of[i] = program->steps;
		}
	program->root[program->roots] = step_of[root] - 1;
	program->end[program->roots++] = program->steps;
	return true;
}

bool expr_program_init(struct expr_program *program, const struct probe_sites *table,
		       const struct model_launch *launch, const uint32_t *roots, uint32_t count)
{
	static const uint32_t none[3];
	uint32_t *step_of;
	bool done = true;

	*program = (struct expr_program){.launch = launch};
	if (!count)
		return true;
	step_of = calloc(table->expression_count + 1ul, sizeof(*step_of));
	program->step = malloc(EXPR_STEPS * sizeof(*program->step));
	done = step_of && program->step;
	for (uint32_t i = 0; i < count && done; i++)
		done = roots[i] < table->expression_count &&
		       add_root(program, table, roots[i], step_of);
	free(step_of);
	if (!done)
		return false;
	program->value = malloc((program->steps + 1ul) * sizeof(*program->value));
	program->undefined = calloc(program->steps + 1ul, sizeof(*program->undefined));
	if (!program->value || !program->undefined)
		return false;
	make_uniform(program, EXPR_OF_LAUNCH, none);
	return true;
}

void expr_program_deinit(struct expr_program *program)
{
	free(program->step);
	free(program->value);
	free(program->undefined);
	*program = (struct expr_program){0};
}

bool expr_program_adds(const struct expr_program *program, uint32_t offset)
{
	bool depends[EXPR_STEPS];

	for (uint32_t i = 0; i < program->steps; i++) {
		const struct probe_expr_node *node = &program->step[i].node;

		depends[i] = node->op == PROBE_EXPR_ARGUMENT && node->value == offset &&
			     node->bits == 64;
		for (unsigned k = 0; k < expr_operands(node->op); k++)
			if (depends[node->operand[k]]) {
				if (node->bits != 64 ||
				    (node->op != PROBE_EXPR_ADD && node->op != PROBE_EXPR_SUB))
					return false;
				depends[i] = true;
			}
	}
	return true;
}
