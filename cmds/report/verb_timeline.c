/* SPDX-License-Identifier: MIT */
/* probe-report timeline: dispatches, copies, calls, ranges and marks, sorted by start. */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

static const struct report_column columns[] = {
	{"start_ns", "start ns", REPORT_INT, true, "start - " TRACE_FIRST,
	 "since the first event of the trace"},
	{"duration_ns", "duration ns", REPORT_INT, true, "\"end\" - start", "0: an instant"},
	{"domain", "domain", REPORT_TEXT, true, "domain",
	 "KERNEL_DISPATCH, MEMORY_COPY, or the API, as rocprofv3 names it"},
	{"name", "name", REPORT_TEXT, true, "name", "of the kernel, function, direction or range"},
	{"where", "where", REPORT_TEXT, true, "place", "queue of a device, or thread of the host"},
	{"correlation", "correlation", REPORT_INT, true, "nullif(correlation, 0)",
	 "number that a call shares with the dispatches and copies that it requested"},
	{"parent", "parent", REPORT_INT, false, "nullif(parent, 0)",
	 "correlation of the call that a call was made in"},
	{"detail", "detail", REPORT_TEXT, true, "detail",
	 "grid and workgroup of a dispatch, size of a copy"},
};

#define AGENT "a.type || ' ' || coalesce(a.type_index, a.id)"

static const struct report_query timeline_query = {
	.verb = "timeline",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(SELECT r.start, r.\"end\", 'KERNEL_DISPATCH' AS domain, " TRACE_KERNEL_NAME " AS name, " TRACE_PROCESS(
		"r.guid") " || " AGENT " || ' queue ' || r.queue_id AS place, "
			  "e.stack_id AS correlation, 0 AS parent, "
			  "r.grid_size_x || 'x' || r.grid_size_y || 'x' || r.grid_size_z || ' / ' || "
			  "r.workgroup_size_x || 'x' || r.workgroup_size_y || 'x' || r.workgroup_size_z "
			  "AS detail FROM " TRACE_DISPATCHES
			  "LEFT JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid "
			  "LEFT JOIN rocpd_info_agent a ON a.id = r.agent_id AND a.guid = r.guid "
			  "UNION ALL SELECT m.start, m.\"end\", 'MEMORY_COPY', s.string, " TRACE_PROCESS(
				  "m.guid") " || " AGENT
					    " || ' copies', e.stack_id, 0, m.size || ' B' FROM " TRACE_COPIES
					    "LEFT JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
					    "LEFT JOIN rocpd_info_agent b ON b.id = m.src_agent_id AND b.guid = m.guid "
					    "LEFT JOIN rocpd_info_agent a ON a.id = CASE b.type WHEN 'GPU' THEN m.src_agent_id "
					    "ELSE m.dst_agent_id END AND a.guid = m.guid "
					    "UNION ALL SELECT r.start, r.\"end\", c.string, s.string, " TRACE_PROCESS(
						    "r.guid") " || 'thread ' || "
							      "coalesce(t.name, t.tid), e.stack_id, e.parent_stack_id, NULL FROM " TRACE_REGIONS
							      "LEFT JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid)",
	.sort = "+start_ns,duration_ns,+name",
	.none = "no kernels, copies, calls or ranges were recorded",
};

const struct report_verb report_verb_timeline = {
	.name = "timeline",
	.help = "dispatches, copies, calls, ranges and marks sorted by time",
	.options = REPORT_O_MERGE | REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &timeline_query,
};
