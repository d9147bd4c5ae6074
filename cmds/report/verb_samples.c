/* SPDX-License-Identifier: MIT */
/*
 * probe-report samples: where PC samples fell, one row per source line, kernel, instruction or
 * dispatch. What a sampled wave did is known from stochastic sampling only; host-trap samples leave
 * those columns empty. A wave counts in proportion to the time it spends at a place.
 */
#include "common/err.h"
#include "store/sql_words.h"
#include "cmds/report/report.h"
#include "cmds/report/sample_source.h"

#define COUNTS                                                                                     \
	{"samples", "samples", REPORT_INT, true, "samples", "of waves that stood here"},           \
		{"share",                                                                          \
		 "%",                                                                              \
		 REPORT_REAL,                                                                      \
		 true,                                                                             \
		 "round(100.0 * samples / total, 2)",                                              \
		 "of all samples in the chosen dispatches"},                                       \
		{"issued", "issued", REPORT_INT, true, "issued", "in the cycle of the sample"},    \
		{"stalled", "stalled", REPORT_INT, true, "stalled", "the sum of the next"},        \
		{"waitcnt", "waitcnt", REPORT_INT, true, "waitcnt", "waiting for memory or LDS"},  \
		{"barrier", "barrier", REPORT_INT, true, "barrier", "waiting for other waves"},    \
		{"alu", "alu", REPORT_INT, true, "alu", "waiting for an earlier result"},          \
		{"arbiter", "arbiter", REPORT_INT,                                                 \
		 true,	    "arbiter", "another wave was chosen, or the unit was busy"},           \
		{"internal", "internal", REPORT_INT, true, "internal", "s_nop and the like"},      \
		{"fetch", "fetch", REPORT_INT, true, "fetch", "no instruction fetched yet"},       \
		{"sleep", "sleep", REPORT_INT, false, "sleep", "s_sleep"},                         \
		{"other", "other", REPORT_INT, false, "other", ""},                                \
		{"lanes",                                                                          \
		 "lanes",                                                                          \
		 REPORT_REAL,                                                                      \
		 true,                                                                             \
		 "round(1.0 * lanes / samples, 1)",                                                \
		 "active lanes, average"},                                                         \
		{"waves",                                                                          \
		 "waves",                                                                          \
		 REPORT_REAL,                                                                      \
		 false,                                                                            \
		 "round(1.0 * waves / samples, 1)",                                                \
		 "on the compute unit, average"},                                                  \
		{"dual", "dual", REPORT_INT, false, "dual", "issued two at once"},                 \
	{                                                                                          \
		"code_object", "object", REPORT_INT, false, "code_object", "id"                    \
	}

static const struct report_column line_columns[] = {
	{"position", "position", REPORT_TEXT, true, "coalesce(position, '(unknown)')",
	 "file:line; unknown: compiled without -g"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	COUNTS,
};

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	COUNTS,
};

static const struct report_column instruction_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	{"offset", "offset", REPORT_INT, true, "offset", "bytes into the code object as loaded"},
	{"instruction", "instruction", REPORT_TEXT, true, "instruction", "disassembled"},
	{"position", "position", REPORT_TEXT, true, "coalesce(position, '(unknown)')", "file:line"},
	COUNTS,
};

