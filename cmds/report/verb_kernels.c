/* SPDX-License-Identifier: MIT */
/* probe-report kernels. */
#include <stddef.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/kernels_query.h"
#include "cmds/report/verb_table.h"

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	const struct report_query *query;
	struct probe_err *err = report_kernels_query(db, &query);

	return err ? err : report_framed_rows(report, db, query, first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	const struct report_query *ret = NULL;

	(void)report;
	return number || report_kernels_query(NULL, &ret) ? NULL : ret;
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
