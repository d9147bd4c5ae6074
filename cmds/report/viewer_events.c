/* SPDX-License-Identifier: MIT */
#include "cmds/report/viewer_events.h"

#include "cmds/report/report_options.h"
#include "cmds/report/trace_events.h"
#include "common/err.h"
#include "store/sql_words.h"

/*
 * Viewers order by process and thread: a device is a process with its queues and its copies, and
 * so is the program with its threads. Their numbers must differ; those of the n-th process
 * (--merge) begin at 1000 n and 10000000 n.
 */
#define DEVICES(guid) "1000 * " TRACE_ORDINAL(guid) " + "
#define HOST(guid)    "1000000 + 10000000 * " TRACE_ORDINAL(guid) " + "
#define COPIES	      "1000000"
/* The GPU of a copy; the CPU's if it is between CPUs. */
#define COPY_AGENT                                                                                 \
	"coalesce((SELECT min(a.id) FROM rocpd_info_agent a WHERE a.type = 'GPU' AND "             \
	"a.guid = m.guid AND a.id IN (m.src_agent_id, m.dst_agent_id)), m.dst_agent_id, 0)"

/* clang-format off: it would break the lines inside of the queries. */
#define DISPATCHES(name)                                                                                                           \
	"SELECT " name ", " DEVICES(                                                                                               \
		"r.guid") "r.agent_id, r.queue_id, r.start, "                                                                      \
			  "r.\"end\" - r.start, r.dispatch_id, coalesce(" SQL_INSTRUMENTED(                                        \
				  "p") ", 0), "                                                                                    \
				       "r.grid_size_x || ' x ' || r.grid_size_y || ' x ' || r.grid_size_z, r.workgroup_size_x || " \
				       "' x ' || r.workgroup_size_y || ' x ' || r.workgroup_size_z, r.group_segment_size, "        \
				       "e.stack_id FROM " TRACE_DISPATCHES                                                         \
				       "LEFT JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid%s ORDER BY r.start"
const char viewer_dispatches_sql[] = DISPATCHES("k.display_name");
const char viewer_dispatches_cut_sql[] = DISPATCHES("probe_text_cut(k.display_name)");

/*
 * Spans of waves, one row each, from the table of handler `time`: a wave is in a track of its
 * compute unit. Starts of waves are on one clock of 100 MHz, on which the first wave of a dispatch
 * is taken to start with it; within a wave, cycles are those of the device's clock.
 */
#define WAVES	   "2000000 + 100 * se + cu"
#define WAVE_SPANS "CREATE TEMP VIEW IF NOT EXISTS probe_wave_span AS "
static const char no_waves[] = WAVE_SPANS
	"SELECT NULL AS name, NULL AS category, NULL AS guid, NULL AS agent_id, NULL AS se, "
	"NULL AS cu, NULL AS start, NULL AS duration, NULL AS dispatch WHERE 0";
static const char waves[] = WAVE_SPANS
	"SELECT coalesce(name, CASE depth WHEN 0 THEN 'wave' ELSE 'block' END) AS name, "
	"CASE depth WHEN 0 THEN 'wave' ELSE 'region' END AS category, guid, agent_id, se, cu, "
	"start + 10 * (wave_time - first_wave) + CAST((\"begin\" - wave_begin) * cycle AS INTEGER) "
	"AS start, CAST((\"end\" - \"begin\") * cycle AS INTEGER) AS duration, dispatch FROM "
	"(SELECT l.*, r.start, r.guid, r.agent_id, "
	"min(l.wave_time) OVER (PARTITION BY l.dispatch) AS first_wave, "
	"min(l.\"begin\") OVER (PARTITION BY l.dispatch, l.group_x, l.group_y, l.group_z, l.wave) "
	"AS wave_begin, CASE WHEN a.name LIKE 'gfx11%' THEN 10.0 ELSE "
	"1000.0 / coalesce(json_extract(a.extdata, '$.clock_mhz'), 1000) END AS cycle "
	"FROM probe_time_line l JOIN rocpd_kernel_dispatch r ON r.dispatch_id = l.dispatch "
	"JOIN rocpd_info_agent a ON a.id = r.agent_id AND a.guid = r.guid)";

