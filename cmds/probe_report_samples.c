/* SPDX-License-Identifier: MIT */
/*
 * probe-report samples: where PC samples fell, one row per source line, kernel or instruction. What
 * a sampled wave did is known from stochastic sampling only; host-trap samples leave those columns
 * empty. A wave counts in proportion to the time it spends at a place.
 */
#include "common/err.h"
#include "report.h"

#define COUNTS                                                                                     \
	{"samples", "samples", REPORT_INT, true, "samples", "of waves that stood here"},           \
		{"share",                                                                          \
		 "%",                                                                              \
		 REPORT_REAL,                                                                      \
		 true,                                                                             \
		 "round(100.0 * samples / total, 2)",                                              \
		 "of all samples of the run"},                                                     \
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

/* pcsample/sample.h: issued or why not, in rocprofiler-sdk's codes. */
#define STATE(codes) "sum(samples) FILTER (WHERE NOT issued AND code IN (" codes "))"
#define STATES                                                                                                                                    \
	"(SELECT code_object_id, offset, sum(samples) FILTER (WHERE issued) AS issued, "                                                          \
	"sum(samples) FILTER (WHERE NOT issued) AS stalled, " STATE("3") " AS waitcnt, " STATE("5") " AS barrier, " STATE("2") " AS alu, " STATE( \
		"6, 7") " AS arbiter, " STATE("4") " AS internal, " STATE("1") " AS fetch, " STATE("9") " AS sleep, " STATE("0, 8") " AS other FROM probe_state GROUP BY code_object_id, offset)"

/* In the ELF image, as debug information and symbols count. */
#define ADDRESS "s.offset + c.load_base - c.load_delta"
#define ROWS                                                                                       \
	"(SELECT s.code_object_id AS code_object, s.offset, " ADDRESS                              \
	" AS address, s.samples, s.lanes, s.waves, s.dual, "                                       \
	"t.issued, t.stalled, t.waitcnt, t.barrier, t.alu, t.arbiter, t.internal, t.fetch, "       \
	"t.sleep, t.other, probe_line_at(s.code_object_id, " ADDRESS ") AS position, "             \
	"probe_kernel_at(s.code_object_id, " ADDRESS ") AS kernel "                                \
	"FROM probe_sample s JOIN rocpd_info_code_object c ON c.id = s.code_object_id "            \
	"LEFT JOIN " STATES " t ON t.code_object_id = s.code_object_id AND t.offset = s.offset)"

#define SUMS                                                                                       \
	"code_object, sum(samples) AS samples, sum(lanes) AS lanes, sum(waves) AS waves, "         \
	"sum(dual) AS dual, sum(issued) AS issued, sum(stalled) AS stalled, "                      \
	"sum(waitcnt) AS waitcnt, sum(barrier) AS barrier, sum(alu) AS alu, "                      \
	"sum(arbiter) AS arbiter, sum(internal) AS internal, sum(fetch) AS fetch, "                \
	"sum(sleep) AS sleep, sum(other) AS other, "                                               \
	"(SELECT sum(samples) FROM probe_sample) AS total"

const struct report_query report_samples_queries[REPORT_BYS] = {
	[REPORT_BY_LINE] =
		{
			.verb = "samples",
			.columns = line_columns,
			.count = sizeof(line_columns) / sizeof(*line_columns),
			.from = "(SELECT position, kernel, " SUMS " FROM " ROWS
				" GROUP BY code_object, kernel, position)",
			.kernel_column = "kernel",
			.sort = "samples,position,kernel,+code_object",
		},
	[REPORT_BY_KERNEL] =
		{
			.verb = "samples",
			.columns = kernel_columns,
			.count = sizeof(kernel_columns) / sizeof(*kernel_columns),
			.from = "(SELECT kernel, " SUMS " FROM " ROWS
				" GROUP BY code_object, kernel)",
			.kernel_column = "kernel",
			.sort = "samples,kernel,+code_object",
		},
	[REPORT_BY_INSTRUCTION] =
		{
			.verb = "samples",
			.columns = instruction_columns,
			.count = sizeof(instruction_columns) / sizeof(*instruction_columns),
			.from = "(SELECT kernel, position, offset, address, "
				"probe_instruction_at(code_object, address) AS instruction, " SUMS
				" FROM " ROWS " GROUP BY code_object, offset)",
			.kernel_column = "kernel",
			.sort = "samples,kernel,+offset,+code_object",
		},
};

struct probe_err *report_samples(const struct report *report, struct report_db *db, bool first,
				 bool last)
{
	const struct report_query *query = &report_samples_queries[report->by];
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool any = false;

	if (!report_db_has(db, "probe_sample"))
		return probe_err_create("%s: recorded by a Probe without PC sampling", db->path);
	if (report->format != REPORT_TABLE)
		return report_rows(report, db, query, first, last);
	err = report_head(report, db);
	if (!err)
		err = report_prepare_sql(db, "SELECT 1 FROM probe_sample LIMIT 1", &stmt);
	if (!err)
		err = report_step(db, stmt, &any);
	sqlite3_finalize(stmt);
	putchar('\n');
	if (!err && !any)
		puts("no samples: the program ran without PC sampling, which this version cannot start yet");
	else if (!err)
		err = report_rows(report, db, query, first, last);
	if (!err) {
		putchar('\n');
		err = report_account(report, db);
	}
	return err;
}
