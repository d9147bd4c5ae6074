/* SPDX-License-Identifier: MIT */
#include "proved_rows.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "coalesce.h"
#include "common/regular.h"
#include "launch_places.h"
#include "lds_model.h"

/* Any multiple of 128 far from both ends: where exactly does not matter. */
#define BASE  (1ull << 40)
#define REACH (1ll << 30) /* PASS_WRAP_LIMIT */

struct proved_scratch {
	struct lines_scratch lines;
	struct lds_scratch lds;
};

struct reckon {
	struct proved_scratch *scratch;
	const struct probe_sites *table;
	const struct proved_launch *launch;
	uint64_t exec, waves;
	uint32_t first, count; /* ids of the kernel */
	struct probe_counter_row *row;
	uint64_t *regular; /* executions of a GROUP by regular waves; UNKNOWN */
	struct {
		uint32_t group, stream;
		bool known;
		uint64_t count[LAUNCH_PLACES];
	} places; /* of the launch's waves, as asked for last */
	struct proved_rows *result;
};

#define UNKNOWN UINT64_MAX
#define PLACES	32 /* multiples of 4 in a line */

struct proved_scratch *proved_scratch_create(void)
{
	return calloc(1, sizeof(struct proved_scratch));
}

void proved_scratch_destroy(struct proved_scratch *scratch)
{
	free(scratch);
}

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
	/* Of another kernel, or a function: not run at all. */
	if (strcmp(probe_sites_string(r->table, r->table->sites[id].owner), r->launch->kernel))
		return 0;
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

static bool argument(const struct proved_launch *launch, const struct probe_site_stride *stride,
		     int64_t *ret)
{
	uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;
	uint64_t value;

	if (stride->bits & PROBE_STRIDE_LAUNCH)
		return launch_field(launch, stride->offset, ret);
	if ((bits != 32 && bits != 64) ||
	    !launch_argument(launch, stride->offset, bits / 8, &value))
		return false;
	if (bits == 64 || stride->bits & PROBE_STRIDE_UNSIGNED)
		*ret = (int64_t)value;
	else
		*ret = (int32_t)(uint32_t)value;
	return true;
}

static bool step(const struct proved_launch *launch, const struct probe_site_stride *stride,
		 int64_t *ret)
{
	int64_t value = 0;

	if (stride->factor && (!argument(launch, stride, &value) ||
			       __builtin_mul_overflow(value, stride->factor, &value)))
		return false;
	return !__builtin_add_overflow(value, stride->constant, ret) && *ret > -REACH &&
	       *ret < REACH;
}

/* One way that a wave can run a site. */
struct execution {
	uint64_t exec;
	uint32_t base;	  /* of the address tested, in the first lane, modulo 128 */
	uint64_t numbers; /* as a cell has them */
	bool numbered;	  /* there are some */
};

static void ids_of(const struct reckon *r, unsigned lane, int64_t ret[3])
{
	const uint32_t *group = r->launch->group;

	ret[0] = lane % group[0];
	ret[1] = lane / group[0] % group[1];
	ret[2] = lane / group[0] / group[1];
}

/* Are regular executions such in which P is 0? */
static bool counts_without(uint8_t op)
{
	return op == PROBE_DIGIT_BITS || op == PROBE_DIGIT_ADD || op == PROBE_DIGIT_MOD;
}

/* v from the first lane on, modulo N. */
static bool modulo(int64_t v, uint64_t number, int64_t *ret)
{
	int64_t n = (int64_t)(number & PROBE_NUMBER_MAX);
	int64_t rest = (int64_t)(number >> 10 & PROBE_NUMBER_MAX), sum = v + rest;

	if (rest && !n)
		return false;
	*ret = n ? (sum % n + n) % n - rest : v;
	return true;
}

