/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines if lanes have one constant stride. */
#include "handlers/advice/stride_advice.h"

#include <stdio.h>
#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffer_advice.h"
#include "handlers/advice/contiguous_advice.h"
#include "handlers/advice/index_step.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/line_use.h"
#include "handlers/advice/moved_cost.h"
#include "handlers/advice/recorded_addresses.h"

bool advice_verify_lines(const struct facts *facts, int64_t stride, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	return advice_verify_most(ret, facts_lines(facts),
				  layout_lines_most(site, facts->line, stride, site->wave),
				  facts_each(facts, facts->used));
}

bool advice_estimate_lines(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	return advice_estimate(ret, facts_lines(facts),
			       layout_lines(site, facts->line, advice_piece(site), site->wave),
			       facts_each(facts, facts->used),
			       "the first lane is at the start of a cache line");
}

/*
 * True if the distance between active lanes is that of adjacent lanes. With idle lanes in between
 * it may be that of rows, divided by the lanes per row.
 */
bool advice_stride_is_real(const struct facts *facts)
{
	struct axis_strides axes;

	if (facts_single_stride(facts))
		return true;

	/* Whether contiguous lanes are contiguous makes no difference to what is said of them. */
	if (!facts_sparse(facts) || recorded_without_gaps(facts->site->recorded) ||
	    llabs((long long)facts->low) == (long long)facts->site->bytes)
		return true;
	return axis_strides(facts->site, &axes) && axes.known[0] && !axes.fields &&
	       axes.stride[0] == facts->low;
}

/* ---- Gaps between lanes --------------------------------------------------------------------- */

/*
 * Do iterations of a loop use bytes of a cache line that others leave? Not if they are whole lines
 * apart. The step of a multiple of an argument is not known, and parts of the iteration's number
 * need not change with each of them.
 */
static bool iterations_may_share(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	uint64_t apart = (uint64_t)llabs((long long)facts->low);

	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];
		uint64_t step = (uint64_t)llabs((long long)term->step);

		if (term->of & PROBE_TERM_LOOP && term->of & PROBE_TERM_UNKNOWN)
			return true;
		/* A multiple of one that may be 1. */
		if (term->of == (PROBE_TERM_LOOP | PROBE_TERM_VALUE) && apart >= 128 &&
		    (uint64_t)llabs((long long)term->step) <= site->bytes)
			return true;
		/* Other lanes use what is a multiple of their distance away. */
		if (!(term->of & PROBE_TERM_LOOP) || !step || step >= 128 ||
		    (apart && step % apart == 0))
			continue;
		if (term->of == PROBE_TERM_LOOP || term->of & PROBE_TERM_PART)
			return true;
	}
	return false;
}

/* Who uses, or may use, the bytes of a cache line that one execution leaves. */
static void append_rest(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	if (iterations_may_share(facts))
		advice_append(ret->cause, " at a time; other iterations may use other bytes of "
					  "these cache lines, and request them again");
	else if (site->copies)
		advice_append(ret->cause,
			      " at a time; its %u cop%s (an unrolled loop) may use other bytes of "
			      "these cache lines, and request%s them again",
			      site->copies, site->copies == 1 ? "y" : "ies",
			      site->copies == 1 ? "s" : "");
}

static void say_apart(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	const struct line_use use = line_use(facts);

	advice_say(ret->cause, "lanes are %lld B apart and %u B %s %s",
		   llabs((long long)facts->low), site->bytes, site->bytes == 1 ? "is" : "are",
		   facts->participle);
	if (use.own <= 0)
		return;
	advice_append(ret->cause, ": %s%s of 128 B of each cache line are used by this access",
		      use.average ? "on average " : "", advice_number(use.own).text);
	if (use.shared > use.own) {
		advice_append(ret->cause, ", %s with the %u access%s next to it",
			      advice_number(use.shared).text, use.others,
			      use.others > 1 ? "es" : "");
		advice_append_near_lines(site, &use, ret);
	}
	if (use.shared >= 128)
		advice_append(ret->cause,
			      ": no byte is wasted, but cache lines are requested more than once");
	else if (use.own < 128)
		append_rest(facts, ret);
}

void advice_append_shared(const struct facts *facts, int64_t stride, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	const struct line_use use = line_use_of_rows(facts, stride);

	if (use.own >= 128 || use.shared < 128)
		return;
	advice_append(ret->cause, "; with the %u access%s next to it", use.others,
		      use.others > 1 ? "es" : "");
	advice_append_near_lines(site, &use, ret);
	advice_append(ret->cause, " no byte is wasted, but cache lines are requested more than "
				  "once");
}

bool advice_is_member(const struct advice_site *site)
{
	return !site->info || !site->info->address_class ||
	       site->info->address_flags & PROBE_ADDRESS_MEMBER;
}

