/* SPDX-License-Identifier: MIT */
#include "cmds/report/rocprofv3_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"
#include "common/err.h"
#include "pcsample/sample_codes.h"
#include "store/sql_words.h"

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

/* Always quoted, quotes doubled (RFC 4180; rocprofv3 does not double them). */
static void print_quoted(const char *text)
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

static void print_header(bool stochastic)
{
	fputs("\"Sample_Timestamp\",\"Exec_Mask\",\"Dispatch_Id\",\"Instruction\","
	      "\"Instruction_Comment\",\"Correlation_Id\"",
	      stdout);
	puts(stochastic ? ",\"Wave_Issued_Instruction\",\"Instruction_Type\",\"Stall_Reason\","
			  "\"Wave_Count\""
			: "");
}

/* Of the first file: all following files get the same columns. */
static bool header_stochastic;

static uint64_t number(sqlite3_stmt *stmt, enum field field)
{
	return (uint64_t)sqlite3_column_int64(stmt, field);
}

/*
 * Correlation ids are those of the dispatch: API calls, which have their own in rocprofv3, are not
 * traced.
 */
static void print_row(sqlite3_stmt *stmt, bool stochastic)
{
	char comment[96];
	bool good = number(stmt, F_GOOD);

	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", number(stmt, F_TIME), number(stmt, F_EXEC),
	       number(stmt, F_DISPATCH));
	print_quoted(good ? report_cell(stmt, F_INSTRUCTION) : "");
	putchar(',');
	snprintf(comment, sizeof(comment),
		 "Unrecognized code object id, physical virtual address of PC:%" PRIu64,
		 number(stmt, F_PC));
	print_quoted(good ? report_cell(stmt, F_COMMENT) : comment);
	printf(",%" PRIu64, number(stmt, F_DISPATCH));
	if (stochastic)
		printf(",%" PRIu64 ",\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_%s\","
		       "\"ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_%s\",%" PRIu64,
		       number(stmt, F_ISSUED), probe_pcs_type_name((unsigned)number(stmt, F_TYPE)),
		       probe_pcs_reason_name((unsigned)number(stmt, F_REASON)),
		       number(stmt, F_WAVES));
	putchar('\n');
}

static struct probe_err *print_rows(const struct report *report, const struct report_db *db,
				    bool stochastic)
{
	REPORT_AUTO_SQL char *sql =
		sqlite3_mprintf(rows_sql, stochastic,
				report->kernel ? " AND probe_match(coalesce(probe_kernel_at("
						 "u.code_object, " ADDRESS "), '(unknown)'))"
					       : "");
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = sql ? report_prepare_sql(db, sql, &stmt) : probe_err_oom();

	if (err)
		return err;
	while (report_next(db, stmt, &err))
		print_row(stmt, stochastic);
	return err;
}

struct probe_err *report_rocprofv3(const struct report *report, const struct report_db *db,
				   bool first)
{
	bool raw = false, stochastic = false;
	struct probe_err *err = NULL;

	if (report_db_has(db, "probe_rawsample"))
		err = report_any(db, "SELECT 1 FROM probe_rawsample LIMIT 1", &raw);
	if (err)
		return err;
	if (!raw)
		return probe_err_create("%s: rocprofv3's files have a row per sample, and samples "
					"were not kept one by one; record with probe-run "
					"--pc-sampling-raw",
					db->path);
	err = report_any(db,
			 "SELECT 1 FROM probe_sampler WHERE " SQL_WORD(PROBE_SAMPLING_METHOD_TABLE,
								       "method") " = 'stochastic'",
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
		print_header(stochastic);
	return print_rows(report, db, stochastic);
}
