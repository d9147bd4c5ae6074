/* SPDX-License-Identifier: MIT */
#include "handlers/advice/recorded_addresses.h"

#include <stdlib.h>
#include <string.h>

#include <probe/rules/cache_lines.h>

#include "handlers/advice/layouts.h"

/* True if the execution at index `a` comes after the one at `b`. */
static bool comes_after(const struct recorded_addresses *recorded, unsigned a, unsigned b)
{
	const struct recorded_key *left = &recorded->key[a], *right = &recorded->key[b];

	if (left->dispatch != right->dispatch)
		return left->dispatch > right->dispatch;
	if (left->wave != right->wave)
		return left->wave > right->wave;
	return recorded->order[a] > recorded->order[b];
}

void recorded_add(struct recorded_addresses *recorded, unsigned most,
		  const struct recorded_execution *execution)
{
	unsigned at = recorded->executions < most ? recorded->executions : recorded->last;

	if (!recorded_wants(recorded, most, execution->key) ||
	    (recorded->executions && recorded->lds != execution->lds))
		return;
	recorded->executions += recorded->executions < most;
	recorded->lds = execution->lds;
	recorded->key[at] = execution->key;
	recorded->order[at] = recorded->number++;
	recorded->exec[at] = execution->exec;
	recorded->wave[at] = execution->wave;
	for (uint64_t rest = execution->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		recorded->addr[at][lane] = execution->addr[lane];
	}
	for (unsigned i = 0; i < recorded->executions; i++)
		if (comes_after(recorded, i, recorded->last))
			recorded->last = i;
}

unsigned recorded_first(const struct recorded_addresses *recorded)
{
	unsigned first = 0;

	for (unsigned i = 1; i < recorded->executions; i++)
		if (comes_after(recorded, first, i))
			first = i;
	return first;
}

static uint32_t moved(const struct layout_move *move, uint32_t offset, unsigned lane)
{
	unsigned element = move->element, columns, number, within;

	if (move->copies)
		return (offset / element * move->copies + lane % move->copies) * element +
		       offset % element;
	if (!move->row)
		return offset;
	number = offset / move->row;
	within = offset % move->row;
	if (move->pad)
		return offset + number * move->pad;
	columns = move->row / element;
	return number * move->row + (within / element ^ number % columns) * element +
	       within % element;
}

uint64_t recorded_move(const struct recorded_addresses *recorded, const struct advice_site *site,
		       uint32_t lowest, const struct layout_move *move,
		       struct probe_lds_scratch *scratch)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < recorded->executions; i++) {
		uint32_t addr[64] = {0};

		for (uint64_t rest = recorded->exec[i]; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(rest);

			/* Where row 0 begins decides which small elements share a bank. */
			addr[lane] = lowest +
				     moved(move, (uint32_t)recorded->addr[i][lane] - lowest, lane);
		}
		sum += layout_conflicts_at(site, recorded->exec[i], addr, scratch);
	}
	return sum;
}

bool recorded_fits(const struct recorded_addresses *recorded, const struct advice_site *site,
		   uint32_t lowest, const struct layout_move *move)
{
	for (unsigned i = 0; i < recorded->executions; i++)
		for (uint64_t rest = recorded->exec[i]; rest; rest &= rest - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(rest);
			uint32_t at = (uint32_t)recorded->addr[i][lane] - lowest;
			unsigned whole = move->pad ? move->row : move->element;

			if (at % whole + site->bytes > whole ||
			    ((moved(move, at, lane) ^ at) & ((site->unit & -site->unit) - 1)))
				return false;
		}
	return true;
}

/*
 * Lowest and highest recorded address, and the largest number of lanes on one address in one
 * execution.
 */
static unsigned survey(const struct recorded_addresses *recorded, uint32_t *lowest,
		       uint32_t *highest)
{
	unsigned most = 0;

	*lowest = UINT32_MAX;
	*highest = 0;
	for (unsigned i = 0; i < recorded->executions; i++)
		for (uint64_t rest = recorded->exec[i]; rest; rest &= rest - 1) {
			uint32_t at = (uint32_t)recorded->addr[i][__builtin_ctzll(rest)];
			unsigned same = 0;

			*lowest = at < *lowest ? at : *lowest;
			*highest = at > *highest ? at : *highest;
			for (uint64_t r = rest; r; r &= r - 1)
				same += (uint32_t)recorded->addr[i][__builtin_ctzll(r)] == at;
			most = same > most ? same : most;
		}
	return most;
}

