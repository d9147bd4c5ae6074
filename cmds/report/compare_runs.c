/* SPDX-License-Identifier: MIT */
#include "cmds/report/compare_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/user_source.h>

#include "cmds/report/lines_query.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "store/sql_words.h"

/*
 * Of lines: exact counts. Of kernels: registers and LDS from the code object, and measured times.
 */
const struct compare_metric compare_metrics[] = {
	{COMPARE_LINE, "executions", "executions by a wave"},
	{COMPARE_LINE, "lanes", "active lanes"},
	{COMPARE_LINE, "lines64_used", "64-byte cache lines requested"},
	{COMPARE_LINE, "lines64_excess", "extra requests for 64-byte cache lines"},
	{COMPARE_LINE, "lines128_used", "128-byte cache lines requested"},
	{COMPARE_LINE, "lines128_excess", "extra requests for 128-byte cache lines"},
	{COMPARE_LINE, "passes", "LDS passes"},
	{COMPARE_LINE, "conflicts", "LDS bank conflicts"},
	{COMPARE_KERNEL, "dispatches", "dispatches"},
	{COMPARE_KERNEL, "time_ns", "mean time of a dispatch, ns"},
	{COMPARE_KERNEL, "vgprs", "vector registers"},
	{COMPARE_KERNEL, "sgprs", "scalar registers"},
	{COMPARE_KERNEL, "lds", "static LDS, bytes"},
	{COMPARE_KERNEL, "scratch", "scratch per lane, bytes"},
};

enum { METRICS = sizeof(compare_metrics) / sizeof(*compare_metrics) };
const size_t compare_metric_count = METRICS;

/* ---- Reading one run ------------------------------------------------------------------------- */

/*
 * Columns of `lines` that identify a line; the metrics follow. `size` and `function` are for sites
 * without a line, whose position says nothing.
 */
static const char identity[] = "kernel,file,line,column,access,space,size,function,source";
enum { IDENTITY = 9 };

static const char tables_sql[] =
	"CREATE TABLE place (id INTEGER PRIMARY KEY, run INT, kernel, file, line INT, \"column\" "
	"INT, access, space, size INT, function, source, base);"
	"CREATE TABLE value (place INT, metric, value);"
	"CREATE TABLE kernel (run INT, kernel, instrumented INT, dispatches INT, time_ns REAL, "
	"variance REAL, vgprs INT, sgprs INT, lds INT, scratch INT, reason, file, line INT);"
	/* `part`: those of its filters by which only part of a kernel's work is counted. */
	"CREATE TABLE run (run INT, part);"
	/* Kernels that ran, but of whose lines nothing was counted. */
	"CREATE TABLE unmeasured (run INT, kernel, reason, PRIMARY KEY (run, kernel));"
	"CREATE TABLE pair (before INT, after INT);"
	"CREATE TABLE change (scope, kernel, variant, file, line INT, line_before INT, "
	"\"column\" INT, access, space, source, metric, before, after, noise, why, nth INT);";

/* For errors: "cannot ...". */
static const char doing[] = "compare the runs";

static struct probe_err *insert_row(const struct report_db *to, sqlite3_stmt *insert)
{
	int rc = sqlite3_step(insert);

	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? NULL : probe_reader_error(&to->reader, doing);
}

/* The name of the file without its folders: a checkout may have moved between the runs. */
static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* If the compiler or an editor moved a line, its white space may change, so it is ignored. */
static void bind_trimmed(sqlite3_stmt *insert, int at, const char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	sqlite3_bind_text(insert, at, text, (int)len, SQLITE_TRANSIENT);
}

