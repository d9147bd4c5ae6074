/* SPDX-License-Identifier: MIT */
#include "model/proved_rows.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/regular_waves.h"
#include "model/launch_memo.h"
#include "model/proved_parts.h"

#define UNKNOWN UINT64_MAX

uint64_t proved_groups_chosen(const struct probe_workgroups *groups, int axis, uint64_t count)
{
	uint64_t first, end;

	if (!groups)
		return count;
	first = groups->first[axis];
	end = (uint64_t)groups->last[axis] + 1;
	if (end > count)
		end = count;
	return end > first ? end - first : 0;
}

/* EXEC of regular waves, and how many of them counted. */
static void find_regular(struct proved_reckon *r)
{
	const uint32_t *grid = r->launch->grid, *group = r->launch->group;

	r->exec = probe_regular_exec(grid, group, &r->waves);
	if (!r->exec)
		return;
	/* As many in each workgroup, of which there are whole ones only. */
	for (int i = 0; i < 3; i++)
		r->waves /= grid[i] / group[i];
	for (int i = 0; i < 3; i++)
		r->waves *= proved_groups_chosen(r->launch->groups, i, grid[i] / group[i]);
}

/* ---- How often ------------------------------------------------------------------------------ */

/* Waves that go whole where a branch leads that follows from the launch. */
static uint64_t branch_runs(const struct proved_reckon *r, uint32_t id)
{
	struct launch_runs runs;
	uint64_t sum = 0;

	if (!r->exec)
		return 0;
	if (!launch_runs(r->table, r->launch, id, PROBE_ROW_NONE, 0, &runs))
		return UNKNOWN;
	for (size_t i = 0; i < runs.size; i++)
		if (runs.run[i].exec == r->exec)
			sum += runs.run[i].count;
	free(runs.run);
	return sum;
}

/* Of another kernel, or a function: not run at all. */
static bool is_foreign(const struct proved_reckon *r, uint32_t id)
{
	return strcmp(probe_sites_string(r->table, r->table->sites[id].owner), r->launch->kernel);
}

/* Is all of a group known from the launch? */
static bool is_free(const struct probe_site_group *group)
{
	return group && group->flags & PROBE_GROUP_LAUNCH && group->parent != PROBE_ROW_NONE;
}

static bool is_exact(const struct proved_reckon *r, const struct probe_site_group *group)
{
	return r->reckoned && group && group->flags & PROBE_GROUP_LANES;
}

/* Regular waves that run a block whose parent's row this is. */
static uint64_t parent_runs(const struct proved_reckon *r, uint32_t parent, uint32_t id)
{
	if (parent == PROBE_ROW_NONE)
		return r->waves;
	return parent >= r->first && parent < id ? r->regular[parent - r->first] : UNKNOWN;
}

static uint64_t once_runs(const struct proved_reckon *r, uint32_t id, uint32_t parent)
{
	const uint64_t *value = r->row[id - r->first].value;
	uint64_t runs = parent_runs(r, parent, id), misses = value[PROBE_B_MISSES];

	misses += proved_in_cells(r, id) + proved_in_bins(r, id);
	if (r->launch->partial || runs == UNKNOWN || misses < value[PROBE_B_MISSES] ||
	    misses > runs)
		return UNKNOWN;
	return runs - misses;
}

static uint64_t block_runs(const struct proved_reckon *r, uint32_t id)
{
	const struct probe_site_predicate *predicate = probe_sites_predicate(r->table, id);
	const struct probe_site_group *group = probe_sites_group(r->table, id);

	if (!predicate && !(group && group->flags & PROBE_GROUP_ONCE))
		return r->row[id - r->first].value[PROBE_B_RUNS];
	if (is_foreign(r, id) || is_free(group) || is_exact(r, group))
		return 0;
	if (predicate && predicate->launch)
		return branch_runs(r, id);
	return once_runs(r, id, predicate ? predicate->parent : group->parent);
}

/* ---- All of a launch ------------------------------------------------------------------------ */

void proved_rows_lose(struct proved_rows *rows, uint32_t site, const char *why)
{
	if (rows->sites_lost < PROVED_LOST_MAX)
		rows->site_lost[rows->sites_lost] = (struct proved_lost){site, why};
	rows->sites_lost++;
	rows->lost++;
}

/* Sites of one address follow each other. */
static bool find_places(struct proved_reckon *r, uint32_t group, uint32_t stream)
{
	if (r->places.known && r->places.group == group && r->places.stream == stream)
		return true;
	r->places.group = group;
	r->places.stream = stream;
	r->places.known = launch_places(r->table, r->launch, group, stream, r->places.count);
	return r->places.known;
}