double recorded_conflicts(const struct recorded_addresses *recorded, const struct advice_site *site,
			  struct probe_lds_scratch *scratch)
{
	const struct layout_move none = {0};

	return (double)recorded_move(recorded, site, 0, &none, scratch) / recorded->executions;
}

bool recorded_others_alike(const struct recorded_addresses *recorded,
			   const struct advice_site *site, struct probe_lds_scratch *scratch)
{
	const uint64_t *c = site->counters;
	double kept = recorded_conflicts(recorded, site, scratch);
	double each = (double)(c[PROBE_C_PASSES] - c[PROBE_C_IDEAL_PASSES]) /
		      (double)c[PROBE_C_EXECUTIONS];

	return kept <= each * 1.1 && each <= kept * 1.1;
}

bool recorded_copies(const struct recorded_addresses *recorded, const struct advice_site *site,
		     struct probe_lds_scratch *scratch, struct recorded_copies *ret)
{
	struct layout_move move = {.element = layout_element(site), .copies = 1};
	uint32_t lowest, highest;
	double executions = recorded->executions;

	*ret = (struct recorded_copies){0};
	if (!recorded->executions || !recorded->lds)
		return false;
	ret->share = survey(recorded, &lowest, &highest);
	ret->best.table = highest - lowest + site->bytes;
	ret->before = recorded_conflicts(recorded, site, scratch);
	for (unsigned n = 2; n <= 32 && layout_copies_fit(site, ret->best.table, n); n *= 2) {
		move.copies = n;
		layout_copies_try(site, n,
				  (double)recorded_move(recorded, site, lowest, &move, scratch) /
					  executions,
				  &ret->best);
	}
	return true;
}

bool recorded_rows(const struct recorded_addresses *recorded, const struct advice_site *site,
		   bool lds, int64_t *ret)
{
	bool any = false;

	if (recorded->lds != lds || !site->row)
		return false;
	for (unsigned i = 0; i < recorded->executions; i++) {
		uint64_t item = (uint64_t)recorded->wave[i] * site->wave, rest = recorded->exec[i];

		for (; rest & (rest - 1); rest &= rest - 1) {
			unsigned l = (unsigned)__builtin_ctzll(rest);
			unsigned next = (unsigned)__builtin_ctzll(rest & (rest - 1));
			int64_t apart = (int64_t)(recorded->addr[i][next] - recorded->addr[i][l]);
			int64_t lanes = next - l;

			if ((item + l) / site->row != (item + next) / site->row)
				continue;
			if (!any)
				*ret = apart / lanes;
			any = true;
			if (*ret * lanes != apart)
				return false;
		}
	}
	return any;
}

bool recorded_between_rows(const struct recorded_addresses *recorded,
			   const struct advice_site *site, uint64_t *ret)
{
	uint64_t least = UINT64_MAX;

	if (recorded->lds || !site->row || site->row >= site->wave)
		return false;
	for (unsigned i = 0; i < recorded->executions; i++) {
		uint64_t exec = recorded->exec[i], rest = exec & exec >> site->row;

		for (; rest; rest &= rest - 1) {
			unsigned l = (unsigned)__builtin_ctzll(rest);
			int64_t apart =
				(int64_t)(recorded->addr[i][l + site->row] - recorded->addr[i][l]);
			uint64_t distance = apart < 0 ? -(uint64_t)apart : (uint64_t)apart;

			least = distance < least ? distance : least;
		}
	}
	if (least == UINT64_MAX)
		return false;
	*ret = least;
	return true;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Cache lines of machine accesses by `count` lanes, wave by wave. */
static uint64_t lines_of(const struct advice_site *site, unsigned line, const uint64_t *addr,
			 size_t count, struct probe_cache_lines_scratch *scratch)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i += site->wave) {
		unsigned lanes = (unsigned)(count - i < site->wave ? count - i : site->wave);
		uint64_t at[64] = {0};

		for (unsigned k = 0; k < site->bytes; k += site->unit) {
			struct probe_cache_lines lines;

			for (unsigned l = 0; l < lanes; l++)
				at[l] = addr[i + l] + k;
			lines = probe_cache_lines_count(site->wave, site->unit,
							lanes == 64 ? ~0ull : (1ull << lanes) - 1,
							at, scratch);
			sum += line == 64 ? lines.used64 : lines.used128;
		}
	}
	return sum;
}