const char viewer_waves_sql[] = "SELECT category, name, " DEVICES(
	"w.guid") "w.agent_id, " WAVES
		  ", start AS ts, duration, NULL, NULL, dispatch FROM probe_wave_span w ORDER BY ts, 6 DESC";

/* pid, tid, name of the first, name of the second. */
const char viewer_tracks_sql[] =
	"SELECT DISTINCT " DEVICES("r.guid") "r.agent_id, r.queue_id, " TRACE_PROCESS(
		"r.guid") " || a.name || ' ' || coalesce(a.product_name, ''), 'queue ' || r.queue_id "
			  "FROM rocpd_kernel_dispatch r "
			  "LEFT JOIN rocpd_info_agent a ON a.id = r.agent_id AND a.guid = r.guid "
			  "UNION SELECT " DEVICES("m.guid") COPY_AGENT
	", " COPIES ", " TRACE_PROCESS(
		"m.guid") " || a.name || ' ' || coalesce(a.product_name, ''), 'copies' FROM rocpd_memory_copy m "
			  "LEFT JOIN rocpd_info_agent a ON a.id = " COPY_AGENT
			  " AND a.guid = m.guid "
			  "UNION SELECT " DEVICES("w.guid") "w.agent_id, " WAVES ", " TRACE_PROCESS(
				  "w.guid") " || a.name || ' ' || coalesce(a.product_name, ''), 'waves of SE ' || se || ' CU ' || cu "
					    "FROM probe_wave_span w LEFT JOIN rocpd_info_agent a ON a.id = w.agent_id AND a.guid = w.guid "
					    "UNION SELECT " HOST(
						    "p.guid") "p.pid, t.tid, 'process ' || p.pid, "
							      "coalesce(t.name, 'thread ' || t.tid) FROM (SELECT DISTINCT tid, guid FROM rocpd_region) r "
							      "JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "
							      "JOIN rocpd_info_process p ON p.id = t.pid AND p.guid = t.guid ORDER BY 1, 2";

#define THREAD_AND_PROCESS                                                                         \
	"JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "                            \
	"JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid "

/* Copies, calls, ranges and marks: category, name, pid, tid, ts, dur, correlation, bytes. */
const char viewer_events_sql[] = "SELECT 'copy', s.string, " DEVICES("m.guid") COPY_AGENT
	", " COPIES ", m.start AS ts, m.\"end\" - m.start, e.stack_id, m.size "
	"FROM " TRACE_COPIES "LEFT JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
	"UNION ALL SELECT CASE WHEN c.string <> '" TRACE_MARKERS "' THEN c.string "
	"WHEN r.\"end\" = r.start THEN 'mark' ELSE 'range' END, s.string, " HOST(
		"p.guid") "p.pid, t.tid, r.start, r.\"end\" - r.start, "
			  "e.stack_id, NULL FROM " TRACE_REGIONS THREAD_AND_PROCESS
			  "ORDER BY ts, 6 DESC";

/* From the call to the kernel or copy: id, then pid, tid, ts of both ends. */
const char viewer_arrows_sql[] =
	"WITH calls AS MATERIALIZED (SELECT e.stack_id, e.guid, "
	"e.stack_id + (" TRACE_ORDINAL("e.guid") " << 40) AS id, " HOST(
		"p.guid") "p.pid AS pid, "
			  "t.tid, r.start AS ts FROM " TRACE_REGIONS THREAD_AND_PROCESS
			  "WHERE e.stack_id > 0) "
			  "SELECT x.id, x.pid, x.tid, x.ts, " DEVICES(
				  "r.guid") "r.agent_id, r.queue_id, r.start AS ts FROM " TRACE_DISPATCHES
					    "JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid "
					    "JOIN calls x ON x.stack_id = e.stack_id AND x.guid = r.guid%s "
					    "UNION ALL SELECT x.id, x.pid, x.tid, x.ts, " DEVICES(
						    "m.guid") COPY_AGENT
	", " COPIES ", m.start FROM rocpd_memory_copy m "
	"JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
	"JOIN calls x ON x.stack_id = e.stack_id AND x.guid = m.guid ORDER BY ts";
/* clang-format on */

/* clang-format off */
/* What is allocated from a dispatch on, up to the end of another one (NULL: it was not freed). */
#define HELD "CREATE TEMP VIEW IF NOT EXISTS probe_held AS "
static const char none_held[] = HELD
	"SELECT NULL AS pid, NULL AS process, NULL AS start, NULL AS \"end\", NULL AS size WHERE 0";
