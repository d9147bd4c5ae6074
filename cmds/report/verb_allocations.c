/* SPDX-License-Identifier: MIT */
/* probe-report allocations: memory that the GPU can access, by the place that allocates it. */
#include "cmds/report/query.h"
#include "cmds/report/verb_table.h"

static const struct report_column columns[] = {
	{"call_site", "call site", REPORT_TEXT, true,
	 "coalesce(nullif(" REPORT_FIRST_FRAME("site") ", ''), "
						       "'(unknown)')",
	 "innermost call of the program: file:line, or file and offset without debug information"},
	{"allocations", "allocations", REPORT_INT, true, "allocations", "from this call stack"},
	{"bytes", "bytes", REPORT_INT, true, "bytes", "sum of their sizes, as requested from HSA"},
	{"largest", "largest", REPORT_INT, true, "largest", "bytes of the largest one"},
	{"freed", "freed", REPORT_INT, true, "freed", "how many the program freed"},
	{"live_bytes", "live bytes", REPORT_INT, true, "live",
	 "sum of the sizes of those that were not freed"},
	{"call_stack", "call stack", REPORT_TEXT, false, "replace(site, char(10), ' <- ')",
	 "all calls of the program, innermost first"},
};

static const struct report_query allocations_query = {
	.verb = "allocations",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(SELECT site, count(*) AS allocations, sum(size) AS bytes, max(size) AS largest, "
		"count(last_dispatch) AS freed, "
		"sum(CASE WHEN last_dispatch IS NULL THEN size ELSE 0 END) AS live "
		"FROM probe_allocation GROUP BY site)",
	.sort = "bytes,+call_stack",
	.none = "no allocations: the program did not allocate memory that the GPU can access, or it "
		"was not recorded",
};

const struct report_verb report_verb_allocations = {
	.name = "allocations",
	.help = "memory that the GPU can access, by the call that allocated it",
	.options = REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &allocations_query,
};
