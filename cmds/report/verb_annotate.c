/* SPDX-License-Identifier: MIT */
/*
 * probe-report annotate: a kernel's instructions in the order of their addresses, with the source
 * lines they were made from, the samples of each and why waves stalled there, and what probes
 * counted at the accesses. Without debug information: kernel, address and instruction.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "store/sql_words.h"
#include "cmds/report/report.h"
#include "cmds/report/sample_source.h"
#include "cmds/report/escape.h"

static const struct report_column columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "name",
	 "demangled, or [function] and its name: not inlined, called by any kernel"},
	{"address", "address", REPORT_INT, true, "address", "in the code object's image"},
	{"instruction", "instruction", REPORT_TEXT, true, "text", "disassembled"},
	{"file", "file", REPORT_TEXT, false, "file", "empty: compiled without -g"},
	{"line", "line", REPORT_INT, true, "line", "0: made by the compiler"},
	{"column", "col", REPORT_INT, false, "\"column\"", "byte in the line, from 1"},
	{"stack", "stack", REPORT_TEXT, false, "stack",
	 "file:line, then of the calls it was inlined by, innermost first"},
	{"source", "source", REPORT_TEXT, false, "source", "text of the line"},
	{"memory", "memory", REPORT_TEXT, false, "space",
	 "lds, global, scalar: what it accesses; wait: s_waitcnt"},
	{"samples", "samples", REPORT_INT, true, "samples", "of waves that stood here"},
	{"share", "%", REPORT_REAL, true, "round(100.0 * samples / total, 2)",
	 "of the kernel's samples, or the function's"},
	{"issued", "issued", REPORT_INT, true, "issued", "in the cycle of the sample"},
	{"stalled", "stalled", REPORT_INT, true, "stalled", "the sum of the next"},
	{"waitcnt", "waitcnt", REPORT_INT, true, "waitcnt", "waiting for memory or LDS"},
	{"barrier", "barrier", REPORT_INT, false, "barrier", "waiting for other waves"},
	{"alu", "alu", REPORT_INT, false, "alu", "waiting for an earlier result"},
	{"arbiter", "arbiter", REPORT_INT, true, "arbiter",
	 "another wave was chosen, or the unit was busy"},
	{"internal", "internal", REPORT_INT, false, "internal", "s_nop and the like"},
	{"fetch", "fetch", REPORT_INT, false, "fetch", "no instruction fetched yet"},
	{"sleep", "sleep", REPORT_INT, false, "sleep", "s_sleep"},
	{"other", "other", REPORT_INT, false, "other", ""},
	{"lanes", "lanes", REPORT_REAL, true, "round(1.0 * lanes / samples, 1)",
	 "active lanes, average"},
	{"executions", "execs", REPORT_INT, true, "executions",
	 "waves that executed the accesses of this place, as probes counted them"},
	{"lines128_used", "l128 used", REPORT_INT, false, "lines128", "128-byte lines touched"},
	{"lines128_needed", "l128 need", REPORT_INT, false, "needed128", "fewest possible"},
	{"lines128_excess", "l128 excess", REPORT_INT, true, "excess128", "judged per execution"},
	{"passes", "passes", REPORT_INT, false, "passes", "LDS passes"},
	{"ideal_passes", "ideal", REPORT_INT, false, "ideal_passes", "fewest possible"},
	{"conflicts", "conflicts", REPORT_INT, true, "conflicts", "LDS passes lost"},
	{"max_way", "n-way", REPORT_INT, false, "max_way", "worst phase of any execution"},
	{"spans", "spans", REPORT_TEXT, false, "spans",
	 "what --kind time measured from this line on: block, region, function"},
	{"span_executions", "span execs", REPORT_INT, false, "span_executions", "of those"},
	{"span_cycles", "span cycles", REPORT_INT, false, "span_cycles",
	 "of the device's clock, of all waves, summed"},
	{"span_share", "span %", REPORT_REAL, false, "round(100.0 * span_share, 2)",
	 "of the cycles of all waves of the kernel"},
	{"code_object", "object", REPORT_INT, false, "co", "id"},
};

/* LDS, or what goes through the caches. */
#define SITE_MEMORY                                                                                \
	"CASE " SQL_WORD(PROBE_SPACE_TABLE, "s.space") " WHEN 'lds' THEN 'lds' ELSE 'global' END"

