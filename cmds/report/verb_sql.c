/* SPDX-License-Identifier: MIT */
/* probe-report sql: the rows of a statement that the user wrote. */
#include <ctype.h>
#include <stdlib.h>

#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"

/* A statement that is refused here, the connection would refuse, too: it only reads. */
static struct probe_err *prepare(const struct report *report, const struct report_db *db,
				 sqlite3_stmt **ret)
{
	const char *rest;

	if (sqlite3_prepare_v2(db->reader.db, report->statement, -1, ret, &rest))
		return probe_err_create("%s: %s", db->path, sqlite3_errmsg(db->reader.db));
	while (isspace((unsigned char)*rest) || *rest == ';')
		rest++;
	if (*rest)
		return probe_err_create("sql: expected one statement; the second one is: %s", rest);
	if (!*ret || !sqlite3_stmt_readonly(*ret) || !sqlite3_column_count(*ret))
		return probe_err_create("sql: expected a read-only statement, such as SELECT; to "
					"change a database, use sqlite3 on a copy");
	return NULL;
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	PROBE_AUTO_FREE struct report_column *columns = NULL;
	struct report_query query = {.verb = "sql"};
	struct probe_err *err = prepare(report, db, &stmt);

	if (err)
		return err;
	query.count = (size_t)sqlite3_column_count(stmt);
	if (query.count > REPORT_COLUMNS_MAX)
		return probe_err_create("sql: more than %d columns", REPORT_COLUMNS_MAX);
	columns = calloc(query.count, sizeof(*columns));
	if (!columns)
		return probe_err_oom();
	for (size_t i = 0; i < query.count; i++) {
		const char *name = sqlite3_column_name(stmt, (int)i);

		if (!name)
			return probe_err_oom();
		columns[i] =
			(struct report_column){.name = name, .title = name, .type = REPORT_ANY};
	}
	query.columns = columns;
	return report_statement_rows(report, db, &query, stmt, first, last);
}

const struct report_verb report_verb_sql = {
	.name = "sql",
	.help = "STATEMENT: the rows of a read-only SQL statement",
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.statement_word = true,
	.show = show,
};
