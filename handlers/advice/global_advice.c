/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines and of contended atomic updates in global memory. */
#include "handlers/advice/global_advice.h"

#include <stdio.h>
#include <stdlib.h>

#include <probe/handler.h>
#include <probe/rules/cache_lines.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/contiguous_advice.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/lane_runs.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"
#include "handlers/advice/stride_advice.h"
#include "handlers/advice/workgroup_shape.h"
#include "rules/distinct.h"

/* ---- Several rows in a wave ----------------------------------------------------------------- */

/*
 * Does each work-item use a struct? Not if those of another axis use neighbouring elements, as in a
 * matrix with swapped indices.
 */
static bool are_structs(const struct advice_site *site, const struct axis_strides *axes)
{
	/* Recorded addresses show the distances within a row only. */
	if (!site->info || (!site->info->strides && !site->term_count &&
			    !(site->info->address_flags & PROBE_ADDRESS_MEMBER)))
		return false;
	for (int i = 1; i < 3; i++)
		if (axes->known[i] && llabs((long long)axes->stride[i]) == (long long)site->bytes)
			return false;
	return axes->known[0] && llabs((long long)axes->stride[0]) <= ADVICE_STRUCT_MAX;
}

/* Swapped indices are enough, or with a wider workgroup, or with a structure of arrays. */
static void swap_rows(const struct facts *facts, const struct index_step *step, uint64_t stride,
		      struct advice *ret)
{
	const struct advice_site *site = facts->site;
	int64_t apart = advice_step_apart(site, step);

	advice_say_swap(facts, stride, true, ret);
	if (advice_count_swap(facts, step, site->row, advice_lines_of_rows(facts, apart), ret))
		return;
	advice_say_swap(facts, stride, false, ret);
	advice_append(ret->fix, ", and ");
	advice_say_wider(site, ret);
	if (advice_count_swap(facts, step, site->wave, advice_lines_apart(facts, step), ret) ||
	    !step->certain || !advice_is_member(site))
		return;
	advice_say_swap(facts, stride, false, ret);
	advice_append_split(facts, step, ret);
	advice_verify_most(ret, facts_lines(facts), advice_lines_of_rows(facts, site->bytes),
			   facts_each(facts, facts->used));
}

/*
 * Is there an index with a smaller step than threadIdx.x, as far as is known? Where terms do not
 * show it, and neighbours along y are not nearer, it need not be a matter of indices.
 */
static bool is_swapped(const struct facts *facts, const struct axis_strides *axes,
		       const struct index_step *step, uint64_t stride)
{
	const struct advice_site *site = facts->site;
	uint64_t rows;

	if (are_structs(site, axes) || step->bytes >= stride || !step->other)
		return false;
	if (step->bytes)
		return true;
	if (!site->recorded || !recorded_between_rows(site->recorded, site, &rows) || !rows)
		return stride > ADVICE_STRUCT_MAX;
	return rows < stride;
}

/* Lanes of a row have a proved distance, or a multiple of an argument. */
static void rows_apart(const struct facts *facts, const struct axis_strides *axes,
		       struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double before = facts_each(facts, facts->used);
	uint64_t stride = axes->known[0] ? (uint64_t)llabs((long long)axes->stride[0]) : UINT64_MAX;
	struct index_step step = index_step(site, stride);
	char apart[48] = "far apart";

	if (axes->known[0])
		snprintf(apart, sizeof(apart), "%llu B apart", (unsigned long long)stride);
	advice_say(ret->cause, "within each row of %u work-items lanes are %s and %u B %s %s",
		   site->row, apart, site->bytes, site->bytes == 1 ? "is" : "are",
		   facts->participle);
	facts_append_touched(facts, ret);
	if (is_swapped(facts, axes, &step, stride)) {
		swap_rows(facts, &step, stride, ret);
		return;
	}
	if (!axes->known[0] || !advice_is_row(site))
		return;
	advice_append_shared(facts, axes->stride[0], ret);
	advice_say_arrays(site, axes->stride[0], ret);
	if (advice_verify_most(ret, facts_lines(facts),
			       advice_lines_of_rows(facts, advice_piece(site)), before) ||
	    !advice_may_widen(site))
		return;
	advice_say_wider(site, ret);
	advice_verify_lines(facts, axes->stride[0], ret);
}