static const char held[] = HELD
	"SELECT " HOST("p.guid") "p.pid AS pid, 'process ' || p.pid AS process, f.start, l.\"end\", a.size "
	"FROM probe_allocation a JOIN rocpd_kernel_dispatch f ON f.id = (SELECT min(d.id) FROM "
	"rocpd_kernel_dispatch d WHERE d.id >= a.first_dispatch) "
	"JOIN rocpd_info_process p ON p.guid = f.guid "
	"LEFT JOIN rocpd_kernel_dispatch l ON l.id = (SELECT max(d.id) FROM rocpd_kernel_dispatch d "
	"WHERE d.id <= a.last_dispatch) "
	"WHERE coalesce(a.last_dispatch >= a.first_dispatch, 1)";

const char viewer_counters_sql[] =
	"WITH queues AS (SELECT " DEVICES("r.guid") "r.agent_id AS pid, 'queue ' || r.queue_id || "
	"': dispatches in flight' AS name, r.start, r.\"end\" FROM " TRACE_DISPATCHES "%s), "
	"copies AS (SELECT " DEVICES("m.guid") COPY_AGENT " AS pid, 'copies ' || "
	"lower(replace(replace(s.string, 'MEMORY_COPY_', ''), '_', ' ')) AS name, m.start, m.\"end\", m.size "
	"FROM " TRACE_COPIES "WHERE m.\"end\" > m.start), "
	"spans (pid, process, name, unit, start, \"end\", amount) AS ("
	"SELECT pid, NULL, name, '" VIEWER_UNIT_DISPATCHES "', start, \"end\", 1 FROM queues "
	"UNION ALL SELECT pid, NULL, name || ': bytes in flight', '" VIEWER_UNIT_BYTES "', start, \"end\", size FROM copies "
	"UNION ALL SELECT pid, NULL, name || ': bytes per second', 'bytes per second', start, \"end\", "
	"CAST(1e9 * size / (\"end\" - start) AS INTEGER) FROM copies "
	"UNION ALL SELECT pid, process, 'memory allocated, as of each dispatch', '" VIEWER_UNIT_BYTES "', start, \"end\", size FROM probe_held), "
	"steps AS (SELECT pid, process, name, unit, start AS ts, amount FROM spans "
	"UNION ALL SELECT pid, process, name, unit, \"end\", -amount FROM spans WHERE \"end\" IS NOT NULL) "
	"SELECT pid, process, name, unit, ts, sum(sum(amount)) OVER (PARTITION BY pid, name ORDER BY ts) "
	"FROM steps GROUP BY pid, name, ts HAVING sum(amount) <> 0 ORDER BY pid, name, ts";
/* clang-format on */

struct probe_err *viewer_open(const struct report_db *db)
{
	struct probe_err *err = report_run_sql(db, "PRAGMA query_only = OFF", "read it");

	if (!err)
		err = report_run_sql(db, report_db_has(db, "probe_time_line") ? waves : no_waves,
				     "read it");
	if (!err)
		err = report_run_sql(db, report_db_has(db, "probe_allocation") ? held : none_held,
				     "read it");
	return err ? err : report_run_sql(db, "PRAGMA query_only = ON", "read it");
}

struct probe_err *viewer_each(const struct report *report, const struct report_db *db,
			      const char *sql, void (*fn)(void *user, sqlite3_stmt *stmt),
			      void *user)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	/* %s in a query is the place of a condition on kernels. */
	REPORT_AUTO_SQL char *text =
		sqlite3_mprintf(sql, report->kernel ? " WHERE probe_match(k.display_name)" : "");
	struct probe_err *err = text ? report_prepare_sql(db, text, &stmt) : probe_err_oom();

	if (err)
		return err;
	while (report_next(db, stmt, &err))
		fn(user, stmt);
	return err;
}

struct probe_err *viewer_first(const struct report_db *db, int64_t *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row = false;
	struct probe_err *err = report_first_row(db, "SELECT " TRACE_FIRST, &stmt, &row);

	if (err)
		return err;
	if (row)
		*ret = sqlite3_column_int64(stmt, 0);
	return NULL;
}
