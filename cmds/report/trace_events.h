/* SPDX-License-Identifier: MIT */
/*
 * SQL for the events of a trace: dispatches, copies, calls, ranges and marks, with rocprofv3's
 * names of domains. Ids are unique per file only, so each join also uses the guid.
 */
#ifndef PROBE_CMDS_REPORT_TRACE_EVENTS_H
#define PROBE_CMDS_REPORT_TRACE_EVENTS_H

#include "store/sql_words.h"

/* Clones run longer, so their rows have a name of their own, and no mean covers both. */
#define TRACE_KERNEL_NAME                                                                          \
	"k.display_name || CASE WHEN " SQL_INSTRUMENTED("p") " THEN ' [instrumented]' ELSE '' END"

#define TRACE_DISPATCHES                                                                           \
	"rocpd_kernel_dispatch r JOIN rocpd_info_kernel_symbol k ON k.id = r.kernel_id "           \
	"AND k.guid = r.guid LEFT JOIN probe_dispatch p ON p.dispatch_id = r.dispatch_id "
#define TRACE_COPIES                                                                               \
	"rocpd_memory_copy m JOIN rocpd_string s ON s.id = m.name_id AND s.guid = m.guid "
/* e: the event, c: the domain, s: the function or message. */
#define TRACE_REGIONS                                                                              \
	"rocpd_region r JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid "              \
	"JOIN rocpd_string c ON c.id = e.category_id AND c.guid = r.guid "                         \
	"JOIN rocpd_string s ON s.id = r.name_id AND s.guid = r.guid "

#define TRACE_MARKERS "MARKER_CORE_API"

/* "process N, " if there are several (--merge). */
#define TRACE_PROCESS(guid)                                                                        \
	"CASE WHEN (SELECT count(*) FROM rocpd_info_process) > 1 THEN 'process ' || "              \
	"(SELECT o.pid FROM rocpd_info_process o WHERE o.guid = " guid ") || ', ' ELSE '' END"
/* Number of the process among these, from 0. */
#define TRACE_ORDINAL(guid) "(SELECT count(*) FROM rocpd_info_process o WHERE o.guid < " guid ")"

/* Start of the first event. */
#define TRACE_FIRST                                                                                \
	"(SELECT min(t) FROM (SELECT min(start) AS t FROM rocpd_kernel_dispatch UNION ALL "        \
	"SELECT min(start) FROM rocpd_memory_copy UNION ALL SELECT min(start) FROM rocpd_region))"

/* domain, name, time (ns): one row each. */
#define TRACE_TIMES                                                                                \
	"SELECT 'KERNEL_DISPATCH' AS domain, " TRACE_KERNEL_NAME " AS name, "                      \
	"r.\"end\" - r.start AS time FROM " TRACE_DISPATCHES                                       \
	"UNION ALL SELECT 'MEMORY_COPY', s.string, m.\"end\" - m.start FROM " TRACE_COPIES         \
	"UNION ALL SELECT c.string, s.string, r.\"end\" - r.start FROM " TRACE_REGIONS

/* Grouped by domain and name: calls, total, mean, least, most, deviation (of a sample), share. */
#define TRACE_STATISTICS                                                                           \
	"(SELECT domain, name, count(*) AS calls, sum(time) AS total, avg(time) AS mean, "         \
	"min(time) AS least, max(time) AS most, CASE WHEN count(*) > 1 THEN sqrt(max(0, "          \
	"(sum(1.0 * time * time) - sum(time) * avg(time)) / (count(*) - 1))) ELSE 0.0 END "        \
	"AS deviation, 100.0 * sum(time) / max(1, sum(sum(time)) OVER (PARTITION BY domain)) "     \
	"AS share FROM (" TRACE_TIMES ") GROUP BY domain, name)"

#endif
