/* SPDX-License-Identifier: MIT */
/*
 * Samples for other programs: folded stacks (flame graphs: one line per stack, "frame;frame;...
 * N"), and the CSV files of rocprofv3, one row per sample, which needs samples that were kept one
 * by one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "store/sql_words.h"
#include "pcsample/sample_codes.h"
#include "cmds/report/report.h"
#include "cmds/report/escape.h"

/* ---- Folded stacks -------------------------------------------------------------------------- */

/* Rows of code_object, offset, issued, code, samples. Host trap knows no states: code is NULL. */
#define OF_RUN                                                                                     \
	"SELECT code_object_id AS code_object, offset, issued, code, samples FROM probe_state "    \
	"UNION ALL SELECT code_object_id, offset, 1, NULL, samples FROM probe_sample s "           \
	"WHERE NOT EXISTS (SELECT 1 FROM probe_state t WHERE t.code_object_id = "                  \
	"s.code_object_id AND t.offset = s.offset)"
#define OF_DISPATCHES                                                                              \
	"SELECT code_object, offset, issued, nullif(code, 0) AS code, samples "                    \
	"FROM probe_profile p, probe_unpack(p.bytes) WHERE dispatch IN "
#define OF_SAMPLES                                                                                 \
	"SELECT code_object, offset - load_base AS offset, issued, nullif(code, 0) AS code, "      \
	"samples FROM probe_rawsample p JOIN probe_sampler m ON m.agent = p.agent "                \
	"JOIN rocpd_info_agent a ON a.id = p.agent, probe_unraw(p.bytes, a.name, m.method) "       \
	"JOIN rocpd_info_code_object c ON c.id = code_object WHERE samples AND dispatch AND "      \
	"probe_chosen(dispatch) AND probe_timely(time - " REPORT_FIRST ", time - " REPORT_FIRST    \
	")"

static char *flame_sql(const struct report *report, enum report_source source)
{
	return sqlite3_mprintf(
		"SELECT stack, sum(samples) FROM (SELECT probe_stack_at(code_object, address) || "
		"CASE WHEN code IS NULL THEN '' WHEN issued THEN ';issued' ELSE ';' || coalesce(" SQL_WORD(
			PROBE_PCS_REASON_TABLE,
			"code") ", 'other') END AS stack, "
				"probe_kernel_at(code_object, address) AS kernel, samples FROM "
				"(SELECT s.*, s.offset + c.load_base - c.load_delta AS address FROM (%s%s) s "
				"JOIN rocpd_info_code_object c ON c.id = s.code_object))%s GROUP BY stack "
				"ORDER BY stack",
		source == REPORT_FROM_SUMS	   ? OF_RUN
		: source == REPORT_FROM_DISPATCHES ? OF_DISPATCHES
						   : OF_SAMPLES,
		source == REPORT_FROM_DISPATCHES ? report_chosen_sql : "",
		report->kernel ? " WHERE probe_match(coalesce(kernel, '(unknown)'))" : "");
}

/* No graph can be made of it, so that it is an error. */
static struct probe_err *nothing(const struct report *report, const struct report_db *db)
{
	bool any = false;
	struct probe_err *err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);
	const char *why = "";
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!err && !any)
		err = report_no_samples(db, &why);
	if (err)
		return err;
	if (!any)
		return probe_err_create("%s: no samples: %s", db->path, why);
	out = open_memstream(&text, &size);
	if (!out)
		return probe_err_oom();
	err = report_no_choice(report, db, out);
	if (fclose(out) && !err)
		err = probe_err_oom();
	if (!err)
		err = probe_err_create("%s: %s", db->path, text);
	free(text);
	return err;
}

struct probe_err *report_flame(const struct report *report, struct report_db *db)
{
	sqlite3_stmt *stmt = NULL;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);
	char *sql = err ? NULL : flame_sql(report, source);
	bool row = true, any = false;

	if (!err && !sql)
		err = probe_err_oom();
	if (!err)
		err = report_prepare_sql(db, sql, &stmt);
	sqlite3_free(sql);
	while (!err) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		report_put(report_cell(stmt, 0));
		printf(" %s\n", report_cell(stmt, 1));
		any = true;
	}
	sqlite3_finalize(stmt);
	return err || any ? err : nothing(report, db);
}

/* ---- rocprofv3 ------------------------------------------------------------------------------ */

enum field {
	F_TIME,
	F_EXEC,
	F_DISPATCH,
	F_GOOD,
	F_INSTRUCTION,
	F_COMMENT,
	F_PC,
	F_ISSUED,
	F_TYPE,
	F_REASON,
	F_WAVES,
};

#define ADDRESS "u.offset - c.load_delta"

