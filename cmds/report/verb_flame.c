/* SPDX-License-Identifier: MIT */
/*
 * probe-report flame: prints folded stacks of samples (kernel, inlined functions, file:line,
 * state), the input format of flamegraph.pl and speedscope.
 */
#include <stdio.h>

#include "cmds/report/flame_stacks.h"
#include "cmds/report/verb_table.h"

static struct probe_err *show(const struct report *report, struct report_db *db, bool first_file,
			      bool last_file)
{
	(void)first_file;
	(void)last_file;
	return flame_stacks_put(report, db, stdout);
}

const struct report_verb report_verb_flame = {
	.name = "flame",
	.help = "folded stacks of PC samples, for flame graphs",
	.options = REPORT_O_KERNEL | REPORT_O_DISPATCHES | REPORT_O_RUNS,
	.show = show,
};
