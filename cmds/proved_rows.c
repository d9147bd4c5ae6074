/* SPDX-License-Identifier: MIT */
#include "proved_rows.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/regular.h"
#include "launch_memo.h"
#include "launch_places.h"
#include "proved_cost.h"

struct reckon {
	struct proved_scratch *scratch;
	const struct probe_sites *table;
	const struct proved_launch *launch;
	uint64_t exec, waves;
	bool reckoned;	       /* probe_ctx.reckoned */
	uint32_t first, count; /* ids of the kernel */
	struct probe_counter_row *row;
	uint64_t *regular; /* executions of a GROUP by regular waves; UNKNOWN */
	struct {
		uint32_t group, stream;
		bool known;
		uint64_t count[LAUNCH_PLACES];
	} places; /* of the launch's waves, as asked for last */
	struct {
		uint32_t group, stream;
		struct launch_runs of;
	} runs; /* the same behind branches */
	struct {
		uint32_t site;
		struct launch_exact of;
	} exact;		      /* the same lane by lane */
	struct launch_memo_row *kept; /* of the sites, or NULL */
	struct proved_rows *result;
};

#define UNKNOWN UINT64_MAX
#define PLACES	32 /* multiples of 4 in a line */

uint64_t proved_groups_chosen(const struct proved_groups *groups, int axis, uint64_t count)
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
static void find_regular(struct reckon *r)
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

static bool is_row(const struct probe_site *site)
{
	return probe_site_is_row(site->access);
}

/* ---- How often ------------------------------------------------------------------------------ */

/* What the i-th cell of a group is of, and counts; 0 if it has none. */
static bool find_cell(const struct reckon *r, uint32_t group, uint32_t i,
		      struct probe_exec_cell *ret, uint64_t *ret_count)
{
	uint32_t at = r->table->proofs[group].shared;
	struct probe_cell_row row;

	*ret_count = 0;
	if (at == PROBE_ROW_NONE)
		return true;
	if (r->count < PROBE_CELL_ROWS || at - r->first > r->count - PROBE_CELL_ROWS)
		return false;
	memcpy(&row, r->row[at - r->first + i / PROBE_ROW_CELLS].value, sizeof(row));
	*ret = row.cell[i % PROBE_ROW_CELLS];
	*ret_count = row.count[i % PROBE_ROW_CELLS];
	return true;
}

/* Executions by regular waves that are in its cells, and hence not among those that ran as a rule.
 */
static uint64_t regular_in_cells(const struct reckon *r, uint32_t group)
{
	struct probe_exec_cell cell;
	uint64_t sum = 0, count;

	for (uint32_t i = 0; i < PROBE_CELL_ROWS * PROBE_ROW_CELLS; i++)
		if (find_cell(r, group, i, &cell, &count) && count && cell.exec == r->exec)
			sum += count;
	return sum;
}

/* Regular executions of a group whose i-th address tested lay at 4 * `place` in a line. */
static bool in_bin(const struct reckon *r, uint32_t group, unsigned i, unsigned place,
		   uint64_t *ret)
{
	uint32_t at = (uint32_t)r->table->proofs[group].delta, class = 4 * place;

	*ret = 0;
	if (!at)
		return true;
	at += PROBE_BIN_ROWS * i + PROBE_BIN_ROW(class);
	if (at - r->first >= r->count || !is_row(&r->table->sites[at]))
		return false;
	*ret = r->row[at - r->first].value[PROBE_BIN_WORD(class)];
	return true;
}

/* Waves that go whole where a branch leads that follows from the launch. */
static uint64_t branch_runs(const struct reckon *r, uint32_t id)
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
static bool is_foreign(const struct reckon *r, uint32_t id)
{
	return strcmp(probe_sites_string(r->table, r->table->sites[id].owner), r->launch->kernel);
}

/* Is all of a group known from the launch? */
static bool is_free(const struct reckon *r, uint32_t group)
{
	const struct probe_site_proof *proof = &r->table->proofs[group];

	return proof->flags & PROBE_PROOF_LAUNCHED && !(proof->flags & PROBE_PROOF_BRANCH) &&
	       proof->group != PROBE_ROW_NONE;
}

