/* SPDX-License-Identifier: MIT */
/* probe-report list: verbs, formats, and the columns of every table, for people and programs. */
#include "cmds/report/report.h"
#include "cmds/report/escape.h"

/* Every query that -f and -s can speak of, by `number`; NULL: that was the last one. */
static const struct report_query *query_of(unsigned number)
{
	switch (number) {
	case 0:
		return &report_lines_query;
	case 1:
		return &report_kernels_query;
	case 2:
		return &report_dispatches_query;
	case 3:
		return report_samples_query(REPORT_BY_INSTRUCTION, REPORT_FROM_SUMS);
	case 4:
		return report_annotate_query();
	case 5:
		return &report_join_query;
	case 6:
		return &report_counts_query;
	default:
		return NULL;
	}
}

static const char *type_name(enum report_type type)
{
	static const char *const names[] = {
		[REPORT_INT] = "integer",
		[REPORT_REAL] = "real",
		[REPORT_TEXT] = "text",
		[REPORT_JSON_TEXT] = "json",
	};

	return names[type];
}

static void put_text(const struct report *report)
{
	const struct report_query *query;

	printf("%sverbs%s\n  summary lines kernels dispatches samples annotate flame tables info "
	       "list replay\n",
	       report_bold(report), report_plain(report));
	printf("%sformats%s\n  table csv json rocprofv3\n", report_bold(report),
	       report_plain(report));
	for (unsigned n = 0; (query = query_of(n)); n++) {
		printf("%scolumns of %s%s (* in tables unless -f says otherwise; sorted by %s)\n",
		       report_bold(report), query->verb, report_plain(report), query->sort);
		for (size_t i = 0; i < query->count; i++)
			printf("  %c %-16s %s\n", query->columns[i].standard ? '*' : ' ',
			       query->columns[i].name, query->columns[i].help);
	}
}

static void put_csv(const struct report *report)
{
	const struct report_query *query;
	const char t = report->separator;

	if (report->header)
		printf("verb%ccolumn%ctype%cstandard%chelp\n", t, t, t, t);
	for (unsigned n = 0; (query = query_of(n)); n++)
		for (size_t i = 0; i < query->count; i++) {
			const struct report_column *column = &query->columns[i];

			report_csv(stdout, query->verb, t);
			printf("%c%s%c%s%c%d%c", t, column->name, t, type_name(column->type), t,
			       column->standard, t);
			report_csv(stdout, column->help, t);
			putchar('\n');
		}
}

static void put_json(void)
{
	struct report_json json = {.out = stdout, .compact = true};
	const struct report_query *query;

	report_json_open(&json, '[');
	for (unsigned n = 0; (query = query_of(n)); n++)
		for (size_t i = 0; i < query->count; i++) {
			const struct report_column *column = &query->columns[i];

			report_json_open(&json, '{');
			report_json_key(&json, "verb");
			report_json_text(&json, query->verb);
			report_json_key(&json, "column");
			report_json_text(&json, column->name);
			report_json_key(&json, "type");
			report_json_text(&json, type_name(column->type));
			report_json_key(&json, "standard");
			report_json_bool(&json, column->standard);
			report_json_key(&json, "help");
			report_json_text(&json, column->help);
			report_json_close(&json, '}');
		}
	report_json_close(&json, ']');
}

void report_list(const struct report *report)
{
	if (report->format == REPORT_CSV)
		put_csv(report);
	else if (report->format == REPORT_JSON)
		put_json();
	else
		put_text(report);
}
