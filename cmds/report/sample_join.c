/* SPDX-License-Identifier: MIT */
#include "cmds/report/sample_join.h"

#include <stdio.h>

#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/site_sql.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"
#include "store/sql_words.h"

static const struct report_column columns[] = {
	{"position", "position", REPORT_TEXT, true,
	 "CASE line WHEN 0 THEN '(unknown)' ELSE file || ':' || line END",
	 "file:line, of code in headers of HIP yours; unknown: compiled without -g, or made by the "
	 "compiler"},
	{"at", "inlined at", REPORT_TEXT, true, "at",
	 "where the kernel itself calls what the line was inlined from"},
	{"file", "file", REPORT_TEXT, false, "file", "source file as the compiler named it"},
	{"line", "line", REPORT_INT, false, "line", ""},
	{"kernel", "kernel", REPORT_TEXT, true, "name", "demangled"},
	{"memory", "memory", REPORT_TEXT, true, "space",
	 "lds, global, scalar; empty: no access is there"},
	{"samples", "samples", REPORT_INT, false, "samples", "of waves that stood on the line"},
	{"share", "% of kernel", REPORT_REAL, true, "round(100.0 * samples / total, 2)",
	 "of the samples of the kernel's dispatches, those in functions it calls as well"},
	{"stalled", "stalled", REPORT_INT, false, "stalled", "of those; host trap cannot tell"},
	{"stalled_share", "% stalled", REPORT_REAL, true, "round(100.0 * stalled / total, 2)",
	 "of the kernel's samples"},
	{"waiting", "waiting", REPORT_REAL, false, "round(waiting, 2)",
	 "samples that waited for these accesses, wherever they stood"},
	{"waiting_share", "% waiting", REPORT_REAL, true, "round(100.0 * waiting / total, 2)",
	 "of the kernel's samples"},
	{"executions", "execs", REPORT_INT, true, "executions", "waves that executed an access"},
	{"conflicts", "conflicts", REPORT_INT, true, "conflicts", "LDS passes lost"},
	{"lines64_excess", "l64 excess", REPORT_INT, false, "excess64", "judged per execution"},
	{"lines128_excess", "l128 excess", REPORT_INT, true, "excess128", "judged per execution"},
	{"avoidable", "% avoidable", REPORT_REAL, true, "round(100.0 * avoidable, 2)",
	 "of its LDS passes or lines"},
	{"saved_cycles", "est. cycles saved", REPORT_INT, true,
	 "CAST(round(waiting * avoidable / total * ns * mhz / 1000) AS INTEGER)",
	 "by a fix: a model (see probe-report --help)"},
	{"saved_middle", "middle", REPORT_INT, false,
	 "CAST(round(waiting * avoidable / total * ns * mhz / 1000 / "
	 "CASE space WHEN 'lds' THEN 1 ELSE 2 END) AS INTEGER)",
	 "cycles: the same, but for global memory half: nothing is saved of what hits caches"},
	{"saved_share", "% saved", REPORT_REAL, true,
	 "round(100.0 * waiting * avoidable / total, 2)", "of the kernel's time: the same model"},
	{"kernel_cycles", "kernel cycles", REPORT_INT, false,
	 "CAST(round(ns * mhz / 1000) AS INTEGER)", "of its sampled dispatches"},
	{"cost", "cost B", REPORT_INT, false, "coalesce(cost, 0)",
	 "bytes wasted, as without samples"},
	{"cause", "cause", REPORT_TEXT, false, "cause", "of the costliest access"},
	{"fix", "fix", REPORT_TEXT, false, "fix", "of the costliest access"},
	{"source", "source", REPORT_TEXT, false, "source", "text of the line"},
};

#define COST "(max(64 * m.excess64, 128 * m.excess128) + 128 * m.conflicts)"

/* Kernels that were sampled, with what their original dispatches took. */
#define KERNELS                                                                                    \
	"kernels AS MATERIALIZED (SELECT k.id AS kernel, k.display_name AS name, k.kernel_name, "  \
	"k.code_object_id AS co, o.load_delta - o.load_base AS shift, d.* FROM "                   \
	"(SELECT p.kernel_id, sum(s.samples) AS total, sum(r.\"end\" - r.start) AS ns, "           \
	"max(json_extract(a.extdata, '$.clock_mhz')) AS mhz FROM probe_sampled s "                 \
	"JOIN probe_dispatch p ON p.dispatch_id = s.dispatch_id "                                  \
	"JOIN rocpd_kernel_dispatch r ON r.dispatch_id = s.dispatch_id "                           \
	"LEFT JOIN rocpd_info_agent a ON a.id = r.agent_id GROUP BY p.kernel_id) d "               \
	"JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id "                                   \
	"JOIN rocpd_info_code_object o ON o.id = k.code_object_id)"

#define INSTRUCTIONS                                                                               \
	"code AS MATERIALIZED (SELECT k.kernel, k.co, i.address, i.address + k.shift AS offset, "  \
	"coalesce(i.users_file, '') AS file, coalesce(i.users_line, 0) AS line, i.space, i.at "    \
	"FROM kernels k, probe_instructions(k.co, k.kernel_name) i)"

