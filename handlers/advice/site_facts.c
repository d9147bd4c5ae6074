/* SPDX-License-Identifier: MIT */
#include "handlers/advice/site_facts.h"

#include <stdio.h>

#include "handlers/advice/layouts.h"

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
		facts.high = (int64_t)(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS);
		facts.low = (int64_t)(PROBE_STRIDE_BIAS - c[PROBE_C_STRIDE_LO]);
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

const char *facts_irregular(const struct facts *facts, char *text, size_t size)
{
	if (facts->pattern == PATTERN_MIXED)
		snprintf(text, size, "only %llu of %llu executions have a constant stride",
			 (unsigned long long)facts->site->counters[PROBE_C_AFFINE],
			 (unsigned long long)facts->executions);
	else
		snprintf(text, size, "addresses follow no constant stride");
	return text;
}

double facts_lines_of_rows(const struct facts *facts)
{
	const struct advice_site *site = facts->site;
	unsigned lanes = facts_active(facts), row = site->row < lanes ? site->row : lanes;
	unsigned rows = (lanes + row - 1) / row, bytes = row * site->bytes;

	if (bytes % facts->line && facts->line % bytes)
		return rows * (1 + (bytes - site->unit) / (double)facts->line);
	return rows * layout_lines(site, facts->line, site->bytes, row);
}
