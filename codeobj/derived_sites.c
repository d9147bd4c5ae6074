/* SPDX-License-Identifier: MIT */
#include "codeobj/derived_sites.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/cleanup.h"
#include "common/err.h"

struct reading {
	const char *name;
	const struct derived_source *source;
	struct probe_sites *sites;
};

static struct probe_err *malformed(const struct reading *r, const char *what, uint32_t row,
				   const char *why, uint64_t value)
{
	return probe_err_at(r->name, PROBE_ERR_NO_OFFSET, "site table: %s %u: %s %llu", what, row,
			    why, (unsigned long long)value);
}

static struct probe_err *check_expressions(const struct reading *r)
{
	for (uint32_t i = 0; i < r->sites->expression_count; i++)
		if (!expr_node_valid(&r->sites->expressions[i], i))
			return malformed(r, "expression", i, "malformed, op",
					 r->sites->expressions[i].op);
	return NULL;
}

static bool is_expression(const struct reading *r, uint32_t root)
{
	return root == DERIVED_NONE || root < r->sites->expression_count;
}

static bool is_row(const struct probe_sites *sites, uint32_t row)
{
	return row < sites->site_count && (probe_site_is_row(sites->sites[row].access) ||
					   sites->sites[row].access == PROBE_ACCESS_BLOCK);
}

/* Index of the element with that row; NONE for NONE; `count` if there is none. */
static uint32_t index_of(const void *array, uint32_t count, size_t element, uint32_t row)
{
	struct probe_sites_range range;

	if (row == PROBE_ROW_NONE)
		return DERIVED_NONE;
	range = probe_sites_rows(array, count, element, row, 1);
	return range.first < range.end ? range.first : count;
}

/* `count` kind: a block that is not a complement of a predicate is counted itself. */
static struct probe_err *read_block(struct reading *r, const struct probe_site_predicate *from,
				    uint32_t row)
{
	struct probe_sites *s = r->sites;
	uint32_t parent =
		from ? index_of(s->blocks, s->block_count, sizeof(*s->blocks), from->parent)
		     : DERIVED_NONE;

	if (parent != DERIVED_NONE && parent >= s->block_count)
		return malformed(r, "block", row, "no such parent:", from->parent);
	s->blocks[s->block_count++] = (struct site_block){row, from != NULL, parent};
	return NULL;
}

static struct probe_err *read_predicate(struct reading *r, const struct probe_site_predicate *from)
{
	struct probe_sites *s = r->sites;
	struct site_predicate *to = &s->predicates[s->predicate_count];
	uint32_t parent = index_of(s->predicates, s->predicate_count, sizeof(*to), from->parent);

	if (parent != DERIVED_NONE && parent >= s->predicate_count)
		return malformed(r, "predicate", from->row, "no such parent:", from->parent);
	if (!is_expression(r, from->condition))
		return malformed(r, "predicate", from->row, "no such condition:", from->condition);
	*to = (struct site_predicate){from->row, parent, from->condition, from->loop == 1};
	s->predicate_count++;
	return NULL;
}

/* Predicates of the `memory` kind, and blocks of the `count` kind. */
static struct probe_err *read_predicates(struct reading *r)
{
	const struct probe_site_predicate *from = r->source->predicates,
					  *end = from + r->source->predicate_count;
	struct probe_sites *s = r->sites;

	for (const struct probe_site_predicate *p = from; p < end; p++)
		if (!is_row(s, p->row) || (p > from && p->row <= p[-1].row))
			return malformed(r, "predicate", (uint32_t)(p - from), "row", p->row);
	for (uint32_t row = 0; row < s->site_count; row++) {
		bool known = from < end && from->row == row;
		struct probe_err *err = NULL;

		if (s->sites[row].kinds & 1u << PROBE_KIND_COUNT && is_row(s, row))
			err = read_block(r, known ? from : NULL, row);
		else if (known)
			err = read_predicate(r, from);
		if (err)
			return err;
		from += known;
	}
	return NULL;
}

static struct probe_err *add_histogram(struct reading *r, struct site_group *group,
				       enum histogram_kind kind, uint32_t row, uint32_t rows)
{
	struct probe_sites *s = r->sites;

	if (row == PROBE_ROW_NONE)
		return NULL;
	if (row > s->site_count || rows > s->site_count - row)
		return malformed(r, "group", group->row, "histogram in rows from", row);
	s->histograms[s->histogram_count++] = (struct site_histogram){kind, row, rows};
	group->histogram_count++;
	return NULL;
}

