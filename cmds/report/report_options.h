/* SPDX-License-Identifier: MIT */
/* The command line of probe-report. */
#ifndef PROBE_CMDS_REPORT_REPORT_OPTIONS_H
#define PROBE_CMDS_REPORT_REPORT_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/log.h"

struct probe_err;
struct report_verb;

enum report_format {
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_FORMATS, /* row_formats.c writes rows in the formats above */
	REPORT_ROCPROFV3 = REPORT_FORMATS,
	REPORT_SARIF, /* for `check` only */
	REPORT_GITHUB,
	REPORT_MARKDOWN,
	REPORT_JUNIT,
	REPORT_HTML, /* for `export` only */
	REPORT_CHROME,
	REPORT_PERFETTO,
	REPORT_SPEEDSCOPE,
	REPORT_OTF2,
	REPORT_FOLDED,
	REPORT_ALL_FORMATS,
};

/* What a row of `samples` or `lines` represents. */
enum report_by {
	REPORT_BY_LINE,
	REPORT_BY_KERNEL,
	REPORT_BY_INSTRUCTION,
	REPORT_BY_DISPATCH,
	REPORT_BYS, /* the values above are for samples */
	REPORT_BY_LAUNCH_SHAPE = REPORT_BYS,
};

/* Options that only some verbs accept, for report.given and report_verb.options. */
enum report_option_group {
	REPORT_O_ROWS = 1 << 0, /* --fields, --sort, --limit */
	REPORT_O_KERNEL = 1 << 1,
	REPORT_O_ALL = 1 << 2,
	REPORT_O_TABLE = 1 << 3,
	REPORT_O_DISPATCHES = 1 << 4, /* --dispatches, --start, --end */
	REPORT_O_BY = 1 << 5,
	REPORT_O_RUNS = 1 << 6,
	REPORT_O_GATE = 1 << 7,	  /* --fail-on */
	REPORT_O_OUTPUT = 1 << 8, /* --output, --force */
	REPORT_O_UNFOLD = 1 << 9, /* --unfold, --findings */
	REPORT_O_MERGE = 1 << 10,
	REPORT_O_LOAD = 1 << 11, /* --run-name */
	REPORT_O_BASELINE = 1 << 12,
	REPORT_O_GROUPS = 13, /* number of groups */
};

enum { REPORT_RANGES_MAX = 64, REPORT_RULES_MAX = 64, REPORT_LAST_MAX = 1000 };

struct report_range {
	int64_t first, last;
};

struct report {
	const struct report_verb *verb;
	const struct report_verb *const *verbs; /* all verbs; ends with NULL */
	enum report_format format;
	enum report_by by;
	unsigned given; /* enum report_option_group */
	bool color;
	bool header;
	bool all;	   /* show accesses without extra cost, too */
	bool unfold;	   /* one finding per kernel */
	bool findings;	   /* only rows with something to fix, not those with many samples */
	bool cut;	   /* long texts are cut (text_sql.h) */
	bool fields_given; /* the user gave `fields`; otherwise it may be the program's own */
	bool runs;	   /* the files are two runs of one program */
	bool merge;	   /* the files are of the processes of one run */
	int64_t limit;	   /* -1 = none */
	char separator;
	const char *sort, *fields; /* as given; NULL = default */
	const char *kernel;	   /* regex as given; NULL = all */
	bool kernel_literal;	   /* the text may also be a whole name */
	regex_t kernel_regex;
	struct report_range dispatches[REPORT_RANGES_MAX];
	size_t dispatch_count; /* 0 = all */
	int64_t start, end;    /* ns since the first dispatch; 0 and INT64_MAX = all */
	const char *statement; /* of SQL; NULL = none */
	const char *table;     /* name of a handler's table; NULL = list them */
	const char *output;    /* NULL = stdout */
	bool force;	       /* overwrite an existing file */
	const char *baseline;  /* NULL = none */
	const char *rules[REPORT_RULES_MAX]; /* --fail-on, as given */
	size_t rule_count;
	const char *run_name;	 /* NULL = the guid of the first file */
	const char *source_root; /* NULL = only text from the database */
	const char **files;
	size_t file_count;
	size_t last; /* number of newest databases requested, or 0 */
};

struct report_line {
	struct report report;
	enum probe_color color;
	bool quiet;
	char **newest; /* files that were found, not given */
	size_t newest_count;
	bool done; /* --help or similar: nothing is left to do */
};

struct probe_err *report_parse(int argc, char **argv, struct report_line *line);
void report_line_deinit(struct report_line *line);

/* "probe: usage: ..." */
void report_usage(void);

#endif