/*
 * The strides per axis: proved, as the address is written, or the same in each recorded execution.
 */
static bool find_axes(const struct facts *facts, struct axis_strides *ret)
{
	const struct advice_site *site = facts->site;
	int64_t recorded;

	if (axis_strides(site, ret))
		return true;
	if (!axis_terms(site, ret) || ret->fields)
		*ret = (struct axis_strides){.fields = false};
	if (ret->known[0])
		return true;
	ret->known[0] = facts_nearly_recorded(facts) &&
			recorded_rows(site->recorded, site, false, &recorded);
	ret->stride[0] = ret->known[0] ? recorded : 0;
	return ret->known[0] || ret->known[1] || ret->known[2];
}

/* So few lanes are active that a row may be much shorter than one of the workgroup. */
static bool mostly_idle(const struct facts *facts)
{
	return facts_fill(facts) <= 3. / 4;
}

/*
 * The most cache lines of a wave, wherever it begins, if lanes of a row are `stride` bytes apart,
 * and rows as far as the axes say.
 */
static unsigned lines_of_axes(const struct facts *facts, const struct axis_strides *axes,
			      int64_t stride)
{
	const struct advice_site *site = facts->site;
	struct probe_cache_lines_scratch scratch = {0};
	uint64_t exec = site->wave == 64 ? ~0ull : (1ull << site->wave) - 1, addr[64];
	unsigned most = 0;

	if (!axes->known[1] || site->group[1] < site->wave / site->row || site->bytes > site->unit)
		return advice_lines_of_rows(facts, stride);
	for (unsigned lane = 0; lane < site->wave; lane++)
		addr[lane] = (1ull << 40) + (uint64_t)(lane % site->row * stride +
						       lane / site->row * axes->stride[1]);
	for (unsigned from = 0; from < facts->line; from += site->bytes) {
		struct probe_cache_lines lines =
			probe_cache_lines_count(site->wave, site->unit, exec, addr, &scratch);
		unsigned count = facts->line == 64 ? lines.used64 : lines.used128;

		most = count > most ? count : most;
		for (unsigned lane = 0; lane < site->wave; lane++)
			addr[lane] += site->bytes;
	}
	return most;
}

/* Lanes of a row have a known distance, or touch more lines than if it were four elements at most.
 */
static bool is_distance_shown(const struct facts *facts, const struct axis_strides *axes)
{
	return axes->known[0] || facts_each(facts, facts->used) >
					 lines_of_axes(facts, axes, 4 * facts->site->bytes);
}

/*
 * For workgroups whose rows are shorter than a wave, if the compiler proved how the address depends
 * on threadIdx.x. False if nothing was proved.
 */
static bool global_rows(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct axis_strides axes;

	if (!site->row || site->row >= site->wave || site->row < 2 || mostly_idle(facts) ||
	    !find_axes(facts, &axes) || axes.fields || !is_distance_shown(facts, &axes))
		return false;
	if (!axes.known[0] || llabs((long long)axes.stride[0]) > (long long)site->bytes) {
		rows_apart(facts, &axes, ret);
		return true;
	}
	if (!axes.stride[0]) {
		advice_say(ret->cause, "each row of %u work-items %ss one word (%u B)", site->row,
			   facts_verb(facts), site->bytes);
		facts_append_touched(facts, ret);
		/* A wider workgroup would only add lanes that contend for a word. */
		if (site->access == PROBE_ACCESS_ATOMIC || !advice_may_widen(site))
			return true;
		advice_say_wider(site, ret);
		advice_verify_lines(facts, 0, ret);
		return true;
	}
	if (llabs((long long)axes.stride[0]) == (long long)site->bytes &&
	    advice_misaligned_rows(facts, ret))
		return true;
	advice_say(ret->cause,
		   "rows of %u work-items are contiguous, but rows are apart from each other",
		   site->row);
	facts_append_touched(facts, ret);
	if (!advice_may_widen(site))
		return true;
	advice_say_wider(site, ret);
	if (advice_verify_lines(facts, axes.stride[0], ret) ||
	    llabs((long long)axes.stride[0]) != (long long)site->bytes)
		return true;
	advice_say_wider(site, ret);
	advice_estimate_lines(facts, ret);
	return true;
}

