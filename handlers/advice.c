/* SPDX-License-Identifier: MIT */
/* Cause and fix of a site's cost; see advice.h. */
#include "advice.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "lds_model.h"

/*
 * Sector for sector: an excess L2 line moves 128 bytes for nothing (or only one of its 64-byte
 * halves), and a lost LDS pass is a clock in which the banks could have moved 128 bytes.
 */
uint64_t advice_cost(uint64_t excess64, uint64_t excess128, uint64_t conflicts)
{
	uint64_t lines = 64 * excess64 > 128 * excess128 ? 64 * excess64 : 128 * excess128;

	return lines + 128 * conflicts;
}

__attribute__((format(printf, 2, 3))) static void say(char text[ADVICE_MAX], const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(text, ADVICE_MAX, format, args);
	va_end(args);
}

enum pattern {
	PATTERN_STRIDE,	 /* every execution at one and the same stride */
	PATTERN_STRIDES, /* every execution at a stride, not always the same */
	PATTERN_MIXED,	 /* some at a stride, some not */
	PATTERN_NONE,	 /* no execution with two lanes or more at a constant stride */
};

struct facts {
	const struct advice_site *site;
	enum pattern pattern;
	int64_t low, high; /* strides seen */
	uint64_t executions, lanes, conflicts, way;
	uint64_t used, needed, excess; /* lines of 128 bytes, or of 64 if only those are too many */
	unsigned line;
	const char *verb; /* "read" */
};

static struct facts gather(const struct advice_site *site)
{
	const uint64_t *c = site->counters;
	bool small = !c[PROBE_C_EXCESS128];
	struct facts facts = {
		.site = site,
		.executions = c[PROBE_C_EXECUTIONS],
		.lanes = c[PROBE_C_LANES],
		.conflicts = c[PROBE_C_PASSES] - c[PROBE_C_IDEAL_PASSES],
		.way = c[PROBE_C_MAX_WAY],
		.used = c[small ? PROBE_C_LINES64 : PROBE_C_LINES128],
		.needed = c[small ? PROBE_C_NEEDED64 : PROBE_C_NEEDED128],
		.excess = c[small ? PROBE_C_EXCESS64 : PROBE_C_EXCESS128],
		.line = small ? 64 : 128,
		.verb = site->access == PROBE_ACCESS_LOAD    ? "read"
			: site->access == PROBE_ACCESS_STORE ? "written"
							     : "updated",
	};

	if (c[PROBE_C_STRIDE_HI] && c[PROBE_C_STRIDE_LO]) {
		facts.high = (int64_t)(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS);
		facts.low = (int64_t)(PROBE_STRIDE_BIAS - c[PROBE_C_STRIDE_LO]);
		facts.pattern = c[PROBE_C_AFFINE] < facts.executions ? PATTERN_MIXED
				: facts.low == facts.high	     ? PATTERN_STRIDE
								     : PATTERN_STRIDES;
	} else {
		facts.pattern = PATTERN_NONE;
	}
	return facts;
}

/* What is known of addresses without one stride. */
static const char *irregular(const struct facts *facts, char *text, size_t room)
{
	if (facts->pattern == PATTERN_MIXED)
		snprintf(text, room, "only %llu of %llu executions have a constant stride",
			 (unsigned long long)facts->site->counters[PROBE_C_AFFINE],
			 (unsigned long long)facts->executions);
	else
		snprintf(text, room, "addresses follow no constant stride");
	return text;
}

/* ---- LDS ----------------------------------------------------------------------------------- */

/* Conflicts of one full-wave access: rows of `row` lanes at `stride`, rows `shift` bytes apart. */
static uint32_t conflicts_of(const struct facts *facts, int64_t stride, unsigned row,
			     uint32_t shift, struct lds_scratch *scratch)
{
	const struct advice_site *site = facts->site;
	const struct lds_model *model = lds_model_find(site->arch);
	const struct lds_phases *phases =
		lds_model_phases(model, site->unit, site->access == PROBE_ACCESS_STORE);
	uint32_t addr[64], conflicts = 0;

	for (unsigned k = 0; k < site->bytes / site->unit; k++) {
		struct lds_cost cost;

		for (unsigned lane = 0; lane < site->wave; lane++)
			addr[lane] = (uint32_t)((1 << 17) + stride * (int)(lane % row)) +
				     shift * (lane / row) + k * site->unit;
		cost = lds_count(model, phases, site->access != PROBE_ACCESS_ATOMIC, site->wave,
				 site->unit, site->wave == 64 ? ~0ull : (1ull << site->wave) - 1,
				 addr, scratch);
		conflicts += cost.passes - cost.ideal;
	}
	return conflicts;
}

/*
 * Smallest padding, in units, that leaves no conflict at the stride nor along the row; 0 if none
 * up to 8 units does.
 */
