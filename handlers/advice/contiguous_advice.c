/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines if neighbouring lanes use neighbouring elements. */
#include "handlers/advice/contiguous_advice.h"

#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/rules/cache_lines.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffer_advice.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

enum { NEAR_LINES = 4 }; /* limit of source lines that a cause names */

/* The source lines of the accesses near this one, each once. */
void advice_append_near_lines(const struct advice_site *site, const struct line_use *use,
			      struct advice *ret)
{
	uint32_t lines[NEAR_LINES];
	unsigned count = 0, k;

	for (unsigned i = 0; i < site->near_count && count < NEAR_LINES; i++) {
		for (k = 0; k < count && lines[k] != site->near[i].line; k++)
			;
		if (k == count && advice_distance(site, &site->near[i]) && site->near[i].line &&
		    (!use || line_use_includes(use, site, &site->near[i])))
			lines[count++] = site->near[i].line;
	}
	for (k = 0; k < count; k++)
		advice_append(ret->cause, "%s %u",
			      k		  ? ","
			      : count > 1 ? " (lines"
					  : " (line",
			      lines[k]);
	if (count)
		advice_append(ret->cause, ")");
}

/*
 * True if accesses near this one begin at other positions in a line, so that not all of them can be
 * aligned.
 */
static bool is_neighbourhood(const struct advice_site *site)
{
	for (unsigned i = 0; i < site->near_count; i++)
		if (advice_distance(site, &site->near[i]) % 128)
			return true;
	return false;
}

/*
 * Some quad of lanes is in two cache lines, which never happens to aligned contiguous quads; or all
 * lanes are active, so that there is no other reason. Where many are idle, they may be between the
 * active ones, unless a quad is over each end of a line.
 */
static bool is_shifted(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	const uint64_t *c = site->counters;
	uint64_t aligned = facts->executions * (site->wave / 4);

	if (facts->lanes == facts->executions * site->wave || recorded_without_gaps(site->recorded))
		return true;
	return c[PROBE_C_QUADS] > aligned &&
	       (!facts_sparse(facts) ||
		c[PROBE_C_QUADS] - aligned >= c[PROBE_C_LINES64] - facts->executions);
}

/*
 * Does the term count elements of whole workgroups, or lines? Rows of another length, windows that
 * overlap and offsets begin elsewhere, whatever the workgroup's size.
 */
static bool follows_size(const struct facts *facts, const struct probe_site_term *term)
{
	const struct advice_site *site = facts->site;
	const unsigned sizes = PROBE_TERM_GROUP | PROBE_TERM_LOOP | PROBE_TERM_SIZE;
	uint64_t step = (uint64_t)llabs((long long)term->step);

	if (term->of == PROBE_TERM_ITEM)
		return step == site->bytes;
	if (term->of & PROBE_TERM_ITEMS)
		return false;
	if (!(term->of & PROBE_TERM_GROUP) && step % facts->line == 0)
		return true;
	return !(term->of & ~sizes) &&
	       step % (term->of & PROBE_TERM_SIZE ? site->bytes : site->items * site->bytes) == 0;
}

/* Do workgroups go on where others end, as by blockIdx.x * blockDim.x, not all in whole lines? */
static bool begins_within_lines(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	bool several = false;

	if (site->items != site->row || site->items * site->bytes % facts->line == 0 ||
	    (site->grid[0] && site->grid[0] <= site->group[0]) || !advice_terms_known(site))
		return false;
	for (unsigned i = 0; i < site->term_count; i++) {
		if (!follows_size(facts, &site->terms[i]))
			return false;
		several |= (site->terms[i].of & PROBE_TERM_GROUP) != 0;
	}
	return several;
}

/* True if the workgroup size is the cause: waves are as full as it allows. */
static bool odd_group(const struct facts *facts)
{
	return facts->site->items % facts->site->wave && !facts_sparse(facts) &&
	       begins_within_lines(facts);
}

/* Lanes of an average wave that have a work-item. */
static double lanes_of_group(const struct advice_site *site)
{
	return (double)site->items / ((site->items + site->wave - 1) / site->wave);
}

