/* SPDX-License-Identifier: MIT */
/*
 * probe-report flame: prints folded stacks of samples (kernel, inlined functions, file:line,
 * state), the input format of flamegraph.pl and speedscope.
 */
#include <stdio.h>

#include "cmds/report/flame_stacks.h"
#include "cmds/report/report_db.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

static struct probe_err *show(const struct report *report, struct report_db *db, bool first_file,
			      bool last_file)
{
	sqlite3_stmt *stmt = NULL;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);
	char *sql = err ? NULL : flame_stacks_sql(report, source);
	bool row = true, any = false;

	(void)first_file;
	(void)last_file;
	if (!err && !sql)
		err = probe_err_oom();
	if (!err)
		err = report_prepare_sql(db, sql, &stmt);
	sqlite3_free(sql);
	while (!err) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		report_put(report_cell(stmt, 0));
		printf(" %s\n", report_cell(stmt, 1));
		any = true;
	}
	sqlite3_finalize(stmt);
	return err || any ? err : flame_stacks_missing(report, db);
}

const struct report_verb report_verb_flame = {
	.name = "flame",
	.help = "folded stacks of PC samples, for flame graphs",
	.options = REPORT_O_KERNEL | REPORT_O_DISPATCHES | REPORT_O_RUNS,
	.show = show,
};