static unsigned padding(const struct facts *facts, int64_t stride, unsigned row,
			struct lds_scratch *scratch)
{
	unsigned element = facts->site->bytes < 4 ? 4 : facts->site->bytes;

	for (unsigned n = 1; n <= 8; n++) {
		int64_t padded =
			stride < 0 ? stride - (int)(n * element) : stride + (int)(n * element);

		if (!conflicts_of(facts, padded, row, element, scratch))
			return n;
	}
	return 0;
}

static void lds_stride(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	unsigned bytes = facts->site->bytes, element = bytes < 4 ? 4 : bytes;
	long long stride = facts->low, size = llabs(stride);
	unsigned n = padding(facts, stride, facts->site->wave, scratch);
	/* Waves that are not full: perhaps a tree whose steps leave gaps between active lanes. */
	const char *instead = facts->lanes < facts->executions * facts->site->wave
				      ? "; or let the active lanes use neighbouring elements"
				      : "";

	say(ret->cause, "lanes are %lld B apart: %llu-way bank conflict", size,
	    (unsigned long long)facts->way);
	if (size < 2 * (int)element)
		say(ret->fix, "let each lane move less at a time, or lay the data out so that "
			      "neighbouring lanes use neighbouring elements");
	else if (n && size % element == 0)
		say(ret->fix,
		    "pad the row from %lld to %lld elements of %u B (%lld B): no conflicts then%s",
		    size / element, size / element + n, element, size + n * element, instead);
	else if (n)
		say(ret->fix, "pad the row by %u B to %lld B: no conflicts then%s", n * element,
		    size + n * element, instead);
	else
		say(ret->fix,
		    "no padding up to %u B removes the conflicts: swizzle the index "
		    "(exclusive-or of row and column)",
		    8 * element);
}

/*
 * No stride over the whole wave: perhaps because a wave holds several rows of a workgroup. If rows
 * at a stride of so many banks give exactly the conflicts counted, padding can be judged.
 */
static bool lds_rows(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = site->bytes < 4 ? 4 : site->bytes, row = site->row, n;
	uint64_t stride = facts->way * (site->unit < 4 ? 4 : site->unit);

	if (!row || row >= site->wave || site->wave % row || facts->way < 2 ||
	    facts->conflicts % facts->executions ||
	    facts->lanes != facts->executions * site->wave ||
	    conflicts_of(facts, (int64_t)stride, row, element, scratch) !=
		    facts->conflicts / facts->executions)
		return false;
	n = padding(facts, (int64_t)stride, row, scratch);
	say(ret->cause,
	    "the counts are those of lanes %llu B apart within rows of %u work-items: %llu-way bank "
	    "conflict",
	    (unsigned long long)stride, row, (unsigned long long)facts->way);
	/* All lanes of every phase in one bank: that proves it. */
	if (stride >= 128)
		say(ret->cause,
		    "within each row of %u work-items lanes are a multiple of 128 B apart: %llu-way "
		    "bank conflict",
		    row, (unsigned long long)facts->way);
	/* The stride is known up to multiples of all banks; a pitch of one row is a fair example.
	 */
	if (n && stride / element == row)
		say(ret->fix,
		    "pad the row by %u B, for example from %u to %u elements of %u B: no "
		    "conflicts then",
		    n * element, row, row + n, element);
	else if (n)
		say(ret->fix, "pad the row by %u B (elements of %u B): no conflicts then",
		    n * element, element);
	else
		say(ret->fix,
		    "swizzle the index (exclusive-or of row and column); no padding up "
		    "to %u B removes the conflicts",
		    8 * element);
	return true;
}