static const struct report_column dispatch_columns[] = {
	{"dispatch", "dispatch", REPORT_INT, true, "dispatch", "id, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	{"start_ns", "start ns", REPORT_INT, true, "start", "since the first dispatch"},
	{"duration_ns", "duration ns", REPORT_INT, true, "duration", "empty: did not end"},
	COUNTS,
};

const char report_chosen_sql[] = SAMPLES_CHOSEN;

/* In the ELF image, as debug information and symbols count. */
#define ADDRESS "s.offset + c.load_base - c.load_delta"
/* A code object that was loaded again is the same code: `code` tells them apart by content. */
#define ROWS(source)                                                                               \
	"(SELECT s.code_object_id AS code_object, s.*, "                                           \
	"coalesce((SELECT nullif(k.hash, '') FROM probe_code k WHERE k.code_object_id = c.id), "   \
	"c.id) AS code, " ADDRESS " AS address, probe_line_at(s.code_object_id, " ADDRESS          \
	") AS position, "                                                                          \
	"probe_kernel_at(s.code_object_id, " ADDRESS ") AS kernel "                                \
	"FROM " source " s JOIN rocpd_info_code_object c ON c.id = s.code_object_id)"

#define SUMS                                                                                                   \
	"min(code_object) AS code_object, sum(samples) AS samples, sum(lanes) AS lanes, sum(waves) AS waves, " \
	"sum(dual) AS dual, sum(issued) AS issued, sum(stalled) AS stalled, "                                  \
	"sum(waitcnt) AS waitcnt, sum(barrier) AS barrier, sum(alu) AS alu, "                                  \
	"sum(arbiter) AS arbiter, sum(internal) AS internal, sum(fetch) AS fetch, "                            \
	"sum(sleep) AS sleep, sum(other) AS other, sum(sum(samples)) OVER () AS total"

#define LINES(source)                                                                              \
	"(SELECT position, kernel, " SUMS " FROM " ROWS(source) " GROUP BY code, kernel, position)"
#define KERNELS(source) "(SELECT kernel, " SUMS " FROM " ROWS(source) " GROUP BY code, kernel)"
#define INSTRUCTIONS(source)                                                                       \
	"(SELECT kernel, position, offset, min(address) AS address, "                              \
	"probe_instruction_at(min(code_object), min(address)) AS instruction, " SUMS               \
	" FROM " ROWS(source) " GROUP BY code, offset)"
#define DISPATCHES(source)                                                                         \
	"(SELECT d.*, k.display_name AS kernel, r.start - " REPORT_FIRST                           \
	" AS start, r.\"end\" - r.start AS duration FROM (SELECT dispatch, " SUMS " FROM (SELECT " \
	"code_object_id AS code_object, * FROM " source ") GROUP BY dispatch) d "                  \
	"LEFT JOIN probe_dispatch p ON p.dispatch_id = d.dispatch "                                \
	"LEFT JOIN rocpd_kernel_dispatch r ON r.dispatch_id = d.dispatch "                         \
	"LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id)"

#define QUERY(table, sql, order)                                                                   \
	{                                                                                          \
		.verb = "samples", .columns = table, .count = sizeof(table) / sizeof(*table),      \
		.from = sql, .kernel_column = "kernel", .sort = order                              \
	}
#define QUERIES(table, rows, order)                                                                \
	{                                                                                          \
		QUERY(table, rows(SAMPLES_SUMS), order),                                           \
			QUERY(table, rows(SAMPLES_DISPATCHES("NULL")), order),                     \
			QUERY(table, rows(SAMPLES_SAMPLES("NULL")), order)                         \
	}

static const struct report_query queries[REPORT_BYS][REPORT_FROM_SAMPLES + 1] = {
	[REPORT_BY_LINE] = QUERIES(line_columns, LINES, "samples,position,kernel,+code_object"),
	[REPORT_BY_KERNEL] = QUERIES(kernel_columns, KERNELS, "samples,kernel,+code_object"),
	[REPORT_BY_INSTRUCTION] =
		QUERIES(instruction_columns, INSTRUCTIONS, "samples,kernel,+offset,+code_object"),
	[REPORT_BY_DISPATCH] =
		{QUERY(dispatch_columns, DISPATCHES(SAMPLES_DISPATCHES("dispatch")), "+dispatch"),
		 QUERY(dispatch_columns, DISPATCHES(SAMPLES_DISPATCHES("dispatch")), "+dispatch"),
		 QUERY(dispatch_columns, DISPATCHES(SAMPLES_SAMPLES("dispatch")), "+dispatch")},
};

const struct report_query *report_samples_query(enum report_by by, enum report_source source)
{
	return &queries[by][source];
}

struct probe_err *report_any(const struct report_db *db, const char *sql, bool *ret)
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &stmt);

	if (!err)
		err = report_step(db, stmt, ret);
	sqlite3_finalize(stmt);
	return err;
}

struct probe_err *report_source(const struct report *report, const struct report_db *db,
				enum report_source *ret)
{
	struct probe_err *err = NULL;
	bool raw = false;

