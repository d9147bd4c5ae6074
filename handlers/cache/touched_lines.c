/* SPDX-License-Identifier: MIT */
#include "handlers/cache/touched_lines.h"

CACHE_VECTORS unsigned touched_lines_expand(const struct probe_access *access, uint64_t addr[64])
{
	return probe_access_expand(access, addr);
}

CACHE_VECTORS static uint64_t any_bits(const uint64_t *addr, unsigned count)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < count; i++)
		any |= addr[i];
	return any;
}

/* Lists lines of units that do not cross the end of a line. */
CACHE_VECTORS static void list_inside(struct touched_lines *lines,
				      const struct lane_addresses *lanes, uint64_t offset)
{
	const unsigned shift = lines->shift, ratio = lines->ratio, count = lanes->count;
	const uint64_t *restrict addr = lanes->addr;
	uint64_t *restrict line = lines->line, *restrict wide = lines->wide;

	for (unsigned i = 0; i < count; i++) {
		line[i] = (addr[i] + offset) >> shift;
		wide[i] = line[i] >> ratio;
	}
}

/*
 * Lists lines lane by lane; for a flat access, only lanes in global memory. Returns their number.
 */
static unsigned list_all(struct touched_lines *lines, const struct lane_addresses *lanes,
			 uint64_t offset)
{
	const struct site_facts *facts = lanes->facts;
	const uint64_t *addr = lanes->addr;
	const unsigned count = lanes->count;
	const unsigned shift = lines->shift, last_byte = facts->unit - 1u;
	uint64_t *line = lines->line;
	unsigned n = 0;

	/* A naturally aligned unit does not cross the end of a line. */
	if (!facts->lds && !(facts->unit & last_byte) &&
	    !((any_bits(addr, count) | offset) & last_byte)) {
		list_inside(lines, lanes, offset);
		return count;
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t first = (addr[i] + offset) >> shift;
		uint64_t last = (addr[i] + offset + last_byte) >> shift;

		if (facts->lds && site_place(facts, lanes->dispatch, addr[i]) != SITE_GLOBAL)
			continue;
		line[n++] = first;
		if (last != first)
			line[n++] = last;
	}
	for (unsigned i = 0; i < n; i++)
		lines->wide[i] = line[i] >> lines->ratio;
	return n;
}

/*
 * For lines of which some share a line of L2. first[i]: the first in the list with the same L2 line
 * as i. lines->line lists all at first.
 */
static void list_some(struct touched_lines *lines, unsigned count, const uint8_t *first)
{
	const uint64_t *line = lines->line;
	uint64_t parts[DISTINCT_MAX][2]; /* bits: lines of L1 in each line of L2 */
	uint8_t wide_of[DISTINCT_MAX];
	const unsigned ratio = lines->ratio;
	unsigned narrow = 0, wides = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned part = (unsigned)line[i] & ((1u << ratio) - 1), at;
		uint64_t *had, bit = 1ull << part % 64;

		if (first[i] == i) {
			lines->wide[wides] = line[i] >> ratio;
			parts[wides][0] = parts[wides][1] = 0;
			wide_of[i] = (uint8_t)wides++;
		}
		at = wide_of[first[i]];
		had = &parts[at][part / 64];
		/* If the L2 line is already listed, the next one overwrites this entry. */
		lines->wide_of[narrow] = (uint8_t)at;
		lines->line[narrow] = line[i];
		narrow += !(*had & bit);
		*had |= bit;
	}
	lines->count = narrow;
	lines->wides = wides;
}

void touched_lines_any(struct touched_lines *lines, const struct lane_addresses *lanes,
		       uint64_t offset)
{
	uint8_t first[DISTINCT_MAX];
	unsigned count = list_all(lines, lanes, offset);

	if (!(count == 64 && distinct_all(lines->wide)) &&
	    distinct_find(&lines->distinct, lines->wide, count, first) < count) {
		list_some(lines, count, first);
		return;
	}
	lines->count = lines->wides = count;
}

/* Lists all lines from the first to the last. */
static bool list_run(struct touched_lines *lines, uint64_t first, uint64_t last)
{
	unsigned shift = lines->shift, ratio = lines->ratio;

	if (last < first || (last >> shift) - (first >> shift) >= TOUCHED_LINES_MAX)
		return false;
	lines->count = lines->wides = 0;
	for (uint64_t line = first >> shift; line <= last >> shift; line++) {
		unsigned at = (unsigned)((line >> ratio) - (first >> shift >> ratio));

		lines->wide_of[lines->count] = (uint8_t)at;
		lines->line[lines->count++] = line;
		lines->wide[at] = line >> ratio;
		lines->wides = at + 1;
	}
	return true;
}

/* Lists a line of L2 for each lane. */
CACHE_VECTORS static void list_lanes(struct touched_lines *lines, uint64_t base, uint64_t stride,
				     unsigned lanes)
{
	const unsigned shift = lines->shift, ratio = lines->ratio;

	for (unsigned i = 0; i < lanes; i++) {
		uint64_t line = (base + stride * i) >> shift;

		lines->line[i] = line;
		lines->wide[i] = line >> ratio;
	}
	lines->count = lines->wides = lanes;
}

bool touched_lines_affine(struct touched_lines *lines, const struct site_facts *facts,
			  const struct probe_access *access, uint64_t offset)
{
	uint64_t run = access->exec >> __builtin_ctzll(access->exec);
	uint64_t base = access->base + offset, stride = (uint64_t)access->stride;
	uint64_t step = access->stride < 0 ? 0 - stride : stride;
	/* A naturally aligned unit does not cross the end of a line. */
	bool inside = !(facts->unit & (facts->unit - 1u)) && !((base | step) & (facts->unit - 1u));

	if (access->form != PROBE_FORM_AFFINE || facts->lds || run & (run + 1))
		return false;
	if (stride <= 1ull << lines->shift)
		return list_run(lines, base,
				base + stride * (access->lanes - 1u) + facts->unit - 1);
	if (!inside || step < 1ull << (lines->shift + lines->ratio) || step >> 48)
		return false;
	list_lanes(lines, base, stride, access->lanes);
	return true;
}