static bool is_exact(const struct reckon *r, uint32_t group)
{
	return r->reckoned && r->table->proofs[group].flags & PROBE_PROOF_EXACT;
}

/* Of all places: in the bins of every address tested alike. */
static uint64_t regular_in_bins(const struct reckon *r, uint32_t group)
{
	uint64_t sum = 0, count;

	for (unsigned place = 0; place < PLACES; place++)
		if (in_bin(r, group, 0, place, &count))
			sum += count;
	return sum;
}

static uint64_t block_runs(const struct reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	const uint64_t *value = r->row[id - r->first].value;
	uint64_t parent = r->waves, misses;

	if (!(proof->flags & PROBE_PROOF_ONCE))
		return value[PROBE_B_RUNS];
	if (is_foreign(r, id) || is_free(r, id) || is_exact(r, id))
		return 0;
	if (proof->flags & PROBE_PROOF_BRANCH)
		return branch_runs(r, id);
	if (proof->group != PROBE_ROW_NONE)
		parent = proof->group >= r->first && proof->group < id
				 ? r->regular[proof->group - r->first]
				 : UNKNOWN;
	misses = value[PROBE_B_MISSES] + regular_in_cells(r, id) + regular_in_bins(r, id);
	if (r->launch->partial || parent == UNKNOWN || misses < value[PROBE_B_MISSES] ||
	    misses > parent)
		return UNKNOWN;
	return parent - misses;
}

/* ---- How much ------------------------------------------------------------------------------- */

static bool one_execution(const struct reckon *r, uint32_t id, const struct execution *e,
			  uint64_t *value)
{
	return proved_cost(r->scratch, r->table, r->launch, &r->table->sites[id],
			   &r->table->proofs[id], e, value);
}

static void add(uint64_t *to, const uint64_t *value, uint64_t times)
{
	for (int i = 0; i < PROBE_C_ADDED; i++)
		to[i] += times * value[i];
	for (int i = PROBE_C_ADDED; i < PROBE_COUNTERS; i++)
		to[i] = value[i] > to[i] ? value[i] : to[i];
}

/* ---- All of a launch ------------------------------------------------------------------------ */

/* What was measured once for several sites. */
static bool add_shared(struct reckon *r, uint32_t id)
{
	uint32_t at = r->table->proofs[id].shared;

	if (at == PROBE_ROW_NONE)
		return true;
	if (at - r->first >= r->count || !is_row(&r->table->sites[at]))
		return false;
	add(r->row[id - r->first].value, r->row[at - r->first].value, 1);
	return true;
}

static bool add_cells(struct reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	unsigned stream = proof->flags >> 8 & 7;
	uint64_t value[PROBE_COUNTERS], count;
	struct probe_exec_cell cell;

	for (uint32_t i = 0; i < PROBE_CELL_ROWS * PROBE_ROW_CELLS; i++) {
		struct execution e = {.numbered = true};

		if (!find_cell(r, proof->group, i, &cell, &count))
			return false;
		if (!count)
			continue;
		e.exec = cell.exec;
		e.numbers = cell.classes >> PROBE_CELL_NUMBERS;
		if (proof->flags & PROBE_PROOF_ALIGNED)
			e.base = (uint32_t)(cell.classes >> PROBE_CELL_CLASS(stream) & 127);
		if (!one_execution(r, id, &e, value))
			return false;
		add(r->row[id - r->first].value, value, count);
	}
	return true;
}

/* Lanes that ran a group where they were among the first of their wave. */
static bool in_heads(const struct reckon *r, uint32_t group, unsigned lane, uint64_t *ret)
{
	uint32_t at = r->table->proofs[group].stride[0].offset + lane / PROBE_HEAD_WORDS;

	if (at - r->first >= r->count || !is_row(&r->table->sites[at]))
		return false;
	*ret = r->row[at - r->first].value[lane % PROBE_HEAD_WORDS];
	return true;
}

