/* SPDX-License-Identifier: MIT */
#include "model/derived_rows.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/regular_waves.h"
#include "model/histograms.h"
#include "model/launch_memo.h"
#include "model/site_cost.h"
#include "model/wave_classes.h"
#include "model/wave_placement.h"

#define UNKNOWN	 UINT64_MAX
#define NOT_DONE (UINT64_MAX - 1)

static const char no_stride[] = "its stride cannot be computed from the launch's arguments";
static const char no_place[] = "its addresses cannot be computed from the launch's arguments";

/* What a set of wave classes is of; sites with the same one follow each other. */
struct class_key {
	uint32_t group, predicate, residue, address;
	bool narrow;
};

/* One launch. */
struct derivation {
	struct model_scratch *scratch;
	const struct probe_sites *table;
	const struct model_launch *launch;
	uint64_t full, waves; /* EXEC of full waves, and how many there are */
	bool enumerated;      /* probe_ctx.enumerated */
	struct probe_counter_row *row;
	struct counter_rows rows; /* the same, as they were counted */
	struct probe_sites_range predicates, members;
	uint64_t *executed; /* by predicate: full waves that execute its block; or NOT_DONE */
	struct wave_classes classes;
	struct class_key key;
	const char *failed;	      /* at the classes of this key */
	struct launch_memo_row *memo; /* of the sites, or NULL */
	struct derived_rows *result;
};

void derived_rows_lose(struct derived_rows *rows, uint32_t site, const char *why)
{
	if (rows->sites_lost < DERIVED_LOSSES_NAMED)
		rows->loss[rows->sites_lost] = (struct derived_loss){site, why};
	rows->sites_lost++;
	rows->lost++;
}

/* Of another kernel, or of a function: not executed at all. */
static bool is_foreign(const struct derivation *d, uint32_t row)
{
	return strcmp(probe_sites_string(d->table, d->table->sites[row].owner), d->launch->kernel);
}

/* ---- How often ------------------------------------------------------------------------------ */

/* Full waves that execute a predicate's block, by enumeration. */
static uint64_t place_predicate(struct derivation *d, uint32_t predicate)
{
	const struct placement_query query = {predicate, DERIVED_NONE, DERIVED_NONE, false};
	struct wave_classes classes = {0};
	uint64_t count = 0;

	if (d->full)
		count = wave_placement_add(d->table, d->launch, &query, &classes)
				? wave_classes_count(&classes, d->full)
				: UNKNOWN;
	wave_classes_deinit(&classes);
	return count;
}

static uint64_t subtract(const struct derivation *d, uint64_t from, uint64_t count)
{
	return d->launch->partial || from == UNKNOWN || count > from ? UNKNOWN : from - count;
}

/* Full waves that execute a predicate's block; of none, all of the launch. */
static uint64_t executed_by_full(struct derivation *d, uint32_t predicate)
{
	const struct site_predicate *p = &d->table->predicates[predicate];
	uint64_t *ret;

	if (predicate == DERIVED_NONE)
		return d->waves;
	if (predicate < d->predicates.first || predicate >= d->predicates.end)
		return UNKNOWN;
	ret = &d->executed[predicate - d->predicates.first];
	if (*ret != NOT_DONE)
		return *ret;
	if (is_foreign(d, p->row))
		*ret = 0;
	else if (p->condition != DERIVED_NONE)
		*ret = place_predicate(d, predicate);
	else
		*ret = subtract(d, executed_by_full(d, p->parent),
				counter_row(&d->rows, p->row)[PROBE_GROUP_SKIPPED]);
	return *ret;
}

/* Full waves that executed a group and are in no histogram. */
static uint64_t group_executions(struct derivation *d, const struct site_group *group)
{
	const struct site_histogram *histogram = &d->table->histograms[group->first_histogram];
	const uint64_t *counted = counter_row(&d->rows, group->row);
	uint64_t others, more;

	if (!(group->flags & PROBE_GROUP_ONCE))
		return counted[PROBE_GROUP_EXECUTIONS];
	if (is_foreign(d, group->row))
		return 0;
	others = counted[PROBE_GROUP_SKIPPED];
	for (uint32_t i = 0; i < group->histogram_count; i++) {
		more = histogram_full_waves(&d->rows, &histogram[i], d->full);
		if (__builtin_add_overflow(others, more, &others))
			return UNKNOWN;
	}
	return subtract(d, executed_by_full(d, group->predicate), others);
}

/* ---- Wave classes --------------------------------------------------------------------------- */

