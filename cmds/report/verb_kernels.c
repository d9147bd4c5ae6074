/* SPDX-License-Identifier: MIT */
/* probe-report kernels. */
#include <stddef.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/kernels_query.h"
#include "cmds/report/verb_table.h"

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	return report_framed_rows(report, db, report_kernels_query(db), first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : report_kernels_query(NULL);
}

const struct report_verb report_verb_kernels = {
	.name = "kernels",
	.help = "kernels that ran, with their dispatches, time and cost",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.query = query,
	.show = show,
};