/* By waves of which only the first lanes were active; the place does not matter to them. */
static const char *add_heads(struct reckon *r, uint32_t id)
{
	uint32_t group = r->table->proofs[id].group;
	uint64_t value[PROBE_COUNTERS], here, next = 0;

	if (!(r->table->proofs[group].flags & PROBE_PROOF_HEADS))
		return NULL;
	for (unsigned lane = 64; lane-- > 0; next = here) {
		struct execution e = {.exec = ~0ull >> (63 - lane), .numbered = true};

		if (!in_heads(r, group, lane, &here) || here < next)
			return "lanes of its waves contradict each other";
		if (here == next)
			continue;
		if (!one_execution(r, id, &e, value))
			return "its stride cannot be told for waves that were not whole";
		add(r->row[id - r->first].value, value, here - next);
	}
	return NULL;
}

/* A word of a group's windows; 0 if there is none. */
static bool in_windows(const struct reckon *r, uint32_t group, unsigned word, uint64_t *ret)
{
	uint32_t at = r->table->proofs[group].stride[1].offset + word / PROBE_WINDOW_WORDS;

	if (at - r->first >= r->count || !is_row(&r->table->sites[at]))
		return false;
	*ret = r->row[at - r->first].value[word % PROBE_WINDOW_WORDS];
	return true;
}

/* One execution: all lanes that its windows can have touch the same lines. */
static bool one_window(const struct reckon *r, uint32_t id, unsigned key, uint64_t *value)
{
	uint64_t needed = key / PROBE_WINDOW_LANES + 1;
	struct execution e = {.base = key & PROBE_WINDOW_PLACE ? 64 : 0, .numbered = true};

	for (unsigned i = 0; i < 4; i++)
		if (key >> i & 1)
			e.exec |= 0xffffull << 16 * i;
	e.exec = key % 16 ? e.exec & r->exec : 1;
	if (!one_execution(r, id, &e, value))
		return false;
	value[PROBE_C_LANES] = 0;
	value[PROBE_C_NEEDED64] = needed;
	value[PROBE_C_NEEDED128] = (needed + 1) / 2;
	value[PROBE_C_EXCESS64] =
		value[PROBE_C_LINES64] > needed ? value[PROBE_C_LINES64] - needed : 0;
	needed = value[PROBE_C_NEEDED128];
	value[PROBE_C_EXCESS128] =
		value[PROBE_C_LINES128] > needed ? value[PROBE_C_LINES128] - needed : 0;
	return true;
}

/* By waves with any lanes, of words side by side. */
static const char *add_windows(struct reckon *r, uint32_t id)
{
	uint32_t group = r->table->proofs[id].group;
	uint64_t value[PROBE_COUNTERS], count;

	if (!(r->table->proofs[group].flags & PROBE_PROOF_WINDOWS))
		return NULL;
	for (unsigned key = 0; key < PROBE_WINDOW_KEYS; key++) {
		if (!in_windows(r, group, key, &count))
			return "its table names no windows";
		if (!count)
			continue;
		if (!one_window(r, id, key, value))
			return "its stride cannot be told for waves that were not whole";
		add(r->row[id - r->first].value, value, count);
	}
	if (!in_windows(r, group, PROBE_WINDOW_KEYS, &count))
		return "its table names no windows";
	r->row[id - r->first].value[PROBE_C_LANES] += count;
	return NULL;
}

/* Regular waves at other addresses. */
static bool add_bins(struct reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	bool aligned = proof->flags & PROBE_PROOF_ALIGNED;
	uint64_t value[PROBE_COUNTERS], count;

	for (unsigned place = 0; place < PLACES; place++) {
		struct execution e = {.exec = r->exec, .base = aligned ? 4 * place : 0};

		if (!in_bin(r, proof->group, aligned ? proof->flags >> 8 & 7 : 0, place, &count))
			return false;
		if (!count)
			continue;
		if (!one_execution(r, id, &e, value))
			return false;
		add(r->row[id - r->first].value, value, count);
	}
	return true;
}

void proved_rows_lose(struct proved_rows *rows, uint32_t site, const char *why)
{
	if (rows->sites_lost < PROVED_LOST_MAX)
		rows->site_lost[rows->sites_lost] = (struct proved_lost){site, why};
	rows->sites_lost++;
	rows->lost++;
}