	*ret = REPORT_FROM_SUMS;
	if (!report_db_has(db, "probe_sample"))
		return probe_err_create("%s: recorded by a Probe without PC sampling", db->path);
	err = report_any(db,
			 "SELECT 1 FROM probe_sample WHERE samples < 0 OR lanes < 0 OR waves < 0 "
			 "UNION ALL SELECT 1 FROM probe_state WHERE samples < 0 LIMIT 1",
			 &raw);
	if (!err && raw)
		err = probe_err_create("%s is damaged: it counts fewer than no samples", db->path);
	if (err)
		return err;
	if (!report_filtered(report) && report->by != REPORT_BY_DISPATCH)
		return NULL;
	if (!report_db_has(db, "probe_profile"))
		return probe_err_create("%s: recorded by an older Probe, which did not keep the "
					"samples of each dispatch",
					db->path);
	if (report_timed(report))
		err = report_any(db, "SELECT 1 FROM probe_rawsample LIMIT 1", &raw);
	*ret = raw ? REPORT_FROM_SAMPLES : REPORT_FROM_DISPATCHES;
	return err;
}

struct probe_err *report_none(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool *ret)
{
	struct report view = *report;
	unsigned char first = 0;
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	struct probe_err *err = NULL;

	*ret = false;
	if (!report->kernel && !report_filtered(report))
		return NULL;
	view.fields = view.sort = NULL;
	view.limit = -1;
	err = report_prepare(&view, db, query, &first, 1, &stmt);
	if (!err)
		err = report_step(db, stmt, &row);
	*ret = !row;
	sqlite3_finalize(stmt);
	return err;
}

static const char any_sql[] = "SELECT 1 FROM probe_sample LIMIT 1";

/* How it was sampled: method, interval, provider. */
struct probe_err *report_samplers(const struct report_db *db)
{
	sqlite3_stmt *stmt = NULL;
	bool row = true;
	struct probe_err *err = report_prepare_sql(
		db,
		"SELECT " SQL_WORD(PROBE_SAMPLING_METHOD_TABLE, "method") ", interval, " SQL_WORD(
			PROBE_SAMPLING_UNIT_TABLE,
			"unit") ", "
				"provider, a.absolute_index FROM probe_sampler JOIN rocpd_info_agent a ON "
				"a.id = agent ORDER BY agent",
		&stmt);

	while (!err) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		printf("sampled: agent %s, %s, every %s %s, by ", report_cell(stmt, 4),
		       report_cell(stmt, 0), report_cell(stmt, 1), report_cell(stmt, 2));
		report_put(report_cell(stmt, 3));
		putchar('\n');
	}
	sqlite3_finalize(stmt);
	return err;
}

struct probe_err *report_samples_head(const struct report *report, const struct report_db *db,
				      enum report_source source, bool *any)
{
	struct probe_err *err = report_head(report, db);

	if (!err)
		err = report_samplers(db);
	if (!err)
		err = report_any(db, any_sql, any);
	if (!err && *any && report_timed(report) && source == REPORT_FROM_DISPATCHES)
		puts("note: --start and --end choose whole dispatches that overlap the window: "
		     "samples were not kept one by one (probe-run --pc-sampling-raw)");
	putchar('\n');
	if (!err && !*any) {
		const char *why;

		err = report_no_samples(db, &why);
		if (!err)
			printf("no samples: %s\n", why);
	}
	return err;
}

static struct probe_err *rows_or_why(const struct report *report, const struct report_db *db,
				     const struct report_query *query)
{
	bool none = false, compiler = false;
	struct probe_err *err = report_none(report, db, query, &none);

	if (!err && none) {
		err = report_no_choice(report, db, stdout);
		putchar('\n');
		return err;
	}
	if (!err)
		err = report_rows(report, db, query, true, true);
	if (!err && !report->kernel && !report_filtered(report))
		err = report_unsampled(db);
	if (!err && (report->by == REPORT_BY_LINE || report->by == REPORT_BY_INSTRUCTION))
		err = report_any(db,
				 "SELECT 1 FROM " ROWS("probe_sample") " WHERE position LIKE "
								       "'%:0' LIMIT 1",
				 &compiler);
	if (compiler)
		puts("line 0: code that the compiler made, of no line of its own");
	return err;
}

struct probe_err *report_samples(const struct report *report, struct report_db *db, bool first,
				 bool last)
{
	const struct report_query *query;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);
	bool any = false;

	if (err)
		return err;
	if (report->format == REPORT_ROCPROFV3)
		return report_rocprofv3(report, db, first);
	query = report_samples_query(report->by, source);
	if (report->format != REPORT_TABLE)
		return report_rows(report, db, query, first, last);
	err = report_samples_head(report, db, source, &any);
	if (!err && any)
		err = rows_or_why(report, db, query);
	if (!err) {
		putchar('\n');
		err = report_account(report, db);
	}
	return err;
}
