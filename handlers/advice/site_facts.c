/* SPDX-License-Identifier: MIT */
#include "handlers/advice/site_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

struct facts facts_of(const struct advice_site *site)
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
		.participle = site->access == PROBE_ACCESS_LOAD	   ? "read"
			      : site->access == PROBE_ACCESS_STORE ? "written"
								   : "updated",
	};

	if (c[PROBE_C_STRIDE_HI] && c[PROBE_C_STRIDE_LO]) {
		facts.high = advice_read_stride(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS);
		facts.low = advice_read_stride(PROBE_STRIDE_BIAS - c[PROBE_C_STRIDE_LO]);
		facts.pattern = c[PROBE_C_AFFINE] < facts.executions ? PATTERN_MIXED
				: facts.low == facts.high	     ? PATTERN_STRIDE
								     : PATTERN_STRIDES;
	} else {
		facts.pattern = PATTERN_NONE;
	}
	return facts;
}

unsigned facts_active(const struct facts *facts)
{
	return (unsigned)((facts->lanes + facts->executions - 1) / facts->executions);
}

double facts_each(const struct facts *facts, uint64_t sum)
{
	return (double)sum / (double)facts->executions;
}

/* Bytes of memory that the lanes use, each counted once. */
static unsigned distinct_bytes(const struct advice_site *site, uint64_t exec,
			       const int64_t offset[64])
{
	int64_t reached[64] = {0};
	unsigned count = 0, bytes = 0;

	/* Sorted by insertion: each adds what is above those before it. */
	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		int64_t at = offset[__builtin_ctzll(rest)];
		unsigned i = count++;

		for (; i && reached[i - 1] > at; i--)
			reached[i] = reached[i - 1];
		reached[i] = at;
	}
	for (unsigned i = 0; i < count; i++) {
		int64_t gap = i ? reached[i] - reached[i - 1] : site->bytes;

		bytes += gap < site->bytes ? (unsigned)gap : site->bytes;
	}
	return bytes;
}

/* The lanes of all executions. */
static bool all_lanes(const struct facts *facts, struct lane_offsets *ret)
{
	const struct recorded_addresses *recorded = facts->site->recorded;

	return lane_offsets(facts->site, ret) ||
	       (recorded && recorded->executions == facts->executions &&
		lanes_recorded(recorded, ret));
}

const char *facts_at_most(const struct facts *facts)
{
	bool apart = facts->pattern == PATTERN_STRIDE &&
		     (uint64_t)llabs((long long)facts->low) >= facts->site->bytes;
	struct lane_offsets lanes;

	return apart || all_lanes(facts, &lanes) ? "" : " at most";
}

double facts_needed(const struct facts *facts)
{
	double needed = facts_each(facts, facts->needed), lines = 0;
	struct lane_offsets lanes;

	if (!all_lanes(facts, &lanes))
		return needed;
	for (unsigned wave = 0; wave < lanes.waves; wave++) {
		unsigned bytes = distinct_bytes(facts->site, lanes.exec[wave], lanes.offset[wave]);
		unsigned most = (bytes + facts->line - 1) / facts->line;

		lines = most > lines ? most : lines;
	}
	return lines < needed ? lines : needed;
}

bool facts_show_excess(const struct facts *facts, int digits)
{
	double used = facts_each(facts, facts->used), needed = facts_needed(facts);
	char texts[2][32];

	snprintf(texts[0], sizeof(texts[0]), "%.*f", digits, used);
	snprintf(texts[1], sizeof(texts[1]), "%.*f", digits, needed);
	return needed < used && strcmp(texts[0], texts[1]) != 0;
}

void facts_append_touched(const struct facts *facts, struct advice *ret)
{
	if (facts_show_excess(facts, 1))
		advice_append(ret->cause, ": %.1f cache lines of %u B touched, %.1f needed%s",
			      facts_each(facts, facts->used), facts->line, facts_needed(facts),
			      facts_at_most(facts));
	else
		advice_append(ret->cause,
			      ": some executions touch more cache lines of %u B than needed (%s "
			      "more on average over all)",
			      facts->line, advice_number(facts_each(facts, facts->excess)).text);
}

const char *facts_verb(const struct facts *facts)
{
	return facts->site->access == PROBE_ACCESS_LOAD	   ? "read"
	       : facts->site->access == PROBE_ACCESS_STORE ? "write"
							   : "update";
}

