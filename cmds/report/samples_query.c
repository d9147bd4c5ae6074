/* SPDX-License-Identifier: MIT */
#include "cmds/report/samples_query.h"

#include "cmds/report/sample_source.h"
#include "cmds/report/site_cost.h"
#include "cmds/report/stall_columns.h"

#define COUNTS                                                                                     \
	{"samples", "samples", REPORT_INT, true, "samples", "PC samples at this position"},        \
		{"share",                                                                          \
		 "%",                                                                              \
		 REPORT_REAL,                                                                      \
		 true,                                                                             \
		 "round(100.0 * samples / total, 2)",                                              \
		 "of all samples in the selected dispatches"},                                     \
		REPORT_STALLS(true),                                                               \
		{"lanes",                                                                          \
		 "lanes",                                                                          \
		 REPORT_REAL,                                                                      \
		 true,                                                                             \
		 "round(1.0 * lanes / samples, 1)",                                                \
		 "active lanes, on average"},                                                      \
		{"waves",                                                                          \
		 "waves",                                                                          \
		 REPORT_REAL,                                                                      \
		 false,                                                                            \
		 "round(1.0 * waves / samples, 1)",                                                \
		 "waves on the compute unit, on average"},                                         \
		{"dual", "dual", REPORT_INT,                                                       \
		 false,	 "dual", "samples of waves that issued two vector instructions at once"},  \
		{"approximate",                                                                    \
		 "approximate",                                                                    \
		 REPORT_INT,                                                                       \
		 false,                                                                            \
		 "approximate",                                                                    \
		 "samples of code without a line, attributed to the line before it or to the "     \
		 "call it was inlined by"},                                                         \
	{                                                                                          \
		"code_object", "object", REPORT_INT, false, "code_object", "id"                    \
	}

static const struct report_column line_columns[] = {
	{"position", "position", REPORT_TEXT, true, "coalesce(position, '(unknown)')",
	 "file:line; for code from headers of HIP or the compiler, your own; unknown: compiled "
	 "without -g"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	COUNTS,
};

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	COUNTS,
};

static const struct report_column instruction_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	{"offset", "offset", REPORT_INT, true, "offset",
	 "bytes from the start of the loaded code object"},
	{"instruction", "instruction", REPORT_TEXT, true, "instruction", "disassembled"},
	{"position", "position", REPORT_TEXT, true, "coalesce(position, '(unknown)')",
	 "file:line; for code from headers of HIP or the compiler, your own"},
	{"code_position", "own position", REPORT_TEXT, false, "code_position",
	 "file:line of the instruction itself, perhaps in a header"},
	COUNTS,
};

static const struct report_column dispatch_columns[] = {
	{"dispatch", "dispatch", REPORT_INT, true, "dispatch", "id, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(kernel, '(unknown)')", "demangled"},
	{"start_ns", "start ns", REPORT_INT, true, "start",
	 "after the start of the first dispatch"},
	{"duration_ns", "duration ns", REPORT_INT, true, "duration", "empty: it did not complete"},
	COUNTS,
};

/* Address in the ELF image, as in debug information and symbol tables. */
#define ADDRESS "s.offset + c.load_base - c.load_delta"
/* A code object that was loaded again is the same code: `code` identifies it by its contents. */
#define ROWS(source)                                                                               \
	"(SELECT s.code_object_id AS code_object, s.*, "                                           \
	"coalesce((SELECT nullif(k.hash, '') FROM probe_code k WHERE k.code_object_id = c.id), "   \
	"c.id) AS code, " ADDRESS " AS address, probe_line_at(s.code_object_id, " ADDRESS          \
	") AS code_position, probe_users_line_at(s.code_object_id, " ADDRESS ") AS position, "                  \
	"probe_approximate_at(s.code_object_id, " ADDRESS ") AS approximately, "                                                                          \
	"probe_kernel_at(s.code_object_id, " ADDRESS ") AS kernel "                                \
	"FROM " source " s JOIN rocpd_info_code_object c ON c.id = s.code_object_id)"

#define SUMS                                                                                                   \
	"min(code_object) AS code_object, sum(samples) AS samples, sum(lanes) AS lanes, sum(waves) AS waves, " \
	"sum(dual) AS dual, sum(issued) AS issued, sum(stalled) AS stalled, "                                  \
	"sum(waitcnt) AS waitcnt, sum(barrier) AS barrier, sum(alu) AS alu, "                                  \
	"sum(arbiter) AS arbiter, sum(internal) AS internal, sum(fetch) AS fetch, "                            \
	"sum(sleep) AS sleep, sum(other) AS other, " \
	"sum(samples) FILTER (WHERE approximately) AS approximate, sum(sum(samples)) OVER () AS total"

#define LINES(source)                                                                              \
	"(SELECT position, kernel, " SUMS " FROM " ROWS(source) " GROUP BY code, kernel, position)"
