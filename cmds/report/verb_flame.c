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
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = flame_stacks_prepare(report, db, &stmt);
	bool any = false;

	(void)first_file;
	(void)last_file;
	if (err)
		return err;
	while (report_next(db, stmt, &err)) {
		report_put(report_cell(stmt, 0));
		printf(" %s\n", report_cell(stmt, 1));
		any = true;
	}
	return err || any ? err : flame_stacks_missing(report, db);
}

const struct report_verb report_verb_flame = {
	.name = "flame",
	.help = "folded stacks of PC samples, for flame graphs",
	.options = REPORT_O_KERNEL | REPORT_O_DISPATCHES | REPORT_O_RUNS,
	.show = show,
};