/* One array for what the access uses is what is verified: it may be several members. */
void advice_say_arrays(const struct advice_site *site, int64_t stride, struct advice *ret)
{
	long long size = llabs((long long)stride);
	const char *these = site->bytes == 1 ? "this" : "these";

	if (advice_piece(site) < site->bytes) {
		advice_say(ret->fix,
			   "let neighbouring lanes access neighbouring %u B pieces (elements of %u "
			   "B, or one array per piece)",
			   advice_piece(site), advice_piece(site));
		return;
	}
	/*
	 * Lanes may be on a diagonal. Their distance need not be the size of a struct: lanes may
	 * use every second one, and rows may have several.
	 */
	advice_say(ret->fix,
		   "store %s %u B of neighbouring lanes, now %lld B apart, next to each other (a "
		   "structure of arrays%s)",
		   these, site->bytes, size,
		   !advice_is_member(site)    ? ", or columns or diagonals instead of rows"
		   : size > ADVICE_STRUCT_MAX ? ", or columns instead of rows"
					      : "");
}

void advice_say_swap(const struct facts *facts, uint64_t stride, bool alternative,
		     struct advice *ret)
{
	const struct compared_access *to = advice_moves_to(facts->site, stride);
	unsigned index = advice_smallest_index(facts->site, stride);
	struct probe_frame_info place = {.line = 0};
	const char *what = !to				      ? ""
			   : to->access == PROBE_ACCESS_LOAD  ? "load"
			   : to->access == PROBE_ACCESS_STORE ? "store"
							      : "update";

	if (!to) {
		advice_say(
			ret->fix,
			"let threadIdx.x run along consecutive addresses (swap the loops or indices)%s",
			alternative ? ", or pass a tile through LDS" : "");
		ret->others_move = true;
		return;
	}
	advice_say(ret->fix,
		   "stage a tile in LDS, with as many rows as columns, so that threadIdx.x runs "
		   "along consecutive addresses");
	if (facts->site->info)
		place = probe_site_user_place(facts->site->info);
	/* No tile makes indices from data consecutive. */
	if (to->loaded)
		advice_append(ret->fix, " here");
	else if (place.line && to->line == place.line && to->column == place.column)
		/* A copy of the access, or the other half of an assignment of a struct. */
		advice_append(ret->fix, " here and in %s%s at the same position",
			      to->access == facts->site->access ? "another " : "the ", what);
	else if (to->line)
		advice_append(ret->fix, " here and in the %s at line %u, column %u", what, to->line,
			      to->column);
	else
		advice_append(ret->fix, " in all accesses");
	/* Lanes that are near each other may be in few lines there, too. */
	if (stride <= ADVICE_STRUCT_MAX)
		return;
	advice_append(ret->fix, " (swapping the indices alone %s move the cost ",
		      to->known && index ? "would" : "may");
	if (to->loaded && to->line)
		advice_append(ret->fix, "to the %s at line %u)", what, to->line);
	else
		advice_append(ret->fix, to->line ? "there)" : "to another one)");
}

/*
 * Should indices be swapped, or a tile be staged, rather than data be stored in another order?
 * Lanes that are near each other need another index for it, which only the terms show, or go
 * element by element through what they have of an array.
 */
static bool is_swapped(const struct advice_site *site, uint64_t stride,
		       const struct index_step *step)
{
	const struct compared_access *to = advice_moves_to(site, stride);
	bool walks = step->bytes == site->bytes && advice_smallest_index(site, stride) & 8;
	bool apart = stride > ADVICE_STRUCT_MAX ||
		     (advice_terms_known(site) && !advice_is_member(site) &&
		      (walks || (to && to->contiguous)));

	return apart && step->bytes < stride && step->other;
}

int64_t advice_step_apart(const struct advice_site *site, const struct index_step *step)
{
	return step->bytes > site->bytes ? (int64_t)step->bytes : site->bytes;
}

double advice_lines_apart(const struct facts *facts, const struct index_step *step)
{
	const struct advice_site *site = facts->site;

	return layout_lines_most(site, facts->line, advice_step_apart(site, step), site->wave);
}

uint32_t advice_lines_of_rows(const struct facts *facts, int64_t stride)
{
	const struct advice_site *site = facts->site;
	unsigned row = site->row < site->wave ? site->row : site->wave;
	unsigned rows = (site->wave + row - 1) / row + (site->wave % row != 0);

	return rows * layout_lines_most(site, facts->line, stride, row);
}

/* The most cache lines of a wave whose lanes go through so few values, row after row. */
static double lines_of_few(const struct facts *facts, const struct index_step *step)
{
	const struct advice_site *site = facts->site;
	unsigned values = (unsigned)step->values, rows = (site->wave + values - 1) / values;

	return rows * layout_lines_most(site, facts->line, advice_step_apart(site, step), values);
}

