/* SPDX-License-Identifier: MIT */
/*
 * probe-report list: prints verbs, formats, and the columns of every table, for users and programs.
 */
#include <stdio.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/option_names.h"
#include "cmds/report/query.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"

/* Calls `fn` for every query that --fields and --sort can refer to. */
static void each_query(const struct report *report,
		       void (*fn)(const struct report *report, const struct report_query *query,
				  void *user),
		       void *user)
{
	struct report view = *report;
	const struct report_query *query;

	for (const struct report_verb *const *verb = report->verbs; *verb; verb++)
		for (int by = 0; by < REPORT_BYS; by++) {
			view.by = (enum report_by)by;
			for (unsigned n = 0; (query = report_verb_query(*verb, &view, n)); n++)
				/* The summary shows the columns of `kernels`. */
				if (!strcmp(query->verb, (*verb)->name) && (!by || query->when))
					fn(report, query, user);
		}
}

static void print_text_columns(const struct report *report, const struct report_query *query,
			       void *user)
{
	(void)user;
	printf("%scolumns of %s%s%s%s (*: in tables by default; sorted by %s)\n",
	       report_bold(report), query->verb, query->when ? ", " : "",
	       query->when ? query->when : "", report_plain(report), query->sort);
	for (size_t i = 0; i < query->count; i++)
		printf("  %c %-16s %s\n", query->columns[i].standard ? '*' : ' ',
		       query->columns[i].name, query->columns[i].help);
}

static void print_text(const struct report *report)
{
	printf("%sverbs%s\n", report_bold(report), report_plain(report));
	for (const struct report_verb *const *verb = report->verbs; *verb; verb++)
		printf("  %-12s %s\n", (*verb)->name, (*verb)->help);
	printf("%sformats%s\n ", report_bold(report), report_plain(report));
	for (int format = 0; format < REPORT_ALL_FORMATS; format++)
		printf(" %s", report_format_names[format]);
	putchar('\n');
	each_query(report, print_text_columns, NULL);
}

static void print_csv_columns(const struct report *report, const struct report_query *query,
			      void *user)
{
	const char t = report->separator;

	(void)user;
	for (size_t i = 0; i < query->count; i++) {
		const struct report_column *column = &query->columns[i];

		report_csv(stdout, query->verb, t);
		printf("%c%s%c%s%c%d%c", t, column->name, t, report_type_name(column->type), t,
		       column->standard, t);
		report_csv(stdout, column->help, t);
		putchar(t);
		report_csv(stdout, query->when ? query->when : "", t);
		putchar('\n');
	}
}

static void print_csv(const struct report *report)
{
	const char t = report->separator;

	if (report->header)
		printf("verb%ccolumn%ctype%cstandard%chelp%cwhen\n", t, t, t, t, t);
	each_query(report, print_csv_columns, NULL);
}

static void print_json_columns(const struct report *report, const struct report_query *query,
			       void *user)
{
	struct report_json *json = user;

	(void)report;
	for (size_t i = 0; i < query->count; i++) {
		const struct report_column *column = &query->columns[i];

		report_json_open(json, '{');
		report_json_member(json, "verb", query->verb);
		report_json_member(json, "column", column->name);
		report_json_member(json, "type", report_type_name(column->type));
		report_json_key(json, "standard");
		report_json_bool(json, column->standard);
		report_json_member(json, "help", column->help);
		report_json_member(json, "when", query->when);
		report_json_close(json, '}');
	}
}

static void print_json(const struct report *report)
{
	struct report_json json = {.out = stdout, .compact = true};

	report_json_open(&json, '[');
	each_query(report, print_json_columns, &json);
	report_json_close(&json, ']');
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	static void (*const print[REPORT_FORMATS])(const struct report *report) = {
		[REPORT_TABLE] = print_text, [REPORT_CSV] = print_csv, [REPORT_JSON] = print_json};

	(void)db;
	(void)first;
	(void)last;
	print[report->format](report);
	return NULL;
}

const struct report_verb report_verb_list = {
	.name = "list",
	.help = "verbs, formats, and the columns of every verb",
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.input = REPORT_NO_FILES,
	.show = show,
};