/* What probes counted, by place: an instruction has no site of its own. */
#define SITES                                                                                          \
	"sites AS MATERIALIZED (SELECT m.kernel, s.file, s.line, s.\"column\", s.access, " SITE_MEMORY \
	" AS space, "                                                                                  \
	"sum(m.executions) AS executions, sum(m.lines128) AS lines128, "                               \
	"sum(m.needed128) AS needed128, sum(m.excess128) AS excess128, sum(m.passes) AS passes, "      \
	"sum(m.ideal_passes) AS ideal_passes, sum(m.conflicts) AS conflicts, "                         \
	"max(m.max_way) AS max_way FROM probe_memory_site m JOIN probe_site s ON "                     \
	"s.code_object_id = m.code_object AND s.site = m.site GROUP BY m.kernel, s.file, s.line, "     \
	"s.\"column\", s.access, 6)"
#define NO_SITES                                                                                   \
	"sites AS (SELECT NULL AS kernel, NULL AS file, NULL AS line, NULL AS \"column\", "        \
	"NULL AS access, NULL AS space, NULL AS executions, NULL AS lines128, "                    \
	"NULL AS needed128, NULL AS excess128, NULL AS passes, NULL AS ideal_passes, "             \
	"NULL AS conflicts, NULL AS max_way)"

/* Time stamps: spans that begin on the line. */
#define SPANS                                                                                      \
	"spans AS MATERIALIZED (SELECT t.kernel, s.file, s.line, "                                 \
	"group_concat(DISTINCT t.what) AS spans, sum(t.executions) AS span_executions, "           \
	"sum(t.cycles) AS span_cycles, sum(t.share) AS span_share FROM probe_time_span t "         \
	"JOIN probe_site s ON s.code_object_id = t.code_object AND s.site = t.site "               \
	"WHERE s.line > 0 GROUP BY t.kernel, s.file, s.line)"
#define NO_SPANS                                                                                   \
	"spans AS (SELECT NULL AS kernel, NULL AS file, NULL AS line, NULL AS spans, "             \
	"NULL AS span_executions, NULL AS span_cycles, NULL AS span_share)"

#define ACCESS                                                                                     \
	"CASE WHEN i.text LIKE '%atomic%' OR i.text LIKE 'ds\\_add%' ESCAPE '\\' THEN 3 "          \
	"WHEN i.text LIKE '%\\_load%' ESCAPE '\\' OR i.text LIKE 'ds\\_read%' ESCAPE '\\' THEN 1 " \
	"WHEN i.text LIKE '%\\_store%' ESCAPE '\\' OR i.text LIKE 'ds\\_write%' ESCAPE '\\' THEN 2 END"

/* Functions that were not inlined, and were sampled; whichever kernels called them. */
#define FUNCTIONS                                                                                  \
	"SELECT -row_number() OVER (ORDER BY co, name), name, '@' || min(address), co, shift "     \
	"FROM (SELECT *, probe_kernel_at(co, address) AS name FROM (SELECT "                       \
	"s.code_object_id AS co, s.offset - (o.load_delta - o.load_base) AS address, "             \
	"o.load_delta - o.load_base AS shift FROM probe_sample s JOIN rocpd_info_code_object o "   \
	"ON o.id = s.code_object_id)) WHERE name LIKE '[function] %' GROUP BY co, name"

