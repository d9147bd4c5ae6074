/* SPDX-License-Identifier: MIT */
#include "codeobj/derived_sites.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/err.h"

/* ---- Expressions ---------------------------------------------------------------------------- */

/* An expression of the table: the address `index` of group `of`, or the one of site `of`. */
struct entry {
	int64_t of;
	uint32_t index;
	uint32_t root; /* NONE: it is malformed */
	int64_t distance;
	uint32_t beside; /* the site whose address it is `distance` from; NONE */
};

struct reading {
	const char *name;
	const struct derived_source *source;
	struct probe_sites *sites;
	struct expr_graph graph;
	struct entry *entry;
	uint32_t entries;
	struct site_histogram *histogram;
};

struct stack {
	uint32_t node[PROBE_EXPR_STACK], count;
	uint32_t note[PROBE_EXPR_NOTES];
};

static bool push(struct stack *stack, uint32_t node)
{
	if (stack->count == PROBE_EXPR_STACK || node == EXPR_NONE)
		return false;
	stack->node[stack->count++] = node;
	return true;
}

/* Values that are used again. */
static bool read_note(const struct probe_expr_op *op, struct stack *stack)
{
	if (op->index >= PROBE_EXPR_NOTES)
		return false;
	if (op->code == PROBE_EXPR_KEPT)
		return push(stack, stack->note[op->index]);
	if (!stack->count)
		return false;
	stack->note[op->index] = stack->node[stack->count - 1];
	return true;
}

static bool read_op(struct reading *r, const struct probe_expr_op *op, struct stack *stack)
{
	struct expr_node node = {.op = op->code, .bits = op->bits, .value = op->value};
	unsigned operands = expr_operands(op->code);

	if (op->code == PROBE_EXPR_KEEP || op->code == PROBE_EXPR_KEPT)
		return read_note(op, stack);
	if (op->code == PROBE_EXPR_ARGUMENT || op->code == PROBE_EXPR_PACKET)
		node.value = op->offset;
	if (op->code == PROBE_EXPR_GROUP || op->code == PROBE_EXPR_ITEM)
		node.value = op->index;
	if (stack->count < operands)
		return false;
	stack->count -= operands;
	memcpy(node.operand, stack->node + stack->count, operands * sizeof(*node.operand));
	return expr_node_valid(&node, r->graph.count) && push(stack, expr_add(&r->graph, &node));
}

/* From behind PROBE_EXPR_OF. */
static void read_expression(struct reading *r, const struct probe_expr_op *op, uint32_t count,
			    struct entry *ret)
{
	struct stack stack = {.count = 0};

	memset(stack.note, 0xff, sizeof(stack.note));
	if (count == 1 && op->code == PROBE_EXPR_BESIDE) {
		ret->beside = op->offset;
		ret->distance = op->value;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!read_op(r, &op[i], &stack))
			return;
	if (stack.count == 1)
		ret->root = stack.node[0];
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static const struct entry *find_entry(const struct reading *r, int64_t of, uint32_t index)
{
	const struct entry key = {.of = of, .index = index};

	return r->entries ? bsearch(&key, r->entry, r->entries, sizeof(key), compare_entries)
			  : NULL;
}

static bool read_expressions(struct reading *r)
{
	const struct probe_expr_op *op = r->source->ops, *end = op + r->source->op_count;

	r->entry = calloc(r->source->op_count + 1ul, sizeof(*r->entry));
	if (!r->entry)
		return false;
	while (op < end) {
		const struct probe_expr_op *of = op++, *first = op;
		struct entry *entry = &r->entry[r->entries];

		while (op < end && op->code != PROBE_EXPR_OF)
			op++;
		if (of->code != PROBE_EXPR_OF)
			continue;
		*entry = (struct entry){of->value, of->index, EXPR_NONE, 0, DERIVED_NONE};
		read_expression(r, first, (uint32_t)(op - first), entry);
		r->entries++;
	}
	if (r->entries)
		qsort(r->entry, r->entries, sizeof(*r->entry), compare_entries);
	return true;
}

static uint32_t expression_of(const struct reading *r, int64_t of, uint32_t index)
{
	const struct entry *entry = find_entry(r, of, index);

	return entry ? entry->root : DERIVED_NONE;
}

/* ---- Arrays --------------------------------------------------------------------------------- */

static struct probe_err *bad(const struct reading *r, const char *what, uint32_t row,
			     const char *why, uint64_t value)
{
	return probe_err_at(r->name, PROBE_ERR_NO_OFFSET, "site table: %s %u: %s %llu", what, row,
			    why, (unsigned long long)value);
}

static bool is_row(const struct probe_sites *sites, uint32_t row)
{
	return row < sites->site_count && (probe_site_is_row(sites->sites[row].access) ||
					   sites->sites[row].access == PROBE_ACCESS_BLOCK);
}

/* The index of the element with that row, NONE for none; or `count`. */
static uint32_t index_of(const void *array, uint32_t count, size_t element, uint32_t row)
{
	struct probe_sites_range range;

	if (row == PROBE_ROW_NONE)
		return DERIVED_NONE;
	range = probe_sites_rows(array, count, element, row, 1);
	return range.first < range.end ? range.first : count;
}

/* Of the `count` kind: what is not a complement of a predicate is counted itself. */
static struct probe_err *read_block(struct reading *r, const struct probe_site_predicate *from,
				    uint32_t row)
{
	struct probe_sites *s = r->sites;
	uint32_t parent =
		from ? index_of(s->blocks, s->block_count, sizeof(*s->blocks), from->parent)
		     : DERIVED_NONE;

	if (parent != DERIVED_NONE && parent >= s->block_count)
		return bad(r, "block", row, "no such parent:", from->parent);
	s->blocks[s->block_count++] = (struct site_block){row, from != NULL, parent};
	return NULL;
}

static struct probe_err *read_predicate(struct reading *r, const struct probe_site_predicate *from)
{
	struct probe_sites *s = r->sites;
	struct site_predicate *to = &s->predicates[s->predicate_count];
	uint32_t parent = index_of(s->predicates, s->predicate_count, sizeof(*to), from->parent);