const char *facts_lines(const struct facts *facts)
{
	return facts->line == 64 ? "cache lines of 64 B" : "cache lines of 128 B";
}

/* "the index comes from the load at a.hip:12 (gather)", from data flow. */
static void loaded_index(const struct facts *facts, const char *how, char *text, size_t size)
{
	const char *source = facts->site->info->index_source, *from = source ? source : "";
	const char *slash = strrchr(from, '/');
	bool update = facts_flag(facts, PROBE_ADDRESS_UPDATE);

	if (*from)
		snprintf(text, size, "the index comes from the %s at %s (%s)",
			 update ? "atomic update" : "load", slash ? slash + 1 : from, how);
	else
		snprintf(text, size, "the index comes from %s (%s)",
			 update ? "an atomic update" : "a load", how);
}

const char *facts_loaded(const struct facts *facts, char *text, size_t size)
{
	const struct probe_site_info *info = facts->site->info;
	unsigned class = info ? info->address_class : 0;
	char how[ADVICE_MAX / 2 - 4];

	*text = 0;
	if (class != PROBE_ADDRESS_GATHER && class != PROBE_ADDRESS_CHASE)
		return text;
	loaded_index(facts, class == PROBE_ADDRESS_GATHER ? "gather" : "pointer chase", how,
		     sizeof(how));
	snprintf(text, size, " (%s)", how);
	return text;
}

/* A wave has several rows of the workgroup's work-items. */
static bool wave_has_rows(const struct advice_site *site)
{
	return site->row && site->row < site->wave && site->items > site->row;
}

/* No two neighbouring lanes are active in the recorded executions. */
static bool recorded_apart(const struct recorded_addresses *recorded)
{
	for (unsigned i = 0; i < recorded->executions; i++)
		if (recorded->exec[i] & recorded->exec[i] >> 1)
			return false;
	return recorded->executions;
}

bool facts_idle_between(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	uint64_t stride = (uint64_t)llabs((long long)facts->low), quads;

	if (site->space == PROBE_SPACE_LDS || facts->lanes < 2 * facts->executions)
		return false;
	if (site->recorded)
		return recorded_apart(site->recorded);
	/* Neighbours fill their lines, but for the first and the last one. */
	if (stride < 64)
		return facts->used * facts->line >= 2 * facts->lanes * stride &&
		       facts->used * facts->line >
			       facts->lanes * stride + 2ull * facts->line * facts->executions;
	/*
	 * Each active lane has a line of its own, each idle quad counts as one: the quads with
	 * active lanes. Neighbours fill them, but for the first and the last one.
	 */
	quads = facts->lanes + facts->executions * (site->wave / 4);
	quads -= site->counters[PROBE_C_QUADS] < quads ? site->counters[PROBE_C_QUADS] : quads;
	return facts->lanes <= 2 * quads && 4 * quads > facts->lanes + 6 * facts->executions;
}

/*
 * Is the stride that of neighbouring lanes, also where idle lanes may be between active ones? Not
 * all of more than half of them are apart.
 */
static bool is_of_neighbours(const struct facts *facts)
{
	struct axis_strides axes;

	return 2 * facts->lanes > facts->executions * facts->site->wave ||
	       recorded_without_gaps(facts->site->recorded) ||
	       (axis_terms(facts->site, &axes) && axes.known[0] && axes.stride[0] == facts->low);
}

bool facts_usual_stride(const struct facts *facts)
{
	return facts->low == facts->high && facts->low &&
	       2 * facts->site->counters[PROBE_C_AFFINE] > facts->executions &&
	       !facts_idle_between(facts) && is_of_neighbours(facts);
}

/*
 * "lanes are 8 B apart in 15 of 16 executions (in the others, ...)", if that is most of them. In all
 * of them, the stride is the cause, whatever the index is computed by.
 */
static bool say_usual_stride(const struct facts *facts, const char *why, char *text, size_t size)
{
	uint64_t affine = facts->site->counters[PROBE_C_AFFINE];
	char most[ADVICE_MAX / 4] = "";

	if (!facts_usual_stride(facts))
		return false;
	if (affine < facts->executions)
		snprintf(most, sizeof(most), " in %llu of %llu executions (%s)",
			 (unsigned long long)affine, (unsigned long long)facts->executions, why);
	snprintf(text, size, "lanes are %lld B apart%s", llabs((long long)facts->low), most);
	return true;
}