/* Original kernels that were launched; clones have the same lines twice over. */
#define ROWS(source, sites, times)                                                                          \
	"(WITH kernels AS MATERIALIZED (SELECT k.id AS kernel, k.display_name AS name, "                    \
	"k.kernel_name AS symbol, k.code_object_id AS co, o.load_delta - o.load_base AS shift "             \
	"FROM rocpd_info_kernel_symbol k JOIN rocpd_info_code_object o ON "                                 \
	"o.id = k.code_object_id WHERE k.id IN (SELECT kernel_id FROM probe_dispatch) UNION ALL " FUNCTIONS \
	"), "                                                                                               \
	"hits AS MATERIALIZED (SELECT * FROM " source "), " sites ", " times                                \
	" SELECT k.kernel, k.name, k.co, i.*, h.*, m.executions, m.lines128, m.needed128, "                 \
	"m.excess128, m.passes, m.ideal_passes, m.conflicts, m.max_way, t.spans, "                          \
	"t.span_executions, t.span_cycles, t.span_share, src.text AS source, "                              \
	"probe_comment_at(k.co, i.address) AS stack, "                                                      \
	"sum(h.samples) OVER (PARTITION BY k.kernel) AS total FROM kernels k, "                             \
	"probe_instructions(k.co, k.symbol) i LEFT JOIN hits h ON h.code_object_id = k.co AND "             \
	"h.offset = i.address + k.shift LEFT JOIN sites m ON m.kernel = k.kernel AND "                      \
	"m.file = i.file AND m.line = i.line AND m.\"column\" = i.\"column\" AND "                          \
	"m.space = i.space AND m.access = " ACCESS " LEFT JOIN spans t ON "                                 \
	"t.kernel = k.kernel AND t.file = i.file AND t.line = i.line LEFT JOIN probe_source src ON "        \
	"src.file = i.file AND src.line = i.line)"

#define QUERY(source, sites, times)                                                                \
	{                                                                                          \
		.verb = "annotate", .columns = columns,                                            \
		.count = sizeof(columns) / sizeof(*columns), .from = ROWS(source, sites, times),   \
		.kernel_column = "kernel", .sort = "+kernel,+code_object,+address"                 \
	}

#define QUERIES(source)                                                                            \
	{                                                                                          \
		{QUERY(source, NO_SITES, NO_SPANS), QUERY(source, NO_SITES, SPANS)},               \
			{QUERY(source, SITES, NO_SPANS), QUERY(source, SITES, SPANS)},             \
	}

/* By source, whether sites were counted, whether spans were timed. */
static const struct report_query queries[REPORT_FROM_SAMPLES + 1][2][2] = {
	QUERIES(SAMPLES_SUMS),
	QUERIES(SAMPLES_DISPATCHES("NULL")),
	QUERIES(SAMPLES_SAMPLES("NULL")),
};

const struct report_query *report_annotate_query(void)
{
	return &queries[0][0][0];
}

/* ---- Text ------------------------------------------------------------------------------------ */

enum field {
	F_KERNEL,
	F_OBJECT,
	F_ADDRESS,
	F_TEXT,
	F_FILE,
	F_LINE,
	F_STACK,
	F_SOURCE,
	F_SAMPLES,
	F_SHARE,
	F_LANES,
	F_EXECUTIONS,
	F_USED128,
	F_NEEDED128,
	F_EXCESS128,
	F_PASSES,
	F_IDEAL,
	F_CONFLICTS,
	F_WAY,
	F_SPANS,
	F_SPAN_EXECUTIONS,
	F_SPAN_CYCLES,
	F_SPAN_SHARE,
	F_STATES, /* the first of them */
};

static const char *const states[] = {"issued",	 "waitcnt", "barrier", "alu",  "arbiter",
				     "internal", "fetch",   "sleep",   "other"};
enum { STATES = sizeof(states) / sizeof(*states) };

static const char field_names[] =
	"kernel,code_object,address,instruction,file,line,stack,source,samples,share,lanes,"
	"executions,lines128_used,lines128_needed,lines128_excess,passes,ideal_passes,conflicts,"
	"max_way,spans,span_executions,span_cycles,span_share,issued,waitcnt,barrier,alu,arbiter,internal,fetch,sleep,other";

struct text {
	const struct report *report;
	sqlite3_stmt *stmt;
	char *kernel, *stack; /* of the row before */
	int64_t object;
};

static int64_t number(const struct text *text, int field)
{
	return sqlite3_column_int64(text->stmt, field);
}

static bool changed(char **before, const char *now)
{
	if (*before && !strcmp(*before, now))
		return false;
	free(*before);
	*before = strdup(now);
	return true;
}

