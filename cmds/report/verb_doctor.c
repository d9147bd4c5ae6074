/* SPDX-License-Identifier: MIT */
/*
 * probe-report doctor: explains why a run shows less than expected. It prints one row per
 * condition, from the loading of the tool to the samples. If a condition fails, the row has the
 * command that fixes it.
 */
#include <stddef.h>

#include <probe/user_source.h>

#include "cmds/report/query.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/verb_table.h"
#include "store/sql_words.h"

/* clang-format off */
#define RUN(key) "(SELECT value FROM probe_run WHERE key = '" key "')"
#define ACCOUNT(stream, key)                                                                       \
	"(SELECT coalesce(sum(value), 0) FROM probe_account WHERE stream = '" stream               \
	"' AND name = '" key "')"
#define DROPPED                                                                                    \
	"(SELECT coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%' OR "       \
	"name = 'unread')"
#define SAMPLED	     "EXISTS (SELECT 1 FROM probe_sampler)"
#define INSTRUMENTED ACCOUNT("dispatches", "swapped")
/* Kernels of the HIP runtime need no clone. */
#define DISPATCHES(verdicts)                                                                       \
	"FROM probe_dispatch p LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id WHERE "  \
	"coalesce(k.kernel_name, '') NOT GLOB '" PROBE_RUNTIME_KERNELS "*' AND "                   \
	SQL_VERDICT("p") " " verdicts
/* Without those in which nothing is probed. */
#define NO_CLONE                                                                                   \
	"max(0, (SELECT count(*) " DISPATCHES("= 'no_clone'") ") - "                               \
	ACCOUNT("dispatches", "no_clone.empty") ")"
#define REFUSED                                                                                    \
	DISPATCHES("NOT IN ('swapped', 'off', 'filtered', 'dispatch', 'library', 'no_clone')")
/* --no-instrumented, or options that only trace or sample. */
#define NOT_REQUESTED "(SELECT count(*) " DISPATCHES("= 'off'") ")"
#define EXCLUDED                                                                                   \
	"(" ACCOUNT("dispatches", "refused.filtered") " + "                                        \
	ACCOUNT("dispatches", "refused.dispatch") " + "                                            \
	ACCOUNT("dispatches", "refused.library") ")"
/* Clones ran, and left nothing. */
#define NO_WORKGROUPS                                                                              \
	"(" INSTRUMENTED " > 0 AND coalesce(" RUN("filters") ", '') LIKE '%--filter-%' AND "       \
	ACCOUNT("counters", "emitted") " + " ACCOUNT("trace", "emitted") " = 0)"

/* number, name of the check, condition of a problem, what was found, what to do about a problem */
#define CHECK(number, name, problem, found, remedy)                                                \
	"SELECT " number " AS number, '" name "' AS name, (" problem ") AS problem, " found        \
	" AS found, " remedy " AS remedy"

