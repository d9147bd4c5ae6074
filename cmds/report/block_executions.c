/* SPDX-License-Identifier: MIT */
#include "cmds/report/block_executions.h"

#include "cmds/report/site_sql.h"

static const struct report_column columns[] = {
	{"file", "file", REPORT_TEXT, true, "file",
	 "source file; for code inlined from headers of HIP, your own"},
	{"line", "line", REPORT_INT, true, "line", "0: compiled without -g"},
	{"column", "col", REPORT_INT, true, "\"column\"", "byte in the line, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},
	{"function", "function", REPORT_TEXT, false, "function",
	 "function of the line, perhaps inlined"},
	{"executions", "executions", REPORT_INT, true, "executions",
	 "waves that executed the block"},
	{"lanes", "lanes", REPORT_INT, true, "lanes", "active lanes, summed"},
	{"mean_lanes", "mean lanes", REPORT_REAL, true, "mean_lanes", "active lanes, on average"},
	{"blocks", "blocks", REPORT_INT, false, "blocks", "basic blocks at this position, summed"},
	{"source", "source", REPORT_TEXT, true, "source", "text of the line"},
};

const struct report_query report_counts_query = {
	.verb = "lines",
	.when = "of a run of --kind count",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
	.from = "(SELECT p.file, p.line, p.\"column\", coalesce(k.display_name, '') AS kernel, "
		"p.function, sum(p.executions) AS executions, sum(p.lanes) AS lanes, "
		"round(1.0 * sum(p.lanes) / sum(p.executions), 2) AS mean_lanes, "
		"count(DISTINCT p.site) AS blocks, src.text AS source FROM (SELECT c.*, s.function, " REPORT_USERS("s", "file") " AS file, " REPORT_USERS(
			"s",
			"line") " AS line, " REPORT_USERS("s",
							  "column") " AS \"column\", "
								    "coalesce(nullif(o.hash, ''), c.code_object) AS code "
								    "FROM probe_count_site c JOIN probe_site s "
								    "ON s.code_object_id = c.code_object AND s.site = c.site "
								    "LEFT JOIN probe_code o ON o.code_object_id = c.code_object) p "
								    "LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel "
								    "LEFT JOIN probe_source src ON src.file = p.file AND src.line = p.line "
								    "GROUP BY p.code, coalesce(k.kernel_name, p.kernel), p.file, p.line, "
								    "p.\"column\", p.function)",
	.kernel_column = "kernel",
	.sort = "executions,file,+line,+column,kernel",
};
