/* SPDX-License-Identifier: MIT */
/* Cause and fix of a site's cost; see advice.h. */
#include "advice.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"
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

/* End the fix in what it was found to leave. */
static void verify(struct advice *ret, const char *what, double after, double before)
{
	size_t used = strlen(ret->fix);

	ret->verified = true;
	ret->what = what;
	ret->after = after;
	ret->before = before;
	snprintf(ret->fix + used, ADVICE_MAX - used,
		 "; verified: %.4g %s after, %.4g before (per execution)", after, what, before);
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

static double conflicts_each(const struct facts *facts)
{
	return (double)facts->conflicts / (double)facts->executions;
}

/*
 * A row of `size` bytes: pad it, or swizzle it, or both are open. False if neither removes all
 * conflicts.
 */
static bool lds_pitch(const struct facts *facts, int64_t stride, unsigned row, const char *example,
		      struct lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site), n, columns;
	long long size = llabs((long long)stride);
	char pad[128] = "", swizzle[128] = "";

	n = layout_padding(site, stride, row, scratch);
	columns = layout_swizzle(site, stride, row, scratch);
	if (n && size % element == 0)
		snprintf(pad, sizeof(pad),
			 "pad the row%s from %lld to %lld elements of %u B (%lld B)", example,
			 size / element, size / element + n, element, size + n * element);
	else if (n)
		snprintf(pad, sizeof(pad), "pad the row by %u B to %lld B", n * element,
			 size + n * element);
	if (columns)
		snprintf(swizzle, sizeof(swizzle),
			 "%sstore column c of row r in column c ^ (r %% %u)", n ? ", or " : "",
			 columns);
	say(ret->fix, "%s%s", pad, swizzle);
	if (n || columns)
		verify(ret, "conflicts", 0, conflicts_each(facts));
	return n || columns;
}

/* What was tried on the addresses themselves; false: nothing, or nothing good. */
static bool lds_tried(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct trial_result result;

	if (!site->trial) {
		say(ret->fix, "; not verified: the counters hold no addresses, --kind trace tries "
			      "layouts on them");
		return false;
	}
	if (!trial_layouts(site->trial, site, scratch, &result))
		return false;
	if (result.after * 2 > result.before) {
		say(ret->fix,
		    "; verified: of the paddings and swizzles of rows of 64 to 4096 B none halves "
		    "the %.4g conflicts of the recorded executions (the best leaves %.4g)",
		    result.before, result.after);
		return false;
	}
	if (result.pad)
		say(ret->fix, "pad each %u B by %u B (counted from the lowest address recorded)",
		    result.row, result.pad);
	else
		say(ret->fix,
		    "in rows of %u B (counted from the lowest address recorded) store column c of "
		    "row r in column c ^ r",
		    result.row);
	verify(ret, "conflicts", result.after, result.before);
	return true;
}

/* The sentence that is true whatever was tried, with what was found about it. */
static void lds_otherwise(const struct facts *facts, const char *fix, struct lds_scratch *scratch,
			  struct advice *ret)
{
	char tried[ADVICE_MAX];

	if (lds_tried(facts, scratch, ret))
		return;
	memcpy(tried, ret->fix, sizeof(tried));
	say(ret->fix, "%s%s", fix, tried);
}

static void lds_stride(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	unsigned element = layout_element(facts->site);
	long long stride = facts->low, size = llabs(stride);

	if (!size) {
		say(ret->cause,
		    "all active lanes update one word, one after the other: %llu in a row",
		    (unsigned long long)facts->way);
		say(ret->fix, "add up within the wave first (cross-lane operations) and let one "
			      "lane update the word");
		/* One lane has nobody to wait for. */
		verify(ret, "conflicts", 0, conflicts_each(facts));
		return;
	}
	say(ret->cause, "lanes are %lld B apart: %llu-way bank conflict", size,
	    (unsigned long long)facts->way);
	if (size < 2 * (int)element) {
		say(ret->fix,
		    "let each lane move less at a time, or lay the data out so that "
		    "neighbouring lanes use neighbouring elements (of %u B)",
		    facts->site->unit);
		verify(ret, "conflicts",
		       layout_conflicts(facts->site, facts->site->unit, facts->site->wave, 0,
					scratch),
		       conflicts_each(facts));
		return;
	}
	if (!lds_pitch(facts, stride, facts->site->wave, "", scratch, ret)) {
		lds_otherwise(facts, "change the row's length or the order of its elements",
			      scratch, ret);
		return;
	}
	/* Waves that are not full: perhaps a tree whose steps leave gaps between active lanes. */
	if (facts->lanes < facts->executions * facts->site->wave) {
		size_t used = strlen(ret->fix);

		snprintf(ret->fix + used, ADVICE_MAX - used,
			 "; or let the active lanes use neighbouring elements");
	}
}