static void contiguous_odd_group(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	advice_say(ret->cause,
		   "workgroups of %u work-items fill %.1f of %u lanes of their waves on average "
		   "and begin within cache lines",
		   site->items, lanes_of_group(site), site->wave);
	facts_append_touched(facts, ret);
	ret->after = layout_lines(site, facts->line, site->bytes, site->wave);
	ret->before = (double)facts->used * site->wave / (double)facts->lanes;
	ret->what = facts_lines(facts);
	if (ret->after >= ret->before)
		return;
	advice_say(ret->fix,
		   "make the workgroup a multiple of %u work-items; estimate: %s %s per %u lanes "
		   "after, %s before, if the first element is at the start of a cache line",
		   site->wave, advice_number(ret->after).text, ret->what, site->wave,
		   advice_number(ret->before).text);
}

/* True if the first lanes of all waves can be aligned, with rows of that many work-items. */
static bool can_align(const struct facts *facts)
{
	unsigned row = facts->site->row * facts->site->bytes;

	if (!row || (row % facts->line && facts->line % row))
		return false;
	/* Windows of workgroups that overlap: no pitch moves one without the other. */
	for (unsigned i = 0; i < facts->site->term_count; i++) {
		const struct probe_site_term *term = &facts->site->terms[i];
		uint64_t step = (uint64_t)llabs((long long)term->step);

		if (term->of && !(term->of & ~PROBE_TERM_GROUPS) && step % facts->line &&
		    step < row)
			return false;
	}
	return true;
}

/* The first active lane of all recorded executions, or 0 if it is not the same in all. */
static unsigned anchor_lane(const struct recorded_addresses *recorded)
{
	unsigned first = (unsigned)__builtin_ctzll(recorded->exec[0]);

	for (unsigned i = 1; i < recorded->executions; i++)
		if ((unsigned)__builtin_ctzll(recorded->exec[i]) != first)
			return 0;
	return first;
}

/* True if all executions have the active lanes of the recorded ones. */
static bool have_same_lanes(const struct facts *facts, const struct recorded_addresses *recorded)
{
	for (unsigned i = 1; i < recorded->executions; i++)
		if (recorded->exec[i] != recorded->exec[0])
			return false;
	return facts->lanes ==
	       facts->executions * (unsigned)__builtin_popcountll(recorded->exec[0]);
}

/* Cache lines of a recorded execution before and after lane `anchor` moves to the start of a line.
 */
static void align_execution(const struct facts *facts, const struct recorded_addresses *recorded,
			    unsigned execution, unsigned anchor, uint64_t lines[2])
{
	const struct advice_site *site = facts->site;
	uint64_t exec = recorded->exec[execution], addr[64];
	unsigned first = (unsigned)__builtin_ctzll(exec);
	uint64_t at = recorded->addr[execution][first] - (uint64_t)(first - anchor) * site->bytes;
	struct probe_cache_lines_scratch scratch = {0};

	memcpy(addr, recorded->addr[execution], sizeof(addr));
	for (int after = 0; after < 2; after++) {
		struct probe_cache_lines cost =
			probe_cache_lines_count(site->wave, site->unit, exec, addr, &scratch);

		lines[after] += facts->line == 64 ? cost.used64 : cost.used128;
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] -= at % facts->line;
	}
}

/*
 * Cache lines of an average execution if lane `anchor` of all waves is at the start of a line.
 * False if not all executions that cost too much were recorded. Of the others nothing is known but
 * that they cost what is needed: with the same lanes they still do.
 */
static bool aligned_recorded(const struct facts *facts, unsigned *anchor, double *ret)
{
	const struct advice_site *site = facts->site;
	const struct recorded_addresses *recorded = site->recorded;
	uint64_t lines[2] = {0}, others;

	if (!recorded || recorded->lds || !recorded->executions ||
	    recorded->executions == RECORDED_EXECUTIONS || facts->low < 0)
		return false;
	*anchor = anchor_lane(recorded);
	for (unsigned i = 0; i < recorded->executions; i++)
		align_execution(facts, recorded, i, *anchor, lines);
	others = have_same_lanes(facts, recorded)
			 ? facts->used - lines[0]
			 : (facts->executions - recorded->executions) *
				   (layout_lines(site, facts->line, site->bytes, site->wave) +
				    (*anchor > 0));
	*ret = (double)(lines[1] + others) / (double)facts->executions;
	return true;
}

/* Where an offset changes between executions, some of them are aligned. */
static void say_misaligned(const struct facts *facts, const char *why, struct advice *ret)
{
	advice_say(ret->cause,
		   "lanes are contiguous but misaligned%s: one cache line of %u B more than needed",
		   why, facts->line);
	if (facts->excess < facts->executions)
		advice_append(ret->cause, " in %llu of %llu executions",
			      (unsigned long long)facts->excess,
			      (unsigned long long)facts->executions);
}