const char *facts_address(const struct facts *facts, char *text, size_t size)
{
	static const char wrapped[] = "the index has a remainder, a minimum or a select (periodic, "
				      "clamped, masked, chosen, or divided into rows and columns)";
	const struct probe_site_info *info = facts->site->info;
	unsigned class = info ? info->address_class : 0;

	switch (class) {
	case PROBE_ADDRESS_GATHER:
		loaded_index(facts, "gather", text, size);
		break;
	case PROBE_ADDRESS_CHASE:
		loaded_index(facts, "pointer chase", text, size);
		break;
	case PROBE_ADDRESS_WRAPPED:
		if (say_usual_stride(facts,
				     "in the others, a remainder, a minimum or a select of the index "
				     "moves lanes",
				     text, size))
			break;
		/* Which of the two costs is not known. */
		if (wave_has_rows(facts->site))
			snprintf(text, size, "a wave has several rows of %u work-items, and %s",
				 facts->site->row, wrapped);
		else
			snprintf(text, size, "%s", wrapped);
		break;
	case PROBE_ADDRESS_COMPUTED:
		snprintf(text, size, "the index is computed from ids or loop variables%s",
			 facts->pattern == PATTERN_STRIDE ? ""
							  : ", without one stride in the wave");
		break;
	default:
		if (class == PROBE_ADDRESS_ROWS &&
		    say_usual_stride(facts, "the index has several terms", text, size))
			break;
		if (class == PROBE_ADDRESS_ROWS)
			snprintf(text, size,
				 "lanes have several strides (rows, or parts of an id)");
		else if (class == PROBE_ADDRESS_AFFINE && wave_has_rows(facts->site))
			snprintf(text, size,
				 "the lanes of a wave are in several rows of the workgroup");
		else if (class == PROBE_ADDRESS_AFFINE && facts->pattern == PATTERN_STRIDE)
			snprintf(text, size, "%.1f of %u lanes are active on average",
				 facts_each(facts, facts->lanes), facts->site->wave);
		else if (facts->pattern == PATTERN_MIXED)
			snprintf(text, size, "only %llu of %llu executions have a constant stride",
				 (unsigned long long)facts->site->counters[PROBE_C_AFFINE],
				 (unsigned long long)facts->executions);
		else
			snprintf(text, size, "addresses follow no constant stride");
	}
	return text;
}

bool facts_computed(const struct facts *facts)
{
	const struct probe_site_info *info = facts->site->info;
	unsigned class = info ? info->address_class : 0;

	return class != PROBE_ADDRESS_GATHER && class != PROBE_ADDRESS_CHASE &&
	       class != PROBE_ADDRESS_WRAPPED;
}

bool facts_flag(const struct facts *facts, unsigned flag)
{
	return facts->site->info && facts->site->info->address_flags & flag;
}

bool facts_say_reduce(const struct facts *facts, bool several, struct advice *ret)
{
	const char *which = several ? "each" : "the";

	if (facts_flag(facts, PROBE_ADDRESS_EXCHANGE))
		return false;
	if (facts_flag(facts, PROBE_ADDRESS_RESULT))
		advice_say(ret->fix,
			   "reduce within the wave first (cross-lane operations), let one lane "
			   "update %s word, and compute each lane's result from the old value and "
			   "the lanes before it",
			   which);
	else
		advice_say(ret->fix,
			   "reduce within the wave first (cross-lane operations) and let one "
			   "lane update %s word",
			   which);
	return true;
}

bool facts_single_stride(const struct facts *facts)
{
	const struct probe_site_info *info = facts->site->info;

	return info && info->address_class == PROBE_ADDRESS_AFFINE &&
	       facts->pattern == PATTERN_STRIDE && facts->site->row && facts->site->items &&
	       !wave_has_rows(facts->site);
}

double facts_fill(const struct facts *facts)
{
	unsigned items = facts->site->items, wave = facts->site->wave;
	unsigned waves = items ? (items + wave - 1) / wave : 1;

	return (double)facts->lanes * waves / ((double)facts->executions * (items ? items : wave));
}

bool facts_sparse(const struct facts *facts)
{
	return facts_fill(facts) < 15. / 16;
}

bool facts_nearly_recorded(const struct facts *facts)
{
	const struct recorded_addresses *recorded = facts->site->recorded;

	return recorded && recorded->executions * 16ull >= facts->executions * 15;
}
