/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines and of contended updates in global memory. */
#include "handlers/advice/global_advice.h"

#include <stdio.h>
#include <stdlib.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/idle_lane_advice.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"
#include "handlers/advice/stride_advice.h"

/* End the fix with the effect of swapping the indices. */
static void swapped(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double after = facts_lines_of_rows(facts), before = facts_each(facts, facts->used);
	bool whole = site->row * site->bytes % 128 == 0 && site->wave % site->row == 0 &&
		     facts->lanes == facts->executions * site->wave;

	if (whole && after < before)
		advice_verify(ret, facts_lines(facts), after, before);
	else
		advice_estimate(ret, facts_lines(facts), after, before);
}

/* "make the workgroup wider", so that a wave holds one row. */
static void say_wider(const struct advice_site *site, struct advice *ret)
{
	if (site->items && site->items % site->wave == 0)
		advice_say(ret->fix,
			   "make the workgroup wider, for example dim3(%u, %u), so that a "
			   "wave is in one row",
			   site->wave, site->items / site->wave);
	else
		advice_say(ret->fix,
			   "make the workgroup wider (a multiple of %u work-items in x), so "
			   "that a wave is in one row",
			   site->wave);
}

/* Rows of the workgroup shorter than a wave, all lanes of each at one address. */
static void global_words(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct trial_words words = trial_words(site->trial, site, facts->line);
	double before = facts_each(facts, facts->used);
	char apart[64] = "";

	if (words.apart)
		snprintf(apart, sizeof(apart), ", rows %lld B apart",
			 llabs((long long)words.apart));
	advice_say(ret->cause,
		   "each row of %u work-items %ss one word (%u B)%s: %.1f cache lines "
		   "of %u B touched, %.1f needed",
		   site->row, facts_verb(facts), site->bytes, apart, before, facts->line,
		   facts_each(facts, facts->needed));
	if (site->access == PROBE_ACCESS_ATOMIC) {
		/* A wider workgroup would only add lanes that contend for a word. */
		advice_say(ret->fix,
			   "reduce within each row first (cross-lane operations) and let one "
			   "lane of it update the word; not verified");
		return;
	}
	say_wider(site, ret);
	advice_estimate(ret, facts_lines(facts), words.lines, before);
}

/* Rows of the workgroup shorter than a wave, the lanes of each `stride` bytes apart. */
static void global_rows(const struct facts *facts, int64_t stride, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	long long size = llabs((long long)stride);
	double before = facts_each(facts, facts->used);

	if (!size) {
		global_words(facts, ret);
		return;
	}
	if (size <= (long long)site->bytes) {
		advice_say(ret->cause,
			   "rows of %u work-items are contiguous, but rows are apart from "
			   "each other: %.1f cache lines of %u B touched, %.1f needed",
			   site->row, before, facts->line, facts_each(facts, facts->needed));
		advice_say(ret->fix,
			   "make the workgroup wider (a multiple of %u work-items in x), and "
			   "align the rows of the data to %u B",
			   site->wave, facts->line);
		advice_estimate(ret, facts_lines(facts),
				layout_lines(site, facts->line, site->bytes, facts_active(facts)),
				before);
		return;
	}
	advice_say(ret->cause,
		   "within each row of %u work-items lanes are %lld B apart and %u B "
		   "are %s: %.1f cache lines of %u B touched, %.1f needed",
		   site->row, size, site->bytes, facts->participle, before, facts->line,
		   facts_each(facts, facts->needed));
	advice_say(ret->fix,
		   "let threadIdx.x run along consecutive addresses (swap the "
		   "indices%s), or pass a tile through LDS",
		   size <= 64 ? ", with one array per member instead of structs" : "");
	if (facts_lines_of_rows(facts) < before) {
		swapped(facts, ret);
		return;
	}
	advice_append(ret->fix, ", and make the workgroup wider (a multiple of %u work-items in x)",
		      site->wave);
	advice_estimate(ret, facts_lines(facts),
			layout_lines(site, facts->line, site->bytes, facts_active(facts)), before);
}

/*
 * From counters: as many lines as a row has lanes, since rows of the wave cross the same ones, side
 * by side; unless short contiguous rows would give the same counts.
 */
