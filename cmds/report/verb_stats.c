/* SPDX-License-Identifier: MIT */
/*
 * probe-report stats and api: number and duration of each function, kernel, copy and range; `api`
 * shows calls only.
 */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

static const struct report_column columns[] = {
	{"domain", "domain", REPORT_TEXT, true, "domain",
	 "KERNEL_DISPATCH, MEMORY_COPY, or the API, as rocprofv3 names it"},
	{"name", "name", REPORT_TEXT, true, "name", "of the kernel, function, direction or range"},
	{"calls", "calls", REPORT_INT, true, "calls", "how often"},
	{"total_ns", "total ns", REPORT_INT, true, "total",
	 "sum of the durations; a call within a call counts in both"},
	{"mean_ns", "mean ns", REPORT_REAL, true, "round(mean, 1)", "mean duration"},
	{"percent", "%", REPORT_REAL, true, "round(share, 2)", "share of the total of its domain"},
	{"min_ns", "min ns", REPORT_INT, true, "least", "shortest duration"},
	{"max_ns", "max ns", REPORT_INT, true, "most", "longest duration"},
	{"deviation_ns", "deviation ns", REPORT_REAL, false, "round(deviation, 1)",
	 "standard deviation of the durations, as of a sample"},
};

static const struct report_query stats_query = {
	.verb = "stats",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = TRACE_STATISTICS,
	.kernel_column = "name",
	.sort = "+domain,total_ns,+name",
	.none = "no kernels, copies, calls or ranges were recorded",
};

static const struct report_query api_query = {
	.verb = "api",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(SELECT * FROM " TRACE_STATISTICS
		" WHERE domain NOT IN ('KERNEL_DISPATCH', 'MEMORY_COPY', '" TRACE_MARKERS "'))",
	.sort = "total_ns,+domain,+name",
	.none = "no calls were recorded: record them with probe-run --hip-trace or --hsa-trace",
};

const struct report_verb report_verb_stats = {
	.name = "stats",
	.help = "calls and durations of kernels, copies, API functions and ROCTx ranges",
	.options = REPORT_O_MERGE | REPORT_O_ROWS | REPORT_O_KERNEL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &stats_query,
};

const struct report_verb report_verb_api = {
	.name = "api",
	.help = "the same for functions of HIP and HSA (probe-run --hip-trace, --hsa-trace)",
	.options = REPORT_O_MERGE | REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &api_query,
};
