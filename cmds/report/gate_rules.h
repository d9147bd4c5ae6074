/* SPDX-License-Identifier: MIT */
/*
 * --fail-on: conditions under which `check` fails.
 *
 *	line.conflicts > 0		the value itself
 *	line.conflicts > +16		the change since the baseline
 *	line.lines128_used > +5%	the change, in percent of the baseline's value
 *
 * A line or kernel that the baseline lacks counts as 0 there. A change of a time that is within its
 * noise breaks no rule.
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

/*
 * Inserts the rows of the table `change` that break the rule into the table `broken`, with the
 * rule's text as the first column; creates the table if necessary.
 */
struct probe_err *gate_rule_apply(const struct gate_rule *rule, const struct report_db *db);

/* Query for the rows of `broken`. */
extern const struct report_query report_gate_query;

#endif
