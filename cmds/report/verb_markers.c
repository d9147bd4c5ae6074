/* SPDX-License-Identifier: MIT */
/* probe-report markers: each range and mark of ROCTx. */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

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
	 "dispatches that were launched in ranges of this name, if this one was the innermost"},
	{"kernels_ns", "kernels ns", REPORT_INT, true, "g.time", "their time on the device"},
	{"process", "process", REPORT_INT, false,
	 "(SELECT o.pid FROM rocpd_info_process o WHERE o.guid = r.guid)", "where it began"},
	{"thread", "thread", REPORT_INT, true, "t.tid", "where it began"},
	{"thread_name", "thread name", REPORT_TEXT, false, "t.name", "by roctxNameOsThread"},
};

static const struct report_query markers_query = {
	.verb = "markers",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
	.from = TRACE_REGIONS
	"AND c.string = '" TRACE_MARKERS "' "
	"LEFT JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "
	"LEFT JOIN (SELECT region_name_id, guid, count(*) AS kernels, sum(\"end\" - start) AS time "
	"FROM rocpd_kernel_dispatch GROUP BY region_name_id, guid) g "
	"ON g.region_name_id = r.name_id AND g.guid = r.guid",
	.sort = "+start_ns,duration_ns",
	.none = "no ranges or marks: the program has none of ROCTx, or was not recorded with "
		"probe-run --marker-trace",
};

const struct report_verb report_verb_markers = {
	.name = "markers",
	.help = "each range and mark of ROCTx (probe-run --marker-trace)",
	.options = REPORT_O_MERGE | REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &markers_query,
};