bool advice_count_swap(const struct facts *facts, const struct index_step *step, unsigned lanes,
		       double after, struct advice *ret)
{
	double before = facts_each(facts, facts->used);
	bool few = step->values < lanes;
	char assumption[192], many[64] = "";

	if (few && !step->more && step->bytes) {
		double most = lines_of_few(facts, step);

		after = most > after ? most : after;
		few = false;
	}
	if (step->certain && !few)
		return advice_verify_most(ret, facts_lines(facts), after, before);
	if (step->certain) {
		snprintf(assumption, sizeof(assumption),
			 "at least %u consecutive elements are accessed", lanes);
		return advice_estimate(ret, facts_lines(facts), after, before, assumption);
	}
	/* A struct of unknown size. */
	if (!step->bytes && facts_flag(facts, PROBE_ADDRESS_MEMBER)) {
		ret->fix[0] = 0;
		return false;
	}
	/* Without terms it is not known which other accesses depend on the index; a tile in LDS
	 * leaves them. */
	if (few)
		snprintf(many, sizeof(many), " and at least %u consecutive ones are accessed",
			 lanes);
	snprintf(assumption, sizeof(assumption), "neighbouring elements are %lld B apart%s%s",
		 (long long)advice_step_apart(facts->site, step), many,
		 advice_terms_known(facts->site) || advice_moves_to(facts->site, 0)
			 ? ""
			 : ", and other accesses do not lose what this one gains");
	return advice_estimate(ret, facts_lines(facts), after, before, assumption);
}

void advice_append_split(const struct facts *facts, const struct index_step *step,
			 struct advice *ret)
{
	advice_append(ret->fix,
		      ", and store %s %u B of all elements of %llu B next to each other (a "
		      "structure of arrays)",
		      facts->site->bytes == 1 ? "this" : "these", facts->site->bytes,
		      (unsigned long long)step->bytes);
}

/* Lanes are farther apart than neighbouring elements. */
static void swap_indices(const struct facts *facts, const struct index_step *step,
			 struct advice *ret)
{
	uint64_t stride = (uint64_t)llabs((long long)facts->low);

	/* Rows may be as far apart as lanes of a row are, and need not be with other indices. */
	bool rows = facts->site->row && facts->site->row < facts->site->wave &&
		    facts->site->term_count && !has_linear_id(facts->site);
	unsigned lanes = rows ? facts->site->row : facts->site->wave;
	double after = rows ? advice_lines_of_rows(facts, advice_step_apart(facts->site, step))
			    : advice_lines_apart(facts, step);

	advice_say_swap(facts, stride, true, ret);
	if (advice_count_swap(facts, step, lanes, after, ret)) {
		advice_warn_of_transposing(facts, ret);
		return;
	}
	/*
	 * Elements as long as cache lines. Steps of others are those of a loop that was unrolled,
	 * or whose accesses were merged.
	 */
	if (!step->certain || !advice_is_member(facts->site))
		return;
	advice_say_swap(facts, stride, false, ret);
	advice_append_split(facts, step, ret);
	advice_verify_lines(facts, facts->site->bytes, ret);
	advice_append_unevaluated(facts, ret);
}

void advice_stride(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	long long stride = llabs((long long)facts->low);
	unsigned bytes = site->bytes, unit = site->unit;
	struct index_step step;

	if (stride == (long long)bytes && bytes == unit) {
		advice_contiguous(facts, ret);
		return;
	}
	/* Lanes share bytes: only few lanes touch more lines than their bytes would fill. */
	if (stride <= (long long)bytes && bytes == unit) {
		advice_say_idle(facts, "", ret);
		if (!facts_show_excess(facts, 1))
			advice_append(ret->cause, "; neighbouring lanes share bytes");
		return;
	}
	if (stride <= (long long)bytes) {
		advice_say(ret->cause,
			   "each lane's %u B are %s in %u accesses of %u B, each of which "
			   "touches all cache lines",
			   bytes, facts->participle, bytes / unit, unit);
		advice_say_arrays(site, stride, ret);
		advice_verify_lines(facts, unit, ret);
		return;
	}
	if (facts_idle_between(facts))
		advice_say_idle(facts, " (idle lanes are between active ones)", ret);
	else
		say_apart(facts, ret);
	step = index_step(site, (uint64_t)stride);
	if (is_swapped(site, (uint64_t)stride, &step)) {
		swap_indices(facts, &step, ret);
		return;
	}
	if (!advice_is_row(site))
		return;
	advice_say_arrays(site, stride, ret);
	if (!advice_verify_lines(facts, advice_piece(site), ret)) {
		advice_say_arrays(site, stride, ret);
		advice_estimate_lines(facts, ret);
	}
	if (stride <= ADVICE_STRUCT_MAX)
		advice_append_effect(facts, "a structure of arrays",
				     ", each array from the start of a cache line,", ret);
	else
		advice_append_unevaluated(facts, ret);
}