/* Sites of one address follow each other. */
static bool find_places(struct reckon *r, uint32_t group, uint32_t stream)
{
	if (r->places.known && r->places.group == group && r->places.stream == stream)
		return true;
	r->places.group = group;
	r->places.stream = stream;
	r->places.known = launch_places(r->table, r->launch, group, stream, r->places.count);
	return r->places.known;
}

/* Regular waves of a group that is LAUNCHED, by where the address tested lies. */
static const char *add_launched(struct reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	unsigned stream = proof->flags >> 8 & 7;
	uint64_t value[PROBE_COUNTERS], waves, measured;

	if (!r->exec)
		return NULL;
	if (!find_places(r, proof->group, stream))
		return "its address cannot be told from the launch's arguments";
	for (unsigned place = 0; place < LAUNCH_PLACES; place++) {
		struct execution e = {.exec = r->exec, .base = place};

		waves = r->places.count[place];
		if (place % 4 == 0) {
			if (!in_bin(r, proof->group, stream, place / 4, &measured) ||
			    measured > waves)
				return "waves are not where its launch says";
			waves -= measured;
		}
		if (!waves)
			continue;
		if (!one_execution(r, id, &e, value))
			return "its stride cannot be told from the launch's arguments";
		add(r->row[id - r->first].value, value, waves);
	}
	return NULL;
}

/* By regular waves, `times` of them as a rule. NULL, or what cannot be told. */
static const char *add_regular(struct reckon *r, uint32_t id, uint64_t times)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	const struct execution regular = {.exec = r->exec};
	bool launched = r->table->proofs[proof->group].flags & PROBE_PROOF_LAUNCHED;
	uint64_t value[PROBE_COUNTERS];

	if (launched && proof->flags & PROBE_PROOF_ALIGNED)
		return add_launched(r, id);
	if (times && !one_execution(r, id, &regular, value))
		return "its stride cannot be told from the launch's arguments";
	if (!launched && !add_bins(r, id))
		return "its stride cannot be told from the launch's arguments";
	if (times)
		add(r->row[id - r->first].value, value, times);
	return NULL;
}

/* Asked for again and again, for the sites of a group. */
static bool find_runs(struct reckon *r, uint32_t group, uint32_t stream, bool aligned)
{
	if (r->runs.of.run && r->runs.group == group && r->runs.stream == stream)
		return true;
	free(r->runs.of.run);
	r->runs.of.run = NULL;
	r->runs.group = group;
	r->runs.stream = stream;
	return launch_runs(r->table, r->launch, r->table->proofs[group].group,
			   aligned ? group : PROBE_ROW_NONE, stream, &r->runs.of);
}

/* All executions of a site in a group that is free. */
static const char *add_free(struct reckon *r, uint32_t id, uint64_t *to)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	bool aligned = proof->flags & PROBE_PROOF_ALIGNED;
	uint64_t value[PROBE_COUNTERS];

	if (!r->exec || is_foreign(r, proof->group))
		return NULL;
	if (!find_runs(r, proof->group, aligned ? proof->flags >> 8 & 7 : UINT32_MAX, aligned))
		return "its waves cannot be told from the launch's arguments";
	for (size_t i = 0; i < r->runs.of.size; i++) {
		const struct launch_run *run = &r->runs.of.run[i];
		struct execution e = {.exec = run->exec, .base = run->place};

		if (!run->count)
			continue;
		if (!one_execution(r, id, &e, value))
			return "its stride cannot be told from the launch's arguments";
		add(to, value, run->count);
	}
	return NULL;
}

/* Sites at constant distances follow each other. */
static bool find_exact(struct reckon *r, uint32_t site, uint32_t branch)
{
	bool narrow = r->table->sites[site].space == PROBE_SPACE_LDS;

	if (r->exact.of.first && r->exact.site == site)
		return true;
	launch_exact_free(&r->exact.of);
	r->exact.site = site;
	return launch_exact(r->table, r->launch, branch, site, narrow, &r->exact.of);
}

