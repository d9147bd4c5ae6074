/* SPDX-License-Identifier: MIT */
/* probe-report annotate: prints instructions below the source lines they were compiled from. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/annotate_query.h"
#include "cmds/report/escape.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/sample_join.h"
#include "cmds/report/source_text.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"

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
	F_STATES, /* the first state */
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
	char *kernel, *stack; /* of the previous row */
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

static void print_kernel(const struct text *text)
{
	fputs(report_bold(text->report), stdout);
	if (*report_cell(text->stmt, F_KERNEL) != '[')
		fputs("kernel ", stdout);
	report_put(report_cell(text->stmt, F_KERNEL));
	printf("%s\n%8s %6s  %-28s %5s  %8s\n", report_plain(text->report), "samples", "%",
	       "issued, or stalled by", "lanes", "address");
}

/* The source position of the following instructions, and its text if it can be found. */
static void print_source(const struct text *text)
{
	const char *source = report_cell(text->stmt, F_SOURCE);
	PROBE_AUTO_FREE char *read = NULL;

	fputs(report_dim(text->report), stdout);
	report_put(report_cell(text->stmt, F_STACK));
	printf("%s\n", report_plain(text->report));
	if (!*source && number(text, F_LINE))
		source = read =
			report_source_text(text->report, sqlite3_db_handle(text->stmt),
					   report_cell(text->stmt, F_FILE), number(text, F_LINE));
	if (source && *source) {
		printf("%6" PRId64 " | ", number(text, F_LINE));
		report_text(stdout, source, strcspn(source, "\r\n"), 0);
		putchar('\n');
	}
	if (sqlite3_column_type(text->stmt, F_SPANS) == SQLITE_NULL)
		return;
	printf("       | time: ");
	report_put(report_cell(text->stmt, F_SPANS));
	printf(", %" PRId64 " executions, %.1f cycles each, %.2f %% of the kernel's\n",
	       number(text, F_SPAN_EXECUTIONS),
	       (double)number(text, F_SPAN_CYCLES) / (double)number(text, F_SPAN_EXECUTIONS),
	       sqlite3_column_double(text->stmt, F_SPAN_SHARE));
}

/* "waitcnt 83 %, arbiter 17 %": the two most frequent states. */
static void print_states(const struct text *text)
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

static void print_instruction(const struct text *text)
{
	bool any = number(text, F_SAMPLES) > 0;
	bool hot = any && sqlite3_column_double(text->stmt, F_SHARE) >= 10;

	if (any) {
		printf("%s%8" PRId64 " %6.2f%s  ", hot ? report_red(text->report) : "",
		       number(text, F_SAMPLES), sqlite3_column_double(text->stmt, F_SHARE),
		       hot ? report_plain(text->report) : "");
		print_states(text);
		printf(" %5.1f", sqlite3_column_double(text->stmt, F_LANES));
	} else {
		printf("%8s %6s  %28s %5s", "", "", "", "");
	}
	printf("  %8" PRIx64 "  ", (uint64_t)number(text, F_ADDRESS));
	report_put(*report_cell(text->stmt, F_TEXT) ? report_cell(text->stmt, F_TEXT)
						    : "(no instruction)");
	putchar('\n');
}

static void print_probes(const struct text *text)
{
	const struct report *report = text->report;
	bool shared =
		number(text, F_USED128) - number(text, F_NEEDED128) < number(text, F_EXCESS128);

	if (sqlite3_column_type(text->stmt, F_EXECUTIONS) == SQLITE_NULL)
		return;
	printf("%53s probes (all accesses of this position): %" PRId64 " executions", "",
	       number(text, F_EXECUTIONS));
	if (number(text, F_USED128))
		printf(", %" PRId64 " cache lines of 128 B, %" PRId64 " needed%s",
		       number(text, F_USED128), number(text, F_NEEDED128),
		       shared ? " if no lanes shared bytes" : "");
	if (number(text, F_EXCESS128))
		printf(": %s%" PRId64 " extra%s%s", report_red(report), number(text, F_EXCESS128),
		       report_plain(report), shared ? " in some executions" : "");
	if (number(text, F_IDEAL))
		printf(", %" PRId64 " LDS passes, %" PRId64 " ideal", number(text, F_PASSES),
		       number(text, F_IDEAL));
	if (number(text, F_CONFLICTS))
		printf(": %s%" PRId64 " bank conflicts, up to %" PRId64 "-way%s",
		       report_red(report), number(text, F_CONFLICTS), number(text, F_WAY),
		       report_plain(report));
	putchar('\n');
}

