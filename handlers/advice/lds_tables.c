/* SPDX-License-Identifier: MIT */
/* Tables in LDS that lanes update: copies of them. */
#include "handlers/advice/lds_tables.h"

#include <stdio.h>

#include <probe/handler.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

/* Lanes may use a small part of the table, and its size is not known. */
static const char fits[] = "the copies of the whole table fit in LDS";
static const char alike_fits[] = "other executions are like those recorded, and the copies of the "
				 "whole table fit in LDS";

/* Bytes from the lowest address of any wave to the end of the highest. */
static uint64_t span_of(const struct lane_offsets *lanes, unsigned element)
{
	int64_t low = 0, high = 0;

	for (unsigned wave = 0; wave < lanes->waves; wave++)
		for (unsigned lane = 0; lane < 64; lane++) {
			int64_t at = lanes->offset[wave][lane];

			low = at < low ? at : low;
			high = at > high ? at : high;
		}
	return (uint64_t)(high - low) + element;
}

/*
 * For a table that lanes update at proved distances: copies of it, of which lane l uses copy
 * l % copies. False if the distances are not known.
 */
static bool copies_proved(const struct facts *facts, struct probe_lds_scratch *scratch,
			  struct layout_copies *ret)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site);
	struct lane_offsets lanes;

	*ret = (struct layout_copies){0};
	if (!lane_offsets(site, &lanes))
		return false;
	ret->table = span_of(&lanes, element);
	for (unsigned copies = 2; copies <= 32 && layout_copies_fit(site, ret->table, copies);
	     copies *= 2) {
		uint32_t worst = 0;

		for (unsigned wave = 0; wave < lanes.waves; wave++) {
			uint32_t addr[64] = {0}, left;

			for (unsigned lane = 0; lane < site->wave; lane++)
				addr[lane] = (1u << 20) +
					     (uint32_t)lanes.offset[wave][lane] * copies +
					     lane % copies * element;
			left = layout_conflicts_at(site, lanes.exec[wave], addr, scratch);
			worst = left > worst ? left : worst;
		}
		layout_copies_try(site, copies, worst, ret);
	}
	return ret->copies;
}

/* Lanes that sum neighbouring entries would otherwise meet at the banks of one copy. */
static void propose_copies(const struct facts *facts, const struct layout_copies *kept,
			   double before, const char *assumption, struct advice *ret)
{
	unsigned words = LDS_PASS_BYTES / layout_element(facts->site), copies = kept->copies;
	char start[32];

	if (words > copies)
		snprintf(start, sizeof(start), "l / %u %% %u", words / copies, copies);
	else
		snprintf(start, sizeof(start), "l %% %u", copies);
	advice_say(ret->fix,
		   "keep %u copies of each entry of the table side by side, let lane l update copy "
		   "l %% %u, and sum the copies at the end (lane l begins with copy %s)",
		   copies, copies, start);
	if (advice_estimate(ret, "conflicts", kept->after, before, assumption))
		advice_append(ret->fix,
			      "; setting the copies to 0 and summing them takes %.1f more LDS "
			      "passes per execution, if the table has the %llu entries that were "
			      "updated",
			      kept->cost,
			      (unsigned long long)(kept->table / layout_element(facts->site)));
}

/* Do copies save half of the conflicts, with what they cost? */
static bool copies_pay(const struct layout_copies *kept, double before)
{
	return kept->copies && (kept->after + kept->cost) * 2 <= before;
}

void advice_lds_table(const struct facts *facts, struct probe_lds_scratch *scratch,
		      struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct recorded_copies tried;
	/* Old values of copies are not those of the table. */
	bool may_copy = !facts_flag(facts, PROBE_ADDRESS_RESULT | PROBE_ADDRESS_EXCHANGE);
	double each = facts_each(facts, facts->conflicts);
	struct layout_copies proved;

	if (copies_proved(facts, scratch, &proved)) {
		if (may_copy && copies_pay(&proved, each))
			propose_copies(facts, &proved, each, fits, ret);
		return;
	}
	if (!site->recorded || !recorded_copies(site->recorded, site, scratch, &tried))
		return;
	/*
	 * As many lanes update one word as are serialised: the contention is for words, not for
	 * banks.
	 */
	if (tried.share >= facts->way)
		advice_say(ret->cause,
			   "up to %u lanes of a wave update one word, which serialises them: %.1f "
			   "conflicts per execution, up to %llu-way",
			   tried.share, each, (unsigned long long)facts->way);
	if (may_copy && copies_pay(&tried.best, tried.before))
		propose_copies(facts, &tried.best, tried.before,
			       site->recorded->executions == facts->executions ? fits : alike_fits,
			       ret);
}
