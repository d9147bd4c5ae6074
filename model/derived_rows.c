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

/* Identifies a set of wave classes. Sites with the same key are consecutive. */
struct class_key {
	uint32_t group, predicate, residue, address, step, stepped;
	bool narrow;
};

/* One launch. */
struct derivation {
	struct model_scratch *scratch;
	const struct probe_sites *table;
	const struct model_launch *launch;
	uint64_t full, waves; /* EXEC of regular waves, and their number */
	bool enumerated;      /* probe_ctx.enumerated */
	struct probe_counter_row *row;
	struct counter_rows rows;	  /* the same, as they were counted */
	struct probe_counter_row *sample; /* behind them: rows of executions that were sampled */
	size_t samples;
	struct probe_sites_range predicates, members;
	uint64_t *executed; /* per predicate: regular waves that execute its block; or NOT_DONE */
	uint32_t *pending;  /* for executed_by_full() */
	struct wave_classes classes;
	struct class_key key;
	const char *failed;	      /* reason there are no classes for this key, or NULL */
	struct launch_memo_row *memo; /* per site, or NULL */
	struct derived_rows *result;
};

void derived_rows_lose(struct derived_rows *rows, uint32_t site, const char *reason)
{
	if (rows->sites_lost < DERIVED_LOSSES_NAMED)
		rows->loss[rows->sites_lost] = (struct derived_loss){site, reason};
	rows->sites_lost++;
	rows->lost++;
}

/* A row of another kernel, or of a function: not executed in this launch. */
static bool is_foreign(const struct derivation *d, uint32_t row)
{
	return strcmp(probe_sites_string(d->table, d->table->sites[row].owner), d->launch->kernel);
}

/* ---- Executions ----------------------------------------------------------------------------- */

/* Regular waves that execute a predicate's block, by enumeration. */
static uint64_t place_predicate(struct derivation *d, uint32_t predicate)
{
	const struct placement_query query = {
		predicate, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, 0, false,
	};
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

/* False: they are those of the parent's block, except for those that were counted. */
static bool executed_alone(struct derivation *d, uint32_t predicate, uint64_t *ret)
{
	const struct site_predicate *p;
	uint64_t *executed;

	*ret = predicate == DERIVED_NONE ? d->waves : UNKNOWN;
	if (predicate < d->predicates.first || predicate >= d->predicates.end)
		return true;
	p = &d->table->predicates[predicate];
	executed = &d->executed[predicate - d->predicates.first];
	if (*executed == NOT_DONE && is_foreign(d, p->row))
		*executed = 0;
	else if (*executed == NOT_DONE && p->condition != DERIVED_NONE)
		*executed = place_predicate(d, predicate);
	*ret = *executed;
	return *executed != NOT_DONE;
}

/*
 * Regular waves that execute a predicate's block; without a predicate, all of the launch. Not by
 * recursion, because a forged table may have any number of parents.
 */
static uint64_t executed_by_full(struct derivation *d, uint32_t predicate)
{
	uint32_t pending = 0;
	uint64_t ret;

	while (!executed_alone(d, predicate, &ret)) {
		d->pending[pending++] = predicate;
		predicate = d->table->predicates[predicate].parent;
	}
	while (pending) {
		uint32_t inner = d->pending[--pending];
		const uint64_t *counted = counter_row(&d->rows, d->table->predicates[inner].row);

		ret = subtract(d, ret, counted[PROBE_GROUP_SKIPPED]);
		d->executed[inner - d->predicates.first] = ret;
	}
	return ret;
}

/* Regular waves that executed a group and are in none of its histograms. */
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

/*
 * Add the regular waves of a group whose residues follow from the launch, except those that were
 * measured.
 */
static const char *add_launched(struct derivation *d, const struct class_key *key, uint32_t base,
				const struct site_histogram *residues)
{
	const struct placement_query query = {
		DERIVED_NONE, base, DERIVED_NONE, DERIVED_NONE, 0, false,
	};
	struct wave_classes all = {0};
	const char *reason = NULL;

	if (!d->full)
		return NULL;
	if (!wave_placement_add(d->table, d->launch, &query, &all))
		reason = no_place;
	for (uint32_t i = 0; i < all.count && !reason; i++)
		if (all.class[i].exec == d->full &&
		    !wave_classes_add(&d->classes, &all.class[i], NULL))
			reason = "out of memory";
	wave_classes_clear(&all);
	if (!reason && residues)
		reason = histogram_add(&d->rows, residues, key->residue, d->full, &all);
	for (uint32_t i = 0; i < all.count && !reason; i++)
		if (!wave_classes_subtract(&d->classes, &all.class[i]))
			reason = "its counts contradict its launch";
	wave_classes_deinit(&all);
	return reason;
}

/* Add the classes that the device has counted for a group. */
static const char *add_counted(struct derivation *d, const struct site_group *group,
			       const struct class_key *key, uint32_t base)
{
	struct wave_class full = {.exec = d->full, .count = group_executions(d, group)};
	bool launched = group->flags & PROBE_GROUP_LAUNCH;
	const struct site_histogram *histogram, *residues = NULL;
	const char *reason = NULL;

	if (full.count == UNKNOWN)
		return d->launch->partial ? "rows of its launch were lost"
					  : "the counts of its blocks are inconsistent";
	for (uint32_t i = 0; i < group->histogram_count && !reason; i++) {
		histogram = &d->table->histograms[group->first_histogram + i];
		if (histogram->kind == HISTOGRAM_RESIDUES && launched)
			residues = histogram;
		else
			reason = histogram_add(&d->rows, histogram, key->residue, d->full,
					       &d->classes);
	}
	if (reason)
		return reason;
	if (launched && key->residue != DERIVED_NONE)
		return add_launched(d, key, base, residues);
	if (full.count && !full.exec)
		return "its launch has no regular waves, but some were counted";
	return full.count && !wave_classes_add(&d->classes, &full, NULL) ? "out of memory" : NULL;
}

/* Do all executions of a group follow from the launch, including the branches that guard it? */
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
	const struct placement_query query = {
		group->predicate, base, key->address, key->step, key->stepped, key->narrow,
	};

	if (is_foreign(d, group->row) || (key->address == DERIVED_NONE && !d->full))
		return NULL;
	return wave_placement_add(d->table, d->launch, &query, &d->classes) ? NULL : no_place;
}

