/* SPDX-License-Identifier: MIT */
/*
 * The verbs of probe-report, one row each. To add one: write verb_<name>.c with its row, declare
 * the row here, and put it into report_verbs (verb_table.c).
 */
#ifndef PROBE_CMDS_REPORT_VERB_TABLE_H
#define PROBE_CMDS_REPORT_VERB_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmds/report/report_options.h"

struct report_db;
struct report_query;

enum report_input {
	REPORT_DATABASES,
	REPORT_ANY_FILES,      /* show() receives only a path */
	REPORT_NO_FILES,       /* show() is called once, without a database */
	REPORT_FILES_TOGETHER, /* show() is called once and opens the files itself */
};

struct report_verb {
	const char *name;
	const char *help;
	unsigned options; /* accepted groups: enum report_option_group, or-ed */
	unsigned formats; /* 1 << enum report_format, or-ed; 0 = the verb has one format */
	enum report_input input;
	bool counts;	     /* its numbers are lower bounds if the run is partial */
	bool kernel_word;    /* accepts a kernel's name before the file */
	bool statement_word; /* expects a statement of SQL there */
	/* The query of a verb that prints its rows and nothing else; `query` and `show` are NULL.
	 */
	const struct report_query *rows;
	/*
	 * The queries whose columns --fields and --sort may name, by `number` from 0, then NULL;
	 * NULL if they depend on the open file.
	 */
	const struct report_query *(*query)(const struct report *report, unsigned number);
	/* Further checks of the options; NULL = none. */
	struct probe_err *(*check)(const struct report *report);
	/* `first`, `last`: among the files; CSV and JSON span all files. */
	struct probe_err *(*show)(const struct report *report, struct report_db *db, bool first,
				  bool last);
	/*
	 * Replaces all of that: parses its own command line; argv[0] is the verb. Returns the exit
	 * status.
	 */
	int (*command)(int argc, char **argv);
};

extern const struct report_verb report_verb_summary, report_verb_lines, report_verb_kernels,
	report_verb_dispatches, report_verb_samples, report_verb_annotate, report_verb_flame,
	report_verb_occupancy, report_verb_spills, report_verb_mix, report_verb_timeline, report_verb_stats,
	report_verb_api,
	report_verb_copies, report_verb_markers, report_verb_doctor, report_verb_mcp,
	report_verb_launches, report_verb_allocations, report_verb_diff, report_verb_check,
	report_verb_export, report_verb_load, report_verb_sql, report_verb_tables, report_verb_info,
	report_verb_list, report_verb_replay;

/* `rows` or what `query` returns; NULL: there are no more. */
static inline const struct report_query *
report_verb_query(const struct report_verb *verb, const struct report *report, unsigned number)
{
	if (verb->rows)
		return number ? NULL : verb->rows;
	return verb->query ? verb->query(report, number) : NULL;
}

/* The first is the default; ends with NULL. */
extern const struct report_verb *const report_verbs[];

const struct report_verb *report_verb_find(const char *name);

/* Checks that the options suit the verb. */
struct probe_err *report_check_options(const struct report *report);

/* Prints the report of all files. */
struct probe_err *report_verb_show(const struct report *report);

#endif