/*
 * A workgroup one work-item wide, along whose axis x the launch has contiguous elements: the launch
 * is to be changed, not the data. False if it is another one.
 */
static bool global_column(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct axis_strides axes;

	if (site->group[0] != 1 || site->group[1] < 2 || !axis_terms(site, &axes) || axes.fields ||
	    !axes.known[0] || llabs((long long)axes.stride[0]) != (long long)site->bytes ||
	    llabs((long long)facts->low) <= (long long)site->bytes || !advice_may_widen(site))
		return false;
	advice_say(ret->cause,
		   "a workgroup is one work-item wide in x, along which addresses are contiguous, "
		   "so that lanes are %lld B apart",
		   llabs((long long)facts->low));
	facts_append_touched(facts, ret);
	advice_say_wider(site, ret);
	advice_verify_lines(facts, axes.stride[0], ret);
	return true;
}

/* Are rows that begin after `run` lanes so near each other that none is as long as a wave? */
static bool are_short(const struct advice_site *site, uint64_t run)
{
	struct lane_offsets lanes;

	return lane_offsets(site, &lanes) &&
	       llabs((long long)lanes.offset[0][run]) < (long long)site->wave * site->bytes;
}

/* The same for rows that the program makes of one id: t % 16 and t / 16. */
static bool global_runs(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	uint64_t run;
	char rows[48];

	if (!site->row || site->row < site->wave || mostly_idle(facts))
		return false;
	run = runs_proved(site);
	if (!run && facts_computed(facts))
		run = runs_recorded(facts);
	if (run < 2 || run == site->wave)
		return false;
	advice_say(ret->cause, "runs of %llu lanes are contiguous, but apart from each other",
		   (unsigned long long)run);
	facts_append_touched(facts, ret);
	/*
	 * Longer rows only have to begin with a wave. In workgroups that end within a wave, waves
	 * begin within rows of an id in the grid, however long these are.
	 */
	if (run > site->wave || site->items % site->wave ||
	    (run < site->wave && are_short(site, run)))
		return true;
	advice_say(ret->fix,
		   "let %u consecutive lanes use consecutive elements (wider rows: t %% %u and t / "
		   "%u instead of t %% %u and t / %u)",
		   site->wave, site->wave, site->wave, (unsigned)run, (unsigned)run);
	snprintf(rows, sizeof(rows), "rows have at least %u elements", site->wave);
	advice_estimate(ret, facts_lines(facts),
			layout_lines_most(site, facts->line, site->bytes, site->wave),
			facts_each(facts, facts->used), rows);
	return true;
}

/* ---- Other patterns ------------------------------------------------------------------------- */

/*
 * Cache lines of an average execution, if those that cost too much gain as much as the recorded
 * ones: in proportion to what they exceed.
 */
static double sorted_lines(const struct facts *facts, const struct recorded_sorting *result)
{
	bool all = facts->site->recorded->executions < RECORDED_EXECUTIONS;
	double gain = (double)result->before - (double)result->after, lines;

	if (!all)
		gain *= (double)facts->excess / (double)result->excess;
	lines = facts_each(facts, facts->used) - gain / (double)facts->executions;
	return lines > 1 ? lines : 1;
}