/* What a digit is in a lane with these ids, where `first` are the first active lane's. */
static bool digit_of(const struct probe_site_digit *digit, const struct execution *e,
		     const int64_t id[3], const int64_t first[3], int64_t *ret)
{
	int64_t number = (int64_t)(e->numbers >> 10 * (digit->with & 3) & PROBE_NUMBER_MAX);
	bool apart = digit->op != PROBE_DIGIT_BITS && digit->op != PROBE_DIGIT_AND;
	int64_t v = 0;

	if (digit->op >= PROBE_DIGIT_OPS || digit->shift > 31 ||
	    (!counts_without(digit->op) && !e->numbered))
		return false;
	for (int i = 0; i < 3; i++)
		v += digit->inner[i] * (id[i] - (apart ? first[i] : 0));
	if (digit->op == PROBE_DIGIT_ADD)
		v += number;
	if (digit->op == PROBE_DIGIT_MIN || digit->op == PROBE_DIGIT_MAX) {
		number -= PROBE_DIGIT_BIAS;
		v = (v < number) == (digit->op == PROBE_DIGIT_MIN) ? v : number;
	} else if (digit->op == PROBE_DIGIT_MOD) {
		if (!modulo(v, e->numbers >> 10 * (digit->with & 3), &v))
			return false;
	} else {
		v >>= digit->shift;
		/* All ones is no mask: v may be negative then. */
		v = digit->mask == UINT32_MAX ? v : v & digit->mask;
	}
	if (digit->op == PROBE_DIGIT_AND)
		v &= number;
	return !__builtin_mul_overflow(v, digit->times, ret);
}

static bool address_of(const struct probe_site_proof *proof, const struct execution *e,
		       const int64_t steps[3], const int64_t id[3], const int64_t first[3],
		       int64_t *ret)
{
	*ret = steps[0] * id[0] + steps[1] * id[1] + steps[2] * id[2];
	for (int i = 0; i < PROBE_DIGITS; i++) {
		int64_t value;

		if (!proof->digit[i].times)
			continue;
		if (!digit_of(&proof->digit[i], e, id, first, &value) ||
		    __builtin_add_overflow(*ret, value, ret))
			return false;
	}
	return true;
}

/* Of each active lane, from the first one's address. */
static bool distances(const struct reckon *r, const struct probe_site_proof *proof,
		      const struct execution *e, int64_t ret[64])
{
	const uint32_t *group = r->launch->group;
	int64_t steps[3] = {0}, first_id[3], first;

	if (!group[0] || !group[1] || !group[2])
		return false;
	for (int i = 0; i < 3; i++)
		/* There is but one id along this axis. */
		if (group[i] > 1 && !step(r->launch, &proof->stride[i], &steps[i]))
			return false;
	ids_of(r, (unsigned)__builtin_ctzll(e->exec), first_id);
	if (!address_of(proof, e, steps, first_id, first_id, &first))
		return false;
	for (unsigned lane = 0; lane < 64; lane++) {
		int64_t id[3];

		if (!(e->exec >> lane & 1))
			continue;
		ids_of(r, lane, id);
		if (!address_of(proof, e, steps, id, first_id, &ret[lane]) ||
		    __builtin_sub_overflow(ret[lane], first, &ret[lane]))
			return false;
		if (ret[lane] <= -REACH || ret[lane] >= REACH ||
		    (proof->flags & PROBE_PROOF_RISING && ret[lane] < 0))
			return false;
	}
	return true;
}

static void count_lines(const struct reckon *r, const struct probe_site *site, uint64_t exec,
			const uint64_t address[64], uint64_t *value)
{
	uint32_t bytes = (uint32_t)__builtin_popcountll(exec) * site->unit;
	uint32_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;
	struct lines lines = lines_count(64, site->unit, exec, address, &r->scratch->lines);

	value[PROBE_C_QUADS] += lines.quads;
	value[PROBE_C_LINES64] += lines.used64;
	value[PROBE_C_NEEDED64] += needed64;
	value[PROBE_C_EXCESS64] += lines.used64 > needed64 ? lines.used64 - needed64 : 0;
	value[PROBE_C_LINES128] += lines.used128;
	value[PROBE_C_NEEDED128] += needed128;
	value[PROBE_C_EXCESS128] += lines.used128 > needed128 ? lines.used128 - needed128 : 0;
}