/* Full waves of a group whose residues follow from the launch, but for those that were measured. */
static const char *add_launched(struct derivation *d, const struct class_key *key, uint32_t base,
				const struct site_histogram *residues)
{
	const struct placement_query query = {DERIVED_NONE, base, DERIVED_NONE, false};
	struct wave_classes all = {0};
	const char *why = NULL;

	if (!d->full)
		return NULL;
	if (!wave_placement_add(d->table, d->launch, &query, &all))
		why = no_place;
	for (uint32_t i = 0; i < all.count && !why; i++)
		if (all.class[i].exec == d->full &&
		    !wave_classes_add(&d->classes, &all.class[i], NULL))
			why = "out of memory";
	wave_classes_clear(&all);
	if (!why && residues)
		why = histogram_add(&d->rows, residues, key->residue, d->full, &all);
	for (uint32_t i = 0; i < all.count && !why; i++)
		if (!wave_classes_subtract(&d->classes, &all.class[i]))
			why = "its waves are not where the launch places them";
	wave_classes_deinit(&all);
	return why;
}

/* What was counted of a group. */
static const char *add_counted(struct derivation *d, const struct site_group *group,
			       const struct class_key *key, uint32_t base)
{
	struct wave_class full = {.exec = d->full, .count = group_executions(d, group)};
	bool launched = group->flags & PROBE_GROUP_LAUNCH;
	const struct site_histogram *histogram, *residues = NULL;
	const char *why = NULL;

	if (full.count == UNKNOWN)
		return d->launch->partial ? "rows of its launch were lost"
					  : "the counts of its blocks contradict each other";
	for (uint32_t i = 0; i < group->histogram_count && !why; i++) {
		histogram = &d->table->histograms[group->first_histogram + i];
		if (histogram->kind == HISTOGRAM_RESIDUES && launched)
			residues = histogram;
		else
			why = histogram_add(&d->rows, histogram, key->residue, d->full,
					    &d->classes);
	}
	if (why)
		return why;
	if (launched && key->residue != DERIVED_NONE)
		return add_launched(d, key, base, residues);
	if (full.count && !full.exec)
		return "its launch has no full waves, but some were counted";
	return full.count && !wave_classes_add(&d->classes, &full, NULL) ? "out of memory" : NULL;
}

/* Does all that a group does follow from the launch, behind branches? */
static bool is_placed(const struct site_group *group)
{
	return group->flags & PROBE_GROUP_LAUNCH && group->predicate != DERIVED_NONE;
}

static bool is_enumerated(const struct derivation *d, const struct site_group *group)
{
	return d->enumerated && group->flags & PROBE_GROUP_LANES;
}

static const char *place(struct derivation *d, const struct site_group *group,
			 const struct class_key *key, uint32_t base)
{
	const struct placement_query query = {group->predicate, base, key->address, key->narrow};

	if (is_foreign(d, group->row) || (key->address == DERIVED_NONE && !d->full))
		return NULL;
	return wave_placement_add(d->table, d->launch, &query, &d->classes) ? NULL : no_place;
}

