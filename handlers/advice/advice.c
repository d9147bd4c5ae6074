/* SPDX-License-Identifier: MIT */
#include "handlers/advice/advice.h"

#include <string.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/global_advice.h"
#include "handlers/advice/lds_advice.h"
#include "handlers/advice/line_use.h"

double advice_line_used(const struct advice_site *site, bool with_near)
{
	const struct facts facts = facts_of(site);
	struct line_use use = {.own = 0};

	if (facts.executions)
		use = line_use(&facts);
	return with_near ? use.shared : use.own;
}

/* Strides, lanes and executions of a flat access are those in LDS and in memory together. */
static bool is_in_both(const struct advice_site *site)
{
	return site->space == PROBE_SPACE_FLAT && site->counters[PROBE_C_PASSES] &&
	       site->counters[PROBE_C_LINES64];
}

void advice_find(const struct advice_site *site, struct probe_lds_scratch *scratch,
		 struct advice *ret)
{
	const struct facts facts = facts_of(site);

	*ret = (struct advice){.cause = ""};
	if (!facts.executions)
		return;
	if (is_in_both(site)) {
		if (facts.conflicts || facts.excess)
			advice_say(ret->cause, "some executions access LDS and others memory: "
					       "their addresses are not distinguished");
		return;
	}
	/* Advice is for the cost with more bytes of bandwidth; an LDS pass moves 128 bytes. */
	if (facts.conflicts * 128 >= facts.excess * facts.line && facts.conflicts)
		advice_lds(&facts, scratch, ret);
	else if (site->access == PROBE_ACCESS_ATOMIC && advice_waits_most(&facts))
		advice_contended(&facts, ret);
	else if (facts.excess)
		advice_global(&facts, ret);
	if (ret->others_move && *ret->fix && !strstr(ret->fix, "not evaluated"))
		advice_append(ret->fix, "; effect on other accesses of the kernel not evaluated");
}
