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
};

static const char field_names[] =
	"rule,metric,kernel,access,space,source,file,line,column,before,after,percent,note";

static const char *metric_text(const char *name)
{
	for (size_t i = 0; i < compare_metric_count; i++)
		if (!strcmp(compare_metrics[i].name, name))
			return compare_metrics[i].text;
	return name;
}

/* "LDS bank conflicts: 992, was 496 (100.0 %); lds store in kernel transpose; rule: ..." */
static void write_message(struct gate_row *row, sqlite3_stmt *stmt)
{
	bool compared = sqlite3_column_type(stmt, F_BEFORE) != SQLITE_NULL;
	const char *percent = report_cell(stmt, F_PERCENT), *note = report_cell(stmt, F_NOTE);
	char change[100] = "";

	if (compared)
		snprintf(change, sizeof(change), ", was %s%s%s%s", report_cell(stmt, F_BEFORE),
			 *percent ? " (" : "", percent, *percent ? " %)" : "");
	else if (*note)
		snprintf(change, sizeof(change), " (%s)", note);
	snprintf(row->message, sizeof(row->message), "%s: %s%s; %s%s%s%sin kernel %.150s; rule: %s",
		 metric_text(row->metric), report_cell(stmt, F_AFTER), change, row->space,
		 *row->space ? " " : "", row->access, *row->access ? " " : "", row->kernel,
		 row->rule);
}

/* Reports name files relative to the checkout in which they are created. */
static const char *relative(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return len > 1 && !strncmp(path, folder, len) && path[len] == '/' ? path + len + 1 : path;
}

static struct gate_row read_row(sqlite3_stmt *stmt, const char *folder)
{
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
	};

	write_message(&row, stmt);
	return row;
}

struct probe_err *gate_each_row(const struct gate *gate, const char *rule, int64_t limit,
				void (*fn)(const struct gate_row *row, void *user), void *user)
{
	PROBE_AUTO_FREE char *folder = getcwd(NULL, 0);
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct report view = *gate->report;
	struct probe_err *err;

	view.fields = field_names;
	view.limit = -1;
	err = report_prepare_chosen(&view, gate->db, &report_gate_query, &stmt);
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
