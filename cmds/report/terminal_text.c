/* SPDX-License-Identifier: MIT */
#include "cmds/report/terminal_text.h"

#include <stdio.h>

#include "cmds/report/escape.h"
#include "cmds/report/report_options.h"

const char *report_bold(const struct report *report)
{
	return report->color ? "\033[1m" : "";
}

const char *report_red(const struct report *report)
{
	return report->color ? "\033[31m" : "";
}

const char *report_green(const struct report *report)
{
	return report->color ? "\033[32m" : "";
}

const char *report_dim(const struct report *report)
{
	return report->color ? "\033[2m" : "";
}

const char *report_plain(const struct report *report)
{
	return report->color ? "\033[0m" : "";
}

const char *report_plural(int64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void report_put(const char *text)
{
	report_text(stdout, text, SIZE_MAX, 0);
}