/* Regular waves of a group that is LAUNCHED, by where the address tested lies. */
static const char *add_launched(struct proved_reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	unsigned stream = proof->address;
	uint64_t value[PROBE_COUNTERS], waves, measured;

	if (!r->exec)
		return NULL;
	if (!find_places(r, proof->group, stream))
		return "its address cannot be told from the launch's arguments";
	for (unsigned place = 0; place < LAUNCH_PLACES; place++) {
		struct execution e = {.exec = r->exec, .base = place};

		waves = r->places.count[place];
		if (place % 4 == 0) {
			if (!proved_in_bin(r, proof->group, stream, place / 4, &measured) ||
			    measured > waves)
				return "waves are not where its launch says";
			waves -= measured;
		}
		if (!waves)
			continue;
		if (!proved_execution(r, id, &e, value))
			return "its stride cannot be told from the launch's arguments";
		proved_add(r->row[id - r->first].value, value, waves);
	}
	return NULL;
}

/* By regular waves, `times` of them as a rule. NULL, or what cannot be told. */
static const char *add_regular(struct proved_reckon *r, uint32_t id, uint64_t times)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	const struct execution regular = {.exec = r->exec};
	bool launched = probe_sites_group(r->table, proof->group)->flags & PROBE_GROUP_LAUNCH;
	uint64_t value[PROBE_COUNTERS];

	if (launched && proof->aligned)
		return add_launched(r, id);
	if (times && !proved_execution(r, id, &regular, value))
		return "its stride cannot be told from the launch's arguments";
	if (!launched && !proved_add_bins(r, id))
		return "its stride cannot be told from the launch's arguments";
	if (times)
		proved_add(r->row[id - r->first].value, value, times);
	return NULL;
}

/* Asked for again and again, for the sites of a group. */
static bool find_runs(struct proved_reckon *r, uint32_t group, uint32_t stream, bool aligned)
{
	if (r->runs.of.run && r->runs.group == group && r->runs.stream == stream)
		return true;
	free(r->runs.of.run);
	r->runs.of.run = NULL;
	r->runs.group = group;
	r->runs.stream = stream;
	return launch_runs(r->table, r->launch, probe_sites_group(r->table, group)->parent,
			   aligned ? group : PROBE_ROW_NONE, stream, &r->runs.of);
}

/* All executions of a site in a group that is free. */
static const char *add_free(struct proved_reckon *r, uint32_t id, uint64_t *to)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	bool aligned = proof->aligned;
	uint64_t value[PROBE_COUNTERS];

	if (!r->exec || is_foreign(r, proof->group))
		return NULL;
	if (!find_runs(r, proof->group, aligned ? proof->address : UINT32_MAX, aligned))
		return "its waves cannot be told from the launch's arguments";
	for (size_t i = 0; i < r->runs.of.size; i++) {
		const struct launch_run *run = &r->runs.of.run[i];
		struct execution e = {.exec = run->exec, .base = run->place};

		if (!run->count)
			continue;
		if (!proved_execution(r, id, &e, value))
			return "its stride cannot be told from the launch's arguments";
		proved_add(to, value, run->count);
	}
	return NULL;
}

/* Sites at constant distances follow each other. */
static bool find_exact(struct proved_reckon *r, uint32_t site, uint32_t branch)
{
	bool narrow = r->table->sites[site].space == PROBE_SPACE_LDS;

	if (r->exact.of.first && r->exact.site == site)
		return true;
	launch_exact_free(&r->exact.of);
	r->exact.site = site;
	return launch_exact(r->table, r->launch, branch, site, narrow, &r->exact.of);
}

/* All executions of a site in a group that is EXACT. */
static const char *add_exact(struct proved_reckon *r, uint32_t id, uint64_t *to)
{
	const struct probe_site *site = &r->table->sites[id];
	uint32_t group = r->table->proofs[id].group, lead;
	uint64_t value[PROBE_COUNTERS];
	int64_t beside;

	if (is_foreign(r, group))
		return NULL;
	lead = launch_exact_lead(r->table, id, &beside);
	if (lead >= r->table->site_count ||
	    !find_exact(r, lead, probe_sites_group(r->table, group)->parent))
		return "its addresses cannot be told from the launch's arguments";
	for (uint32_t i = 0; i < r->exact.of.count; i++) {
		const struct launch_exact_run *run = &r->exact.of.run[i];

		proved_cost_of(r->scratch, r->launch->arch, site, run->exec,
			       run->place + (uint64_t)beside, run->distance, value);
		proved_add(to, value, run->count);
	}
	return NULL;
}