/* Put the classes of a member's unmeasured executions into d->classes. */
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
	key.step = enumerated ? member->step : DERIVED_NONE;
	key.stepped = enumerated ? member->stepped : 0;
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

/* Add the counters of `times` executions. */
static void add_counters(uint64_t *to, const uint64_t *value, uint64_t times)
{
	for (int k = 0; k < PROBE_C_ADDED; k++)
		to[k] += times * value[k];
	for (int k = PROBE_C_ADDED; k < PROBE_COUNTERS; k++)
		to[k] = value[k] > to[k] ? value[k] : to[k];
}

/* The cost of all classes, summed up. */
static const char *cost_of(struct derivation *d, const struct site_member *member,
			   uint64_t ret[PROBE_COUNTERS])
{
	const struct site_cost_context in = {d->scratch, d->table, d->launch};
	const char *reason = find_classes(d, member);
	uint64_t value[PROBE_COUNTERS];

	if (reason)
		return reason;
	memset(ret, 0, PROBE_COUNTERS * sizeof(*ret));
	for (uint32_t i = 0; i < d->classes.count; i++) {
		const struct wave_class *class = &d->classes.class[i];

		if (!class->count)
			continue;
		if (!site_cost(&in, member, class, d->classes.offsets ? d->classes.offset[i] : NULL,
			       value))
			return no_stride;
		add_counters(ret, value, class->count);
	}
	return NULL;
}

/*
 * Move the executions of which a sample was measured to a row of their own: estimates, from the
 * measured ones. Executions and lanes were counted.
 */
static const char *move_sample(struct derivation *d, const struct site_member *member)
{
	const struct site_group *group = &d->table->groups[member->group];
	const uint64_t *counted = counter_row(&d->rows, group->row);
	struct probe_counter_row *from = &d->row[member->site - d->rows.first];
	struct probe_counter_row *to = &d->sample[d->samples];
	uint64_t measured = from->value[PROBE_C_EXECUTIONS], every = site_group_every(group);

	if (measured > counted[PROBE_GROUP_SAMPLED_EXECUTIONS])
		return d->launch->partial ? "rows of its launch were lost"
					  : "more executions were measured than counted";
	*to = *from;
	memset(from->value, 0, sizeof(from->value));
	for (int k = PROBE_C_QUADS; k < PROBE_C_ADDED; k++)
		to->value[k] *= every;
	to->value[PROBE_C_EXECUTIONS] = counted[PROBE_GROUP_SAMPLED_EXECUTIONS];
	to->value[PROBE_C_LANES] = counted[PROBE_GROUP_SAMPLED_LANES];
	to->value[PROBE_C_MEASURED] = 1 + measured;
	d->samples += to->value[PROBE_C_EXECUTIONS] > 0;
	return NULL;
}

