/* SPDX-License-Identifier: MIT */
/* probe-report check: fails if a run breaks a rule, for continuous integration. */
#include <stdio.h>

#include "cmds/report/compare_runs.h"
#include "cmds/report/gate_formats.h"
#include "cmds/report/gate_rules.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

static struct probe_err *check_options(const struct report *report)
{
	if (report->file_count != 1)
		return probe_err_create("check: expected one database, not %zu (the run to compare "
					"with goes behind --baseline)",
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

/* A gate must not pass because nothing was measured. */
static struct probe_err *check_measured(const struct report *report, const struct report_db *db,
					const struct gate_rule *rule)
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
			return probe_err_create(
				"%s: no counts of lines%s for the rule '%s'; record "
				"with probe-run -a memory",
				path, report->kernel ? " of such kernels" : "", rule->text);
		return probe_err_create("%s: no kernel ran%s for the rule '%s'", path,
					report->kernel ? " that --kernel matches" : "", rule->text);
	}
	return NULL;
}

static struct probe_err *print_rows(const struct gate *gate)
{
	if (gate->broken || gate->report->format != REPORT_TABLE)
		return report_rows(gate->report, gate->db, &report_gate_query, true, true);
	printf("passed: %zu %s\n", gate->rule_count, gate->rule_count == 1 ? "rule" : "rules");
	return NULL;
}

static struct probe_err *print_gate(const struct gate *gate)
{
	static struct probe_err *(*const formats[REPORT_ALL_FORMATS])(const struct gate *gate) = {
		[REPORT_TABLE] = print_rows,	   [REPORT_CSV] = print_rows,
		[REPORT_JSON] = print_rows,	   [REPORT_SARIF] = gate_put_sarif,
		[REPORT_GITHUB] = gate_put_github, [REPORT_MARKDOWN] = gate_put_markdown,
		[REPORT_JUNIT] = gate_put_junit,
	};

	return formats[gate->report->format](gate);
}

static struct probe_err *count_broken(struct gate *gate)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row;
	struct probe_err *err =
		report_first_row(gate->db, "SELECT count(*) FROM broken", &stmt, &row);

	if (err)
		return err;
	gate->broken = sqlite3_column_int64(stmt, 0);
	return NULL;
}

static struct probe_err *apply_rule(const struct report *report, const struct report_db *db,
				    const char *text, struct gate_rule *rule)
{
	struct probe_err *err = gate_rule_parse(text, rule);

	if (err)
		return err;
	err = check_measured(report, db, rule);
	return err ? err : gate_rule_apply(rule, db);
}

static struct probe_err *judge(const struct report *report, const struct report_db *db)
{
	struct gate_rule rules[REPORT_RULES_MAX];
	struct gate gate = {
		.report = report, .db = db, .rules = rules, .rule_count = report->rule_count};
	struct probe_err *err;

	for (size_t i = 0; i < report->rule_count; i++) {
		err = apply_rule(report, db, report->rules[i], &rules[i]);
		if (err)
			return err;
	}
	err = count_broken(&gate);
	if (err)
		return err;
	if (!gate.broken && db->reader.partial)
		return probe_err_create(
			"a run is partial: its counts are lower bounds, so it cannot "
			"pass (probe-report info says why)");
	err = print_gate(&gate);
	if (err || !gate.broken)
		return err;
	return probe_err_create("%lld %s the rules", (long long)gate.broken,
				gate.broken == 1 ? "place breaks" : "places break");
}

static struct probe_err *show(const struct report *report, struct report_db *unused, bool first,
			      bool last)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err;

	(void)unused;
	(void)first;
	(void)last;
	err = report_compare_open(report, report->baseline, report->files[0], &db);
	return err ? err : judge(report, &db);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : &report_gate_query;
}

const struct report_verb report_verb_check = {
	.name = "check",
	.help = "exit with 1 if a run breaks a rule (--fail-on), for example against a --baseline",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_GATE |
		   REPORT_O_BASELINE,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON | 1 << REPORT_SARIF |
		   1 << REPORT_GITHUB | 1 << REPORT_MARKDOWN | 1 << REPORT_JUNIT,
	.input = REPORT_FILES_TOGETHER,
	.query = query,
	.check = check_options,
	.show = show,
};
