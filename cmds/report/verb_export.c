/* SPDX-License-Identifier: MIT */
/* probe-report export: writes a run as an HTML page, or in the format of another program. */
#include <stdio.h>

#include "cmds/report/export_otf2.h"
#include "cmds/report/export_trace.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/html_data.h"
#include "cmds/report/html_page.h"
#include "cmds/report/option_names.h"
#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/rocprofv3_files.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

/* Files of rocprofv3 are CSV. */
static bool is_rocprofv3(const struct report *report)
{
	return report->format == REPORT_ROCPROFV3 || report->format == REPORT_CSV;
}

static struct probe_err *check(const struct report *report)
{
	if (report->merge && report->format != REPORT_CHROME && report->format != REPORT_PERFETTO &&
	    report->format != REPORT_OTF2 && !is_rocprofv3(report))
		return probe_err_create("--merge: only with --format chrome, perfetto, otf2 and "
					"rocprofv3");
	if (report->file_count != 1 && !report->merge)
		return probe_err_create("export: expected one database, not %zu",
					report->file_count);
	if (report->format == REPORT_TABLE)
		return probe_err_create("export: --format is missing; expected html, json, "
					"chrome, perfetto, speedscope, folded, otf2, csv or rocprofv3");
	if (report->baseline && (report->format != REPORT_HTML || report->merge))
		return probe_err_create("export: --baseline is for --format html of one database");
	if (is_rocprofv3(report) && !report->output)
		return probe_err_create("export --format %s writes several files: give the "
					"beginning of their names with --output PREFIX",
					report_format_names[report->format]);
	if (report->format == REPORT_OTF2 && !report->output)
		return probe_err_create("export --format otf2 writes an archive, which is a "
					"directory: name it with --output DIR");
	return NULL;
}

static struct probe_err *write_format(const struct report *report, const struct report_db *db,
				      FILE *out)
{
	switch (report->format) {
	case REPORT_CHROME:
		return export_chrome(report, db, out);
	case REPORT_PERFETTO:
		return export_perfetto(report, db, out);
	case REPORT_SPEEDSCOPE:
		return export_speedscope(report, db, out);
	case REPORT_FOLDED:
		return flame_stacks_put(report, db, out);
	case REPORT_JSON:
		return html_put_data(report, db, out);
	default:
		return html_put_page(report, db, out);
	}
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	struct output output;
	struct probe_err *err;

	(void)first;
	(void)last;
	err = output_check(report->output, report);
	if (err)
		return err;
	if (is_rocprofv3(report))
		return rocprofv3_write_files(report, db);
	if (report->format == REPORT_OTF2)
		return export_otf2(report, db);
	err = output_open(report->output, report->force, &output);
	return err ? err : output_close(&output, write_format(report, db, output.file));
}

const struct report_verb report_verb_export = {
	.name = "export",
	.help = "the run as an HTML page, or for chrome://tracing, Perfetto, Vampir, scripts",
	.options = REPORT_O_KERNEL | REPORT_O_OUTPUT | REPORT_O_MERGE | REPORT_O_BASELINE,
	.formats = 1 << REPORT_HTML | 1 << REPORT_CHROME | 1 << REPORT_PERFETTO |
		   1 << REPORT_SPEEDSCOPE | 1 << REPORT_FOLDED | 1 << REPORT_OTF2 |
		   1 << REPORT_ROCPROFV3 | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.check = check,
	.show = show,
};