/* Prints the row, and heads above it if it begins a kernel or a source line. */
static void print_row(struct text *text, bool first)
{
	if (changed(&text->kernel, report_cell(text->stmt, F_KERNEL)) ||
	    text->object != number(text, F_OBJECT)) {
		text->object = number(text, F_OBJECT);
		if (!first)
			putchar('\n');
		print_kernel(text);
		changed(&text->stack, "");
	}
	if (changed(&text->stack, report_cell(text->stmt, F_STACK)) && text->stack && *text->stack)
		print_source(text);
	print_instruction(text);
	print_probes(text);
}

static void text_deinit(struct text *text)
{
	free(text->kernel);
	free(text->stack);
}

static struct probe_err *print_text(const struct report *report, const struct report_db *db,
				    const struct report_query *query)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	PROBE_AUTO(text_deinit) struct text text = {.report = report, .object = -1};
	struct report view = *report;
	struct probe_err *err;
	bool first = true;

	view.fields = field_names;
	err = report_prepare_chosen(&view, db, query, &stmt);
	if (err)
		return err;
	for (text.stmt = stmt; report_next(db, stmt, &err); first = false)
		print_row(&text, first);
	if (err)
		return err;
	if (first)
		puts(report->kernel ? "no code of a kernel that --kernel matches"
				    : "no code of a kernel that was launched");
	return NULL;
}

/* Kernels that were launched, and functions with samples. */
#define LAUNCHED                                                                                   \
	"(SELECT k.display_name AS name FROM rocpd_info_kernel_symbol k WHERE EXISTS (SELECT 1 "   \
	"FROM probe_dispatch d WHERE d.kernel_id = k.id) UNION SELECT probe_kernel_at("            \
	"s.code_object_id, s.offset + c.load_base - c.load_delta) FROM probe_sample s "            \
	"JOIN rocpd_info_code_object c ON c.id = s.code_object_id)"

/* If the user names a kernel that was not launched, the error lists those that were. */
static struct probe_err *check_kernel(const struct report *report, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool any, row;

	if (!report->kernel)
		return NULL;
	err = report_any(db, "SELECT 1 FROM " LAUNCHED " WHERE probe_match(name)", &any);
	if (err || any)
		return err;
	err = report_first_row(db,
			       "SELECT coalesce(group_concat(name, '; '), 'none') FROM (SELECT "
			       "name FROM " LAUNCHED " WHERE name IS NOT NULL ORDER BY 1 "
			       "LIMIT 20)",
			       &stmt, &row);
	if (err)
		return err;
	return probe_err_create("%s: no launched kernel matches '%s'; there are: %s", db->path,
				report->kernel, report_cell(stmt, 0));
}

static struct probe_err *show_text(const struct report *report, const struct report_db *db,
				   const struct report_query *query)
{
	struct probe_err *err = report_sampled_head(report, db);

	putchar('\n');
	if (err)
		return err;
	err = report_not_joined(report, db);
	if (err)
		return err;
	err = report->fields_given ? report_rows(report, db, query, true, true)
				   : print_text(report, db, query);
	if (err)
		return err;
	putchar('\n');
	return report_account(report, db);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	bool probed = report_db_has(db, "probe_memory_site");
	bool timed = report_db_has(db, "probe_time_span");
	const struct report_query *query;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);

	if (err)
		return err;
	err = check_kernel(report, db);
	if (err)
		return err;
	query = report_annotate_query(source, probed, timed);
	if (report->format == REPORT_TABLE)
		return show_text(report, db, query);
	err = report_not_joined(report, db);
	return err ? err : report_rows(report, db, query, first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : report_annotate_query(REPORT_FROM_SUMS, false, false);
}

const struct report_verb report_verb_annotate = {
	.name = "annotate",
	.help = "[KERNEL]: instructions of a kernel with source lines, samples and costs",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS | REPORT_O_DISPATCHES,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.kernel_word = true,
	.query = query,
	.show = show,
};
