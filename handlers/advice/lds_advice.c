/* SPDX-License-Identifier: MIT */
/* Cause and fix of LDS bank conflicts. */
#include "handlers/advice/lds_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/lds_arrays.h"
#include "handlers/advice/recorded_addresses.h"

static double conflicts_each(const struct facts *facts)
{
	return (double)facts->conflicts / (double)facts->executions;
}

/* Propose padding, a swizzle, or either; each must remove all conflicts. */
static bool lds_say_pitch(const struct facts *facts, const char *pad, unsigned columns,
			  struct advice *ret)
{
	char swizzle[96] = "";

	if (columns)
		snprintf(swizzle, sizeof(swizzle),
			 "%sstore column c of row r in column c ^ (r %% %u)", *pad ? ", or " : "",
			 columns);
	advice_say(ret->fix, "%s%s", pad, swizzle);
	if (*pad || columns)
		advice_verify(ret, "conflicts", 0, conflicts_each(facts));
	return *pad || columns;
}

/*
 * Rows whose pitch is the stride between lanes. False if neither padding nor swizzle removes all
 * conflicts.
 */
static bool lds_pitch(const struct facts *facts, int64_t stride, unsigned row,
		      struct probe_lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site), n;
	long long size = llabs((long long)stride);
	char pad[128] = "";

	n = layout_padding(site, stride, row, scratch);
	if (n && size % element == 0)
		snprintf(pad, sizeof(pad),
			 "pad the row from %lld to %lld elements of %u B (%lld B)", size / element,
			 size / element + n, element, size + n * element);
	else if (n)
		snprintf(pad, sizeof(pad), "pad the row by %u B to %lld B", n * element,
			 size + n * element);
	return lds_say_pitch(facts, pad, layout_swizzle(site, stride, row, scratch), ret);
}

/* The same for a pitch that is known only modulo the width of all banks. */
static bool lds_pitches_of(const struct facts *facts, int64_t stride, unsigned row,
			   struct probe_lds_scratch *scratch, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site), n;
	char pad[64] = "";

	n = layout_padding_any(site, stride, row, scratch);
	if (n)
		snprintf(pad, sizeof(pad), "pad the row by %u element%s of %u B", n,
			 n == 1 ? "" : "s", element);
	return lds_say_pitch(facts, pad, layout_swizzle_any(site, stride, row, scratch), ret);
}

/* A layout in rows that the program may not have: say where each element goes. */
static void lds_mapping(const struct array_layout *array, struct advice *ret)
{
	unsigned size = array->pad ? array->small : array->element;
	bool whole = array->pitch % size == 0 && array->pad % size == 0;
	char from[48] = "", what[96];

	if (array->low)
		snprintf(from, sizeof(from), "counted from LDS byte %u", array->low);
	if (whole)
		snprintf(what, sizeof(what), "element i (of %u B%s%s)", size, *from ? ", " : "",
			 from);
	else
		snprintf(what, sizeof(what), "byte i%s%s%s", *from ? " (" : "", from,
			 *from ? ")" : "");
	size = whole ? size : 1;
	if (array->pad)
		advice_append(ret->fix, "put %s at i + i / %u * %u", what, array->pitch / size,
			      array->pad / size);
	else
		advice_append(ret->fix, "put %s at i ^ (i / %u %% %u)", what, array->columns,
			      array->columns);
}

/* The same for rows whose pitch is the stride between lanes. */
static void lds_pitches(const struct array_layout *array, unsigned element, struct advice *ret)
{
	char at[48] = "";

	if (array->addresses && array->low)
		snprintf(at, sizeof(at), " from LDS byte %u on", array->low);
	if (array->pad)
		advice_append(ret->fix, "pad each row of %u B%s by %u B", array->pitch, at,
			      array->pad);
	if (array->pad && array->pitch % element == 0 && array->pad % element == 0)
		advice_append(ret->fix, " (from %u to %u elements of %u B)", array->pitch / element,
			      (array->pitch + array->pad) / element, element);
	if (array->columns)
		advice_append(ret->fix,
			      "%sstore column c (of %u B) of row r (of %u B%s) in column c ^ (r "
			      "%% %u)",
			      array->pad ? ", or " : "", array->element, array->pitch,
			      array->pad ? "" : at, array->columns);
}

/*
 * For an array that several accesses share: the layout that is best for all. False, with a sentence
 * to append, if none helps.
 */
