/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines if lanes have one constant stride. */
#include "handlers/advice/stride_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/rules/cache_lines.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffers.h"
#include "handlers/advice/index_step.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

enum { NEAR_LINES = 4 }; /* limit of source lines that a cause names */

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

	return advice_estimate(
		ret, facts_lines(facts), layout_lines(site, facts->line, site->bytes, site->wave),
		facts_each(facts, facts->used), "the first lane is at the start of a cache line");
}

static const char not_evaluated[] = "; effect on other accesses to the buffer not evaluated";

/* Appends the effect of the fix, which moves data, on the other accesses to the buffer. */
static void append_effect(const struct facts *facts, const char *fix, double after,
			  struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	char note[64] = "";

	if (!*ret->fix)
		return;
	if (!buffer) {
		advice_append(ret->fix, not_evaluated);
		return;
	}
	if (!buffer->others)
		return;
	if (buffer->strideless)
		snprintf(note, sizeof(note), " (%u without a stride, assumed unchanged)",
			 buffer->strideless);
	if (after < buffer->before) {
		advice_append(ret->fix,
			      "; with %u other access%s to the buffer%s %.0f cache lines of 128 "
			      "B in the run after, %.0f before",
			      buffer->others, buffer->others == 1 ? "" : "es", note, after,
			      buffer->before);
		return;
	}
	/* The other accesses lose as much as this one gains. */
	ret->verified = false;
	ret->before = ret->after = 0;
	ret->fix[0] = 0;
	advice_append(ret->cause,
		      "; %s would cost the %u other access%s to the buffer%s at least what it "
		      "gains here (%.0f cache lines of 128 B in the run after, %.0f before)",
		      fix, buffer->others, buffer->others == 1 ? "" : "es", note, after,
		      buffer->before);
}

/* The same for structs longer than those that are evaluated. */
static void append_unevaluated(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	if (!*ret->fix || (buffer && !buffer->others))
		return;
	advice_append(ret->fix, not_evaluated);
	if (buffer && buffer->contiguous)
		advice_append(ret->fix,
			      ": %u of them %s neighbouring elements in its present layout",
			      buffer->contiguous, buffer->contiguous == 1 ? "uses" : "use");
}

/* Says that the fix is to change the index, not the buffer. */
static void warn_of_transposing(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	if (*ret->fix && buffer && buffer->contiguous)
		advice_append(ret->fix,
			      "; do not transpose the buffer itself: its %u other access%s %s "
			      "neighbouring elements in its present layout",
			      buffer->contiguous, buffer->contiguous == 1 ? "" : "es",
			      buffer->contiguous == 1 ? "uses" : "use");
}

/* ---- Contiguous lanes ----------------------------------------------------------------------- */

/*
 * True if accesses near this one begin at other positions in a line, so that not all of them can be
 * aligned.
 */
static bool is_neighbourhood(const struct advice_site *site)
{
	for (unsigned i = 0; i < site->near_count; i++)
		if (site->near[i].distance % 128)
			return true;
	return false;
}

/*
 * True if all executions that cost too much were recorded, and none had an idle lane between active
 * ones.
 */
static bool without_gaps(const struct recorded_addresses *recorded)
{
	if (!recorded || recorded->executions == RECORDED_EXECUTIONS)
		return false;
	for (unsigned i = 0; i < recorded->executions; i++) {
		uint64_t exec = recorded->exec[i] >> __builtin_ctzll(recorded->exec[i]);

		if (exec & (exec + 1))
			return false;
	}
	return true;
}

/*
 * Some quad of lanes is in two cache lines, which never happens to aligned contiguous quads; or all
 * lanes are active, so that there is no other reason.
 */
static bool is_shifted(const struct facts *facts)
{
	const struct advice_site *site = facts->site;

	return facts->lanes == facts->executions * site->wave || without_gaps(site->recorded) ||
	       site->counters[PROBE_C_QUADS] > facts->executions * (site->wave / 4);
}

/* True if the workgroup size is the cause: waves are as full as it allows. */
static bool odd_group(const struct facts *facts)
{
	unsigned items = facts->site->items, wave = facts->site->wave;
	uint64_t waves = (items + wave - 1) / wave;

	return items % wave && facts->lanes * waves * 16 >= facts->executions * items * 15ull;
}

