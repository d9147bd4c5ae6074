/* SPDX-License-Identifier: MIT */
/* probe-report launches: where the program launches each kernel from. */
#include <stddef.h>
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

static const struct report_column columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},
	{"launches", "launches", REPORT_INT, true, "launches", "from this call stack"},
	{"total_ns", "total ns", REPORT_INT, true, "total", "sum of their durations"},
	{"mean_ns", "mean ns", REPORT_REAL, true, "round(1.0 * total / launches, 1)",
	 "mean duration"},
	{"percent", "%", REPORT_REAL, true, "round(100.0 * total / max(1, sum(total) OVER ()), 2)",
	 "share of the time of all kernels"},
	{"call_site", "call site", REPORT_TEXT, true, REPORT_FIRST_FRAME("frames"),
	 "innermost call of the program: file:line, or file and offset without debug information"},
	{"call_stack", "call stack", REPORT_TEXT, false, "replace(frames, char(10), ' <- ')",
	 "all calls of the program, innermost first"},
};

static const struct report_query launches_query = {
	.verb = "launches",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(SELECT " TRACE_KERNEL_NAME " AS kernel, count(*) AS launches, "
		"sum(r.\"end\" - r.start) AS total, s.frames FROM " TRACE_DISPATCHES
		"JOIN probe_launch l ON l.dispatch_id = r.dispatch_id "
		"JOIN probe_stack s ON s.id = l.stack_id GROUP BY 1, s.frames)",
	.kernel_column = "kernel",
	.sort = "total_ns,+kernel,+call_stack",
	.none = "no call stacks of launches: the program launched no kernel, or was not recorded "
		"with probe-run --call-stacks",
};

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : &launches_query;
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	if (report_db_has(db, "probe_launch"))
		return report_framed_rows(report, db, &launches_query, first, last);
	if (report->format == REPORT_TABLE)
		puts(launches_query.none);
	return report_no_rows(report, db, &launches_query, first, last);
}

const struct report_verb report_verb_launches = {
	.name = "launches",
	.help = "where each kernel is launched from (probe-run --call-stacks)",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.query = query,
	.show = show,
};