/* The classes of a member's executions that were not measured, into d->classes. */
static const char *find_classes(struct derivation *d, const struct site_member *member)
{
	const struct site_group *group = &d->table->groups[member->group];
	bool enumerated = is_enumerated(d, group);
	struct class_key key;

	memset(&key, 0, sizeof(key));
	key.group = enumerated ? DERIVED_NONE : member->group;
	key.predicate = group->predicate;
	key.residue = enumerated ? DERIVED_NONE : member->residue;
	key.address = enumerated ? member->address : DERIVED_NONE;
	key.narrow = enumerated && d->table->sites[member->site].space == PROBE_SPACE_LDS;
	if (!memcmp(&key, &d->key, sizeof(key)))
		return d->failed;
	memcpy(&d->key, &key, sizeof(key));
	wave_classes_clear(&d->classes);
	if (enumerated)
		d->failed = member->address == DERIVED_NONE ? no_place
							    : place(d, group, &key, DERIVED_NONE);
	else if (group->flags & PROBE_GROUP_LANES_ONLY)
		d->failed = NULL;
	else if (member->residue != DERIVED_NONE && group->flags & PROBE_GROUP_LAUNCH &&
		 member->base == DERIVED_NONE)
		d->failed = no_place;
	else if (is_placed(group))
		d->failed = place(d, group, &key, member->base);
	else
		d->failed = add_counted(d, group, &key, member->base);
	return d->failed;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* To the site's counters, what its classes cost. */
static const char *add_cost(struct derivation *d, const struct site_member *member,
			    uint64_t to[PROBE_COUNTERS])
{
	const char *why = find_classes(d, member);
	uint64_t value[PROBE_COUNTERS];

	if (why)
		return why;
	for (uint32_t i = 0; i < d->classes.count; i++) {
		const struct wave_class *class = &d->classes.class[i];

		if (!class->count)
			continue;
		if (!site_cost(d->scratch, d->table, d->launch, member, class,
			       d->classes.offsets ? d->classes.offset[i] : NULL, value))
			return no_stride;
		for (int k = 0; k < PROBE_C_ADDED; k++)
			to[k] += class->count * value[k];
		for (int k = PROBE_C_ADDED; k < PROBE_COUNTERS; k++)
			to[k] = value[k] > to[k] ? value[k] : to[k];
	}
	return NULL;
}

static void add_once(uint64_t *to, const uint64_t *value)
{
	for (int k = 0; k < PROBE_C_ADDED; k++)
		to[k] += value[k];
	for (int k = PROBE_C_ADDED; k < PROBE_COUNTERS; k++)
		to[k] = value[k] > to[k] ? value[k] : to[k];
}

/* NULL, or why there are no counters. All of it may be known from a launch before. */
static const char *derive(struct derivation *d, const struct site_member *member)
{
	const struct site_group *group = &d->table->groups[member->group];
	uint64_t *to = d->row[member->site - d->rows.first].value;
	struct launch_memo_row *memo = NULL;
	const char *why;

	if (!counter_row(&d->rows, group->row))
		return "its group is not its kernel's";
	if (d->memo && (is_placed(group) || is_enumerated(d, group)))
		memo = &d->memo[member->site - d->rows.first];
	if (!memo)
		return add_cost(d, member, to);
	if (!memo->known) {
		memset(memo->value, 0, sizeof(memo->value));
		why = add_cost(d, member, memo->value);
		if (why)
			return why;
		memo->known = true;
	}
	add_once(to, memo->value);
	return NULL;
}

static bool find_memo(struct derivation *d)
{
	for (uint32_t i = d->members.first; i < d->members.end; i++) {
		const struct site_group *group = &d->table->groups[d->table->members[i].group];

		if (is_placed(group) || is_enumerated(d, group))
			return true;
	}
	return false;
}

static void derive_all(struct derivation *d)
{
	struct launch_memo *memo = model_scratch_memo(d->scratch);

	d->predicates =
		probe_sites_rows(d->table->predicates, d->table->predicate_count,
				 sizeof(*d->table->predicates), d->rows.first, d->rows.count);
	d->members = probe_sites_rows(d->table->members, d->table->member_count,
				      sizeof(*d->table->members), d->rows.first, d->rows.count);
	for (uint32_t i = 0; i < d->predicates.end - d->predicates.first; i++)
		d->executed[i] = NOT_DONE;
	if (memo && find_memo(d))
		d->memo = launch_memo_rows(memo, d->table, d->launch, d->rows.first, d->rows.count);
	memset(&d->key, 0xff, sizeof(d->key));
	for (uint32_t i = d->members.first; i < d->members.end; i++) {
		const struct site_member *member = &d->table->members[i];
		const char *why = NULL;

		if (d->table->sites[member->site].kinds & 1u << PROBE_KIND_MEMORY)
			why = derive(d, member);
		if (why)
			derived_rows_lose(d->result, member->site, why);
	}
}

static bool alloc(struct derivation *d, const struct probe_counter_row *raw, size_t raw_count)
{
	uint32_t first = d->rows.first, count = d->rows.count;

	d->row = calloc(count + raw_count + 1, sizeof(*d->row));
	d->executed = calloc(count + 1ul, sizeof(*d->executed));
	if (!d->row || !d->executed)
		return false;
	d->rows.row = d->row;
	for (uint32_t i = 0; i < count; i++)
		d->row[i].site = first + i;
	for (size_t i = 0; i < raw_count; i++)
		if (raw[i].site - first < count)
			d->row[raw[i].site - first] = raw[i];
		else
			d->result->lost++;
	return true;
}

bool derived_rows_make(struct model_scratch *scratch, const struct probe_sites *table,
		       const struct model_launch *launch, const struct probe_counter_row *raw,
		       size_t raw_count, struct derived_rows *ret)
{
	struct derivation d = {.scratch = scratch, .table = table, .launch = launch, .result = ret};
	bool done;

	*ret = (struct derived_rows){0};
	d.full = launch_full_waves(launch, &d.waves);
	d.enumerated = probe_launch_enumerable(launch->grid, launch->group);
	/* Without the kernel there is nothing to derive, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &d.rows.first, &d.rows.count);
	done = alloc(&d, raw, raw_count);
	if (done) {
		if (d.rows.count)
			derive_all(&d);
		for (uint32_t i = 0; i < d.rows.count; i++)
			if (d.row[i].value[PROBE_C_EXECUTIONS] &&
			    !probe_site_is_row(table->sites[d.rows.first + i].access))
				d.row[ret->count++] = d.row[i];
		ret->row = d.row;
		d.row = NULL;
	}
	free(d.row);
	free(d.executed);
	wave_classes_deinit(&d.classes);
	return done;
}