static bool lds_array(const struct facts *facts, struct advice *ret)
{
	const struct array_layout *array = facts->site->array;
	const char *shared =
		array->addresses ? "accesses to this array" : "accesses at this distance";

	if (!array->halves) {
		advice_say(ret->fix,
			   "; not verified: none of the paddings and swizzles tried halves "
			   "the %s conflicts of the %u %s together (the best leaves %s)",
			   advice_number(array->before).text, array->accesses, shared,
			   advice_number(array->after).text);
		return false;
	}
	ret->fix[0] = 0;
	if (array->rows)
		lds_pitches(array, layout_element(facts->site), ret);
	else
		lds_mapping(array, ret);
	advice_verify(ret, "conflicts", array->each_after, array->each_before);
	advice_append(ret->fix, "; the %u %s together: %s after, %s before (in all)",
		      array->accesses, shared, advice_number(array->after).text,
		      advice_number(array->before).text);
	return true;
}

/* Try layouts on recorded addresses. False, with a sentence to append, if none helps. */
static bool lds_tried(const struct facts *facts, struct probe_lds_scratch *scratch,
		      struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct trial_result result;

	if (site->array)
		return lds_array(facts, ret);
	if (!site->trial) {
		advice_say(ret->fix, "; not verified: counters hold no addresses (--kind trace "
				     "evaluates layouts)");
		return false;
	}
	if (!trial_layouts(site->trial, site, scratch, &result))
		return false;
	if (result.after * 2 > result.before) {
		advice_say(ret->fix,
			   "; not verified: no padding or swizzle of rows of 64 to 4096 B "
			   "halves the %s conflicts of the recorded executions (the best "
			   "leaves %s)",
			   advice_number(result.before).text, advice_number(result.after).text);
		return false;
	}
	if (result.pad)
		advice_say(ret->fix,
			   "pad each %u B by %u B (counted from the lowest address recorded)",
			   result.row, result.pad);
	else
		advice_say(ret->fix,
			   "in rows of %u B (counted from the lowest address recorded) store "
			   "column c of row r in column c ^ r",
			   result.row);
	advice_verify(ret, "conflicts", result.after, result.before);
	return true;
}

/* A general fix, unless a layout helps; with the sentence about the layouts tried. */
static void lds_otherwise(const struct facts *facts, const char *fix,
			  struct probe_lds_scratch *scratch, struct advice *ret)
{
	char tried[ADVICE_MAX];

	if (lds_tried(facts, scratch, ret))
		return;
	memcpy(tried, ret->fix, sizeof(tried));
	advice_say(ret->fix, "%s%s", fix, tried);
}

static void lds_stride(const struct facts *facts, struct probe_lds_scratch *scratch,
		       struct advice *ret)
{
	unsigned element = layout_element(facts->site);
	long long stride = facts->low, size = llabs(stride);

	if (!size) {
		advice_say(ret->cause,
			   "all active lanes update one word, which serialises them: %llu in "
			   "a row",
			   (unsigned long long)facts->way);
		advice_say(ret->fix,
			   "reduce within the wave first (cross-lane operations) and let one "
			   "lane update the word");
		/* A single lane has no conflicts. */
		advice_verify(ret, "conflicts", 0, conflicts_each(facts));
		return;
	}
	advice_say(ret->cause, "lanes are %lld B apart: %llu-way bank conflict", size,
		   (unsigned long long)facts->way);
	if (size < 2 * (int)element) {
		advice_say(ret->fix,
			   "let each lane access fewer bytes at a time, or lay the data out "
			   "so that neighbouring lanes use neighbouring elements (of %u B)",
			   facts->site->unit);
		advice_verify(ret, "conflicts",
			      layout_conflicts(facts->site, facts->site->unit, facts->site->wave, 0,
					       scratch),
			      conflicts_each(facts));
		return;
	}
	if (facts->site->array || !lds_pitch(facts, stride, facts->site->wave, scratch, ret)) {
		lds_otherwise(facts, "change the row's length or the order of its elements",
			      scratch, ret);
		return;
	}
	/* Partial waves: perhaps a tree reduction with gaps between active lanes. */
	if (facts->lanes < facts->executions * facts->site->wave) {
		size_t used = strlen(ret->fix);

		snprintf(ret->fix + used, ADVICE_MAX - used,
			 "; or let the active lanes use neighbouring elements");
	}
}

/* From addresses: rows of the workgroup with one stride between lanes. */
static bool lds_rows_seen(const struct facts *facts, struct probe_lds_scratch *scratch,
			  struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned row = site->row;
	int64_t stride;

	if (!site->trial || !row || row >= site->wave || site->wave % row ||
	    facts->lanes != facts->executions * site->wave ||
	    !trial_rows(site->trial, site, true, &stride) || !stride)
		return false;
	advice_say(ret->cause,
		   "within each row of %u work-items lanes are %lld B apart: %llu-way "
		   "bank conflict",
		   row, llabs((long long)stride), (unsigned long long)facts->way);
	if (site->array || !lds_pitch(facts, stride, row, scratch, ret))
		lds_otherwise(facts, "change the row's length or the order of its elements",
			      scratch, ret);
	return true;
}

