/* SPDX-License-Identifier: MIT */
/* Lines of an access; see cache_lines.h. */
#include "cache_lines.h"

#include <string.h>

enum { INDEX_BITS = 8, SLOT_BITS = 9 };
_Static_assert(CACHE_LINES_MAX <= 1 << INDEX_BITS && CACHE_SLOTS == 1 << SLOT_BITS, "");

static void begin(struct cache_lines *lines)
{
	if (++lines->stamp >> (32 - INDEX_BITS)) {
		memset(lines->slot, 0, sizeof(lines->slot));
		lines->stamp = 1;
	}
}

/* What changes with each line, where the compiler can keep it in registers. */
struct listing {
	unsigned count, wides, ratio;
	uint32_t stamp;
};

/* Which of the wide lines it is; a new one if there is none like it. */
static inline unsigned find_wide(struct cache_lines *lines, struct listing *now, uint64_t wide)
{
	unsigned slot = (unsigned)(wide * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS)), at;

	for (;; slot = (slot + 1) & (CACHE_SLOTS - 1)) {
		uint32_t entry = lines->slot[slot];

		if (entry >> INDEX_BITS != now->stamp)
			break;
		at = entry & ((1u << INDEX_BITS) - 1);
		if (lines->wide[at] == wide)
			return at;
	}
	at = now->wides++;
	lines->slot[slot] = now->stamp << INDEX_BITS | at;
	lines->wide[at] = wide;
	lines->parts[at][0] = lines->parts[at][1] = 0;
	return at;
}

static inline void add_line(struct cache_lines *lines, struct listing *now, uint64_t line)
{
	unsigned at = find_wide(lines, now, line >> now->ratio);
	unsigned part = (unsigned)line & ((1u << now->ratio) - 1);
	uint64_t *parts = &lines->parts[at][part / 64], bit = 1ull << part % 64, had = *parts;

	*parts = had | bit;
	/* Written over by the next one if it was there. */
	lines->wide_of[now->count] = (uint8_t)at;
	lines->line[now->count] = line;
	now->count += !(had & bit);
}

void cache_lines_any(struct cache_lines *lines, const struct site_facts *facts,
		     const struct probe_dispatch_info *dispatch, const uint64_t *addr,
		     unsigned count, uint64_t offset)
{
	const unsigned shift = lines->shift, last_byte = facts->unit - 1u;
	const bool flat = facts->lds;
	uint64_t before = UINT64_MAX;
	struct listing now;

	begin(lines);
	now = (struct listing){.ratio = lines->ratio, .stamp = lines->stamp};
	for (unsigned i = 0; i < count; i++) {
		uint64_t first = (addr[i] + offset) >> shift;
		uint64_t last = (addr[i] + offset + last_byte) >> shift;

		if (flat && site_place(facts, dispatch, addr[i]) != SITE_GLOBAL)
			continue;
		if (first != before)
			add_line(lines, &now, first);
		if (last != first)
			add_line(lines, &now, last);
		before = last;
	}
	lines->count = now.count;
	lines->wides = now.wides;
}

/* No line is left out from the first to the last. */
static bool list_run(struct cache_lines *lines, uint64_t first, uint64_t last)
{
	unsigned shift = lines->shift, ratio = lines->ratio;

	if (last < first || (last >> shift) - (first >> shift) >= CACHE_LINES_MAX)
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

/* A line of L2 for each lane. */
static void list_lanes(struct cache_lines *lines, uint64_t base, uint64_t stride, unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++) {
		lines->line[i] = (base + stride * i) >> lines->shift;
		lines->wide[i] = lines->line[i] >> lines->ratio;
		lines->wide_of[i] = (uint8_t)i;
	}
	lines->count = lines->wides = lanes;
}

bool cache_lines_affine(struct cache_lines *lines, const struct site_facts *facts,
			const struct probe_access *access, uint64_t offset)
{
	uint64_t run = access->exec >> __builtin_ctzll(access->exec);
	uint64_t base = access->base + offset, stride = (uint64_t)access->stride;
	uint64_t step = access->stride < 0 ? 0 - stride : stride;
	/* A unit at its own multiple does not reach over a line's end. */
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