/* All executions of a site in a group that is EXACT. */
static const char *add_exact(struct reckon *r, uint32_t id, uint64_t *to)
{
	const struct probe_site *site = &r->table->sites[id];
	uint32_t group = r->table->proofs[id].group, lead;
	uint64_t value[PROBE_COUNTERS];
	int64_t beside;

	if (is_foreign(r, group))
		return NULL;
	lead = launch_exact_lead(r->table, id, &beside);
	if (lead >= r->table->site_count || !find_exact(r, lead, r->table->proofs[group].group))
		return "its addresses cannot be told from the launch's arguments";
	for (uint32_t i = 0; i < r->exact.of.count; i++) {
		const struct launch_exact_run *run = &r->exact.of.run[i];

		proved_cost_of(r->scratch, r->launch->arch, site, run->exec,
			       run->place + (uint64_t)beside, run->distance, value);
		add(to, value, run->count);
	}
	return NULL;
}

/* A site of which all follows from the launch: as a like launch has had it, if there was one. */
static const char *add_known(struct reckon *r, uint32_t id)
{
	bool exact = is_exact(r, r->table->proofs[id].group);
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
		add(r->row[id - r->first].value, value, 1);
	return why;
}

/* NULL, or what cannot be told of a site that runs `times` times in regular waves. */
static const char *reckon_site(struct reckon *r, uint32_t id, uint64_t times)
{
	const char *why;

	if (is_exact(r, r->table->proofs[id].group))
		return add_known(r, id);
	if (r->table->proofs[r->table->proofs[id].group].flags & PROBE_PROOF_ALONE)
		return NULL;
	if (is_free(r, r->table->proofs[id].group))
		return add_known(r, id);
	if (times == UNKNOWN)
		return r->launch->partial ? "rows of its launch were lost"
					  : "the counts of its blocks contradict each other";
	why = add_regular(r, id, times);
	if (why)
		return why;
	if (!add_cells(r, id))
		return "its stride cannot be told for waves that were not whole";
	why = add_heads(r, id);
	if (!why)
		why = add_windows(r, id);
	if (why)
		return why;
	if (!add_shared(r, id))
		return "its table names no row that it shares";
	return NULL;
}

static void reckon_sites(struct reckon *r)
{
	struct launch_memo *memo = proved_scratch_memo(r->scratch);
	bool known = false;

	for (uint32_t id = r->first; id < r->first + r->count; id++)
		if (is_row(&r->table->sites[id])) {
			r->regular[id - r->first] = block_runs(r, id);
			known = known || is_exact(r, id) || is_free(r, id);
		}
	if (known && memo)
		r->kept = launch_memo_rows(memo, r->table, r->launch, r->first, r->count);
	for (uint32_t id = r->first; id < r->first + r->count; id++) {
		uint32_t group = r->table->proofs[id].group;
		const char *why = "its table names no block";

		if (is_row(&r->table->sites[id]) || group == PROBE_ROW_NONE ||
		    !(r->table->sites[id].kinds & 1u << PROBE_KIND_MEMORY))
			continue;
		if (group - r->first < r->count && is_row(&r->table->sites[group]))
			why = reckon_site(r, id, r->regular[group - r->first]);
		if (why)
			proved_rows_lose(r->result, id, why);
	}
}

static bool alloc(struct reckon *r, const struct probe_counter_row *raw, size_t raw_count)
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
	struct reckon r = {.scratch = scratch, .table = table, .launch = launch, .result = ret};
	bool done;

	*ret = (struct proved_rows){0};
	find_regular(&r);
	r.reckoned = probe_launch_reckoned(launch->grid, launch->group);
	/* Without the kernel there is nothing to reckon, and all rows are lost. */
	probe_sites_of_kernel(table, launch->kernel, &r.first, &r.count);
	done = alloc(&r, raw, raw_count);
	if (done) {
		if (r.count)
			reckon_sites(&r);
		for (uint32_t i = 0; i < r.count; i++)
			if (r.row[i].value[PROBE_C_EXECUTIONS] &&
			    !is_row(&table->sites[r.first + i]))
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