/* One line's metrics after its identity; metrics that a run lacks are NULL. */
static struct probe_err *copy_values(const struct report_db *to, sqlite3_stmt *row,
				     sqlite3_stmt *insert)
{
	sqlite3_int64 place = sqlite3_last_insert_rowid(to->reader.db);
	int at = IDENTITY;

	for (int i = 0; i < METRICS; i++) {
		struct probe_err *err;

		if (compare_metrics[i].scope != COMPARE_LINE)
			continue;
		sqlite3_bind_int64(insert, 1, place);
		sqlite3_bind_text(insert, 2, compare_metrics[i].name, -1, SQLITE_STATIC);
		sqlite3_bind_value(insert, 3, sqlite3_column_value(row, at++));
		err = insert_row(to, insert);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *copy_lines(const struct report_db *from, sqlite3_stmt *rows, int run,
				    const struct report_db *to)
{
	REPORT_AUTO_STMT sqlite3_stmt *place = NULL, *value = NULL;
	struct probe_err *err = report_prepare_sql(
		to, "INSERT INTO place VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &place);

	if (err)
		return err;
	err = report_prepare_sql(to, "INSERT INTO value VALUES (?, ?, ?)", &value);
	if (err)
		return err;
	while (report_next(from, rows, &err)) {
		sqlite3_bind_int(place, 1, run);
		for (int i = 0; i < IDENTITY - 1; i++)
			sqlite3_bind_value(place, i + 2, sqlite3_column_value(rows, i));
		bind_trimmed(place, IDENTITY + 1, report_cell(rows, IDENTITY - 1));
		sqlite3_bind_text(place, IDENTITY + 2, base_name(report_cell(rows, 1)), -1,
				  SQLITE_TRANSIENT);
		err = insert_row(to, place);
		if (err)
			return err;
		err = copy_values(to, rows, value);
		if (err)
			return err;
	}
	return err;
}

static char *line_fields(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(identity, out);
	for (int i = 0; i < METRICS; i++)
		if (compare_metrics[i].scope == COMPARE_LINE)
			fprintf(out, ",%s", compare_metrics[i].name);
	return fclose(out) ? NULL : text;
}

static struct probe_err *read_lines(const struct report *report, const struct report_db *from,
				    int run, const struct report_db *to)
{
	REPORT_AUTO_STMT sqlite3_stmt *rows = NULL;
	PROBE_AUTO_FREE char *fields = line_fields();
	const struct report_query *query;
	struct report view = *report;
	struct probe_err *err;

	if (!fields)
		return probe_err_oom();
	if (!report_db_has(from, "probe_memory_site"))
		return NULL;
	view.fields = fields;
	view.sort = NULL;
	view.all = true;
	view.limit = -1;
	err = report_lines_query(&view, from, &query);
	if (err)
		return err;
	err = report_prepare_chosen(&view, from, query, &rows);
	return err ? err : copy_lines(from, rows, run, to);
}

/* "file:line" where the kernel is declared, as two values. */
#define POSITION_FILE "rtrim(rtrim(position, '0123456789'), ':')"
#define POSITION_LINE "CAST(substr(position, length(rtrim(position, '0123456789')) + 1) AS INTEGER)"

#define NO_CLONES(condition)                                                                       \
	"EXISTS (SELECT 1 FROM probe_account WHERE stream = 'dispatches' AND name " condition      \
	" AND value > 0)"
/*
 * Why an original ran. NULL: nothing in it can be counted. That a kernel has no accesses is
 * recorded only as a number of dispatches, so it is known only if no other kernel lacks a clone.
 */
/* clang-format off */
#define REASON                                                                                     \
	"CASE WHEN " SQL_VERDICT("p") " = 'no_clone' AND NOT " NO_CLONES("= 'no_clone.plain'")     \
	" AND " NO_CLONES("LIKE 'no_clone.%'")                                                     \
	" THEN (SELECT value FROM probe_run WHERE key = 'no_clone.kind') "                         \
	"WHEN NOT " SQL_INSTRUMENTED("p") " THEN coalesce("                                        \
	SQL_TEXT(PROBE_VERDICT_TABLE, "p.verdict") ", 'unknown reason') END"
/* clang-format on */

/*
 * Clones are separate from originals: their times are not those of the program. `variance` is that
 * of the mean.
 */
static const char kernels_sql[] =
	"SELECT kernel, instrumented, dispatches, time_ns, variance, vgprs, sgprs, lds, scratch, "
	"reason, " POSITION_FILE ", " POSITION_LINE " FROM (SELECT *, "
	"probe_position(code_object, symbol) AS position FROM ("
	"SELECT kernel, instrumented, count(*) AS dispatches, avg(time) AS time_ns, "
	"CASE WHEN count(time) > 1 THEN max(0, (sum(time * time) - sum(time) * avg(time)) / "
	"(count(time) - 1)) / count(time) END AS variance, max(vgprs) AS vgprs, "
	"max(sgprs) AS sgprs, max(lds) AS lds, max(scratch) AS scratch, max(reason) AS reason, "
	"max(code_object) AS code_object, symbol FROM ("
	"SELECT k.display_name AS kernel, k.kernel_name AS symbol, k.code_object_id AS code_object, "
	"coalesce(" SQL_INSTRUMENTED(
		"p") ", 0) AS instrumented, "
		     "(r.\"end\" - r.start) * 1.0 AS time, "
		     "k.arch_vgpr_count AS vgprs, k.sgpr_count AS sgprs, "
		     "k.group_segment_size AS lds, k.private_segment_size AS scratch, " REASON
		     " AS reason FROM probe_dispatch p "
		     "JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id "
		     "LEFT JOIN rocpd_kernel_dispatch r ON r.id = p.dispatch_id) "
		     "GROUP BY kernel, instrumented))";

static struct probe_err *read_kernels(const struct report *report, const struct report_db *from,
				      int run, const struct report_db *to)
{
	REPORT_AUTO_STMT sqlite3_stmt *rows = NULL, *insert = NULL;
	struct probe_err *err = report_prepare_sql(from, kernels_sql, &rows);

	if (err)
		return err;
	err = report_prepare_sql(
		to, "INSERT INTO kernel VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &insert);
	if (err)
		return err;
	while (report_next(from, rows, &err)) {
		if (report->kernel &&
		    regexec(&report->kernel_regex, report_cell(rows, 0), 0, NULL, 0))
			continue;
		sqlite3_bind_int(insert, 1, run);
		for (int i = 0; i < sqlite3_column_count(rows); i++)
			sqlite3_bind_value(insert, i + 2, sqlite3_column_value(rows, i));
		err = insert_row(to, insert);
		if (err)
			return err;
	}
	return err;
}

/* Options are stored in this order, so the rest of the text is of these, too. */
#define FROM_OPTION(option)                                                                        \
	"WHEN instr(value, '" option " ') THEN substr(value, instr(value, '" option " ')) "

static struct probe_err *read_filters(const struct report_db *from, int run,
				      const struct report_db *to)
{
	REPORT_AUTO_STMT sqlite3_stmt *row = NULL, *insert = NULL;
	bool any = false;
	struct probe_err *err = report_first_row(
		from,
		"SELECT CASE " FROM_OPTION("--dispatches") FROM_OPTION("--filter-x")
			FROM_OPTION("--filter-y") FROM_OPTION(
				"--filter-z") "END FROM probe_run WHERE key = 'filters'",
		&row, &any);

	if (err)
		return err;
	err = report_prepare_sql(to, "INSERT INTO run VALUES (?, ?)", &insert);
	if (err)
		return err;
	sqlite3_bind_int(insert, 1, run);
	sqlite3_bind_text(insert, 2, any ? report_cell(row, 0) : "", -1, SQLITE_TRANSIENT);
	return insert_row(to, insert);
}

static struct probe_err *read_run(const struct report *report, const char *path, int run,
				  struct report_db *to)
{
	REPORT_AUTO_DB struct report_db from = {0};
	struct probe_err *err = report_db_open(report, path, &from);

	if (err)
		return err;
	to->reader.partial |= from.reader.partial;
	err = read_filters(&from, run, to);
	if (err)
		return err;
	err = read_lines(report, &from, run, to);
	return err ? err : read_kernels(report, &from, run, to);
}

/* ---- Matching ------------------------------------------------------------------------------- */

#define LIKE_LINE "kernel, base, access, space"
#define UNPAIRED  "id NOT IN (SELECT before FROM pair UNION ALL SELECT after FROM pair)"
#define POSITION  "file, line, \"column\", size, function, id"
/* Matches rows that are equal in `columns`; if there are several, in the order of position. */
#define PAIR(columns, condition)                                                                   \
	"INSERT INTO pair WITH p AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY run, " \
	"" columns " ORDER BY " POSITION ") AS nth FROM place WHERE " UNPAIRED " AND " condition   \
	") SELECT a.id, b.id FROM p a JOIN p b USING (" columns                                    \
	", nth) WHERE a.run = 0 AND b.run = 1;"

/* Kernels of the HIP runtime (copies, fills) are in every program. */
#define USERS "kernel NOT GLOB '" PROBE_RUNTIME_KERNELS "*'"

static const char pair_sql[] =
	"CREATE INDEX place_run ON place (run, kernel, base, line);"
	"INSERT INTO unmeasured SELECT run, kernel, max(reason) FROM kernel WHERE " USERS
	" GROUP BY run, kernel HAVING max(instrumented) = 0 AND max(reason) IS NOT NULL;"
	"INSERT OR IGNORE INTO unmeasured SELECT run, kernel, 'no counts of lines in this run' "
	"FROM kernel WHERE " USERS " AND run NOT IN (SELECT run FROM place);"
	/* clang-format off */
	PAIR(LIKE_LINE ", source, line, \"column\"", "source <> ''")
	PAIR(LIKE_LINE ", source", "source <> ''")
	PAIR(LIKE_LINE ", line, \"column\"", "line > 0")
	PAIR(LIKE_LINE ", line", "line > 0")
	/* Accesses that the compiler moved or made have no line. */
	PAIR(LIKE_LINE ", size, function", "line = 0")
	PAIR(LIKE_LINE, "line = 0")
	/* clang-format on */
	"CREATE INDEX value_place ON value (place, metric);"
	/* And those without a match. */
	"INSERT INTO pair SELECT CASE run WHEN 0 THEN id END, CASE run WHEN 1 THEN id END "
	"FROM place WHERE " UNPAIRED ";"
	"INSERT INTO change SELECT 'line', p.kernel, NULL, p.file, p.line, a.line, p.\"column\", "
	"p.access, p.space, p.source, m.metric, v.value, w.value, 0, "
	"CASE WHEN pair.after IS NULL THEN (SELECT 'not measured: ' || reason FROM unmeasured u "
	"WHERE u.run = 1 AND u.kernel = p.kernel) "
	"WHEN pair.before IS NULL THEN (SELECT 'not measured before: ' || reason FROM unmeasured u "
	"WHERE u.run = 0 AND u.kernel = p.kernel) END, p.nth FROM pair "
	"LEFT JOIN place a ON a.id = pair.before "
	"JOIN (SELECT *, row_number() OVER (PARTITION BY run, " LIKE_LINE
	", source ORDER BY " POSITION
	") AS nth FROM place) p ON p.id = coalesce(pair.after, pair.before) "
	"JOIN value m ON m.place = p.id "
	"LEFT JOIN value v ON v.place = pair.before AND v.metric = m.metric "
	"LEFT JOIN value w ON w.place = pair.after AND w.metric = m.metric;";

/* Of original and clone together. Registers and LDS are those of the original in both. */
#define WHOLE_METRIC(metric, together)                                                             \
	"INSERT INTO change SELECT 'kernel', kernel, NULL, file, line, "                           \
	"max(CASE run WHEN 0 THEN line END), NULL, NULL, NULL, NULL, '" metric "', "               \
	"" together "(CASE run WHEN 0 THEN " metric " END), "                                      \
	"" together "(CASE run WHEN 1 THEN " metric " END), 0, NULL, 1 "                           \
	"FROM (SELECT * FROM kernel ORDER BY run DESC) GROUP BY kernel;"
#define KERNEL_RAN(run)                                                                            \
	"EXISTS (SELECT 1 FROM kernel k WHERE k.run = " run " AND k.kernel = n.kernel)"
/* Of a run in which the kernel was not timed, the mean is unknown, and so is the noise. */
#define VARIANCE(row) "CASE WHEN " row ".kernel IS NULL THEN 0 ELSE " row ".variance END"

/*
 * Times of clones are separate from those of originals. noise: twice the standard error of the
 * difference of two means; NULL if a time was measured once, so that its noise is unknown.
 */
/* clang-format off */
static const char kernels_change_sql[] =
	"INSERT INTO change SELECT 'kernel', kernel, "
	"CASE instrumented WHEN 1 THEN 'instrumented' ELSE 'original' END, "
	"coalesce(b.file, a.file), coalesce(b.line, a.line), a.line, NULL, NULL, NULL, NULL, "
	"'time_ns', a.time_ns, b.time_ns, "
	"2 * sqrt(" VARIANCE("a") " + " VARIANCE("b") "), "
	"CASE WHEN b.kernel IS NULL AND " KERNEL_RAN("1") " THEN 'not measured' "
	"WHEN a.kernel IS NULL AND " KERNEL_RAN("0") " THEN 'not measured before' END, 1 "
	"FROM (SELECT DISTINCT kernel, instrumented FROM kernel) n "
	"LEFT JOIN (SELECT * FROM kernel WHERE run = 0) a USING (kernel, instrumented) "
	"LEFT JOIN (SELECT * FROM kernel WHERE run = 1) b USING (kernel, instrumented);"
	/* A launch is one, whichever of the two ran. */
	WHOLE_METRIC("dispatches", "sum")
	WHOLE_METRIC("vgprs", "max") WHOLE_METRIC("sgprs", "max") WHOLE_METRIC("lds", "max")
	WHOLE_METRIC("scratch", "max");
/* clang-format on */

/* Fails for two different programs, which have nothing in common. */
static struct probe_err *check_common(const struct report_db *to, const char *before,
				      const char *after)
{
	bool common = false, any = false;
	struct probe_err *err = report_any(to,
					   "SELECT 1 FROM kernel a JOIN kernel b USING (kernel) "
					   "WHERE a.run = 0 AND b.run = 1 AND " USERS,
					   &common);

	if (err || common)
		return err;
	err = report_any(to, "SELECT 1 FROM kernel WHERE " USERS, &any);
	if (err || !any)
		return err;
	return probe_err_create(
		"%s and %s have no kernel in common; expected two runs of one program", before,
		after);
}

/* Both runs, one after the other; `before` may be NULL. */
static struct probe_err *read_runs(const struct report *report, const char *before,
				   const char *after, struct report_db *to)
{
	struct probe_err *err;

	if (!before)
		return read_run(report, after, 1, to);
	err = read_run(report, before, 0, to);
	if (err)
		return err;
	err = read_run(report, after, 1, to);
	return err ? err : check_common(to, before, after);
}

static struct probe_err *fill(const struct report *report, const char *before, const char *after,
			      struct report_db *to)
{
	struct probe_err *err = report_run_sql(to, tables_sql, doing);

	if (err)
		return err;
	err = read_runs(report, before, after, to);
	if (err)
		return err;
	err = report_run_sql(to, pair_sql, doing);
	if (err)
		return err;
	err = report_run_sql(to, kernels_change_sql, doing);
	return err ? err : report_functions(report, to->reader.db);
}

struct probe_err *report_compare_none(const struct report *report, struct report_db *ret)
{
	struct probe_err *err = report_db_memory(strdup(""), ret);

	if (err)
		return err;
	err = report_run_sql(ret, tables_sql, doing);
	if (!err)
		err = report_functions(report, ret->reader.db);
	if (err)
		report_db_close(ret);
	return err;
}

struct probe_err *report_compare_open(const struct report *report, const char *before,
				      const char *after, struct report_db *ret)
{
	struct probe_err *err;

	probe_reader_allow_copies();
	err = report_db_memory(strdup(after), ret);
	if (err)
		return err;
	err = fill(report, before, after, ret);
	if (err)
		report_db_close(ret);
	return err;
}

/* ---- The query ------------------------------------------------------------------------------- */

static const struct report_column columns[] = {COMPARE_COLUMNS};

const struct report_query report_compare_query = {
	.verb = "diff",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "change",
	.where = "coalesce(\"before\", 0) <> coalesce(\"after\", 0)",
	.kernel_column = "kernel",
	.sort = COMPARE_SORT,
};