/* Counters do not tell which of the two causes it is, unless nearly all lanes are active. */
void advice_say_idle(const struct facts *facts, const char *how, struct advice *ret)
{
	uint64_t all = facts->executions * facts->site->wave;
	bool full = facts->lanes * 20 > all * 19;
	int digits = full ? 2 : 1;

	if (full)
		advice_say(ret->cause, "some executions reach across the end of a cache line%s",
			   facts->lanes < all ? ", or have idle lanes between active ones" : "");
	else
		advice_say(ret->cause, "%.1f of %u lanes are active on average",
			   facts_each(facts, facts->lanes), facts->site->wave);
	if (!facts_show_excess(facts, digits)) {
		if (full)
			advice_append(ret->cause, " of %u B: %s more on average over all",
				      facts->line,
				      advice_number(facts_each(facts, facts->excess)).text);
		else
			facts_append_touched(facts, ret);
		return;
	}
	advice_append(ret->cause, ": they %s %.*f cache lines of %u B%s, %.*f would be enough%s",
		      facts_verb(facts), digits, facts_each(facts, facts->used), facts->line,
		      full ? " on average" : "", digits, facts_needed(facts), full ? "" : how);
}

/*
 * A stencil: this access and others read elements at constant distances, of which only those that
 * are whole lines apart can begin at the start of a line.
 */
static void append_neighbours(const struct advice_site *site, struct advice *ret)
{
	advice_append(ret->cause, "; the kernel also uses neighbouring elements");
	advice_append_near_lines(site, NULL, ret);
	advice_append(ret->cause, ", so that only some of these accesses can begin at the start of "
				  "a cache line");
}

/*
 * May all executions be aligned? Not if a loop, an argument or a loaded value moves the address by
 * other steps than whole lines.
 */
static bool may_align(const struct facts *facts)
{
	unsigned flags = facts->site->info ? facts->site->info->address_flags : 0;

	return facts_computed(facts) && !(flags & PROBE_ADDRESS_MOVES) && can_align(facts) &&
	       !(flags & PROBE_ADDRESS_SHIFTS && facts->excess < facts->executions);
}

/* Aligns `lane`, such as "the address of the first lane", after which an execution has so many
 * cache lines. */
static void say_align(const struct facts *facts, const char *lane, double after, struct advice *ret)
{
	double before = facts_each(facts, facts->used);

	advice_say(ret->fix, "align %s (base, offset, row pitch) to %u B", lane, facts->line);
	if (facts_flag(facts, PROBE_ADDRESS_SHIFTS))
		advice_estimate(ret, facts_lines(facts), after, before,
				"the offset (an argument or a loaded value) is always the same");
	else
		advice_verify_most(ret, facts_lines(facts), after, before);
	advice_append_effect(facts, "to shift the whole buffer", "", ret);
}

bool advice_misaligned_rows(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned bytes = site->row * site->bytes;

	/* With idle lanes, aligned rows may touch more lines than their bytes would fill. */
	if (bytes % facts->line || facts_sparse(facts))
		return false;
	advice_say(ret->cause, "rows of %u work-items are contiguous but misaligned", site->row);
	facts_append_touched(facts, ret);
	if (is_neighbourhood(site))
		append_neighbours(site, ret);
	else if (may_align(facts))
		say_align(facts, "the address of the first lane of each row",
			  (double)(site->wave / site->row) * bytes / facts->line, ret);
	return true;
}

void advice_contiguous(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned anchor = 0;
	char text[ADVICE_MAX / 2];
	double after;

	if (odd_group(facts) && facts_computed(facts)) {
		contiguous_odd_group(facts, ret);
		return;
	}
	if (!is_shifted(facts)) {
		advice_say_idle(
			facts,
			" (the first active lane is not at the start of a cache line, as in rows "
			"whose pitch is no multiple of 128 B, or idle lanes are between active "
			"ones)",
			ret);
		return;
	}
	if (is_neighbourhood(site)) {
		say_misaligned(facts, "", ret);
		append_neighbours(site, ret);
		return;
	}
	say_misaligned(facts, facts_loaded(facts, text, sizeof(text)), ret);
	if (!may_align(facts))
		return;
	if (!aligned_recorded(facts, &anchor, &after))
		after = layout_lines(site, facts->line, site->bytes, site->wave);
	say_align(facts,
		  facts->low < 0 ? "the lowest address of each wave, that of its last lane"
		  : anchor	 ? "the address of the first active lane"
				 : "the address of the first lane",
		  after, ret);
}