/* Returns NULL, or why there are no counters. An equivalent launch may have been derived before. */
static const char *derive(struct derivation *d, const struct site_member *member)
{
	const struct site_group *group = &d->table->groups[member->group];
	uint32_t index = member->site - d->rows.first;
	struct launch_memo_row *memo = NULL;
	uint64_t own[PROBE_COUNTERS], *cost = own;
	const char *reason;

	if (!counter_row(&d->rows, group->row))
		return "its group belongs to another kernel";
	if (group->flags & PROBE_GROUP_SAMPLED) {
		reason = move_sample(d, member);
		if (reason)
			return reason;
	}
	if (d->memo && (is_placed(group) || is_enumerated(d, group))) {
		memo = &d->memo[index];
		cost = memo->value;
	}
	if (!memo || !memo->known) {
		reason = cost_of(d, member, cost);
		if (reason)
			return reason;
	}
	if (memo)
		memo->known = true;
	add_counters(d->row[index].value, cost, 1);
	return NULL;
}

static bool uses_memo(struct derivation *d)
{
	for (uint32_t i = d->members.first; i < d->members.end; i++) {
		const struct site_group *group = &d->table->groups[d->table->members[i].group];

		if (is_placed(group) || is_enumerated(d, group))
			return true;
	}
	return false;
}

static void derive_members(struct derivation *d)
{
	struct launch_memo *memo = model_scratch_memo(d->scratch);

	d->predicates =
		probe_sites_rows(d->table->predicates, d->table->predicate_count,
				 sizeof(*d->table->predicates), d->rows.first, d->rows.count);
	d->members = probe_sites_rows(d->table->members, d->table->member_count,
				      sizeof(*d->table->members), d->rows.first, d->rows.count);
	for (uint32_t i = 0; i < d->predicates.end - d->predicates.first; i++)
		d->executed[i] = NOT_DONE;
	if (memo && uses_memo(d))
		d->memo = launch_memo_rows(memo, d->table, d->launch, d->rows.first, d->rows.count);
	memset(&d->key, 0xff, sizeof(d->key));
	for (uint32_t i = d->members.first; i < d->members.end; i++) {
		const struct site_member *member = &d->table->members[i];
		const char *reason = NULL;

		if (d->table->sites[member->site].kinds & 1u << PROBE_KIND_MEMORY)
			reason = derive(d, member);
		if (reason)
			derived_rows_lose(d->result, member->site, reason);
	}
}

static bool alloc(struct derivation *d, const struct probe_counter_row *raw, size_t raw_count)
{
	uint32_t first = d->rows.first, count = d->rows.count;

	d->row = calloc(2ul * count + 1, sizeof(*d->row));
	d->executed = calloc(count + 1ul, sizeof(*d->executed));
	d->pending = calloc(count + 1ul, sizeof(*d->pending));
	if (!d->row || !d->executed || !d->pending)
		return false;
	d->rows.row = d->row;
	d->sample = d->row + count;
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
	/* If the table does not have the kernel, nothing can be derived, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &d.rows.first, &d.rows.count);
	done = alloc(&d, raw, raw_count);
	if (done) {
		if (d.rows.count)
			derive_members(&d);
		for (uint32_t i = 0; i < d.rows.count; i++)
			if (d.row[i].value[PROBE_C_EXECUTIONS] &&
			    !probe_site_is_row(table->sites[d.rows.first + i].access))
				d.row[ret->count++] = d.row[i];
		memmove(&d.row[ret->count], d.sample, d.samples * sizeof(*d.sample));
		ret->count += d.samples;
		ret->row = d.row;
		d.row = NULL;
	}
	free(d.row);
	free(d.executed);
	free(d.pending);
	wave_classes_deinit(&d.classes);
	return done;
}
