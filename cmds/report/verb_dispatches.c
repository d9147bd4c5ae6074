/* SPDX-License-Identifier: MIT */
/* probe-report dispatches. */
#include <stddef.h>

#include <probe/user_source.h>

#include "cmds/report/query.h"
#include "cmds/report/verb_table.h"
#include "store/sql_words.h"

static const struct report_column columns[] = {
	{"dispatch", "dispatch", REPORT_INT, true, "p.dispatch_id", "id, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(k.display_name, '(unknown)')",
	 "demangled"},
	{"ran", "ran as", REPORT_TEXT, true,
	 "CASE WHEN " SQL_INSTRUMENTED("p") " THEN coalesce(" SQL_WORD(
		 PROBE_KIND_TABLE, "p.kind") ", '?') || ' clone' ELSE 'original' END",
	 "the kind of clone, or the original kernel"},
	{"start_ns", "start ns", REPORT_INT, false, "r.start", "CLOCK_BOOTTIME"},
	{"duration_ns", "duration ns", REPORT_INT, true, "r.\"end\" - r.start",
	 "GPU time; empty: it did not complete"},
	{"grid_x", "grid x", REPORT_INT, true, "p.grid_x", "work-items"},
	{"grid_y", "y", REPORT_INT, true, "p.grid_y", ""},
	{"grid_z", "z", REPORT_INT, true, "p.grid_z", ""},
	{"group_x", "group x", REPORT_INT, true, "p.group_x", "work-items"},
	{"group_y", "y", REPORT_INT, true, "p.group_y", ""},
	{"group_z", "z", REPORT_INT, true, "p.group_z", ""},
	{"lds", "lds B", REPORT_INT, false, "r.group_segment_size",
	 "static and dynamic LDS of the launch, bytes"},
	{"scratch", "scratch B", REPORT_INT, false, "r.private_segment_size", ""},
	{"queue", "queue", REPORT_INT, true, "p.queue_id", ""},
	{"agent", "agent", REPORT_INT, false, "p.agent", ""},
	{"completed", "completed", REPORT_INT, false, "p.completed",
	 "0: its completion was not recorded"},
	{"kernel_id", "kernel id", REPORT_INT, false, "p.kernel_id", ""},
	{"range", "ROCTx range", REPORT_TEXT, false,
	 "nullif((SELECT string FROM rocpd_string s WHERE s.id = r.region_name_id), '')",
	 "innermost range that it was launched in (probe-run --marker-trace)"},
	{"reason", "why not instrumented", REPORT_TEXT, true,
	 "CASE WHEN " SQL_VERDICT(
		 "p") " = 'no_clone' AND k.kernel_name GLOB '" PROBE_RUNTIME_KERNELS
		      "*' THEN 'kernel of the HIP runtime' WHEN NOT " SQL_INSTRUMENTED(
			      "p") " THEN coalesce(" SQL_TEXT(PROBE_VERDICT_TABLE,
							      "p.verdict") ", 'unknown reason') END",
	 "why the original ran; empty: the clone ran"},
};

static const struct report_query dispatches_query = {
	.verb = "dispatches",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "probe_dispatch p LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id "
		"LEFT JOIN rocpd_kernel_dispatch r ON r.id = p.dispatch_id",
	.kernel_column = "kernel",
	.sort = "+dispatch",
	.none = "no dispatches: the program launched no kernel, or the options select none",
};

const struct report_verb report_verb_dispatches = {
	.name = "dispatches",
	.help = "each dispatch: its kernel, duration, size, and whether it was instrumented",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.rows = &dispatches_query,
};