/* The index of the execution among the kept executions of its wave. */
static unsigned step_of(const struct recorded_addresses *recorded, unsigned at)
{
	const struct recorded_key *key = &recorded->key[at];
	unsigned step = 0;

	for (unsigned i = 0; i < recorded->executions; i++)
		step += recorded->key[i].dispatch == key->dispatch &&
			recorded->key[i].wave == key->wave &&
			recorded->order[i] < recorded->order[at];
	return step;
}

/* Addresses of the active lanes; false if they do not ascend. */
static bool gather_lanes(const struct recorded_addresses *recorded, unsigned at, uint64_t *addr,
			 size_t *count)
{
	bool rises = true;

	*count = 0;
	for (uint64_t rest = recorded->exec[at]; rest; rest &= rest - 1) {
		addr[*count] = recorded->addr[at][__builtin_ctzll(rest)];
		rises = rises && (!*count || addr[*count] >= addr[*count - 1]);
		++*count;
	}
	return rises;
}

struct sorting {
	uint64_t addr[RECORDED_EXECUTIONS * 64];
	struct probe_cache_lines_scratch scratch;
	unsigned step[RECORDED_EXECUTIONS];
};

static bool same_step(const struct recorded_addresses *recorded, const struct sorting *sorting,
		      unsigned a, unsigned b)
{
	return sorting->step[a] == sorting->step[b] &&
	       recorded->key[a].dispatch == recorded->key[b].dispatch;
}

/*
 * Cache lines of the step of execution `first` if its addresses were sorted, and each execution
 * took as many of them as it has active lanes.
 */
static uint64_t sort_step(const struct recorded_addresses *recorded, const struct advice_site *site,
			  unsigned line, unsigned first, struct sorting *sorting)
{
	size_t count = 0, more;
	uint64_t lines = 0;

	for (unsigned i = first; i < recorded->executions; i++) {
		if (!same_step(recorded, sorting, i, first))
			continue;
		gather_lanes(recorded, i, sorting->addr + count, &more);
		count += more;
	}
	qsort(sorting->addr, count, sizeof(sorting->addr[0]), by_address);
	count = 0;
	for (unsigned i = first; i < recorded->executions; i++) {
		if (!same_step(recorded, sorting, i, first))
			continue;
		more = (size_t)__builtin_popcountll(recorded->exec[i]);
		lines += lines_of(site, line, sorting->addr + count, more, &sorting->scratch);
		count += more;
	}
	return lines;
}

/* True if it is the first of its step, by index. */
static bool begins_step(const struct recorded_addresses *recorded, const struct sorting *sorting,
			unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (same_step(recorded, sorting, i, at))
			return false;
	return true;
}

bool recorded_sorted(const struct recorded_addresses *recorded, const struct advice_site *site,
		     unsigned line, struct recorded_sorting *ret)
{
	struct sorting *sorting;

	if (!recorded->executions || recorded->lds)
		return false;
	sorting = calloc(1, sizeof(*sorting));
	if (!sorting)
		return false;
	*ret = (struct recorded_sorting){.risen = true};
	for (unsigned i = 0; i < recorded->executions; i++) {
		uint64_t lines, needed;
		size_t count;

		sorting->step[i] = step_of(recorded, i);
		ret->risen = gather_lanes(recorded, i, sorting->addr, &count) && ret->risen;
		lines = lines_of(site, line, sorting->addr, count, &sorting->scratch);
		needed = site->bytes / site->unit * ((count * site->unit + line - 1) / line);
		ret->before += lines;
		ret->excess += lines > needed ? lines - needed : 0;
	}
	for (unsigned i = 0; i < recorded->executions; i++)
		if (begins_step(recorded, sorting, i))
			ret->after += sort_step(recorded, site, line, i, sorting);
	free(sorting);
	return true;
}

bool recorded_without_gaps(const struct recorded_addresses *recorded)
{
	if (!recorded || recorded->executions == RECORDED_EXECUTIONS)
		return false;
	for (unsigned i = 0; i < recorded->executions; i++) {
		uint64_t exec = recorded->exec[i] >> __builtin_ctzll(recorded->exec[i]);

		if (exec & (exec + 1))
			return false;
	}
	return true;
}
