/* SPDX-License-Identifier: MIT */
/* Prints the results of `check` in the formats of continuous-integration services. */
#ifndef PROBE_CMDS_REPORT_GATE_FORMATS_H
#define PROBE_CMDS_REPORT_GATE_FORMATS_H

#include <stddef.h>
#include <stdint.h>

struct probe_err;
struct report;
struct report_db;
struct gate_rule;

struct gate {
	const struct report *report;
	const struct report_db *db; /* contains the table `broken` */
	const struct gate_rule *rules;
	size_t rule_count;
	int64_t broken, unjudged; /* rows of `broken` with a value and without one */
	int64_t unjudged_rules;
	char *part; /* filters by which only part of the work is counted, or NULL */
};

/* "passed: 2 rules", and which part of the work they judge. */
void gate_put_passed(const struct gate *gate, const char *passed);

/* SARIF 2.1.0, the OASIS standard. At most 5,000 results, the limit of code scanning. */
struct probe_err *gate_put_sarif(const struct gate *gate);
/* Workflow commands of GitHub: an annotation per line, at most 10, which is GitHub's limit. */
struct probe_err *gate_put_github(const struct gate *gate);
/* A table for a pull request or a job summary. */
struct probe_err *gate_put_markdown(const struct gate *gate);
/* JUnit XML: a test case per rule. */
struct probe_err *gate_put_junit(const struct gate *gate);

#endif