/*
 * No stride over the whole wave: perhaps because a wave holds several rows of a workgroup. If rows
 * at a stride of so many banks give exactly the conflicts counted, padding can be judged.
 */
static bool lds_rows(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site), row = site->row;
	uint64_t stride = facts->way * (site->unit < 4 ? 4 : site->unit);

	if (!row || row >= site->wave || site->wave % row || facts->way < 2 ||
	    facts->conflicts % facts->executions ||
	    facts->lanes != facts->executions * site->wave ||
	    layout_conflicts(site, (int64_t)stride, row, element, scratch) !=
		    facts->conflicts / facts->executions)
		return false;
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
	/* The stride is known up to multiples of all banks. */
	if (!lds_pitch(facts, (int64_t)stride, row, ", for example", scratch, ret))
		lds_otherwise(facts, "change the row's length or the order of its elements",
			      scratch, ret);
	return true;
}

static void lds_advice(const struct facts *facts, struct lds_scratch *scratch, struct advice *ret)
{
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
		verify(ret, "conflicts",
		       layout_conflicts(facts->site, facts->site->unit, facts->site->wave, 0,
					scratch),
		       conflicts_each(facts));
		return;
	}
	if (facts->pattern == PATTERN_NONE && lds_rows(facts, scratch, ret))
		return;
	say(ret->cause, "%s: %.1f conflicts per execution, up to %llu-way",
	    irregular(facts, text, sizeof(text)), conflicts_each(facts), way);
	if (facts->site->access == PROBE_ACCESS_ATOMIC)
		lds_otherwise(
			facts,
			"give each group of lanes a copy of the table at an odd pitch, and sum "
			"the copies at the end",
			scratch, ret);
	else
		lds_otherwise(
			facts,
			"if the index is computed from rows and columns, try other row pitches "
			"or a swizzle; if it comes from data, order the data by bank",
			scratch, ret);
}

/* ---- Global memory -------------------------------------------------------------------------- */

/* Below 15 of 16 lanes active on average, idle lanes are the story: strides count them too. */
static bool sparse(const struct facts *facts)
{
	return facts->lanes * 16 < facts->executions * facts->site->wave * 15;
}

/* What neighbouring elements would take, from a line's beginning. */
static void verify_lines(const struct facts *facts, int64_t stride, unsigned lanes,
			 struct advice *ret)
{
	verify(ret, facts->line == 64 ? "lines of 64 B" : "lines of 128 B",
	       layout_lines(facts->site, facts->line, stride, lanes),
	       (double)facts->used / (double)facts->executions);
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
	/* As many lanes as were active on average, or one more. */
	verify_lines(facts, facts->site->bytes,
		     (unsigned)((facts->lanes + facts->executions - 1) / facts->executions), ret);
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
		verify_lines(facts, bytes, site->wave, ret);
	} else if (stride <= (long long)bytes) {
		say(ret->cause,
		    "each lane's %u B are %s in %u accesses of %u B, and each of them reaches over "
		    "all lines",
		    bytes, facts->verb, bytes / unit, unit);
		say(ret->fix,
		    "let neighbouring lanes take neighbouring %u B pieces (elements of %u B, or "
		    "one array per member)",
		    unit, unit);
		verify_lines(facts, unit, site->wave, ret);
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
		verify_lines(facts, bytes, site->wave, ret);
	}
}

/* Addresses from data: what would sorting them do? */
static void verify_sorted(const struct facts *facts, struct advice *ret)
{
	size_t used = strlen(ret->fix);
	struct trial_result result;

	if (facts->site->trial &&
	    trial_sorted(facts->site->trial, facts->site, facts->line, &result))
		verify(ret,
		       facts->line == 64 ? "lines of 64 B of recorded executions, sorted,"
					 : "lines of 128 B of recorded executions, sorted,",
		       result.after, result.before);
	else
		snprintf(ret->fix + used, ADVICE_MAX - used,
			 "; not verified: the counters hold no addresses, --kind trace sorts them");
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
		verify_lines(facts, site->bytes, site->wave, ret);
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
		verify_lines(facts, site->bytes, site->wave, ret);
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
	verify_sorted(facts, ret);
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
