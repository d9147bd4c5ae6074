/* SPDX-License-Identifier: MIT */
#include "handlers/advice/line_use.h"

#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/advice/lane_offsets.h"

enum {
	LINE = 128,
	NEARLY = 8, /* accesses share nearly all lines if 7/8 of what they cover is the same */
};

/* Bytes of a period, at most 128, that are used. */
struct period {
	unsigned bytes, used;
	bool marked[LINE];
};

static void mark(struct period *period, int64_t from, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		int64_t at = (from + i) % (int64_t)period->bytes;

		at += at < 0 ? (int64_t)period->bytes : 0;
		period->used += !period->marked[at];
		period->marked[at] = true;
	}
}

/* From the nearest lane of the one access to a lane of the other. */
static int64_t from_nearest(uint64_t apart, int64_t distance)
{
	int64_t rest = distance % (int64_t)apart, half = (int64_t)apart / 2;

	return rest > half ? rest - (int64_t)apart : rest < -half ? rest + (int64_t)apart : rest;
}

enum sharing { SHARING_NONE, SHARING_UNKNOWN, SHARING };

/* Do the lanes of all workgroups follow each other at one distance, so that it is known how far? */
static bool is_one_range(const struct advice_site *site, uint64_t apart)
{
	const unsigned groups = PROBE_TERM_GROUP | PROBE_TERM_SIZE;

	if (!site->info || site->info->address_class != PROBE_ADDRESS_AFFINE || !site->grid[0] ||
	    site->grid[1] != 1 || site->grid[2] != 1 || !advice_terms_known(site))
		return false;
	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];
		bool lanes = term->of == PROBE_TERM_ITEM || term->of == groups;

		if (term->of != PROBE_TERM_VALUE &&
		    !(lanes && (uint64_t)llabs((long long)term->step) == apart))
			return false;
	}
	return true;
}

/*
 * Is the other access in the lines of this one? Neighbouring lanes take turns, so that distances
 * count modulo theirs, as long as the other access is not in lines of other lanes only. Those of
 * other waves may be executed at another time.
 */
static enum sharing shares_lines(const struct line_use *use, const struct advice_site *site,
				 const struct advice_near *near)
{
	int64_t distance = advice_distance(site, near);
	uint64_t away = (uint64_t)llabs((long long)distance);

	if (away < LINE && use->apart >= LINE)
		return SHARING;
	if (use->apart > LINE && llabs((long long)from_nearest(use->apart, distance)) >= LINE)
		return SHARING_NONE;
	if (away < use->apart && use->apart <= LINE)
		return SHARING;
	if (away * NEARLY <= use->apart * use->lanes)
		return SHARING;
	return is_one_range(site, use->apart) && away >= use->apart * site->grid[0]
		       ? SHARING_NONE
		       : SHARING_UNKNOWN;
}

bool line_use_includes(const struct line_use *use, const struct advice_site *site,
		       const struct advice_near *near)
{
	return shares_lines(use, site, near) == SHARING;
}

static void mark_near(const struct line_use *use, const struct advice_site *site,
		      enum sharing sharing, struct period *period)
{
	for (unsigned i = 0; i < site->near_count; i++)
		if (shares_lines(use, site, &site->near[i]) == sharing)
			mark(period,
			     from_nearest(use->apart, advice_distance(site, &site->near[i])),
			     site->near[i].bytes);
}

/* `lanes` are neighbours; 0 = it is not known whether any are. */
static struct line_use use_at(const struct advice_site *site, uint64_t apart, uint64_t lanes)
{
	struct line_use ret = {.apart = apart, .lanes = lanes};
	struct period period = {.bytes = apart < LINE ? (unsigned)apart : LINE};
	unsigned used;

	if (!apart)
		return ret;
	mark(&period, 0, site->bytes);
	/* Lines differ if the stride is not a part of one. */
	ret.average = LINE % period.bytes;
	ret.own = (double)LINE * period.used / period.bytes;
	mark_near(&ret, site, SHARING, &period);
	for (unsigned i = 0; i < site->near_count; i++)
		ret.others += line_use_includes(&ret, site, &site->near[i]);
	ret.others -= ret.others != 0;
	used = period.used;
	mark_near(&ret, site, SHARING_UNKNOWN, &period);
	ret.shared = period.used == used ? (double)LINE * used / period.bytes : 0;
	return ret;
}

/*
 * Are active lanes neighbours? Lines have room for all lanes of an execution, so that they say how
 * many are idle between active ones. Few idle lanes of all executions are those behind the end of
 * an array.
 */
static bool are_neighbours(const struct facts *facts, uint64_t apart)
{
	const struct advice_site *site = facts->site;
	uint64_t lines = site->counters[PROBE_C_LINES128] * site->unit / site->bytes;
	uint64_t all = facts->executions * site->wave, idle = all - facts->lanes;

	return (idle < site->wave && idle * 16 <= all) || facts_fill(facts) == 1 ||
	       facts->lanes * apart * 16 >= lines * LINE * 15;
}

/* The mean of all lines that were requested; an access of several machine accesses requests them
 * that often. */
static double mean_use(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	double lines = (double)site->counters[PROBE_C_LINES128] * site->unit / site->bytes;

	return lines > 0 ? (double)facts->lanes * site->bytes / lines : 0;
}

struct line_use line_use(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	uint64_t apart = (uint64_t)llabs((long long)facts->low);
	struct line_use ret;
	double mean;

	if (facts->pattern != PATTERN_STRIDE || site->space == PROBE_SPACE_LDS)
		return (struct line_use){.own = 0};
	if (are_neighbours(facts, apart))
		return use_at(site, apart, facts_active(facts));
	ret = use_at(site, apart, 0);
	/* Each lane has lines of its own. */
	if (apart >= LINE)
		return ret;
	/* The same bytes are not counted for several lanes. */
	mean = apart >= site->bytes ? mean_use(facts) : 0;
	ret.average = true;
	ret.shared = ret.shared > ret.own ? 0 : ret.shared;
	ret.own = mean < ret.own ? mean : ret.own;
	ret.shared = ret.shared > 0 ? ret.own : 0;
	return ret;
}

struct line_use line_use_of_rows(const struct facts *facts, int64_t stride)
{
	const struct advice_site *site = facts->site;
	uint64_t apart = (uint64_t)llabs((long long)stride);

	return are_neighbours(facts, apart) ? use_at(site, apart, site->row)
					    : (struct line_use){.own = 0};
}
