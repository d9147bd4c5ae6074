/* SPDX-License-Identifier: MIT */
/*
 * Waves with idle lanes that touch more cache lines than needed: because of the idle lanes, or of
 * the layout of the data? Counts each change that might help, on recorded addresses if there are
 * any, and proposes the one that removes most.
 */
#include "handlers/advice/idle_lane_advice.h"

#include <stdlib.h>

#include <probe/rules/cache_lines.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"
#include "handlers/advice/stride_advice.h"

/* In order of preference between equal results. */
enum change { CHANGE_NONE, CHANGE_ALIGN, CHANGE_STRIDE, CHANGE_COMPACT, CHANGES };

/*
 * With less than 15 of 16 lanes active on average, idle lanes may be the cause, unless even a full
 * wave of contiguous lanes, wherever it begins, would touch fewer cache lines.
 */
bool advice_is_sparse(const struct facts *facts)
{
	const struct advice_site *site = facts->site;

	return facts->lanes * 16 < facts->executions * site->wave * 15 &&
	       facts->used <=
		       facts->executions *
			       (layout_lines(site, facts->line, site->bytes, site->wave) + 1ull);
}

/* Is the workgroup size the cause: are waves as full as it allows? */
static bool odd_group(const struct facts *facts)
{
	unsigned items = facts->site->items, wave = facts->site->wave;
	uint64_t waves = (items + wave - 1) / wave;

	return items % wave && facts->lanes * waves * 16 >= facts->executions * items * 15ull;
}

static void say_odd_group(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	advice_say(ret->cause,
		   "workgroups of %u work-items fill %.1f of %u lanes of their waves "
		   "on average: they %s %.1f cache lines of %u B, %.1f would be enough",
		   site->items, facts_each(facts, facts->lanes), site->wave, facts_verb(facts),
		   facts_each(facts, facts->used), facts->line, facts_each(facts, facts->needed));
	advice_say(ret->fix, "make the workgroup a multiple of %u work-items", site->wave);
	advice_estimate(ret, facts_lines(facts),
			layout_lines(site, facts->line, site->bytes, site->wave),
			facts_each(facts, facts->used));
}

/* ---- On addresses --------------------------------------------------------------------------- */

/* The addresses of the active lanes after the change. */
static void move_lanes(const struct facts *facts, enum change change, uint64_t exec, uint64_t *addr)
{
	unsigned first = (unsigned)__builtin_ctzll(exec), rank = 0;
	uint64_t lowest = UINT64_MAX, stride = (uint64_t)llabs((long long)facts->low);

	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		uint64_t at = addr[__builtin_ctzll(rest)];

		lowest = at < lowest ? at : lowest;
	}
	for (uint64_t rest = exec; rest; rest &= rest - 1, rank++) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		if (change == CHANGE_ALIGN)
			addr[lane] -= lowest % facts->line;
		else if (change == CHANGE_STRIDE)
			addr[lane] = lowest + (lane - first) * facts->site->bytes;
		else if (change == CHANGE_COMPACT)
			addr[lane] = lowest + rank * stride;
	}
}

/* Cache lines of all executions kept, after the change. */
static uint64_t count_lines(const struct facts *facts, enum change change)
{
	const struct advice_site *site = facts->site;
	struct probe_cache_lines_scratch scratch = {0};
	uint64_t sum = 0;

	for (unsigned i = 0; i < site->trial->executions; i++) {
		uint64_t exec = site->trial->exec[i], addr[64] = {0};

		for (uint64_t rest = exec; rest; rest &= rest - 1)
			addr[__builtin_ctzll(rest)] = site->trial->addr[i][__builtin_ctzll(rest)];
		move_lanes(facts, change, exec, addr);
		for (unsigned k = 0; k < site->bytes; k += site->unit) {
			struct probe_cache_lines lines = probe_cache_lines_count(
				site->wave, site->unit, exec, addr, &scratch);

			sum += facts->line == 64 ? lines.used64 : lines.used128;
			for (unsigned lane = 0; lane < 64; lane++)
				addr[lane] += site->unit;
		}
	}
	return sum;
}

/* The change that leaves fewest cache lines, and their number per execution. */
static enum change best_change(const struct facts *facts, double *ret_after)
{
	uint64_t before = count_lines(facts, CHANGE_NONE), least = before;
	enum change best = CHANGE_NONE;

	for (enum change change = CHANGE_NONE + 1; change < CHANGES; change++) {
		uint64_t after = count_lines(facts, change);

		if (after >= least)
			continue;
		least = after;
		best = change;
	}
	/* Executions not kept cost no more than needed, or are assumed to be like those kept. */
	if (facts->site->trial->executions < TRIAL_EXECUTIONS)
		*ret_after = facts_each(facts, facts->used - (before - least));
	else
		*ret_after = facts_each(facts, facts->used) * (double)least / (double)before;
	return best;
}

/* ---- On counters ---------------------------------------------------------------------------- */

