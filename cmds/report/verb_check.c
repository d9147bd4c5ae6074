/* SPDX-License-Identifier: MIT */
/* probe-report check: fails if a run breaks a rule, for continuous integration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/compare_runs.h"
#include "cmds/report/gate_formats.h"
#include "cmds/report/gate_rows.h"
#include "cmds/report/gate_rules.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

static struct probe_err *check_options(const struct report *report)
{
	if (report->file_count != 1)
		return probe_err_create("check: expected one database, not %zu (the run to compare "
					"with is given with --baseline)",
					report->file_count);
	if (!report->rule_count)
		return probe_err_create("check: no rule given; for example --fail-on "
					"'line.conflicts > 0'");
	for (size_t i = 0; i < report->rule_count; i++) {
		struct gate_rule rule;
		struct probe_err *err = gate_rule_parse(report->rules[i], &rule);

		if (err)
			return err;
		if (rule.base != GATE_VALUE && !report->baseline)
			return probe_err_create("--fail-on '%s' compares with another run: give it "
						"with --baseline FILE",
						rule.text);
	}
	return NULL;
}

/* A gate must not pass because nothing was measured: *why is then the reason. */
static struct probe_err *check_measured(const struct report *report, const struct report_db *db,
					const struct gate_rule *rule, struct probe_err **why)
{
	static const char *const sql[2][2] = {
		[COMPARE_LINE] = {"SELECT 1 FROM place WHERE run = 0",
				  "SELECT 1 FROM place WHERE run = 1"},
		[COMPARE_KERNEL] = {"SELECT 1 FROM kernel WHERE run = 0",
				    "SELECT 1 FROM kernel WHERE run = 1"},
	};

	for (int run = report->baseline ? 0 : 1; run < 2; run++) {
		const char *path = run ? report->files[0] : report->baseline;
		bool any = false;
		struct probe_err *err = report_any(db, sql[rule->metric->scope][run], &any);

		if (err)
			return err;
		if (any)
			continue;
		if (rule->metric->scope == COMPARE_LINE)
			*why = probe_err_create(
				"%s: no counts of lines%s for the rule '%s'; record "
				"with probe-run -a memory",
				path, report->kernel ? " of such kernels" : "", rule->text);
		else
			*why = probe_err_create("%s: no kernel ran%s for the rule '%s'", path,
						report->kernel ? " that --kernel matches" : "",
						rule->text);
		return NULL;
	}
	return NULL;
}

/* Counts of different parts of the work have no difference. */
static struct probe_err *check_filters(const struct report *report, const struct report_db *db,
				       const struct gate_rule *rule, struct probe_err **why)
{
	bool differ = false;
	struct probe_err *err;

	if (rule->base == GATE_VALUE || rule->metric->scope != COMPARE_LINE)
		return NULL;
	err = report_any(db, "SELECT 1 FROM run a, run b WHERE a.part <> b.part", &differ);
	if (err || !differ)
		return err;
	*why = probe_err_create("%s and %s were counted with different --dispatches or --filter-x, "
				"-y, -z, so the rule '%s' cannot compare them",
				report->baseline, report->files[0], rule->text);
	return NULL;
}

/* Records that the run cannot be judged; takes ownership of `why`. */
static struct probe_err *unjudged(const struct report_db *db, const struct gate_rule *rule,
				  struct probe_err *why)
{
	char text[1000];

	probe_err_format(why, text, sizeof(text));
	probe_err_destroy(why);
	return gate_rule_unjudged(rule, text, db);
}

static struct probe_err *apply_rule(const struct report *report, const struct report_db *db,
				    const struct gate_rule *rule)
{
	struct probe_err *why = NULL, *err = check_measured(report, db, rule, &why);

	if (!err && !why)
		err = check_filters(report, db, rule, &why);
	if (err)
		return err;
	return why ? unjudged(db, rule, why) : gate_rule_apply(rule, db);
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static void print_name(const struct gate_row *row, void *user)
{
	(void)user;
	if (!*row->kernel)
		return; /* of a whole run: it is the command's error */
	report_put(row->message);
	putchar('\n');
}

/* Without rows in the table, it would be only a head. */
static struct probe_err *print_table(const struct gate *gate)
{
	struct report_query query = report_gate_query;
	struct probe_err *err = NULL;

	query.where = "after IS NOT NULL";
	if (gate->broken)
		err = report_rows(gate->report, gate->db, &query, true, true);
	if (!err && gate->unjudged)
		err = gate_each_row(gate, GATE_UNJUDGED, NULL, -1, print_name, NULL);
	if (!gate->broken && !gate->unjudged)
		gate_put_passed(gate, "passed: ");
	return err;
}

static struct probe_err *print_rows(const struct gate *gate)
{
	return report_rows(gate->report, gate->db, &report_gate_query, true, true);
}

static struct probe_err *print_gate(const struct gate *gate)
{
	static struct probe_err *(*const formats[REPORT_ALL_FORMATS])(const struct gate *gate) = {
		[REPORT_TABLE] = print_table,	   [REPORT_CSV] = print_rows,
		[REPORT_JSON] = print_rows,	   [REPORT_SARIF] = gate_put_sarif,
		[REPORT_GITHUB] = gate_put_github, [REPORT_MARKDOWN] = gate_put_markdown,
		[REPORT_JUNIT] = gate_put_junit,
	};

	return formats[gate->report->format](gate);
}

static struct probe_err *read_verdict(struct gate *gate)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row;
	struct probe_err *err = report_first_row(
		gate->db,
		"SELECT count(after), count(*) - count(after), count(DISTINCT CASE WHEN after IS "
		"NULL THEN rule END), (SELECT part FROM run WHERE run = 1 AND part <> '') FROM broken",
		&stmt, &row);

	if (err)
		return err;
	gate->broken = sqlite3_column_int64(stmt, 0);
	gate->unjudged = sqlite3_column_int64(stmt, 1);
	gate->unjudged_rules = sqlite3_column_int64(stmt, 2);
	if (sqlite3_column_type(stmt, 3) == SQLITE_NULL)
		return NULL;
	gate->part = strdup(report_cell(stmt, 3));
	return gate->part ? NULL : probe_err_oom();
}

