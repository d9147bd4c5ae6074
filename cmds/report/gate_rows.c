/* SPDX-License-Identifier: MIT */
#include "cmds/report/gate_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/report/gate_rules.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"

enum field {
	F_RULE,
	F_METRIC,
	F_KERNEL,
	F_ACCESS,
	F_SPACE,
	F_SOURCE,
	F_FILE,
	F_LINE,
	F_COLUMN,
	F_BEFORE,
	F_AFTER,
	F_PERCENT,
	F_NOTE,
	F_OWN_FILE,
	F_NTH,
};

static const char field_names[] =
	"rule,metric,kernel,access,space,source,place_file,place_line,column,before,after,percent,"
	"note,file,nth";

/* Of a row without a line: where its kernel is declared, or else the kernel's first line. */
#define PLACE(what)                                                                                \
	"CASE WHEN line > 0 THEN " what " ELSE coalesce((SELECT k." what " FROM kernel k WHERE "   \
	"k.kernel = broken.kernel AND k.line > 0 ORDER BY run DESC LIMIT 1), (SELECT p." what      \
	" FROM place p WHERE p.kernel = broken.kernel AND p.line > 0 ORDER BY run DESC, p.file, "  \
	"p.line LIMIT 1), " what ") END"

static const struct report_column columns[] = {
	{"rule", "", REPORT_TEXT, true, "rule", ""},
	COMPARE_COLUMNS{"place_file", "", REPORT_TEXT, true, PLACE("file"), ""},
	{"place_line", "", REPORT_INT, true, PLACE("line"), ""},
	{"nth", "", REPORT_INT, true, "nth", ""},
};

#define ROWS(condition)                                                                            \
	{                                                                                          \
		.verb = "check", .columns = columns, .count = REPORT_COLUMN_COUNT(columns),        \
		.from = "(SELECT * FROM broken WHERE " condition ") broken",                       \
		.sort = COMPARE_SORT ",rule"                                                       \
	}
static const struct report_query queries[] = {
	[GATE_BROKEN] = ROWS("after IS NOT NULL"),
	[GATE_UNJUDGED] = ROWS("after IS NULL"),
};

static const char *metric_text(const char *name)
{
	for (size_t i = 0; i < compare_metric_count; i++)
		if (!strcmp(compare_metrics[i].name, name))
			return compare_metrics[i].text;
	return name;
}

enum { KERNEL_BYTES = 150 };

/* The beginning of a long name, with a mark. */
static void shorten(const char *name, char *text)
{
	size_t len = strlen(name);

	if (len > KERNEL_BYTES) {
		len = KERNEL_BYTES - 3;
		/* Not within a character. */
		while (len && ((unsigned char)name[len] & 0xc0) == 0x80)
			len--;
		sprintf(text, "%.*s...", (int)len, name);
	} else {
		strcpy(text, name);
	}
}

/* "not judged: no clone of the kernel; kernel f; rule: ..." */
static void write_unjudged(struct gate_row *row, sqlite3_stmt *stmt, const char *kernel)
{
	snprintf(row->message, sizeof(row->message), "%.500s%s%s; rule: %s",
		 report_cell(stmt, F_NOTE), *kernel ? "; kernel " : "", kernel, row->rule);
}

/* "LDS bank conflicts: 992, was 496 (100.0 %); lds store in kernel transpose; rule: ..." */
static void write_broken(struct gate_row *row, sqlite3_stmt *stmt, const char *kernel)
{
	bool compared = sqlite3_column_type(stmt, F_BEFORE) != SQLITE_NULL;
	const char *percent = report_cell(stmt, F_PERCENT), *note = report_cell(stmt, F_NOTE);
	char change[300] = "";

	if (compared)
		snprintf(change, sizeof(change), ", was %s%s%s%s", report_cell(stmt, F_BEFORE),
			 *percent ? " (" : "", percent, *percent ? " %)" : "");
	else if (*note)
		snprintf(change, sizeof(change), " (%s)", note);
	snprintf(row->message, sizeof(row->message), "%s: %s%s; %s%s%s%sin kernel %s; rule: %s",
		 metric_text(row->metric), report_cell(stmt, F_AFTER), change, row->space,
		 *row->space ? " " : "", row->access, *row->access ? " " : "", kernel, row->rule);
}

/* Reports name files relative to the checkout in which they are created. */
static const char *relative(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return len > 1 && !strncmp(path, folder, len) && path[len] == '/' ? path + len + 1 : path;
}

static struct gate_row read_row(sqlite3_stmt *stmt, const char *folder)
{
	char kernel[KERNEL_BYTES + 1];
	struct gate_row row = {
		.rule = report_cell(stmt, F_RULE),
		.metric = report_cell(stmt, F_METRIC),
		.kernel = report_cell(stmt, F_KERNEL),
		.access = report_cell(stmt, F_ACCESS),
		.space = report_cell(stmt, F_SPACE),
		.source = report_cell(stmt, F_SOURCE),
		.path = relative(report_cell(stmt, F_FILE), folder),
		.line = (long long)sqlite3_column_int64(stmt, F_LINE),
		.column = (long long)sqlite3_column_int64(stmt, F_COLUMN),
		.own_file = report_cell(stmt, F_OWN_FILE),
		.nth = (long long)sqlite3_column_int64(stmt, F_NTH),
	};

	shorten(row.kernel, kernel);
	if (sqlite3_column_type(stmt, F_AFTER) == SQLITE_NULL)
		write_unjudged(&row, stmt, kernel);
	else
		write_broken(&row, stmt, kernel);
	return row;
}

struct probe_err *gate_each_row(const struct gate *gate, enum gate_verdict verdict,
				const char *rule, int64_t limit,
				void (*fn)(const struct gate_row *row, void *user), void *user)
{
	PROBE_AUTO_FREE char *folder = getcwd(NULL, 0);
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct report view = *gate->report;
	struct probe_err *err;

	view.fields = field_names;
	view.limit = -1;
	err = report_prepare_chosen(&view, gate->db, &queries[verdict], &stmt);
	if (err)
		return err;
	while (limit && report_next(gate->db, stmt, &err)) {
		struct gate_row row;

		if (rule && strcmp(rule, report_cell(stmt, F_RULE)))
			continue;
		row = read_row(stmt, folder ? folder : "");
		fn(&row, user);
		limit -= limit > 0;
	}
	return err;
}