static bool lane_each(const struct facts *facts)
{
	const struct advice_site *site = facts->site;

	return facts->pattern == PATTERN_NONE && site->row && site->row < site->wave &&
	       facts->lanes == facts->executions * site->wave &&
	       (facts->used == facts->executions * site->row ||
		site->counters[PROBE_C_LINES64] == facts->executions * site->row) &&
	       facts_lines_of_rows(facts) < facts_each(facts, facts->used);
}

/* From counters: as many cache lines as there are rows in a wave. */
static bool row_each(const struct facts *facts)
{
	const struct advice_site *site = facts->site;

	return facts->pattern == PATTERN_NONE && site->row && site->row < site->wave &&
	       site->wave % site->row == 0 && site->access != PROBE_ACCESS_ATOMIC &&
	       facts->lanes == facts->executions * site->wave &&
	       facts->used == facts->executions * (site->wave / site->row);
}

/* One word for all lanes of a row, or a short contiguous piece: assumes the longest piece. */
static void global_row_each(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	bool lanes = site->wave / site->row == site->row;

	advice_say(ret->cause,
		   "%.1f cache lines of %u B touched, %.1f needed: as if each row of "
		   "%u work-items%s used a cache line of its own",
		   facts_each(facts, facts->used), facts->line, facts_each(facts, facts->needed),
		   site->row, lanes ? ", or each lane of a row," : "");
	say_wider(site, ret);
	if (lanes)
		advice_append(ret->fix, ", and let threadIdx.x run along consecutive addresses");
	advice_estimate(ret, facts_lines(facts),
			layout_lines(site, facts->line, site->bytes, site->wave),
			facts_each(facts, facts->used));
}

/* Addresses that depend on data: the effect of sorting, estimated from the first waves. */
static void global_sorted(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct trial_sorting result;

	advice_say(ret->fix, "sort or bin the indices so that neighbouring lanes use the same "
			     "cache lines, or gather once into LDS");
	if (!site->trial || !trial_sorted(site->trial, site, facts->line, &result)) {
		advice_append(ret->fix, "; not verified: counters hold no addresses (--kind trace "
					"evaluates this)");
	} else if (result.risen) {
		advice_say(ret->fix, "sorting does not help here (the addresses rise from lane to "
				     "lane): place the data of neighbouring lanes side by side in "
				     "memory; not verified");
	} else if (result.after * 10 <= result.before * 9) {
		ret->after = result.after;
		ret->before = result.before;
		advice_append(ret->fix,
			      "; estimate: about %s cache lines of %u B per execution%s if the "
			      "addresses that all waves use in one step are sorted, %s now (from "
			      "%u of %llu executions)",
			      advice_number(result.after).text, facts->line,
			      site->trial->executions < facts->executions ? " or fewer" : "",
			      advice_number(result.before).text, site->trial->executions,
			      (unsigned long long)facts->executions);
	} else if (site->trial->executions < facts->executions) {
		/* The density grows with the number of waves, so a few are not enough to
		 * extrapolate. */
		advice_append(ret->fix,
			      "; not verified: the addresses of %u of %llu executions are too "
			      "few to estimate the effect of sorting",
			      site->trial->executions, (unsigned long long)facts->executions);
	} else {
		advice_say(ret->fix,
			   "sorting does not help here (about %s cache lines of %u B per "
			   "execution with the addresses that all waves use in one step "
			   "sorted, %s now): place the data of neighbouring lanes side by "
			   "side in memory; not verified",
			   advice_number(result.after).text, facts->line,
			   advice_number(result.before).text);
	}
}