/* The verdict as the command's error. */
static struct probe_err *failure(const struct gate *gate)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	const char *prefix = "not judged: ";
	struct probe_err *err;
	bool whole = false;

	if (gate->broken)
		return probe_err_create("%lld %s the rules", (long long)gate->broken,
					gate->broken == 1 ? "place breaks" : "places break");
	if (!gate->unjudged)
		return NULL;
	err = report_first_row(gate->db, "SELECT why FROM broken WHERE kernel IS NULL", &stmt,
			       &whole);
	if (err)
		return err;
	if (whole)
		return probe_err_create("%s", report_cell(stmt, 0) + strlen(prefix));
	return probe_err_create("%lld of %zu rules cannot be judged, because kernels were not "
				"measured; -k selects the kernels to judge",
				(long long)gate->unjudged_rules, gate->rule_count);
}

/* Prints what the table `broken` says. */
static struct probe_err *print_verdict(struct gate *gate)
{
	struct probe_err *err = read_verdict(gate);

	if (!err)
		err = print_gate(gate);
	if (!err && gate->part && gate->report->format != REPORT_TABLE)
		probe_log(PROBE_LOG_WARNING, "%s: only part of the work was counted: %s",
			  gate->report->files[0], gate->part);
	if (!err && gate->broken)
		err = report_warn_sources(gate->report, gate->report->files[0]);
	if (!err)
		err = failure(gate);
	free(gate->part);
	gate->part = NULL;
	return err;
}

static struct probe_err *judge(struct gate *gate)
{
	const struct report *report = gate->report;
	const struct report_db *db = gate->db;
	struct probe_err *err = NULL;
	bool broken = false;

	for (size_t i = 0; i < gate->rule_count && !err; i++)
		err = apply_rule(report, db, &gate->rules[i]);
	if (!err && db->reader.partial)
		err = report_any(db, "SELECT 1 FROM broken", &broken);
	if (err || broken || !db->reader.partial)
		return err;
	for (size_t i = 0; i < gate->rule_count && !err; i++)
		err = gate_rule_unjudged(
			&gate->rules[i],
			"a run is partial: its counts are lower bounds, so it cannot "
			"pass (probe-report info says why)",
			db);
	return err;
}

/* What reads the result expects a document also if a run cannot be read. */
static struct probe_err *print_unread(const struct gate *failed, const struct probe_err *unread)
{
	struct gate gate = *failed;
	char why[1000];
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err = report_compare_none(gate.report, &db);

	if (err)
		return err;
	probe_err_format(unread, why, sizeof(why));
	gate.db = &db;
	err = gate_results(&db);
	for (size_t i = 0; i < gate.rule_count && !err; i++)
		err = gate_rule_unjudged(&gate.rules[i], why, &db);
	return err ? err : print_verdict(&gate);
}

static struct probe_err *show(const struct report *report, struct report_db *unused, bool first,
			      bool last)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct gate_rule rules[REPORT_RULES_MAX];
	struct gate gate = {
		.report = report, .db = &db, .rules = rules, .rule_count = report->rule_count};
	struct probe_err *err = NULL;

	(void)unused;
	(void)first;
	(void)last;
	for (size_t i = 0; i < report->rule_count && !err; i++)
		err = gate_rule_parse(report->rules[i], &rules[i]);
	if (err)
		return err;
	err = report_compare_open(report, report->baseline, report->files[0], &db);
	if (!err)
		err = gate_results(&db);
	if (!err)
		err = judge(&gate);
	if (!err)
		return print_verdict(&gate);
	if (report->format != REPORT_TABLE)
		probe_err_destroy(print_unread(&gate, err));
	return err;
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : &report_gate_query;
}

const struct report_verb report_verb_check = {
	.name = "check",
	.help = "exit with 1 if a run breaks a rule (--fail-on), for example against a --baseline",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_GATE | REPORT_O_BASELINE,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON | 1 << REPORT_SARIF |
		   1 << REPORT_GITHUB | 1 << REPORT_MARKDOWN | 1 << REPORT_JUNIT,
	.input = REPORT_FILES_TOGETHER,
	.query = query,
	.check = check_options,
	.show = show,
};