	if (parent != DERIVED_NONE && parent >= s->predicate_count)
		return bad(r, "predicate", from->row, "no such parent:", from->parent);
	*to = (struct site_predicate){from->row, parent, DERIVED_NONE};
	if (from->launch)
		to->condition = expression_of(r, from->row, 0);
	if (from->launch && to->condition == DERIVED_NONE)
		return bad(r, "predicate", from->row, "no condition", 0);
	s->predicate_count++;
	return NULL;
}

/* Predicates of the `memory` kind, and blocks of the `count` kind. */
static struct probe_err *read_predicates(struct reading *r)
{
	const struct probe_site_predicate *from = r->source->predicates,
					  *end = from + r->source->predicate_count;
	struct probe_sites *s = r->sites;
	struct probe_err *err = NULL;

	for (const struct probe_site_predicate *p = from; p < end; p++)
		if (!is_row(s, p->row) || (p > from && p->row <= p[-1].row))
			return bad(r, "predicate", (uint32_t)(p - from), "row", p->row);
	for (uint32_t row = 0; row < s->site_count && !err; row++) {
		bool known = from < end && from->row == row;

		if (s->sites[row].kinds & 1u << PROBE_KIND_COUNT && is_row(s, row))
			err = read_block(r, known ? from : NULL, row);
		else if (known)
			err = read_predicate(r, from);
		from += known;
	}
	return err;
}

static struct probe_err *add_histogram(struct reading *r, struct site_group *group,
				       enum histogram_kind kind, uint32_t row, uint32_t rows)
{
	struct probe_sites *s = r->sites;

	if (row == PROBE_ROW_NONE)
		return NULL;
	if (row > s->site_count || rows > s->site_count - row)
		return bad(r, "group", group->row, "histogram in rows from", row);
	s->histograms[s->histogram_count++] = (struct site_histogram){kind, row, rows};
	group->histogram_count++;
	return NULL;
}

/* `residues`: how many of them each group has. */
static struct probe_err *read_group(struct reading *r, const struct probe_site_group *from,
				    uint32_t residues)
{
	struct probe_sites *s = r->sites;
	struct site_group *to = &s->groups[s->group_count];
	uint32_t predicate =
		index_of(s->predicates, s->predicate_count, sizeof(*s->predicates), from->parent);
	struct probe_err *err;

	if (!is_row(s, from->row) || (s->group_count && from->row <= to[-1].row))
		return bad(r, "group", s->group_count, "row", from->row);
	if (predicate != DERIVED_NONE && predicate >= s->predicate_count)
		return bad(r, "group", from->row, "no such predicate:", from->parent);
	*to = (struct site_group){from->row, predicate, from->flags, s->histogram_count, 0};
	err = add_histogram(r, to, HISTOGRAM_MASKS, from->mask_rows, PROBE_BUCKET_ROWS);
	if (!err)
		err = add_histogram(r, to, HISTOGRAM_RESIDUES, from->residue_rows,
				    residues * PROBE_RESIDUE_ROWS);
	if (!err)
		err = add_histogram(r, to, HISTOGRAM_PREFIXES, from->prefix_rows, PROBE_PREFIX_ROWS);
	s->group_count++;
	return err;
}

static struct probe_err *read_groups(struct reading *r)
{
	uint8_t *residues = calloc(r->sites->site_count + 1ul, 1);
	struct probe_err *err = residues ? NULL : probe_err_oom();