static void put_kernel(const struct text *text)
{
	fputs(report_bold(text->report), stdout);
	if (*report_cell(text->stmt, F_KERNEL) != '[')
		fputs("kernel ", stdout);
	report_put(report_cell(text->stmt, F_KERNEL));
	printf("%s\n%8s %6s  %-28s %5s  %8s\n", report_plain(text->report), "samples", "%",
	       "where waves were", "lanes", "address");
}

/* Where the next instructions come from, and its text if it can be found. */
static void put_source(const struct text *text)
{
	const char *source = report_cell(text->stmt, F_SOURCE);
	char *read = NULL;

	fputs(report_dim(text->report), stdout);
	report_put(report_cell(text->stmt, F_STACK));
	printf("%s\n", report_plain(text->report));
	if (!*source && number(text, F_LINE))
		source = read = report_source_text(text->report, report_cell(text->stmt, F_FILE),
						   number(text, F_LINE));
	if (source && *source) {
		printf("%6" PRId64 " | ", number(text, F_LINE));
		report_text(stdout, source, strcspn(source, "\r\n"), 0);
		putchar('\n');
	}
	free(read);
	if (sqlite3_column_type(text->stmt, F_SPANS) == SQLITE_NULL)
		return;
	printf("       | time: ");
	report_put(report_cell(text->stmt, F_SPANS));
	printf(", %" PRId64 " executions, %.1f cycles each, %.2f %% of the kernel's\n",
	       number(text, F_SPAN_EXECUTIONS),
	       (double)number(text, F_SPAN_CYCLES) / (double)number(text, F_SPAN_EXECUTIONS),
	       sqlite3_column_double(text->stmt, F_SPAN_SHARE));
}

/* "waitcnt 83 %, arbiter 17 %": the two that are most. */
static void put_states(const struct text *text)
{
	int64_t samples = number(text, F_SAMPLES), most[2] = {0};
	int which[2] = {0, 0};
	char out[64] = "";

	for (int i = 0; i < STATES; i++) {
		int64_t n = number(text, F_STATES + i);

		if (n > most[0]) {
			most[1] = most[0];
			which[1] = which[0];
			most[0] = n;
			which[0] = i;
		} else if (n > most[1]) {
			most[1] = n;
			which[1] = i;
		}
	}
	for (int i = 0; i < 2 && most[i]; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%s %.0f %%",
			 i ? ", " : "", states[which[i]],
			 100.0 * (double)most[i] / (double)samples);
	printf("%-28s", out);
}

static void put_instruction(const struct text *text)
{
	bool any = number(text, F_SAMPLES) > 0;
	bool hot = any && sqlite3_column_double(text->stmt, F_SHARE) >= 10;

	if (any) {
		printf("%s%8" PRId64 " %6.2f%s  ", hot ? report_red(text->report) : "",
		       number(text, F_SAMPLES), sqlite3_column_double(text->stmt, F_SHARE),
		       hot ? report_plain(text->report) : "");
		put_states(text);
		printf(" %5.1f", sqlite3_column_double(text->stmt, F_LANES));
	} else {
		printf("%8s %6s  %28s %5s", "", "", "", "");
	}
	printf("  %8" PRIx64 "  ", (uint64_t)number(text, F_ADDRESS));
	report_put(*report_cell(text->stmt, F_TEXT) ? report_cell(text->stmt, F_TEXT)
						    : "(no instruction)");
	putchar('\n');
}

static void put_probes(const struct text *text)
{
	const struct report *report = text->report;

	if (sqlite3_column_type(text->stmt, F_EXECUTIONS) == SQLITE_NULL)
		return;
	printf("%53s probes: %" PRId64 " executions", "", number(text, F_EXECUTIONS));
	if (number(text, F_USED128))
		printf(", %" PRId64 " lines of 128 B, %" PRId64 " needed", number(text, F_USED128),
		       number(text, F_NEEDED128));
	if (number(text, F_EXCESS128))
		printf(": %s%" PRId64 " too many%s", report_red(report), number(text, F_EXCESS128),
		       report_plain(report));
	if (number(text, F_IDEAL))
		printf(", %" PRId64 " LDS passes, %" PRId64 " ideal", number(text, F_PASSES),
		       number(text, F_IDEAL));
	if (number(text, F_CONFLICTS))
		printf(": %s%" PRId64 " conflicts, up to %" PRId64 "-way%s", report_red(report),
		       number(text, F_CONFLICTS), number(text, F_WAY), report_plain(report));
	putchar('\n');
}