static void contiguous_odd_group(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	advice_say(ret->cause,
		   "workgroups of %u work-items fill %.1f of %u lanes of their waves "
		   "on average: they %s %.1f cache lines of %u B, %.1f would be enough",
		   site->items, facts_each(facts, facts->lanes), site->wave, facts_verb(facts),
		   facts_each(facts, facts->used), facts->line, facts_each(facts, facts->needed));
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

	return row && (row % facts->line == 0 || facts->line % row == 0);
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

/* Counters do not tell which of the two causes it is. */
static void say_idle(const struct facts *facts, const char *how, struct advice *ret)
{
	advice_say(ret->cause,
		   "%.1f of %u lanes are active on average: they %s %.1f cache lines of %u B, "
		   "%.1f would be enough%s",
		   facts_each(facts, facts->lanes), facts->site->wave, facts_verb(facts),
		   facts_each(facts, facts->used), facts->line, facts_each(facts, facts->needed),
		   how);
}

static void contiguous(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	const struct probe_site_info *info = site->info;
	unsigned flags = info ? info->address_flags : 0, anchor = 0;
	double after;

	if (odd_group(facts)) {
		contiguous_odd_group(facts, ret);
		return;
	}
	if (!is_shifted(facts)) {
		say_idle(facts,
			 " (idle lanes are between active ones, or the first active lane is not "
			 "at the start of a cache line)",
			 ret);
		return;
	}
	if (is_neighbourhood(site)) {
		say_misaligned(facts,
			       ", as some of the neighbouring elements that these lines use "
			       "always are",
			       ret);
		return;
	}
	say_misaligned(facts, "", ret);
	/*
	 * If a loop, an argument or a loaded value moves the address by other steps than whole
	 * lines, not all executions can be aligned.
	 */
	if (flags & PROBE_ADDRESS_MOVES || !can_align(facts) ||
	    (flags & PROBE_ADDRESS_SHIFTS && facts->excess < facts->executions))
		return;
	if (!aligned_recorded(facts, &anchor, &after))
		after = layout_lines(site, facts->line, site->bytes, site->wave);
	advice_say(ret->fix,
		   "align the address of the first %slane (base, offset, row pitch) to %u B",
		   anchor ? "active " : "", facts->line);
	advice_verify_most(ret, facts_lines(facts), after, facts_each(facts, facts->used));
	append_effect(facts, "to align it", site->buffer ? site->buffer->shifted : 0, ret);
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
	if (!facts_sparse(facts) || without_gaps(facts->site->recorded) ||
	    llabs((long long)facts->low) == (long long)facts->site->bytes)
		return true;
	return axis_strides(facts->site, &axes) && axes.known[0] && !axes.fields &&
	       axes.stride[0] == facts->low;
}

/* ---- Gaps between lanes --------------------------------------------------------------------- */

/* The source lines of the accesses near this one, each once. */
static void append_near_lines(const struct advice_site *site, struct advice *ret)
{
	uint32_t lines[NEAR_LINES];
	unsigned count = 0, k;

	for (unsigned i = 0; i < site->near_count && count < NEAR_LINES; i++) {
		for (k = 0; k < count && lines[k] != site->near[i].line; k++)
			;
		if (k == count && site->near[i].distance && site->near[i].line)
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

static void say_apart(const struct facts *facts, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	double own = facts_bytes_used(facts, false), near = facts_bytes_used(facts, true);

	advice_say(ret->cause,
		   "lanes are %lld B apart and %u B %s %s: %s of 128 B of each cache "
		   "line are used",
		   llabs((long long)facts->low), site->bytes, site->bytes == 1 ? "is" : "are",
		   facts->participle, advice_number(own).text);
	if (near <= own)
		return;
	advice_append(ret->cause, " by this access, %s with the %u access%s next to it",
		      advice_number(near).text, site->near_count - 1,
		      site->near_count > 2 ? "es" : "");
	append_near_lines(site, ret);
	if (near >= 128)
		advice_append(ret->cause,
			      ": no byte is wasted, but lines are requested more than once");
}

void advice_append_shared(const struct facts *facts, int64_t stride, struct advice *ret)
{
	const struct advice_site *site = facts->site;

	if (facts_bytes_at(facts, stride, false) >= 128 ||
	    facts_bytes_at(facts, stride, true) < 128)
		return;
	advice_append(ret->cause, "; with the %u access%s next to it", site->near_count - 1,
		      site->near_count > 2 ? "es" : "");
	append_near_lines(site, ret);
	advice_append(ret->cause, " no byte is wasted, but lines are requested more than once");
}

/* True if it is, or may be, a member of a struct; rows of matrices are arrays of short rows. */
static bool is_member(const struct advice_site *site)
{
	return !site->info || !site->info->address_class ||
	       site->info->address_flags & PROBE_ADDRESS_MEMBER;
}

/* One array for what the access uses is what is verified: it may be several members. */
void advice_say_arrays(const struct advice_site *site, int64_t stride, struct advice *ret)
{
	long long size = llabs((long long)stride);
	const char *these = site->bytes == 1 ? "this" : "these";

	/* Long rows may consist of several structs. */
	if (!is_member(site) || size > ADVICE_STRUCT_MAX)
		advice_say(ret->fix,
			   "store %s %u B of all %s of %lld B next to each other (a structure "
			   "of arrays, or columns instead of rows)",
			   these, site->bytes, is_member(site) ? "structs or rows" : "rows", size);
	else if (site->bytes <= 4)
		advice_say(ret->fix,
			   "use a structure of arrays (one array per member) instead of an "
			   "array of structs of %lld B",
			   size);
	else
		advice_say(ret->fix,
			   "use a structure of arrays (one array for these %u B) instead of an "
			   "array of structs of %lld B",
			   site->bytes, size);
}

const char advice_swap[] =
	"let threadIdx.x run along consecutive addresses (swap the loops or indices)";

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

bool advice_count_swap(const struct facts *facts, const struct index_step *step, double after,
		       struct advice *ret)
{
	double before = facts_each(facts, facts->used);
	char assumption[64];

	if (step->certain)
		return advice_verify_most(ret, facts_lines(facts), after, before);
	/* A struct of unknown size. */
	if (!step->bytes && facts_flag(facts, PROBE_ADDRESS_MEMBER)) {
		ret->fix[0] = 0;
		return false;
	}
	snprintf(assumption, sizeof(assumption), "neighbouring elements are %lld B apart",
		 (long long)advice_step_apart(facts->site, step));
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
	/* Rows may be as far apart as lanes of a row are, and need not be with other indices. */
	bool rows = facts->site->row && facts->site->row < facts->site->wave &&
		    facts->site->term_count && !has_linear_id(facts->site);
	double after = rows ? advice_lines_of_rows(facts, advice_step_apart(facts->site, step))
			    : advice_lines_apart(facts, step);

	advice_say(ret->fix, "%s, or pass a tile through LDS", advice_swap);
	if (advice_count_swap(facts, step, after, ret)) {
		warn_of_transposing(facts, ret);
		return;
	}
	/* Elements as long as cache lines. */
	if (!step->certain)
		return;
	advice_say(ret->fix, "%s", advice_swap);
	advice_append_split(facts, step, ret);
	advice_verify_lines(facts, facts->site->bytes, ret);
	append_unevaluated(facts, ret);
}

void advice_stride(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	const struct advice_site *site = facts->site;
	long long stride = llabs((long long)facts->low);
	unsigned bytes = site->bytes, unit = site->unit;
	struct index_step step;

	if (stride == (long long)bytes && bytes == unit) {
		contiguous(facts, ret);
		return;
	}
	/* Lanes share bytes: only few lanes touch more lines than their bytes would fill. */
	if (stride <= (long long)bytes && bytes == unit) {
		say_idle(facts, "", ret);
		return;
	}
	if (stride <= (long long)bytes) {
		advice_say(ret->cause,
			   "each lane's %u B are %s in %u accesses of %u B, each of which "
			   "touches all cache lines",
			   bytes, facts->participle, bytes / unit, unit);
		advice_say(ret->fix,
			   "let neighbouring lanes access neighbouring %u B pieces (elements "
			   "of %u B, or one array per piece)",
			   unit, unit);
		advice_verify_lines(facts, unit, ret);
		return;
	}
	if (facts_idle_between(facts))
		say_idle(facts, " (idle lanes are between active ones)", ret);
	else
		say_apart(facts, ret);
	step = index_step(site, (uint64_t)stride);
	if (stride > ADVICE_STRUCT_MAX && step.bytes < (uint64_t)stride && step.other) {
		swap_indices(facts, &step, ret);
		return;
	}
	if (stride > ADVICE_STRUCT_MAX && !advice_is_row(site))
		return;
	advice_say_arrays(site, stride, ret);
	if (!advice_verify_lines(facts, bytes, ret)) {
		advice_say_arrays(site, stride, ret);
		advice_estimate_lines(facts, ret);
	}
	if (stride <= ADVICE_STRUCT_MAX)
		append_effect(facts, "a structure of arrays", buffer ? buffer->split : 0, ret);
	else
		append_unevaluated(facts, ret);
}