/* Addresses depend on data: estimates the effect of sorting from the first waves. */
static void global_sorted(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double before = facts_each(facts, facts->used), after;
	struct recorded_sorting result;

	/*
	 * Sorted updates would meet at the same words, one after the other. Of several indices of a
	 * work-item, also of a loop that was unrolled, the order is not free.
	 */
	if (!site->info || site->info->address_class != PROBE_ADDRESS_GATHER ||
	    site->access == PROBE_ACCESS_ATOMIC || site->copies ||
	    facts_flag(facts, PROBE_ADDRESS_STAGED) || facts_flag(facts, PROBE_ADDRESS_LISTED) ||
	    !site->recorded || !recorded_sorted(site->recorded, site, facts->line, &result) ||
	    result.risen || !result.excess)
		return;
	after = sorted_lines(facts, &result);
	if (after * 10 > before * 9)
		return;
	advice_say(
		ret->fix,
		"sort or bin the indices so that neighbouring lanes use the same cache lines, or "
		"%s",
		site->access == PROBE_ACCESS_STORE ? "sort tiles in LDS before they are stored"
						   : "gather once into LDS");
	advice_estimate(ret, facts_lines(facts), after, before,
			"the addresses that all waves use in one step can be sorted without "
			"scattering other accesses, and are like those of the executions recorded");
}

/*
 * In scratch, element i of all lanes is contiguous; extra cost arises if lanes access different
 * elements. The indices come from data, but sorting does not help, because each lane has its own
 * array.
 */
static void global_scratch(const struct facts *facts, struct advice *ret)
{
	advice_say(ret->cause, "lanes access different elements of their private arrays");
	facts_append_touched(facts, ret);
	advice_say(ret->fix,
		   "use the same index in all lanes, or constant indices (unroll the loop), "
		   "which keep the array in registers");
	advice_estimate(ret, facts_lines(facts), 0, facts_each(facts, facts->used),
			"indices are constant and enough registers are free");
}

/*
 * Steps of a reduction, or launches of a pass, with strides of their own. Which elements a step
 * uses may follow from the data's layout: what is said is an estimate.
 */
static void varying_stride(const struct facts *facts, struct advice *ret)
{
	struct index_step step = index_step(facts->site, UINT64_MAX);

	/* A struct of unknown size. */
	if (!step.bytes && facts_flag(facts, PROBE_ADDRESS_MEMBER))
		return;
	advice_say(ret->fix, "let neighbouring lanes use neighbouring elements in every step");
	advice_estimate(ret, facts_lines(facts), advice_lines_apart(facts, &step),
			facts_each(facts, facts->used),
			"the elements of each step are, or can be stored, next to each other");
}

/*
 * A remainder, a minimum or a choice keeps most neighbours next to each other, so that another
 * index may still be the better one for lanes.
 */
static void wrapped_stride(const struct facts *facts, struct advice *ret)
{
	uint64_t stride = (uint64_t)llabs((long long)facts->low);
	struct index_step step = index_step(facts->site, stride);

	if (!facts_usual_stride(facts) || stride <= ADVICE_STRUCT_MAX || !step.certain ||
	    !step.other || step.bytes >= stride)
		return;
	advice_say_swap(facts, stride, true, ret);
	advice_estimate(ret, facts_lines(facts), advice_lines_apart(facts, &step),
			facts_each(facts, facts->used),
			"neighbours mostly stay next to each other, and at least a wave's number of "
			"consecutive elements is accessed");
}