/* A site of which all follows from the launch: as a like launch has had it, if there was one. */
static const char *add_known(struct proved_reckon *r, uint32_t id)
{
	bool exact = is_exact(r, probe_sites_group(r->table, r->table->proofs[id].group));
	uint64_t none[PROBE_COUNTERS] = {0}, *value = none;
	struct launch_memo_row *kept = r->kept ? &r->kept[id - r->first] : NULL;
	const char *why = NULL;

	if (kept)
		value = kept->value;
	if (!kept || !kept->known) {
		memset(value, 0, sizeof(none));
		why = exact ? add_exact(r, id, value) : add_free(r, id, value);
		if (kept)
			kept->known = !why;
	}
	if (!why)
		proved_add(r->row[id - r->first].value, value, 1);
	return why;
}

/* NULL, or what cannot be told of a site that runs `times` times in regular waves. */
static const char *reckon_site(struct proved_reckon *r, uint32_t id, uint64_t times)
{
	const struct probe_site_group *group =
		probe_sites_group(r->table, r->table->proofs[id].group);
	const char *why;

	if (is_exact(r, group))
		return add_known(r, id);
	if (group->flags & PROBE_GROUP_LANES_ONLY)
		return NULL;
	if (is_free(group))
		return add_known(r, id);
	if (times == UNKNOWN)
		return r->launch->partial ? "rows of its launch were lost"
					  : "the counts of its blocks contradict each other";
	why = add_regular(r, id, times);
	if (why)
		return why;
	if (!proved_add_cells(r, id))
		return "its stride cannot be told for waves that were not whole";
	return proved_add_heads(r, id);
}

static void reckon_sites(struct proved_reckon *r)
{
	struct launch_memo *memo = proved_scratch_memo(r->scratch);
	bool known = false;

	for (uint32_t id = r->first; id < r->first + r->count; id++)
		if (proved_is_row(&r->table->sites[id])) {
			r->regular[id - r->first] = block_runs(r, id);
			known = known || is_exact(r, probe_sites_group(r->table, id)) ||
				is_free(probe_sites_group(r->table, id));
		}
	if (known && memo)
		r->kept = launch_memo_rows(memo, r->table, r->launch, r->first, r->count);
	for (uint32_t id = r->first; id < r->first + r->count; id++) {
		uint32_t group = r->table->proofs[id].group;
		const char *why = "its table names no block";

		if (proved_is_row(&r->table->sites[id]) || group == PROBE_ROW_NONE ||
		    !(r->table->sites[id].kinds & 1u << PROBE_KIND_MEMORY))
			continue;
		if (group - r->first < r->count && probe_sites_group(r->table, group))
			why = reckon_site(r, id, r->regular[group - r->first]);
		if (why)
			proved_rows_lose(r->result, id, why);
	}
}

static bool alloc(struct proved_reckon *r, const struct probe_counter_row *raw, size_t raw_count)
{
	r->row = calloc(r->count + raw_count + 1, sizeof(*r->row));
	r->regular = calloc(r->count + 1ul, sizeof(*r->regular));
	if (!r->row || !r->regular)
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		r->row[i].site = r->first + i;
	for (size_t i = 0; i < raw_count; i++)
		if (raw[i].site - r->first < r->count)
			r->row[raw[i].site - r->first] = raw[i];
		else
			r->result->lost++;
	return true;
}

bool proved_rows_make(struct proved_scratch *scratch, const struct probe_sites *table,
		      const struct proved_launch *launch, const struct probe_counter_row *raw,
		      size_t raw_count, struct proved_rows *ret)
{
	struct proved_reckon r = {
		.scratch = scratch, .table = table, .launch = launch, .result = ret};
	bool done;

	*ret = (struct proved_rows){0};
	find_regular(&r);
	r.reckoned = probe_launch_enumerable(launch->grid, launch->group);
	/* Without the kernel there is nothing to reckon, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &r.first, &r.count);
	done = alloc(&r, raw, raw_count);
	if (done) {
		if (r.count)
			reckon_sites(&r);
		for (uint32_t i = 0; i < r.count; i++)
			if (r.row[i].value[PROBE_C_EXECUTIONS] &&
			    !proved_is_row(&table->sites[r.first + i]))
				r.row[ret->count++] = r.row[i];
		ret->row = r.row;
		r.row = NULL;
	}
	free(r.row);
	free(r.regular);
	free(r.runs.of.run);
	launch_exact_free(&r.exact.of);
	return done;
}
