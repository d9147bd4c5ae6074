/* SPDX-License-Identifier: MIT */
#include "cmds/report/missing_choice.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmds/report/dispatch_filter.h"
#include "cmds/report/escape.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

#define LAUNCHED                                                                                   \
	"(SELECT DISTINCT k.display_name AS name FROM rocpd_info_kernel_symbol k "                 \
	"JOIN probe_dispatch d ON d.kernel_id = k.id)"

static const char names_sql[] = "SELECT coalesce(group_concat(name, '; '), 'none') || CASE WHEN "
				"(SELECT count(*) FROM " LAUNCHED ") > 20 THEN '; ...' ELSE '' END "
				"FROM (SELECT name FROM " LAUNCHED " ORDER BY name LIMIT 20)";

#define RAN "(SELECT dispatch_id AS id FROM probe_dispatch)"

static const char ids_sql[] = "SELECT CASE min(id) WHEN max(id) THEN 'the only id is ' || min(id) "
			      "ELSE 'ids are ' || min(id) || ' to ' || max(id) END FROM " RAN;

static void say(const struct report *report, const struct report_db *db, const char *text)
{
	if (report->format == REPORT_TABLE)
		puts(text);
	else
		probe_log(PROBE_LOG_WARNING, "%s: %s", db->path, text);
}

static struct probe_err *print_names(const struct report *report, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	PROBE_AUTO_FREE char *text = NULL;
	bool row = false;
	struct probe_err *err = report_first_row(db, names_sql, &stmt, &row);
	size_t size;
	FILE *out;

	if (err)
		return err;
	out = open_memstream(&text, &size);
	if (!out)
		return probe_err_oom();
	fputs("no kernel matches '", out);
	report_text(out, report->kernel, SIZE_MAX, 0);
	fputs("'; kernels that ran: ", out);
	report_text(out, report_cell(stmt, 0), SIZE_MAX, 0);
	fclose(out);
	say(report, db, text);
	return NULL;
}

static struct probe_err *print_ids(const struct report *report, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	char text[128];
	bool row = false;
	struct probe_err *err = report_first_row(db, ids_sql, &stmt, &row);

	if (err)
		return err;
	snprintf(text, sizeof(text), "no dispatch has an id of --dispatches; %s",
		 report_cell(stmt, 0));
	say(report, db, text);
	return NULL;
}

static struct probe_err *print_end(const struct report *report, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	char text[128];
	bool row = false;
	struct probe_err *err = report_first_row(db, REPORT_LAST_END, &stmt, &row);

	if (err)
		return err;
	snprintf(text, sizeof(text),
		 "no dispatch ran in this time; the last dispatch ended after %s",
		 report_cell(stmt, 0));
	say(report, db, text);
	return NULL;
}

/* Not if nothing ran: that is said elsewhere. */
static struct probe_err *no_dispatch(const struct report *report, const struct report_db *db,
				     bool *none)
{
	bool ran = false, any = true, timely = true;
	struct probe_err *err;

	if (!report_filtered(report))
		return NULL;
	err = report_any(db, "SELECT 1 FROM " RAN, &ran);
	err = err ? err : report_any(db, "SELECT 1 FROM " RAN " WHERE probe_chosen(id)", &any);
	err = err ? err : report_any(db, "SELECT 1 FROM " SAMPLES_CHOSEN, &timely);
	if (err || timely || !ran)
		return err;
	*none = true;
	return any ? print_end(report, db) : print_ids(report, db);
}

struct probe_err *report_none_chosen(const struct report *report, const struct report_db *db,
				     bool *none)
{
	bool any = true;
	struct probe_err *err;

	*none = false;
	if (report->kernel) {
		err = report_any(db, "SELECT 1 FROM " LAUNCHED " WHERE probe_match(name)", &any);
		if (err)
			return err;
	}
	if (any)
		return no_dispatch(report, db, none);
	*none = true;
	return print_names(report, db);
}