#define KERNELS(source) "(SELECT kernel, " SUMS " FROM " ROWS(source) " GROUP BY code, kernel)"
#define INSTRUCTIONS(source)                                                                       \
	"(SELECT kernel, position, code_position, offset, min(address) AS address, "                              \
	"probe_instruction_at(min(code_object), min(address)) AS instruction, " SUMS               \
	" FROM " ROWS(source) " GROUP BY code, offset)"
#define DISPATCHES(source)                                                                         \
	"(SELECT d.*, k.display_name || CASE WHEN " SQL_INSTRUMENTED("p") " THEN ' [' || coalesce(" SQL_WORD(PROBE_KIND_TABLE, "p.kind") ", '?') || ' clone]' ELSE '' END AS kernel, r.start - " REPORT_FIRST                           \
	" AS start, r.\"end\" - r.start AS duration FROM (SELECT dispatch, " SUMS " FROM (SELECT " \
	"code_object_id AS code_object, NULL AS approximately, * FROM " source ") GROUP BY dispatch) d "                  \
	"LEFT JOIN probe_dispatch p ON p.dispatch_id = d.dispatch "                                \
	"LEFT JOIN rocpd_kernel_dispatch r ON r.dispatch_id = d.dispatch "                         \
	"LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id)"

#define QUERY(by, table, sql, order)                                                               \
	{                                                                                          \
		.verb = "samples", .when = "--by " by, .columns = table, .count = REPORT_COLUMN_COUNT(table),          \
		.from = sql, .kernel_column = "kernel", .sort = order                              \
	}
#define QUERIES(by, table, rows, order)                                                            \
	{                                                                                          \
		QUERY(by, table, rows(SAMPLES_SUMS), order),                                       \
			QUERY(by, table, rows(SAMPLES_DISPATCHES("NULL")), order),                 \
			QUERY(by, table, rows(SAMPLES_SAMPLES("NULL")), order)                     \
	}

static const struct report_query queries[REPORT_BYS][REPORT_FROM_SAMPLES + 1] = {
	[REPORT_BY_LINE] = QUERIES("line", line_columns, LINES, "samples,position,kernel,+code_object"),
	[REPORT_BY_KERNEL] = QUERIES("kernel", kernel_columns, KERNELS, "samples,kernel,+code_object"),
	[REPORT_BY_INSTRUCTION] =
		QUERIES("instruction", instruction_columns, INSTRUCTIONS,
			"samples,kernel,+offset,+code_object"),
	[REPORT_BY_DISPATCH] =
		{QUERY("dispatch", dispatch_columns, DISPATCHES(SAMPLES_DISPATCHES("dispatch")), "+dispatch"),
		 QUERY("dispatch", dispatch_columns, DISPATCHES(SAMPLES_DISPATCHES("dispatch")), "+dispatch"),
		 QUERY("dispatch", dispatch_columns, DISPATCHES(SAMPLES_SAMPLES("dispatch")), "+dispatch")},
};

const struct report_query *report_samples_query(enum report_by by, enum report_source source)
{
	return &queries[by][source];
}

/* Of the same samples as the rows. */
#define CHOSEN_ROWS(source)                                                                        \
	"(SELECT * FROM (SELECT coalesce(kernel, '(unknown)') AS name, samples, approximately "    \
	"FROM " ROWS(source) ") WHERE probe_match(name))"
#define FEW(source)                                                                                \
	"SELECT name, n, row_number() OVER (ORDER BY n DESC, name) FROM (SELECT name, "            \
	"sum(samples) AS n FROM " CHOSEN_ROWS(source) " GROUP BY name) "                           \
	"WHERE n < " COST_SAMPLES_MIN " ORDER BY 3 LIMIT 10"
#define APPROXIMATE(source)                                                                        \
	"SELECT coalesce(sum(samples), 0) FROM " CHOSEN_ROWS(source) " WHERE approximately"

const char *report_few_sql(enum report_source source)
{
	static const char *const all[] = {
		[REPORT_FROM_SUMS] = FEW("probe_sample"),
		[REPORT_FROM_DISPATCHES] = FEW(SAMPLES_DISPATCHES("NULL")),
		[REPORT_FROM_SAMPLES] = FEW(SAMPLES_SAMPLES("NULL")),
	};

	return all[source];
}

const char *report_approximate_sql(enum report_source source)
{
	static const char *const all[] = {
		[REPORT_FROM_SUMS] = APPROXIMATE("probe_sample"),
		[REPORT_FROM_DISPATCHES] = APPROXIMATE(SAMPLES_DISPATCHES("NULL")),
		[REPORT_FROM_SAMPLES] = APPROXIMATE(SAMPLES_SAMPLES("NULL")),
	};

	return all[source];
}
