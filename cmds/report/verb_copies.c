/* SPDX-License-Identifier: MIT */
/* probe-report copies: each asynchronous memory copy. */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"

#define AGENT(side) "(" side ".type || ' ' || coalesce(" side ".type_index, " side ".id))"

static const struct report_column columns[] = {
	{"copy", "copy", REPORT_INT, true, "m.id", "number, from 1"},
	{"direction", "direction", REPORT_TEXT, true,
	 "lower(replace(replace(s.string, 'MEMORY_COPY_', ''), '_', ' '))",
	 "host to device, device to host, device to device, host to host"},
	{"from", "from", REPORT_TEXT, true, AGENT("a"), "agent that has the source"},
	{"to", "to", REPORT_TEXT, true, AGENT("b"), "agent that has the target"},
	{"bytes", "bytes", REPORT_INT, true, "m.size", "copied"},
	{"start_ns", "start ns", REPORT_INT, true, "m.start - " TRACE_FIRST,
	 "since the first event of the trace"},
	{"duration_ns", "duration ns", REPORT_INT, true, "m.\"end\" - m.start",
	 "of the copy itself, as the device measured it"},
	{"gb_per_s", "GB/s", REPORT_REAL, true,
	 "CASE WHEN m.\"end\" > m.start THEN round(1.0 * m.size / (m.\"end\" - m.start), 2) END",
	 "bandwidth: bytes / duration, 10^9 bytes per second"},
	{"function", "function", REPORT_TEXT, true, "f.string",
	 "outermost call that requested it, where calls are traced"},
	{"process", "process", REPORT_INT, false,
	 "(SELECT o.pid FROM rocpd_info_process o WHERE o.guid = m.guid)", "that requested it"},
	{"thread", "thread", REPORT_INT, false, "m.tid", "that requested it"},
	{"correlation", "correlation", REPORT_INT, false, "e.stack_id",
	 "number that it shares with the call that requested it"},
	{"failed", "failed", REPORT_INT, false, "coalesce(json_extract(m.extdata, '$.failed'), 0)",
	 "1: it ended with an error"},
};

/* The call: at most one region has the number. */
static const struct report_query copies_query = {
	.verb = "copies",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = TRACE_COPIES
	"JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
	"LEFT JOIN rocpd_info_agent a ON a.id = m.src_agent_id AND a.guid = m.guid "
	"LEFT JOIN rocpd_info_agent b ON b.id = m.dst_agent_id AND b.guid = m.guid "
	"LEFT JOIN (SELECT e.stack_id, e.guid, s.string FROM " TRACE_REGIONS
	"WHERE e.stack_id > 0) f ON f.stack_id = e.stack_id AND f.guid = m.guid",
	.sort = "+start_ns,+copy",
	.none = "no copies: the program made none, or was not recorded with probe-run "
		"--memory-copy-trace",
};

const struct report_verb report_verb_copies = {
	.name = "copies",
	.help = "each memory copy: size, direction, bandwidth (probe-run --memory-copy-trace)",
	.options = REPORT_O_MERGE | REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.rows = &copies_query,
};
