/* SPDX-License-Identifier: MIT */
/* What the device has counted of groups: cells, bins, heads (wire.h section 3). */
#include "model/proved_parts.h"

#include <string.h>

#include "codeobj/sites.h"

#define PLACES 32 /* multiples of 4 in a line */

bool proved_is_row(const struct probe_site *site)
{
	return probe_site_is_row(site->access);
}

/* What the i-th cell of a group is of, and counts; 0 if it has none. */
static bool find_cell(const struct proved_reckon *r, uint32_t group, uint32_t i,
		      struct probe_exec_cell *ret, uint64_t *ret_count)
{
	const struct probe_site_group *of = probe_sites_group(r->table, group);
	uint32_t at = of ? of->mask_rows : PROBE_ROW_NONE;
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

uint64_t proved_in_cells(const struct proved_reckon *r, uint32_t group)
{
	struct probe_exec_cell cell;
	uint64_t sum = 0, count;

	for (uint32_t i = 0; i < PROBE_CELL_ROWS * PROBE_ROW_CELLS; i++)
		if (find_cell(r, group, i, &cell, &count) && count && cell.exec == r->exec)
			sum += count;
	return sum;
}

bool proved_in_bin(const struct proved_reckon *r, uint32_t group, unsigned i, unsigned place,
		   uint64_t *ret)
{
	const struct probe_site_group *of = probe_sites_group(r->table, group);
	uint32_t at = of ? of->residue_rows : PROBE_ROW_NONE, class = 4 * place;

	*ret = 0;
	if (at == PROBE_ROW_NONE)
		return true;
	at += PROBE_BIN_ROWS * i + PROBE_BIN_ROW(class);
	if (at - r->first >= r->count || !proved_is_row(&r->table->sites[at]))
		return false;
	*ret = r->row[at - r->first].value[PROBE_BIN_WORD(class)];
	return true;
}

/* Every address tested has bins, each execution is in the bins of all. */
uint64_t proved_in_bins(const struct proved_reckon *r, uint32_t group)
{
	uint64_t sum = 0, count;

	for (unsigned place = 0; place < PLACES; place++)
		if (proved_in_bin(r, group, 0, place, &count))
			sum += count;
	return sum;
}

/* ---- How much ------------------------------------------------------------------------------- */

bool proved_execution(const struct proved_reckon *r, uint32_t id, const struct execution *e,
		      uint64_t *value)
{
	return proved_cost(r->scratch, r->launch, &r->table->sites[id], &r->table->proofs[id], e,
			   value);
}

void proved_add(uint64_t *to, const uint64_t *value, uint64_t times)
{
	for (int i = 0; i < PROBE_C_ADDED; i++)
		to[i] += times * value[i];
	for (int i = PROBE_C_ADDED; i < PROBE_COUNTERS; i++)
		to[i] = value[i] > to[i] ? value[i] : to[i];
}

bool proved_add_cells(struct proved_reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	uint64_t value[PROBE_COUNTERS], count;
	struct probe_exec_cell cell;

	for (uint32_t i = 0; i < PROBE_CELL_ROWS * PROBE_ROW_CELLS; i++) {
		struct execution e = {.numbered = true};

		if (!find_cell(r, proof->group, i, &cell, &count))
			return false;
		if (!count)
			continue;
		e.exec = cell.exec;
		e.observed = cell.classes >> PROBE_CELL_OBSERVED & PROBE_OBSERVED_MAX;
		if (proof->aligned)
			e.base = (uint32_t)(cell.classes >> PROBE_CELL_CLASS(proof->address & 7) &
					    127);
		if (!proved_execution(r, id, &e, value))
			return false;
		proved_add(r->row[id - r->first].value, value, count);
	}
	return true;
}

/* Lanes that ran a group where they were among the first of their wave. */
static bool in_heads(const struct proved_reckon *r, uint32_t group, unsigned lane, uint64_t *ret)
{
	uint32_t at = probe_sites_group(r->table, group)->prefix_rows + lane / PROBE_HEAD_WORDS;

	if (at - r->first >= r->count || !proved_is_row(&r->table->sites[at]))
		return false;
	*ret = r->row[at - r->first].value[lane % PROBE_HEAD_WORDS];
	return true;
}

/* By waves of which only the first lanes were active; the place does not matter to them. */
const char *proved_add_heads(struct proved_reckon *r, uint32_t id)
{
	uint32_t group = r->table->proofs[id].group;
	uint64_t value[PROBE_COUNTERS], here, next = 0;

	if (probe_sites_group(r->table, group)->prefix_rows == PROBE_ROW_NONE)
		return NULL;
	for (unsigned lane = 64; lane-- > 0; next = here) {
		struct execution e = {.exec = ~0ull >> (63 - lane), .numbered = true};

		if (!in_heads(r, group, lane, &here) || here < next)
			return "lanes of its waves contradict each other";
		if (here == next)
			continue;
		if (!proved_execution(r, id, &e, value))
			return "its stride cannot be told for waves that were not whole";
		proved_add(r->row[id - r->first].value, value, here - next);
	}
	return NULL;
}

/* Regular waves at other addresses. */
bool proved_add_bins(struct proved_reckon *r, uint32_t id)
{
	const struct probe_site_proof *proof = &r->table->proofs[id];
	bool aligned = proof->aligned;
	uint64_t value[PROBE_COUNTERS], count;

	for (unsigned place = 0; place < PLACES; place++) {
		struct execution e = {.exec = r->exec, .base = aligned ? 4 * place : 0};

		if (!proved_in_bin(r, proof->group, aligned ? proof->address : 0, place, &count))
			return false;
		if (!count)
			continue;
		if (!proved_execution(r, id, &e, value))
			return false;
		proved_add(r->row[id - r->first].value, value, count);
	}
	return true;
}
