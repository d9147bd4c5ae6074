/* SPDX-License-Identifier: MIT */
/* probe-report markers: each range and mark of ROCTx. */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

/* clang-format off */

/*
 * Kernels by range. A dispatch has the name of its thread's innermost range. Which range of that name
 * it was, the time of the call that launched it says: the last one that had begun. Times of
 * dispatches are the device's.
 */
#define RANGES                                                                                     \
	"ranges AS MATERIALIZED (SELECT r.id, r.guid, r.tid, r.name_id AS name, r.start, r.\"end\" " \
	"FROM " TRACE_REGIONS "WHERE c.string = '" TRACE_MARKERS "' AND r.\"end\" > r.start)"
#define LAUNCHES                                                                                   \
	"launches AS MATERIALIZED (SELECT d.guid, d.region_name_id AS name, d.\"end\" - d.start AS time, " \
	"k.tid, k.start AS at FROM rocpd_kernel_dispatch d "                                       \
	"LEFT JOIN rocpd_event e ON e.id = d.event_id AND e.guid = d.guid AND e.stack_id > 0 "     \
	"LEFT JOIN calls k ON k.stack_id = e.stack_id AND k.guid = e.guid "                        \
	"WHERE d.region_name_id IN (SELECT name FROM ranges))"
#define CALLS                                                                                      \
	"calls AS MATERIALIZED (SELECT e.stack_id, r.guid, r.tid, r.start FROM rocpd_region r "    \
	"JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid WHERE e.stack_id > 0)"
/* In the order of time; `began`: the start of the last range of this thread and name. */
#define PLACED                                                                                     \
	"placed AS (SELECT guid, tid, name, began, count(*) AS kernels, sum(time) AS time FROM ("  \
	"SELECT guid, tid, name, time, launch, max(start) OVER (PARTITION BY guid, tid, name "     \
	"ORDER BY at, launch ROWS UNBOUNDED PRECEDING) AS began FROM ("                            \
	"SELECT guid, tid, name, start AS at, start, NULL AS time, 0 AS launch FROM ranges "       \
	"UNION ALL SELECT guid, tid, name, at, NULL, time, 1 FROM launches WHERE at IS NOT NULL)) " \
	"WHERE launch GROUP BY guid, tid, name, began)"
/* Dispatches without a recorded call are known to be in a range if it is the only one of its name. */
#define OTHERS                                                                                     \
	"others AS (SELECT guid, name, count(*) AS kernels, sum(time) AS time, "                   \
	"(SELECT count(*) FROM ranges r WHERE r.name = l.name AND r.guid = l.guid) AS ranges "     \
	"FROM launches l WHERE at IS NULL GROUP BY guid, name)"
#define SUM_OF(column)                                                                             \
	"CASE WHEN coalesce(ranges, 1) = 1 THEN coalesce(placed." column ", 0) + coalesce(others." column ", 0) END"
#define KERNELS                                                                                    \
	"(WITH " RANGES ", " CALLS ", " LAUNCHES ", " PLACED ", " OTHERS " "                       \
	"SELECT r.id, r.guid, " SUM_OF("kernels") " AS kernels, " SUM_OF("time") " AS time "       \
	"FROM ranges r LEFT JOIN placed ON placed.guid = r.guid AND placed.tid = r.tid "           \
	"AND placed.name = r.name AND placed.began = r.start "                                     \
	"LEFT JOIN others ON others.guid = r.guid AND others.name = r.name)"

static const struct report_column columns[] = {
	{"name", "name", REPORT_TEXT, true, "s.string", "message of the range or mark"},
	{"what", "what", REPORT_TEXT, true,
	 "CASE WHEN r.\"end\" = r.start THEN 'mark' WHEN json_extract(r.extdata, "
	 "'$.unfinished') THEN 'range, not ended' ELSE 'range' END",
	 "a range, or an instant; a range that did not end is closed with the program"},
	{"start_ns", "start ns", REPORT_INT, true, "r.start - " TRACE_FIRST,
	 "since the first event of the trace"},
	{"duration_ns", "duration ns", REPORT_INT, true, "r.\"end\" - r.start",
	 "host time between its begin and its end"},
	{"kernels", "kernels", REPORT_INT, true, "g.kernels",
	 "dispatches that its thread launched in it, if it was the innermost; empty: not known, "
	 "because there are several ranges of this name, and no calls (--hip-trace)"},
	{"kernels_ns", "kernels ns", REPORT_INT, true, "g.time", "their time on the device"},
	{"process", "process", REPORT_INT, false,
	 "(SELECT o.pid FROM rocpd_info_process o WHERE o.guid = r.guid)", "where it began"},
	{"thread", "thread", REPORT_INT, true, "t.tid", "where it began"},
	{"thread_name", "thread name", REPORT_TEXT, false, "t.name", "by roctxNameOsThread"},
};

static const struct report_query markers_query = {
	.verb = "markers",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = TRACE_REGIONS
	"AND c.string = '" TRACE_MARKERS "' "
	"LEFT JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "
	"LEFT JOIN " KERNELS " g ON g.id = r.id AND g.guid = r.guid",
	.sort = "+start_ns,duration_ns",
	.none = "no ranges or marks: the program has none of ROCTx, or was not recorded with "
		"probe-run --marker-trace",
};

/* clang-format on */

const struct report_verb report_verb_markers = {
	.name = "markers",
	.help = "each range and mark of ROCTx (probe-run --marker-trace)",
	.options = REPORT_O_MERGE | REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &markers_query,
};
