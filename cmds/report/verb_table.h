/* SPDX-License-Identifier: MIT */
/*
 * The verbs of probe-report, one row each. To add one: write verb_<name>.c with its row, declare
 * the row here, and put it into report_verbs (verb_table.c).
 */
#ifndef PROBE_CMDS_REPORT_VERB_TABLE_H
#define PROBE_CMDS_REPORT_VERB_TABLE_H

#include <stdbool.h>

#include "cmds/report/report_options.h"

struct report_db;
struct report_query;

enum report_input {
	REPORT_DATABASES,
	REPORT_ANY_FILES,      /* show() gets a path only */
	REPORT_NO_FILES,       /* show() is called once, without a database */
	REPORT_FILES_TOGETHER, /* the same; it opens the files itself */
};

struct report_verb {
	const char *name;
	const char *help;
	unsigned options; /* enum report_option_group: those that it takes */
	unsigned formats; /* 1 << enum report_format; 0 = none, the verb has one form */
	enum report_input input;
	bool counts;	  /* its numbers are lower bounds if the run is partial */
	bool kernel_word; /* takes a kernel's name in front of the file */
	/*
	 * The queries whose columns --fields and --sort may name, by `number` from 0, NULL behind
	 * the last; NULL if they depend on the open file.
	 */
	const struct report_query *(*query)(const struct report *report, unsigned number);
	/* What else may be wrong with the options; NULL = nothing. */
	struct probe_err *(*check)(const struct report *report);
	/* `first`, `last`: of the files, which CSV and JSON span. */
	struct probe_err *(*show)(const struct report *report, struct report_db *db, bool first,
				  bool last);
	/* In place of all that: a command line of its own; argv[0] is the verb. The exit status. */
	int (*command)(int argc, char **argv);
};

extern const struct report_verb report_verb_summary, report_verb_lines, report_verb_kernels,
	report_verb_dispatches, report_verb_samples, report_verb_annotate, report_verb_flame,
	report_verb_occupancy, report_verb_doctor, report_verb_mcp, report_verb_diff,
	report_verb_check, report_verb_export, report_verb_tables, report_verb_info,
	report_verb_list, report_verb_replay;

/* The first is the default; ends with NULL. */
extern const struct report_verb *const report_verbs[];

const struct report_verb *report_verb_find(const char *name);

/* Do the options suit the verb? */
struct probe_err *report_check_options(const struct report *report);

/* Print the report of all files. */
struct probe_err *report_verb_show(const struct report *report);

#endif
