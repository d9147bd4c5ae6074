/* SPDX-License-Identifier: MIT */
/* probe-report export: a run in the form of another program, or as a page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/report/html_page.h"
#include "cmds/report/report_db.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

static struct probe_err *check(const struct report *report)
{
	if (report->file_count != 1)
		return probe_err_create("export: expected one database, not %zu",
					report->file_count);
	return report->format == REPORT_TABLE
		       ? probe_err_create("export: --format is missing; expected html")
		       : NULL;
}

/* Never over an existing file without --force. */
static struct probe_err *open_output(const struct report *report, FILE **ret)
{
	*ret = report->output ? fopen(report->output, report->force ? "w" : "wx") : stdout;
	if (*ret)
		return NULL;
	return errno == EEXIST
		       ? probe_err_create("%s exists; overwrite it with --force", report->output)
		       : probe_err_create("cannot write %s: %s", report->output, strerror(errno));
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	struct probe_err *err;
	FILE *out;

	(void)first;
	(void)last;
	err = open_output(report, &out);
	if (err)
		return err;
	err = html_put_page(report, db, out);
	if (out != stdout && (ferror(out) | fclose(out)) && !err)
		err = probe_err_create("cannot write %s: %s", report->output, strerror(errno));
	/* Half a page is of no use. */
	if (err && report->output)
		unlink(report->output);
	return err;
}

const struct report_verb report_verb_export = {
	.name = "export",
	.help = "the run as one HTML page (--format html), which opens anywhere",
	.options = REPORT_O_KERNEL | REPORT_O_OUTPUT,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_HTML,
	.counts = true,
	.check = check,
	.show = show,
};