static void count_passes(const struct reckon *r, const struct probe_site *site, uint64_t exec,
			 const uint64_t address[64], uint64_t *value)
{
	const struct lds_model *model = lds_model_find(r->launch->arch);
	const struct lds_phases *phases =
		lds_model_phases(model, site->unit, site->access == PROBE_ACCESS_STORE);
	struct lds_cost cost;
	uint32_t narrow[64];

	for (unsigned lane = 0; lane < 64; lane++)
		narrow[lane] = (uint32_t)address[lane];
	cost = lds_count(model, phases, site->access != PROBE_ACCESS_ATOMIC, 64, site->unit, exec,
			 narrow, &r->scratch->lds);
	value[PROBE_C_PASSES] += cost.passes;
	value[PROBE_C_IDEAL_PASSES] += cost.ideal;
	if (cost.way > value[PROBE_C_MAX_WAY])
		value[PROBE_C_MAX_WAY] = cost.way;
}

static void count_stride(uint64_t exec, const int64_t distance[64], uint64_t *value)
{
	unsigned first = (unsigned)__builtin_ctzll(exec);
	uint64_t rest = exec & (exec - 1);
	int64_t stride = 0;

	if (rest) {
		unsigned second = (unsigned)__builtin_ctzll(rest);

		stride = distance[second] / (int64_t)(second - first);
	}
	for (; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (distance[lane] != stride * (int64_t)(lane - first))
			return;
	}
	value[PROBE_C_AFFINE] = 1;
	if (!(exec & (exec - 1)))
		return;
	value[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	value[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
}

/* What one execution adds. */
static bool one_execution(const struct reckon *r, uint32_t id, const struct execution *e,
			  uint64_t *value)
{
	const struct probe_site *site = &r->table->sites[id];
	const struct probe_site_proof *proof = &r->table->proofs[id];
	uint64_t address[64] = {0};
	int64_t distance[64] = {0};

	memset(value, 0, PROBE_COUNTERS * sizeof(*value));
	if (!e->exec || !distances(r, proof, e, distance))
		return false;
	value[PROBE_C_EXECUTIONS] = 1;
	value[PROBE_C_LANES] = (uint64_t)__builtin_popcountll(e->exec);
	count_stride(e->exec, distance, value);
	for (unsigned unit = 0; unit < site->size / site->unit; unit++) {
		for (unsigned lane = 0; lane < 64; lane++)
			address[lane] = BASE + e->base + (uint64_t)(int64_t)proof->delta +
					(uint64_t)distance[lane] + unit * site->unit;
		if (site->space == PROBE_SPACE_LDS)
			count_passes(r, site, e->exec, address, value);
		else
			count_lines(r, site, e->exec, address, value);
	}
	return true;
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

/* NULL, or what cannot be told of a site that runs `times` times in regular waves. */
static const char *reckon_site(struct reckon *r, uint32_t id, uint64_t times)
{
	const char *why;

	if (times == UNKNOWN)
		return r->launch->partial ? "rows of its launch were lost"
					  : "the counts of its blocks contradict each other";
	why = add_regular(r, id, times);
	if (why)
		return why;
	if (!add_cells(r, id))
		return "its stride cannot be told for waves that were not whole";
	if (!add_shared(r, id))
		return "its table names no row that it shares";
	return NULL;
}

static void reckon_sites(struct reckon *r)
{
	for (uint32_t id = r->first; id < r->first + r->count; id++)
		if (is_row(&r->table->sites[id]))
			r->regular[id - r->first] = block_runs(r, id);
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
	return done;
}
