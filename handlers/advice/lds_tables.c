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

enum { BANKS_BYTES = 128 };

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
 * For a table that lanes update at proved distances: number of copies; lane l uses copy l % copies.
 */
static unsigned copies_proved(const struct facts *facts, struct probe_lds_scratch *scratch,
			      uint32_t *ret_after)
{
	const struct advice_site *site = facts->site;
	unsigned element = layout_element(site), best = 0;
	struct lane_offsets lanes;

	*ret_after = UINT32_MAX;
	if (!lane_offsets(site, &lanes))
		return 0;
	for (unsigned copies = 2; copies <= 32 && *ret_after &&
				  layout_copies_fit(site, span_of(&lanes, element), copies);
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
		if (worst >= *ret_after)
			continue;
		*ret_after = worst;
		best = copies;
	}
	return best;
}

/* Lanes that sum neighbouring entries would otherwise meet at the banks of one copy. */
static void propose_copies(const struct facts *facts, unsigned copies, double after, double before,
			   const char *assumption, struct advice *ret)
{
	unsigned words = BANKS_BYTES / layout_element(facts->site);
	char start[32];

	if (words > copies)
		snprintf(start, sizeof(start), "l / %u %% %u", words / copies, copies);
	else
		snprintf(start, sizeof(start), "l %% %u", copies);
	advice_say(ret->fix,
		   "keep %u copies of each entry of the table side by side, let lane l update copy "
		   "l %% %u, and sum them at the end, in lane l from copy %s on",
		   copies, copies, start);
	if (advice_estimate(ret, "conflicts", after, before, assumption))
		advice_append(
			ret->fix,
			"; setting the copies to 0 and summing them (%u words per entry) is not "
			"counted",
			copies);
}

void advice_lds_table(const struct facts *facts, struct probe_lds_scratch *scratch,
		      struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct recorded_copies tried;
	/* Old values of copies are not those of the table. */
	bool may_copy = !facts_flag(facts, PROBE_ADDRESS_RESULT | PROBE_ADDRESS_EXCHANGE);
	unsigned copies;
	uint32_t after;

	copies = copies_proved(facts, scratch, &after);
	if (copies && may_copy && after * 2 <= facts_each(facts, facts->conflicts)) {
		propose_copies(facts, copies, after, facts_each(facts, facts->conflicts), fits,
			       ret);
		return;
	}
	if (copies || !site->recorded || !recorded_copies(site->recorded, site, scratch, &tried))
		return;
	/*
	 * As many lanes update one word as are serialised: the contention is for words, not for
	 * banks.
	 */
	if (tried.share >= facts->way)
		advice_say(ret->cause,
			   "up to %u lanes of a wave update one word, which serialises them: %.1f "
			   "conflicts per execution, up to %llu-way",
			   tried.share, facts_each(facts, facts->conflicts),
			   (unsigned long long)facts->way);
	if (!tried.copies || !may_copy || tried.after * 2 > tried.before)
		return;
	propose_copies(facts, tried.copies, tried.after, tried.before,
		       site->recorded->executions == facts->executions ? fits : alike_fits, ret);
}