static const char checks_sql[] =
	"("
	CHECK("1", "tool", RUN("hsa_table_major") " IS NULL",
	      "CASE WHEN " RUN("hsa_table_major") " IS NULL THEN 'libprobe-hsa.so was never "
	      "called' ELSE 'called by ROCr, HSA table ' || " RUN("hsa_table_major")
	      " || '.' || " RUN("hsa_table_minor") " END",
	      "'Does the program use HIP or HSA? Under ROCr 6.1 and later set "
	      "HSA_TOOLS_DISABLE_REGISTER=1 if a library exports rocprofiler_configure; programs "
	      "that are static or setuid cannot be recorded'")
	" UNION ALL "
	CHECK("2", "device",
	      "NOT EXISTS (SELECT 1 FROM rocpd_info_agent WHERE type = 'GPU') OR "
	      RUN("foreign_code") " IS NOT NULL",
	      "coalesce((SELECT group_concat(name || ' (' || " RUN("device") " || ')', ', ') FROM "
	      "rocpd_info_agent WHERE type = 'GPU'), 'no GPU')",
	      "coalesce(" RUN("foreign_code") ", 'probe-run --device sim -- PROGRAM uses the simulated "
	      "GPU')")
	" UNION ALL "
	CHECK("3", "kernels",
	      ACCOUNT("dispatches", "seen") " = 0 AND " RUN("foreign_code") " IS NULL",
	      ACCOUNT("dispatches", "seen") " || CASE " ACCOUNT("dispatches", "seen")
	      " WHEN 1 THEN ' dispatch of ' ELSE ' dispatches of ' END || (SELECT count(DISTINCT "
	      "kernel_id) || CASE count(DISTINCT kernel_id) WHEN 1 THEN ' kernel' ELSE ' kernels' END "
	      "FROM probe_dispatch)",
	      "'the program launched no kernel before it ended: does it run to its kernels without "
	      "probe-run?'")
	" UNION ALL "
	CHECK("4", "clones", NO_CLONE " > 0 OR EXISTS (SELECT 1 " REFUSED ")",
	      INSTRUMENTED " || ' dispatches ran instrumented, ' || " NO_CLONE
	      " || ' had no clone' || coalesce((SELECT group_concat(', ' || n || ': ' || reason, '') "
	      "FROM (SELECT count(*) AS n, " SQL_TEXT(PROBE_VERDICT_TABLE, "p.verdict")
	      " AS reason " REFUSED " GROUP BY p.verdict)), '') || CASE " NOT_REQUESTED
	      " WHEN 0 THEN '' ELSE ', ' || " NOT_REQUESTED
	      " || ' ran without probes, as requested' END",
	      "CASE WHEN " NO_CLONE " = 0 THEN 'probe-report dispatches FILE shows them' "
	      "WHEN " ACCOUNT("dispatches", "no_clone.plain") " = 0 AND " RUN("no_clone.kind")
	      " IS NOT NULL THEN " RUN("no_clone.kind")
	      " ELSE 'compile these kernels with $(probe-config --cflags): ' || (SELECT "
	      "group_concat(name, ', ') FROM (SELECT DISTINCT k.display_name AS name "
	      DISPATCHES("= 'no_clone'") " LIMIT 5)) END")
	" UNION ALL "
	CHECK("5", "filters", INSTRUMENTED " = 0 AND " EXCLUDED " > 0 OR " NO_WORKGROUPS,
	      EXCLUDED " || ' dispatches excluded' || CASE WHEN " NO_WORKGROUPS
	      " THEN ', and all workgroups' ELSE '' END || coalesce(': ' || " RUN("filters") ", '')",
	      "CASE WHEN " NO_WORKGROUPS " THEN 'no workgroup was counted: leave out --filter-x, -y, "
	      "-z, or widen them' ELSE 'all kernels were excluded: leave out "
	      "--kernel-include-regex, --dispatches or --library-include, or widen them' END")
	" UNION ALL "
	CHECK("6", "debug information",
	      "EXISTS (SELECT 1 FROM probe_site) AND NOT EXISTS (SELECT 1 FROM probe_site WHERE "
	      "line > 0)",
	      "(SELECT count(*) FROM probe_site WHERE line > 0) || ' of ' || (SELECT count(*) FROM "
	      "probe_site) || ' accesses and blocks have a source line'",
	      "'compile with -g'")
	" UNION ALL "
	CHECK("7", "samples", SAMPLED " AND " ACCOUNT("samples", "stored") " = 0",
	      "CASE WHEN " SAMPLED " THEN " ACCOUNT("samples", "stored")
	      " || ' samples' ELSE 'the run was not sampled' END",
	      "'choose a smaller --pc-sampling-interval, or let the program run longer'")
	" UNION ALL "
	CHECK("8", "losses", RUN("partial") " = 1 OR " DROPPED " > 0",
	      "CASE WHEN " RUN("partial") " = 1 THEN coalesce(nullif("
	      RUN("partial_reason") ", ''), 'partial, reason unknown') ELSE " DROPPED
	      " || ' records lost' END",
	      "'counts are lower bounds; probe-report info FILE shows where records were lost'")
	" UNION ALL "
	CHECK("9", "versions", "0",
	      "'probe ' || coalesce(" RUN("probe_version") ", 'unknown') || coalesce(', SQLite ' || "
	      RUN("sqlite_version") ", '')",
	      "''")
	")";
/* clang-format on */

static const struct report_column columns[] = {
	{"check", "check", REPORT_TEXT, true, "name", "the condition that was checked"},
	{"status", "status", REPORT_TEXT, true, "CASE WHEN problem THEN 'problem' ELSE 'ok' END",
	 "ok or problem"},
	{"found", "found", REPORT_TEXT, true, "found", "what the run shows"},
	{"remedy", "what to do", REPORT_TEXT, true, "CASE WHEN problem THEN remedy ELSE '' END",
	 "what to do; empty: nothing"},
	{"number", "number", REPORT_INT, false, "number", "their order"},
};

static const struct report_query doctor_query = {
	.verb = "doctor",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = checks_sql,
	.sort = "+number",
};

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	return report_rows(report, db, &doctor_query, first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : &doctor_query;
}

const struct report_verb report_verb_doctor = {
	.name = "doctor",
	.help = "why a run shows less than expected, and how to fix it",
	.options = REPORT_O_ROWS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.query = query,
	.show = show,
};