void advice_global(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	char text[ADVICE_MAX / 2];

	if (site->space == PROBE_SPACE_SCRATCH) {
		global_scratch(facts, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDE && facts_computed(facts) &&
	    advice_stride_is_real(facts)) {
		if (!global_column(facts, ret))
			advice_stride(facts, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDES && facts_computed(facts)) {
		advice_say(ret->cause,
			   "the stride between lanes varies from %lld to %lld B between executions",
			   (long long)facts->low, (long long)facts->high);
		facts_append_touched(facts, ret);
		varying_stride(facts, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDE && site->bytes == site->unit &&
	    llabs((long long)facts->low) == (long long)site->bytes) {
		advice_contiguous(facts, ret);
		return;
	}
	if (global_rows(facts, ret) || global_runs(facts, ret))
		return;
	advice_say(ret->cause, "%s", facts_address(facts, text, sizeof(text)));
	facts_append_touched(facts, ret);
	if (site->info && site->info->address_class == PROBE_ADDRESS_WRAPPED)
		wrapped_stride(facts, ret);
	else
		global_sorted(facts, ret);
}

/* The most words that the lanes of a wave update, if the launch determines it; else 0. */
static unsigned words_of_wave(const struct advice_site *site)
{
	struct lane_offsets lanes;
	struct distinct distinct;
	unsigned most = 0;

	if (!lane_offsets(site, &lanes))
		return 0;
	for (unsigned wave = 0; wave < lanes.waves; wave++) {
		const uint64_t *offset = (const uint64_t *)lanes.offset[wave];
		unsigned words = distinct_of_lanes(&distinct, offset, lanes.exec[wave]);

		most = words > most ? words : most;
	}
	return most;
}

/* Lanes that wait for one before them; at least that many, where it was not counted. */
static uint64_t waiting(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	uint64_t words = site->counters[PROBE_C_LINES64] * (64 / site->bytes);

	if (site->waiting_known)
		return site->waiting;
	return facts->lanes > words ? facts->lanes - words : 0;
}

/* The L2 takes a cycle for an update of a word, in which it moves 64 bytes of others. */
bool advice_waits_most(const struct facts *facts)
{
	return !facts->excess || waiting(facts) * 64 > facts->excess * facts->line;
}

/*
 * Do lanes update the same words? Where that was counted, many of them, or so many that they cost
 * more than excess cache lines. Else it is known only if there are more lanes than words in their
 * cache lines.
 */
static bool is_contended(const struct facts *facts)
{
	const uint64_t *c = facts->site->counters;

	return facts->site->waiting_known ? facts->excess || waiting(facts) * 4 >= facts->lanes
					  : c[PROBE_C_LINES64] < c[PROBE_C_NEEDED64];
}

static void say_contended(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	const uint64_t *c = site->counters;

	advice_say(ret->cause,
		   "lanes update the same words of global memory, which serialises them: %.1f "
		   "lanes ",
		   facts_each(facts, facts->lanes));
	if (site->waiting_known)
		advice_append(ret->cause, "update %.1f words",
			      facts_each(facts, facts->lanes - site->waiting));
	else
		advice_append(
			ret->cause,
			"share %.1f cache lines of 64 B, where a word for each lane would fill "
			"%.1f",
			facts_each(facts, c[PROBE_C_LINES64]),
			facts_each(facts, c[PROBE_C_NEEDED64]));
}

/* If it pays, and the launch determines which lanes share a word. */
static void reduce_words(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double lanes = facts_each(facts, facts->lanes);
	unsigned most = words_of_wave(site);
	uint64_t words = facts->lanes - site->waiting;

	if (most && 2 * most * facts->executions <= facts->lanes) {
		if (facts_say_reduce(facts, true, ret))
			advice_verify_most(ret, "updates", most, lanes);
	} else if (!most && site->waiting_known && site->info && site->info->address_class &&
		   facts_computed(facts) && 2 * words <= facts->lanes &&
		   facts_say_reduce(facts, true, ret)) {
		advice_verify(ret, "updates", facts_each(facts, words), lanes);
	}
}

void advice_contended(const struct facts *facts, struct advice *ret)
{
	if (facts->pattern == PATTERN_STRIDE && !facts->low && facts->lanes > facts->executions &&
	    facts_computed(facts)) {
		/* Mostly a single lane: nothing to reduce. */
		if (facts->lanes < 2 * facts->executions)
			return;
		advice_say(ret->cause,
			   "all active lanes update one word of global memory, which "
			   "serialises them: %.1f on average",
			   facts_each(facts, facts->lanes));
		if (facts_say_reduce(facts, false, ret))
			advice_verify(ret, "updates of the word", 1,
				      facts_each(facts, facts->lanes));
	} else if (is_contended(facts)) {
		say_contended(facts, ret);
		reduce_words(facts, ret);
	}
}