static bool is_contiguous(const struct facts *facts)
{
	return (uint64_t)llabs((long long)facts->low) == facts->site->bytes &&
	       facts->site->bytes == facts->site->unit;
}

/* Misaligned contiguous lanes touch one extra cache line; so may lanes with gaps. */
static bool may_be_neighbours(const struct facts *facts)
{
	const uint64_t *c = facts->site->counters;

	return is_contiguous(facts) && c[PROBE_C_EXCESS64] <= facts->executions &&
	       c[PROBE_C_EXCESS128] <= facts->executions;
}

/* Some quad of lanes is in two cache lines, which aligned contiguous quads never are. */
static bool is_shifted(const struct facts *facts)
{
	return facts->site->counters[PROBE_C_QUADS] > facts->executions * (facts->site->wave / 4);
}

/* At a stride, without further cost by gaps. */
static bool is_spread(const struct facts *facts)
{
	const struct advice_site *site = facts->site;

	return (uint64_t)llabs((long long)facts->low) > site->bytes &&
	       facts->used <= facts->executions * (layout_lines(site, facts->line, facts->low,
								facts_active(facts)) +
						   1ull);
}

/* ---- Sentences ------------------------------------------------------------------------------ */

static void say_align(const struct facts *facts, double after, bool verified, struct advice *ret)
{
	double before = facts_each(facts, facts->used);

	advice_say(ret->cause,
		   "the data that the active lanes (%.1f on average) %s are "
		   "misaligned: %.1f cache lines of %u B touched, %.1f needed",
		   facts_each(facts, facts->lanes), facts_verb(facts), before, facts->line,
		   facts_each(facts, facts->needed));
	advice_say(ret->fix,
		   "align the address of the first lane (base, offset, row pitch) to "
		   "%u B",
		   facts->line);
	if (verified)
		advice_verify(ret, facts_lines(facts), after, before);
	else
		advice_estimate(ret, facts_lines(facts), after, before);
	advice_append_shift_effect(facts, ret);
}

static void say_compact(const struct facts *facts, struct advice *ret)
{
	advice_say(ret->cause,
		   "%.1f of %u lanes are active on average: they %s %.1f cache lines "
		   "of %u B, %.1f would be enough",
		   facts_each(facts, facts->lanes), facts->site->wave, facts_verb(facts),
		   facts_each(facts, facts->used), facts->line, facts_each(facts, facts->needed));
	advice_say(ret->fix, "compact the work before the branch, so that the active lanes are "
			     "neighbours that use neighbouring elements");
}

/* From counters: two causes have the same counts. */
static void say_either(const struct facts *facts, struct advice *ret)
{
	say_compact(facts, ret);
	advice_say(ret->fix,
		   "if the active lanes are neighbours, align the address of the "
		   "first one (base, offset, row pitch) to %u B; if idle lanes are "
		   "between them, compact the work before the branch; not verified: "
		   "counters cannot tell which (--kind trace can)",
		   facts->line);
}

static void advise_counted(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	if (may_be_neighbours(facts) && is_shifted(facts)) {
		say_align(facts, facts_each(facts, facts->needed), false, ret);
	} else if (may_be_neighbours(facts)) {
		say_either(facts, ret);
	} else if (is_spread(facts)) {
		advice_stride(facts, ret);
	} else {
		say_compact(facts, ret);
		advice_verify(ret, facts_lines(facts),
			      layout_lines(site, facts->line, site->bytes, facts_active(facts)),
			      facts_each(facts, facts->used));
	}
}

static void advise_tried(const struct facts *facts, struct advice *ret)
{
	bool verified = facts->site->trial->executions < TRIAL_EXECUTIONS;
	double after, before = facts_each(facts, facts->used);
	enum change best = best_change(facts, &after);

	if (best == CHANGE_ALIGN) {
		say_align(facts, after, verified, ret);
	} else if (best == CHANGE_STRIDE) {
		advice_stride(facts, ret);
	} else if (best == CHANGE_COMPACT && verified) {
		say_compact(facts, ret);
		advice_verify(ret, facts_lines(facts), after, before);
	} else {
		say_compact(facts, ret);
		advice_estimate(ret, facts_lines(facts),
				best == CHANGE_COMPACT
					? after
					: layout_lines(facts->site, facts->line, facts->site->bytes,
						       facts_active(facts)),
				before);
	}
}

void advice_sparse(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	bool stride = facts->pattern == PATTERN_STRIDE && site->space != PROBE_SPACE_SCRATCH;

	if (odd_group(facts)) {
		say_odd_group(facts, ret);
	} else if (stride && site->trial && site->trial->executions && !site->trial->lds) {
		advise_tried(facts, ret);
	} else if (stride) {
		advise_counted(facts, ret);
	} else {
		say_compact(facts, ret);
		advice_verify(ret, facts_lines(facts),
			      layout_lines(site, facts->line, site->bytes, facts_active(facts)),
			      facts_each(facts, facts->used));
	}
}