#define STATE SQL_WORD(PROBE_PCS_REASON_TABLE, "code")

/* wait: at an s_waitcnt; queue: could not issue. Without states every sample may be either. */
#define HITS                                                                                       \
	"hits AS MATERIALIZED (SELECT c.*, s.samples, t.stalled, "                                 \
	"CASE WHEN t.any IS NULL THEN s.samples ELSE coalesce(t.waitcnt, 0) END AS wait, "         \
	"CASE WHEN t.any IS NULL THEN s.samples ELSE coalesce(t.arbiter, 0) END AS queue "         \
	"FROM code c JOIN probe_sample s ON s.code_object_id = c.co AND s.offset = c.offset "      \
	"LEFT JOIN (SELECT code_object_id, offset, sum(samples) AS any, "                          \
	"sum(samples) FILTER (WHERE NOT issued) AS stalled, "                                      \
	"sum(samples) FILTER (WHERE NOT issued AND " STATE " = 'waitcnt') AS waitcnt, "            \
	"sum(samples) FILTER (WHERE NOT issued AND " STATE                                         \
	" = 'arbiter') AS arbiter FROM probe_state "                                               \
	"GROUP BY code_object_id, offset) t ON t.code_object_id = c.co AND t.offset = c.offset)"

#define WAITS                                                                                      \
	"waits AS (SELECT p.kernel, p.file, p.line, p.space, sum(n) AS waiting FROM "              \
	"(SELECT k.kernel, w.producer AS address, h.wait * w.weight AS n FROM kernels k, "         \
	"probe_waits(k.co, k.kernel_name) w JOIN hits h ON h.kernel = k.kernel AND "               \
	"h.address = w.wait UNION ALL SELECT kernel, address, queue FROM hits "                    \
	"WHERE space IN ('lds', 'global', 'scalar')) x "                                           \
	"JOIN code p ON p.kernel = x.kernel AND p.address = x.address "                            \
	"GROUP BY p.kernel, p.file, p.line, p.space)"

#define SITES                                                                                                                 \
	"sites AS MATERIALIZED (SELECT m.kernel, " REPORT_USERS("s", "file") " AS file, " REPORT_USERS(                       \
		"s",                                                                                                          \
		"line") " AS line, "                                                                                          \
			"CASE " SQL_WORD(                                                                                     \
				PROBE_SPACE_TABLE,                                                                            \
				"s.space") " WHEN 'lds' THEN 'lds' ELSE 'global' END AS space, "                              \
					   "sum(m.executions) AS executions, sum(m.conflicts) AS conflicts, "                 \
					   "sum(m.excess64) AS excess64, sum(m.excess128) AS excess128, sum(" COST            \
					   ") AS cost, "                                                                      \
					   "max(coalesce(1.0 * sum(m.conflicts) / nullif(sum(m.passes), 0), 0), "             \
					   "coalesce(1.0 * sum(m.excess64) / nullif(sum(m.lines64), 0), 0), "                 \
					   "coalesce(1.0 * sum(m.excess128) / nullif(sum(m.lines128), 0), 0)) AS avoidable, " \
					   "max(" COST                                                                        \
					   ") AS worst, m.cause, m.fix FROM probe_memory_site m "                             \
					   "JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site "       \
					   "GROUP BY 1, 2, 3, 4)"

const struct report_query report_join_query = {
	.verb = "lines",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
	.from = "(WITH " KERNELS ", " INSTRUCTIONS ", " HITS ", " WAITS ", " SITES ", "
		"lines AS (SELECT kernel, file, line, sum(samples) AS samples, "
		"sum(stalled) AS stalled, group_concat(DISTINCT at) AS at FROM hits GROUP BY kernel, file, line), "
		"places AS (SELECT kernel, file, line, space FROM sites UNION "
		"SELECT kernel, file, line, space FROM waits UNION "
		"SELECT kernel, file, line, '' FROM lines l WHERE NOT EXISTS (SELECT 1 FROM waits w "
		"WHERE w.kernel = l.kernel AND w.file = l.file AND w.line = l.line) "
		"AND NOT EXISTS (SELECT 1 FROM sites s "
		"WHERE s.kernel = l.kernel AND s.file = l.file AND s.line = l.line)) "
		"SELECT p.*, k.name, k.ns, k.mhz, l.samples, l.stalled, l.at, w.waiting, k.total, "
		"s.executions, s.conflicts, s.excess64, s.excess128, s.cost, s.avoidable, s.cause, "
		"s.fix, src.text AS source FROM places p JOIN kernels k ON k.kernel = p.kernel "
		"LEFT JOIN lines l ON l.kernel = p.kernel AND l.file = p.file AND l.line = p.line "
		"LEFT JOIN waits w ON w.kernel = p.kernel AND w.file = p.file AND "
		"w.line = p.line AND w.space = p.space "
		"LEFT JOIN sites s ON s.kernel = p.kernel AND s.file = p.file AND "
		"s.line = p.line AND s.space = p.space "
		"LEFT JOIN probe_source src ON src.file = p.file AND src.line = p.line)",
	.where = "(cost > 0 OR share >= 5 OR waiting_share >= 5)",
	.kernel_column = "kernel",
	.sort = "saved_middle,saved_cycles,waiting,samples,cost,file,+line,memory,kernel",
};

