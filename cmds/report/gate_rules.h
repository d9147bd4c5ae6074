/* SPDX-License-Identifier: MIT */
/*
 * --fail-on: conditions under which `check` fails.
 *
 *	line.conflicts > 0		the value itself
 *	line.conflicts > +16		the change since the baseline
 *	line.lines128_used > +5%	the change, in percent of the baseline's value
 *
 * The accesses of a line are added up, by kernel. A line or kernel that the baseline lacks counts
 *as 0 there. A change of a time that is within its noise breaks no rule. A kernel that was not
 *measured cannot be judged; a gate must not pass because of that.
 */
#ifndef PROBE_CMDS_REPORT_GATE_RULES_H
#define PROBE_CMDS_REPORT_GATE_RULES_H

#include <stdbool.h>

#include "cmds/report/compare_runs.h"

struct probe_err;

enum gate_base {
	GATE_VALUE,
	GATE_CHANGE,
	GATE_PERCENT,
};

struct gate_rule {
	const char *text; /* as the user wrote it */
	const struct compare_metric *metric;
	const char *comparison; /* SQL: > >= < <= */
	enum gate_base base;
	double limit;
};

struct probe_err *gate_rule_parse(const char *text, struct gate_rule *ret);

/* Creates the tables `judged` and `broken` in a database of report_compare_open(). */
struct probe_err *gate_results(const struct report_db *db);
/*
 * Inserts the rows of the table `judged` that break the rule into the table `broken`, with the
 * rule's text as the first column, and a row without a value for each kernel that the rule cannot
 * judge.
 */
struct probe_err *gate_rule_apply(const struct gate_rule *rule, const struct report_db *db);
/* Inserts such a row, without a kernel, for a run that cannot be judged. */
struct probe_err *gate_rule_unjudged(const struct gate_rule *rule, const char *why,
				     const struct report_db *db);

/* Query for the rows of `broken`. */
extern const struct report_query report_gate_query;

#endif