/* `residues`: number of residues per group. */
static struct probe_err *read_group(struct reading *r, const struct probe_site_group *from,
				    uint32_t residues)
{
	struct probe_sites *s = r->sites;
	struct site_group *to = &s->groups[s->group_count];
	uint32_t predicate =
		index_of(s->predicates, s->predicate_count, sizeof(*s->predicates), from->parent);
	struct probe_err *err;

	if (!is_row(s, from->row) || (s->group_count && from->row <= to[-1].row))
		return malformed(r, "group", s->group_count, "row", from->row);
	if (predicate != DERIVED_NONE && predicate >= s->predicate_count)
		return malformed(r, "group", from->row, "no such predicate:", from->parent);
	*to = (struct site_group){from->row, predicate, from->flags, s->histogram_count, 0};
	err = add_histogram(r, to, HISTOGRAM_MASKS, from->mask_rows, PROBE_BUCKET_ROWS);
	if (err)
		return err;
	err = add_histogram(r, to, HISTOGRAM_RESIDUES, from->residue_rows,
			    residues * PROBE_RESIDUE_ROWS);
	if (err)
		return err;
	err = add_histogram(r, to, HISTOGRAM_PREFIXES, from->prefix_rows, PROBE_PREFIX_ROWS);
	if (err)
		return err;
	s->group_count++;
	return NULL;
}

static struct probe_err *read_groups(struct reading *r)
{
	PROBE_AUTO_FREE uint8_t *residues = calloc(r->sites->site_count + 1ul, 1);

	if (!residues)
		return probe_err_oom();
	for (uint32_t id = 0; id < r->sites->site_count; id++) {
		const struct probe_site_proof *proof = &r->source->proofs[id];

		if (proof->group < r->sites->site_count && proof->aligned &&
		    proof->address < SITE_RESIDUES && proof->address >= residues[proof->group])
			residues[proof->group] = (uint8_t)(proof->address + 1);
	}
	for (uint32_t i = 0; i < r->source->group_count; i++) {
		const struct probe_site_group *group = &r->source->groups[i];
		struct probe_err *err = read_group(
			r, group, group->row < r->sites->site_count ? residues[group->row] : 0);

		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *read_member(struct reading *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->source->proofs[id];
	struct probe_sites *s = r->sites;
	struct site_member *to = &s->members[s->member_count];
	uint32_t group = index_of(s->groups, s->group_count, sizeof(*s->groups), proof->group);
	bool loop;

	if (group >= s->group_count)
		return malformed(r, "site", id, "no such group:", proof->group);
	loop = s->groups[group].flags & PROBE_GROUP_LOOP;
	if (proof->aligned && proof->address >= SITE_RESIDUES)
		return malformed(r, "site", id, "no such residue:", proof->address);
	if (!is_expression(r, proof->base) || !is_expression(r, proof->lanes) ||
	    (loop && !is_expression(r, proof->step)))
		return malformed(r, "site", id, "no such expression:", proof->base);
	*to = (struct site_member){
		.site = id,
		.group = group,
		.first_is_lowest = proof->first_is_lowest,
		.residue = proof->aligned ? proof->address : DERIVED_NONE,
		.base = proof->base,
		.base_distance = proof->delta,
		.address = proof->lanes,
		.address_distance = proof->distance,
		.step = loop ? proof->step : DERIVED_NONE,
		.stepped = proof->stepped,
	};
	memcpy(to->stride, proof->stride, sizeof(to->stride));
	memcpy(to->field, proof->bitfield, sizeof(to->field));
	for (int i = 0; i < PROBE_BITFIELDS; i++)
		if (to->field[i].axis > 2 || to->field[i].shift > 31 || to->field[i].multiplier > 3)
			return malformed(r, "site", id, "malformed bit field", (uint64_t)i);
	s->member_count++;
	return NULL;
}

static struct probe_err *read_members(struct reading *r)
{
	const struct probe_sites *s = r->sites;

	for (uint32_t id = 0; id < s->site_count; id++) {
		struct probe_err *err;

		if (r->source->proofs[id].group == PROBE_ROW_NONE ||
		    s->sites[id].access < PROBE_ACCESS_LOAD ||
		    s->sites[id].access > PROBE_ACCESS_ATOMIC)
			continue;
		err = read_member(r, id);
		if (err)
			return err;
	}
	return NULL;
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
	if (!alloc(&r))
		return probe_err_oom();
	err = check_expressions(&r);
	if (err)
		return err;
	err = read_predicates(&r);
	if (err)
		return err;
	err = read_groups(&r);
	return err ? err : read_members(&r);
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

/* The first element whose row is not less than `row`. */
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
