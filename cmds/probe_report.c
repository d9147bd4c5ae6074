/* SPDX-License-Identifier: MIT */
/* probe-report: shows what probe-run recorded. Each verb is a file in report/. */
#include <unistd.h>

#include "cmds/report/output_file.h"
#include "cmds/report/report_options.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/standard_files.h"
#include "store/store.h"

enum status { OK, FAILED, USAGE };

static struct probe_err *run(struct report_line *line, enum status *status)
{
	struct probe_err *err = line->done ? NULL : report_check_options(&line->report);

	if (err) {
		*status = USAGE;
		return err;
	}
	line->report.color = probe_color_on(line->color, STDOUT_FILENO);
	err = output_complete(line->done ? NULL : report_verb_show(&line->report));
	*status = err ? FAILED : OK;
	return err;
}

int main(int argc, char **argv)
{
	const struct report_verb *verb = argc > 1 ? report_verb_find(argv[1]) : NULL;
	enum status status = USAGE;
	struct report_line line;
	struct probe_err *err;

	probe_standard_files_reserve();
	probe_store_watch_memory();
	probe_log_setup(PROBE_LOG_INFO, PROBE_COLOR_AUTO);
	if (verb && verb->command)
		return verb->command(argc - 1, argv + 1);
	err = report_parse(argc, argv, &line);
	probe_log_setup(line.quiet ? PROBE_LOG_ERROR : PROBE_LOG_INFO, line.color);
	probe_progress_setup(line.quiet);
	err = err ? err : run(&line, &status);
	if (err == probe_err_oom())
		status = FAILED; /* also if the options were being read */
	if (err)
		probe_log_err(PROBE_LOG_ERROR, err);
	if (err && status == USAGE)
		report_usage();
	probe_err_destroy(err);
	report_line_deinit(&line);
	return status;
}