/*
 * No stride over the whole wave: perhaps because a wave holds several rows of a workgroup. If rows
 * at a stride of so many banks have exactly the conflicts counted, padding can be evaluated.
 */
static bool lds_rows(const struct facts *facts, struct probe_lds_scratch *scratch,
		     struct advice *ret)
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
	advice_say(ret->cause,
		   "the counts match lanes an odd multiple of %llu B apart within "
		   "rows of %u work-items: %llu-way bank conflict",
		   (unsigned long long)stride, row, (unsigned long long)facts->way);
	/* All lanes of every phase are in one bank: that proves it. */
	if (stride >= 128)
		advice_say(ret->cause,
			   "within each row of %u work-items lanes are a multiple of 128 B "
			   "apart: %llu-way bank conflict",
			   row, (unsigned long long)facts->way);
	if (site->array || !lds_pitches_of(facts, (int64_t)stride, row, scratch, ret))
		lds_otherwise(facts, "change the row's length or the order of its elements",
			      scratch, ret);
	return true;
}

/* Atomic updates without a stride: of tables. Tries copies of the table. */
static void lds_atomic(const struct facts *facts, struct probe_lds_scratch *scratch,
		       struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct trial_copies tried;

	advice_say(ret->fix, "privatise the table: give each group of lanes a copy, the copies "
			     "of an entry side by side, and sum them at the end");
	if (!site->trial) {
		advice_append(ret->fix, "; not verified: counters hold no addresses (--kind trace "
					"evaluates copies)");
		return;
	}
	if (!trial_copies(site->trial, site, scratch, &tried)) {
		advice_append(ret->fix, "; not verified: no such addresses were recorded");
		return;
	}
	/* As many lanes update one word as are serialised: words are contended, not banks. */
	if (tried.share >= facts->way)
		advice_say(ret->cause,
			   "up to %u lanes update one word, which serialises them: %.1f "
			   "conflicts per execution, up to %llu-way",
			   tried.share, conflicts_each(facts), (unsigned long long)facts->way);
	if (!tried.copies) {
		advice_append(ret->fix, "; not verified: 2 copies of the %u B recorded do not fit",
			      tried.table);
	} else if (tried.after * 2 > tried.before) {
		advice_say(ret->fix,
			   "copies of the table do not help here (the best of 2 to 32 leave "
			   "%s of %s conflicts): combine equal indices within the wave first, "
			   "or order the data by bank; not verified",
			   advice_number(tried.after).text, advice_number(tried.before).text);
	} else {
		advice_say(ret->fix,
			   "keep %u copies of each entry of the table (%u B as recorded) side "
			   "by side, let lane l update copy l %% %u, and sum them at the end",
			   tried.copies, tried.table, tried.copies);
		advice_verify(ret, "conflicts", tried.after, tried.before);
	}
}

void advice_lds(const struct facts *facts, struct probe_lds_scratch *scratch, struct advice *ret)
{
	unsigned long long way = facts->way;
	char text[96];

	if (facts->pattern == PATTERN_STRIDE) {
		lds_stride(facts, scratch, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDES) {
		advice_say(ret->cause,
			   "the stride between lanes varies from %lld to %lld B between "
			   "executions: up to %llu-way bank conflict",
			   (long long)facts->low, (long long)facts->high, way);
		if (facts->site->array && facts->site->array->halves) {
			lds_array(facts, ret);
			return;
		}
		advice_say(ret->fix,
			   "change the index so that active lanes use neighbouring elements "
			   "in every step");
		advice_verify(ret, "conflicts",
			      layout_conflicts(facts->site, facts->site->unit, facts->site->wave, 0,
					       scratch),
			      conflicts_each(facts));
		return;
	}
	if (facts->pattern == PATTERN_NONE &&
	    (lds_rows_seen(facts, scratch, ret) || lds_rows(facts, scratch, ret)))
		return;
	advice_say(ret->cause, "%s: %.1f conflicts per execution, up to %llu-way",
		   facts_irregular(facts, text, sizeof(text)), conflicts_each(facts), way);
	if (facts->site->access == PROBE_ACCESS_ATOMIC)
		lds_atomic(facts, scratch, ret);
	else
		lds_otherwise(facts,
			      "if the index is computed from rows and columns, try other row "
			      "pitches or a swizzle; if it comes from data, order the data by "
			      "bank",
			      scratch, ret);
}