	for (uint32_t id = 0; id < r->sites->site_count && !err; id++) {
		const struct probe_site_proof *proof = &r->source->proofs[id];

		if (proof->group < r->sites->site_count && proof->aligned &&
		    proof->address < SITE_RESIDUES && proof->address >= residues[proof->group])
			residues[proof->group] = (uint8_t)(proof->address + 1);
	}
	for (uint32_t i = 0; i < r->source->group_count && !err; i++) {
		const struct probe_site_group *group = &r->source->groups[i];

		err = read_group(r, group,
				 group->row < r->sites->site_count ? residues[group->row] : 0);
	}
	free(residues);
	return err;
}

static void read_address(const struct reading *r, uint32_t id, struct site_member *to)
{
	const struct entry *entry = find_entry(r, id, 0);

	to->address = DERIVED_NONE;
	if (!entry)
		return;
	to->address = entry->root;
	if (entry->beside == DERIVED_NONE)
		return;
	to->address = expression_of(r, entry->beside, 0);
	to->address_distance = entry->distance;
}

static struct probe_err *read_member(struct reading *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->source->proofs[id];
	struct probe_sites *s = r->sites;
	struct site_member *to = &s->members[s->member_count];
	uint32_t group = index_of(s->groups, s->group_count, sizeof(*s->groups), proof->group);

	if (group >= s->group_count)
		return bad(r, "site", id, "no such group:", proof->group);
	if (proof->aligned && proof->address >= SITE_RESIDUES)
		return bad(r, "site", id, "no such residue:", proof->address);
	*to = (struct site_member){
		.site = id,
		.group = group,
		.rising = proof->rising,
		.residue = proof->aligned ? proof->address : DERIVED_NONE,
		.base = DERIVED_NONE,
		.base_distance = proof->delta,
	};
	if (proof->aligned && s->groups[group].flags & PROBE_GROUP_LAUNCH)
		to->base = expression_of(r, proof->group, proof->address);
	read_address(r, id, to);
	memcpy(to->stride, proof->stride, sizeof(to->stride));
	memcpy(to->field, proof->bitfield, sizeof(to->field));
	for (int i = 0; i < PROBE_BITFIELDS; i++)
		if (to->field[i].axis > 2 || to->field[i].shift > 31)
			return bad(r, "site", id, "malformed bit field", (uint64_t)i);
	s->member_count++;
	return NULL;
}

static struct probe_err *read_members(struct reading *r)
{
	const struct probe_sites *s = r->sites;
	struct probe_err *err = NULL;

	for (uint32_t id = 0; id < s->site_count && !err; id++)
		if (r->source->proofs[id].group != PROBE_ROW_NONE &&
		    s->sites[id].access >= PROBE_ACCESS_LOAD &&
		    s->sites[id].access <= PROBE_ACCESS_ATOMIC)
			err = read_member(r, id);
	return err;
}

static bool alloc(struct reading *r)
{
	struct probe_sites *s = r->sites;
	size_t sites = s->site_count + 1ul, groups = r->source->group_count + 1ul;

	s->predicates = calloc(r->source->predicate_count + 1ul, sizeof(*s->predicates));
	s->blocks = calloc(sites, sizeof(*s->blocks));
	s->groups = calloc(groups, sizeof(*s->groups));
	s->histograms = calloc(3 * groups, sizeof(*s->histograms));
	s->members = calloc(sites, sizeof(*s->members));
	return s->predicates && s->blocks && s->groups && s->histograms && s->members;
}

struct probe_err *derived_sites_read(const char *name, const struct derived_source *source,
				     struct probe_sites *sites)
{
	struct reading r = {.name = name, .source = source, .sites = sites};
	struct probe_err *err;

	if (!source->proofs)
		return NULL;
	err = alloc(&r) && read_expressions(&r) ? NULL : probe_err_oom();
	if (!err)
		err = read_predicates(&r);
	if (!err)
		err = read_groups(&r);
	if (!err)
		err = read_members(&r);
	free(r.entry);
	free(r.graph.slot);
	sites->expressions = r.graph.node;
	sites->expression_count = r.graph.count;
	return err;
}

void derived_sites_free(struct probe_sites *sites)
{
	free(sites->expressions);
	free(sites->predicates);
	free(sites->groups);
	free(sites->histograms);
	free(sites->members);
	free(sites->blocks);
}

static uint32_t row_at(const void *array, size_t element, uint32_t i)
{
	uint32_t row;

	memcpy(&row, (const char *)array + i * element, sizeof(row));
	return row;
}

/* The first element that is not below the row. */
static uint32_t lower_bound(const void *array, uint32_t count, size_t element, uint64_t row)
{
	uint32_t first = 0;

	while (count) {
		uint32_t half = count / 2;

		if (row_at(array, element, first + half) < row) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first;
}

struct probe_sites_range probe_sites_rows(const void *array, uint32_t count, size_t element,
					  uint32_t first_row, uint32_t rows)
{
	return (struct probe_sites_range){
		lower_bound(array, count, element, first_row),
		lower_bound(array, count, element, (uint64_t)first_row + rows),
	};
}

const struct site_member *probe_sites_member(const struct probe_sites *sites, uint32_t site)
{
	struct probe_sites_range range = probe_sites_rows(sites->members, sites->member_count,
							  sizeof(*sites->members), site, 1);

	return range.first < range.end ? &sites->members[range.first] : NULL;
}