static void global_irregular(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double used = facts_each(facts, facts->used), needed = facts_each(facts, facts->needed);
	bool rows = site->row && site->row % site->wave;
	char text[96];

	if (!site->trial && lane_each(facts)) {
		advice_say(ret->cause,
			   "%.1f cache lines of %u B touched, %.1f needed: as if each lane of "
			   "a row of %u work-items used a cache line%s of its own",
			   used, facts->line, needed, site->row,
			   facts->used == facts->executions * site->row ? "" : " of 64 B");
		advice_say(ret->fix, "let threadIdx.x run along consecutive addresses (swap the "
				     "indices), or pass a tile through LDS");
		swapped(facts, ret);
		return;
	}
	if (!site->trial && row_each(facts)) {
		global_row_each(facts, ret);
		return;
	}
	advice_say(ret->cause, "%s%s: %.1f cache lines of %u B touched, %.1f needed",
		   facts_irregular(facts, text, sizeof(text)),
		   rows ? " over the wave" : " (gather)", used, facts->line, needed);
	if (rows && !site->trial)
		advice_say(ret->fix,
			   "if lanes of a row of %u work-items are contiguous or share a "
			   "word, make the workgroup wider; if they are far apart, swap the "
			   "indices; if the index comes from data, sort it; not verified: "
			   "counters hold no addresses (--kind trace finds out which)",
			   site->row);
	else
		global_sorted(facts, ret);
}

/*
 * Scratch has element i of all lanes side by side: what costs is lanes at different ones. Their
 * values come from data, but an array that is each lane's own gains nothing by an order of it.
 */
static void global_scratch(const struct facts *facts, struct advice *ret)
{
	double used = facts_each(facts, facts->used);

	advice_say(ret->cause,
		   "lanes access different elements of their private arrays: %.1f "
		   "cache lines of %u B touched, %.1f needed",
		   used, facts->line, facts_each(facts, facts->needed));
	advice_say(ret->fix, "use the same index in all lanes; or use constant indices (unroll "
			     "the loop), which keeps the array in registers; or keep it in LDS; "
			     "not verified");
}

void advice_global(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	int64_t stride;

	if (site->space == PROBE_SPACE_SCRATCH) {
		if (advice_is_sparse(facts))
			advice_sparse(facts, ret);
		else
			global_scratch(facts, ret);
	} else if (facts->pattern != PATTERN_STRIDE && site->trial && site->row % site->wave &&
		   trial_rows(site->trial, site, false, &stride)) {
		global_rows(facts, stride, ret);
	} else if (advice_is_sparse(facts)) {
		advice_sparse(facts, ret);
	} else if (facts->pattern == PATTERN_STRIDE) {
		advice_stride(facts, ret);
	} else if (facts->pattern == PATTERN_STRIDES) {
		advice_say(ret->cause,
			   "the stride between lanes varies from %lld to %lld B between "
			   "executions: %.1f cache lines of %u B touched, %.1f needed",
			   (long long)facts->low, (long long)facts->high,
			   facts_each(facts, facts->used), facts->line,
			   facts_each(facts, facts->needed));
		advice_say(ret->fix,
			   "let neighbouring lanes use neighbouring elements in every step, "
			   "and align the first element");
		advice_verify_lines(facts, site->bytes, facts_active(facts), ret);
	} else {
		global_irregular(facts, ret);
	}
}

/* No execution touched excess cache lines, so sums of used and needed can be compared. */
void advice_contended(const struct facts *facts, struct advice *ret)
{
	const uint64_t *c = facts->site->counters;

	if (facts->pattern == PATTERN_STRIDE && !facts->low && facts->lanes > facts->executions) {
		advice_say(ret->cause,
			   "all active lanes update one word of global memory, which "
			   "serialises them: %.1f on average",
			   facts_each(facts, facts->lanes));
		advice_say(ret->fix,
			   "reduce within the wave first (cross-lane operations) and let one "
			   "lane update the word");
		advice_verify(ret, "updates of the word", 1, facts_each(facts, facts->lanes));
	} else if (c[PROBE_C_LINES64] < c[PROBE_C_NEEDED64]) {
		advice_say(ret->cause,
			   "lanes update the same words of global memory, which serialises "
			   "them: %.1f lanes share %.1f cache lines of 64 B, where a word for "
			   "each would fill %.1f",
			   facts_each(facts, facts->lanes), facts_each(facts, c[PROBE_C_LINES64]),
			   facts_each(facts, c[PROBE_C_NEEDED64]));
		advice_say(ret->fix,
			   "let each workgroup accumulate in a table of its own in LDS, and "
			   "add that to global memory once, at the end; not verified");
	}
}