static const char rows_sql[] =
	"SELECT u.time, u.exec, u.dispatch, u.samples, "
	"probe_instruction_at(u.code_object, " ADDRESS "), "
	"probe_comment_at(u.code_object, " ADDRESS "), u.offset, u.issued, u.type, u.reason, "
	"u.waves FROM probe_rawsample p JOIN probe_sampler m ON m.agent = p.agent "
	"JOIN rocpd_info_agent a ON a.id = p.agent, probe_unraw(p.bytes, a.name, m.method) u "
	"LEFT JOIN rocpd_info_code_object c ON c.id = u.code_object AND u.samples "
	"WHERE u.valid AND probe_chosen(u.dispatch) AND (" SQL_WORD(
		PROBE_SAMPLING_METHOD_TABLE, "m.method") " = 'stochastic') = %d AND "
							 "probe_timely(u.time - " REPORT_FIRST
							 ", u.time - " REPORT_FIRST
							 ")%s ORDER BY p.id, "
							 "u.rowid";

/* Always quoted, quotes doubled (RFC 4180; rocprofv3 leaves them as they are). */
static void put_quoted(const char *text)
{
	putchar('"');
	for (;;) {
		size_t plain = strcspn(text, "\"");

		report_text(stdout, text, plain, 0);
		text += plain;
		if (!*text)
			break;
		fputs("\"\"", stdout);
		text++;
	}
	putchar('"');
}

static void put_header(bool stochastic)
{
	fputs("\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\","
	      "\"Instruction_Comment\",\"Correlation_Id\"",
	      stdout);
	puts(stochastic ? ",\"Wave_Issued_Instruction\",\"Instruction_Type\",\"Stall_Reason\","
			  "\"Wave_Count\""
			: "");
}

/* Of the first file: all that follow have its columns. */
static bool header_stochastic;

static uint64_t number(sqlite3_stmt *stmt, enum field field)
{
	return (uint64_t)sqlite3_column_int64(stmt, field);
}

/* Correlation ids are the dispatch's: API calls, which would have their own, are not traced. */
static void put_row(sqlite3_stmt *stmt, bool stochastic)
{
	char comment[96];
	bool good = number(stmt, F_GOOD);

	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", number(stmt, F_TIME), number(stmt, F_EXEC),
	       number(stmt, F_DISPATCH));
	put_quoted(good ? report_cell(stmt, F_INSTRUCTION) : "");
	putchar(',');
	snprintf(comment, sizeof(comment),
		 "Unrecognized code object id, physical virtual address of PC:%" PRIu64,
		 number(stmt, F_PC));
	put_quoted(good ? report_cell(stmt, F_COMMENT) : comment);
	printf(",%" PRIu64, number(stmt, F_DISPATCH));
	if (stochastic)
		printf(",%" PRIu64 ",\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_%s\","
		       "\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_%s\",%" PRIu64,
		       number(stmt, F_ISSUED), probe_pcs_type_name((unsigned)number(stmt, F_TYPE)),
		       probe_pcs_reason_name((unsigned)number(stmt, F_REASON)),
		       number(stmt, F_WAVES));
	putchar('\n');
}

static struct probe_err *put_rows(const struct report *report, const struct report_db *db,
				  bool stochastic)
{
	char *sql = sqlite3_mprintf(rows_sql, stochastic,
				    report->kernel ? " AND probe_match(coalesce(probe_kernel_at("
						     "u.code_object, " ADDRESS "), '(unknown)'))"
						   : "");
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = sql ? report_prepare_sql(db, sql, &stmt) : probe_err_oom();
	bool row = true;

	sqlite3_free(sql);
	while (!err) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		put_row(stmt, stochastic);
	}
	sqlite3_finalize(stmt);
	return err;
}

struct probe_err *report_rocprofv3(const struct report *report, const struct report_db *db,
				   bool first)
{
	bool raw = false, stochastic = false;
	struct probe_err *err = NULL;

	if (report_db_has(db, "probe_rawsample"))
		err = report_any(db, "SELECT 1 FROM probe_rawsample LIMIT 1", &raw);
	if (!err && !raw)
		return probe_err_create("%s: rocprofv3's files have a row per sample, and samples "
					"were not kept one by one; record with probe-run "
					"--pc-sampling-raw",
					db->path);
	if (!err)
		err = report_any(db,
				 "SELECT 1 FROM probe_sampler WHERE " SQL_WORD(
					 PROBE_SAMPLING_METHOD_TABLE, "method") " = 'stochastic'",
				 &stochastic);
	if (err)
		return err;
	if (!first && stochastic != header_stochastic)
		return probe_err_create("%s: sampled by %s, the file before by %s, which have "
					"other columns: show them one at a time",
					db->path, stochastic ? "stochastic" : "host trap",
					stochastic ? "host trap" : "stochastic");
	header_stochastic = stochastic;
	if (first && report->header)
		put_header(stochastic);
	return put_rows(report, db, stochastic);
}