static struct probe_err *put_text(const struct report *report, const struct report_db *db,
				  const struct report_query *query)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	struct report view = *report;
	struct text text = {.report = report, .object = -1};
	struct probe_err *err;
	bool row = true, any = false;
	size_t count;

	view.fields = field_names;
	err = report_choose(&view, query, false, chosen, &count);
	if (!err)
		err = report_prepare(&view, db, query, chosen, count, &text.stmt);
	while (!err) {
		err = report_step(db, text.stmt, &row);
		if (err || !row)
			break;
		if (changed(&text.kernel, report_cell(text.stmt, F_KERNEL)) ||
		    text.object != number(&text, F_OBJECT)) {
			text.object = number(&text, F_OBJECT);
			if (any)
				putchar('\n');
			put_kernel(&text);
			changed(&text.stack, "");
		}
		any = true;
		if (changed(&text.stack, report_cell(text.stmt, F_STACK)) && *text.stack)
			put_source(&text);
		put_instruction(&text);
		put_probes(&text);
	}
	if (!err && !any)
		puts(report->kernel ? "no code of a kernel that the name matches"
				    : "no code of a kernel that was launched");
	sqlite3_finalize(text.stmt);
	free(text.kernel);
	free(text.stack);
	return err;
}

/* Kernels that were launched, and functions with samples. */
#define LAUNCHED                                                                                   \
	"(SELECT k.display_name AS name FROM rocpd_info_kernel_symbol k WHERE EXISTS (SELECT 1 "   \
	"FROM probe_dispatch d WHERE d.kernel_id = k.id) UNION SELECT probe_kernel_at("            \
	"s.code_object_id, s.offset + c.load_base - c.load_delta) FROM probe_sample s "            \
	"JOIN rocpd_info_code_object c ON c.id = s.code_object_id)"

/* A kernel that is asked for by name and was not launched is an error: name those that were. */
static struct probe_err *check_kernel(const struct report *report, const struct report_db *db)
{
	bool any = true, row = false;
	struct probe_err *err = NULL;
	sqlite3_stmt *stmt = NULL;

	if (report->kernel)
		err = report_any(db, "SELECT 1 FROM " LAUNCHED " WHERE probe_match(name)", &any);
	if (err || any)
		return err;
	err = report_prepare_sql(db,
				 "SELECT coalesce(group_concat(name, '; '), 'none') FROM (SELECT "
				 "name FROM " LAUNCHED " WHERE name IS NOT NULL ORDER BY 1 "
				 "LIMIT 20)",
				 &stmt);
	if (!err)
		err = report_step(db, stmt, &row);
	if (!err)
		err = probe_err_create("%s: no kernel that was launched is or matches '%s'; "
				       "there are: %s",
				       db->path, report->kernel, report_cell(stmt, 0));
	sqlite3_finalize(stmt);
	return err;
}

struct probe_err *report_annotate(const struct report *report, struct report_db *db, bool first,
				  bool last)
{
	bool probed = report_db_has(db, "probe_memory_site");
	bool timed = report_db_has(db, "probe_time_span");
	const struct report_query *query;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);

	if (err)
		return err;
	query = &queries[source][probed][timed];
	err = check_kernel(report, db);
	if (err)
		return err;
	if (report->format != REPORT_TABLE) {
		err = report_not_joined(report, db);
		return err ? err : report_rows(report, db, query, first, last);
	}
	err = report_head(report, db);
	if (!err)
		err = report_samplers(db);
	putchar('\n');
	if (!err)
		err = report_not_joined(report, db);
	if (!err)
		err = report->fields_given ? report_rows(report, db, query, first, last)
					   : put_text(report, db, query);
	if (!err) {
		putchar('\n');
		err = report_account(report, db);
	}
	return err;
}
