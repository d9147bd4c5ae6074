/* SPDX-License-Identifier: MIT */
#include "cmds/report/option_names.h"

#include <stddef.h>

const char *const report_format_names[] = {"table",    "csv",	     "json",  "rocprofv3", "sarif",
					   "github",   "markdown",   "junit", "html",	   "chrome",
					   "perfetto", "speedscope", "otf2",  "folded",	   NULL};

const char *report_option_names(enum report_option_group group)
{
	switch (group) {
	case REPORT_O_ROWS:
		return "--fields, --sort, --limit";
	case REPORT_O_KERNEL:
		return "--kernel";
	case REPORT_O_ALL:
		return "--all";
	case REPORT_O_TABLE:
		return "--table";
	case REPORT_O_DISPATCHES:
		return "--dispatches, --start, --end";
	case REPORT_O_BY:
		return "--by";
	case REPORT_O_OUTPUT:
		return "--output, --force";
	case REPORT_O_MERGE:
		return "--merge";
	case REPORT_O_UNFOLD:
		return "--unfold, --findings";
	case REPORT_O_LOAD:
		return "--run-name";
	case REPORT_O_GATE:
		return "--fail-on";
	case REPORT_O_BASELINE:
		return "--baseline";
	default:
		return "--runs";
	}
}