struct probe_err *report_joined(const struct report_db *db, bool *ret)
{
	*ret = false;
	if (!report_db_has(db, "probe_memory_site") || !report_db_has(db, "probe_sampled"))
		return NULL;
	return report_any(
		db,
		"SELECT 1 FROM probe_sampled s JOIN probe_dispatch p ON "
		"p.dispatch_id = s.dispatch_id WHERE NOT " SQL_INSTRUMENTED(
			"p") " AND EXISTS "
			     "(SELECT 1 FROM probe_memory_site m WHERE m.kernel = p.kernel_id)",
		ret);
}

/* ---- Why there is none ----------------------------------------------------------------------- */

/* Code that was run in both ways, else one of each. */
#define RAN(not, sampled)                                                                          \
	"SELECT k.code_object_id AS co, coalesce(s.samples, 1) AS weight FROM probe_dispatch p "   \
	"JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id " sampled                           \
	"JOIN probe_sampled s ON s.dispatch_id = p.dispatch_id WHERE " not SQL_INSTRUMENTED("p")
/* Not what the runtime brings along. */
#define SAMPLED RAN("NOT ", "") " AND k.kernel_name NOT GLOB '__amd_*'"
#define PROBED	RAN("", "LEFT ")
/* Of the code that did most. */
#define HASH(set)                                                                                  \
	"(SELECT coalesce(nullif(substr(c.hash, 1, 12), ''), '?') FROM (" set                      \
	") x JOIN probe_code c ON c.code_object_id = x.co GROUP BY x.co "                          \
	"ORDER BY sum(x.weight) DESC, x.co LIMIT 1)"

static const char why_sql[] =
	"SELECT (SELECT count(*) FROM probe_sampler), "
	"EXISTS (SELECT 1 FROM probe_sampled s JOIN probe_dispatch p ON "
	"p.dispatch_id = s.dispatch_id WHERE " SQL_INSTRUMENTED(
		"p") "), EXISTS (" SAMPLED "), EXISTS (" PROBED
		     "), (SELECT count(*) FROM (SELECT co FROM (" SAMPLED ") INTERSECT "
		     "SELECT co FROM (" PROBED "))), " HASH(SAMPLED) ", " HASH(PROBED);

enum why { W_SAMPLERS, W_CLONES, W_SAMPLED, W_PROBED, W_COMMON, W_HASHES };

static const char *why_not(sqlite3_stmt *stmt)
{
	if (!sqlite3_column_int64(stmt, W_SAMPLERS) || !sqlite3_column_int64(stmt, W_PROBED))
		return NULL;
	if (!sqlite3_column_int64(stmt, W_COMMON) && sqlite3_column_int64(stmt, W_CLONES))
		return "instrumented kernels were sampled: sample originals, without "
		       "--pc-sampling-clones";
	if (!sqlite3_column_int64(stmt, W_SAMPLED))
		return "no sample fell into a kernel: sample more often "
		       "(probe-run --pc-sampling-interval)";
	if (sqlite3_column_int64(stmt, W_COMMON))
		return "no kernel that probes counted in was sampled: sample more often, or probe "
		       "those that were (probe-report samples --by kernel)";
	return "no code object was both sampled and probed";
}

static void put_why(const struct report *report, const char *why, sqlite3_stmt *stmt)
{
	bool table = report->format == REPORT_TABLE;
	char text[256];

	if (sqlite3_column_int64(stmt, W_COMMON) || sqlite3_column_int64(stmt, W_CLONES) ||
	    !sqlite3_column_int64(stmt, W_SAMPLED))
		snprintf(text, sizeof(text), "samples and probes are not joined: %s", why);
	else
		snprintf(text, sizeof(text),
			 "samples and probes are not joined: %s (hash %s, %s): "
			 "sample the program you probed, the same build",
			 why, report_cell(stmt, W_HASHES), report_cell(stmt, W_HASHES + 1));
	if (!table) {
		probe_log(PROBE_LOG_WARNING, "%s", text);
		return;
	}
	report_put(text);
	puts("\n");
}

struct probe_err *report_not_joined(const struct report *report, const struct report_db *db)
{
	sqlite3_stmt *stmt = NULL;
	const char *why = NULL;
	struct probe_err *err;
	bool row = false, joined = false;

	if (!report_db_has(db, "probe_memory_site") || !report_db_has(db, "probe_sampled"))
		return NULL;
	err = report_joined(db, &joined);
	if (err || joined)
		return err;
	err = report_prepare_sql(db, why_sql, &stmt);
	if (!err)
		err = report_step(db, stmt, &row);
	if (!err && row)
		why = why_not(stmt);
	if (why)
		put_why(report, why, stmt);
	sqlite3_finalize(stmt);
	return err;
}