static void lds_advice(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	double each = (double)facts->conflicts / (double)facts->executions;
	unsigned long long way = facts->way;
	char text[96];

	if (facts->pattern == PATTERN_STRIDE) {
		lds_stride(facts, scratch, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDES) {
		say(ret->cause,
		    "the distance of lanes varies from %lld to %lld B between executions: up to "
		    "%llu-way bank conflict",
		    (long long)facts->low, (long long)facts->high, way);
		say(ret->fix, "change the index so that active lanes use neighbouring elements in "
			      "every step");
		return;
	}
	if (facts->pattern == PATTERN_NONE && lds_rows(facts, scratch, ret))
		return;
	say(ret->cause, "%s: %.1f conflicts per execution, up to %llu-way",
	    irregular(facts, text, sizeof(text)), each, way);
	if (facts->site->access == PROBE_ACCESS_ATOMIC)
		say(ret->fix, "give each group of lanes a copy of the table at an odd pitch, and "
			      "sum the copies at the end");
	else
		say(ret->fix,
		    "if the index is computed from rows and columns, try other row pitches "
		    "or a swizzle; if it comes from data, order the data by bank");
}

/* ---- Global memory -------------------------------------------------------------------------- */

/* Below 15 of 16 lanes active on average, idle lanes are the story: strides count them too. */
static bool sparse(const struct facts *facts)
{
	return facts->lanes * 16 < facts->executions * facts->site->wave * 15;
}

static void global_sparse(const struct facts *facts, struct advice *ret)
{
	double executions = (double)facts->executions;

	say(ret->cause,
	    "%.1f of %u lanes are active on average: what they %s lies in %.1f lines of %u B, %.1f "
	    "would hold it",
	    (double)facts->lanes / executions, facts->site->wave,
	    facts->site->access == PROBE_ACCESS_LOAD	? "read"
	    : facts->site->access == PROBE_ACCESS_STORE ? "write"
							: "update",
	    (double)facts->used / executions, facts->line, (double)facts->needed / executions);
	say(ret->fix, "let the active lanes be neighbours that use neighbouring elements (compact "
		      "the work before the branch), or give idle lanes work");
}

static void global_stride(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	long long stride = llabs((long long)facts->low);
	unsigned bytes = site->bytes, unit = site->unit;

	if (stride == (long long)bytes && bytes == unit) {
		say(ret->cause,
		    "lanes are contiguous but start inside a line: one line of %u B more than "
		    "needed",
		    facts->line);
		say(ret->fix, "align the first lane's address (base, offset, row pitch) to %u B",
		    facts->line);
	} else if (stride <= (long long)bytes) {
		say(ret->cause,
		    "each lane's %u B are %s in %u accesses of %u B, and each of them reaches over "
		    "all lines",
		    bytes, facts->verb, bytes / unit, unit);
		say(ret->fix,
		    "let neighbouring lanes take neighbouring %u B pieces (elements of %u B, or "
		    "one array per member)",
		    unit, unit);
	} else {
		unsigned per_line = (unsigned)(facts->line / stride);

		say(ret->cause,
		    "lanes are %lld B apart and %u B are %s: %u of %u B of each line are used",
		    stride, bytes, facts->verb, (per_line ? per_line : 1) * bytes, facts->line);
		if (stride <= 64)
			say(ret->fix,
			    "make the elements that neighbouring lanes use neighbours in memory: "
			    "one array per member instead of an array of structs of %lld B",
			    stride);
		else
			say(ret->fix,
			    "let neighbouring lanes use neighbouring elements (swap the loops or "
			    "indices), or pass a tile through LDS");
	}
}

static void global_advice(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double used = (double)facts->used / (double)facts->executions;
	double needed = (double)facts->needed / (double)facts->executions;
	unsigned row = site->row;
	char text[96];

	if (sparse(facts)) {
		global_sparse(facts, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDE) {
		global_stride(facts, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDES) {
		say(ret->cause,
		    "the distance of lanes varies from %lld to %lld B between executions: %.1f "
		    "lines of %u B touched, %.1f needed",
		    (long long)facts->low, (long long)facts->high, used, facts->line, needed);
		say(ret->fix, "let neighbouring lanes use neighbouring elements in every step, and "
			      "align the first one");
		return;
	}
	/* As many lines as a row has lanes: the rows of the wave cross the same ones, side by side.
	 */
	if (facts->pattern == PATTERN_NONE && row && row < site->wave &&
	    facts->lanes == facts->executions * site->wave &&
	    facts->used == facts->executions * row) {
		say(ret->cause,
		    "%.1f lines of %u B touched, %.1f needed: as if each lane of a row of %u "
		    "work-items were in a line of its own",
		    used, facts->line, needed, row);
		say(ret->fix, "let threadIdx.x run along consecutive addresses (swap the indices), "
			      "or pass a tile through LDS");
		return;
	}
	say(ret->cause, "%s%s: %.1f lines of %u B touched, %.1f needed",
	    irregular(facts, text, sizeof(text)),
	    row && row < site->wave ? " over the wave" : " (gather)", used, facts->line, needed);
	if (row && row < site->wave && site->wave % row == 0)
		say(ret->fix,
		    "if rows of %u work-items are short pieces of long rows, make the "
		    "workgroup wider; if the index comes from data, sort it",
		    row);
	else
		say(ret->fix, "sort or bin the indices so that neighbouring lanes use the same "
			      "lines, or gather once into LDS");
}

void advice_give(const struct advice_site *site, struct lds_scratch *scratch, struct advice *ret)
{
	struct facts facts = gather(site);

	*ret = (struct advice){.cause = ""};
	if (!facts.executions)
		return;
	if (facts.conflicts * 128 >= facts.excess * facts.line && facts.conflicts)
		lds_advice(&facts, scratch, ret);
	else if (facts.excess)
		global_advice(&facts, ret);
}
