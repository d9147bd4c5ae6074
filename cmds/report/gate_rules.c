/* SPDX-License-Identifier: MIT */
#include "cmds/report/gate_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"

static const char *const scope_names[] = {[COMPARE_LINE] = "line", [COMPARE_KERNEL] = "kernel"};

static struct probe_err *invalid(const char *text, const char *expected)
{
	return probe_err_create("invalid value '%s' for --fail-on: expected %s, as in "
				"'line.conflicts > +5%%'",
				text, expected);
}

static struct probe_err *no_such_metric(const char *text)
{
	char names[500] = "one of";
	size_t n = strlen(names);

	for (size_t i = 0; i < compare_metric_count && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, " %s.%s",
				      scope_names[compare_metrics[i].scope],
				      compare_metrics[i].name);
	return invalid(text, names);
}

/* Parses the metric's name and moves *at past it. */
static const struct compare_metric *parse_metric(const char **at)
{
	size_t len = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789_.");

	for (size_t i = 0; i < compare_metric_count; i++) {
		const char *scope = scope_names[compare_metrics[i].scope];
		size_t scope_len = strlen(scope);

		if (len != scope_len + 1 + strlen(compare_metrics[i].name) ||
		    strncmp(*at, scope, scope_len) || (*at)[scope_len] != '.' ||
		    strncmp(*at + scope_len + 1, compare_metrics[i].name, len - scope_len - 1))
			continue;
		*at += len;
		return &compare_metrics[i];
	}
	return NULL;
}

static const char *parse_comparison(const char **at)
{
	/* Longer operators first, because shorter ones are their prefixes. */
	static const char *const all[] = {">=", "<=", ">", "<"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strncmp(*at, all[i], strlen(all[i]))) {
			*at += strlen(all[i]);
			return all[i];
		}
	return NULL;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

struct probe_err *gate_rule_parse(const char *text, struct gate_rule *ret)
{
	struct gate_rule rule = {.text = text};
	const char *at = text;
	char *end;

	skip_blanks(&at);
	rule.metric = parse_metric(&at);
	if (!rule.metric)
		return no_such_metric(text);
	skip_blanks(&at);
	rule.comparison = parse_comparison(&at);
	if (!rule.comparison)
		return invalid(text, "one of > >= < <= after the metric");
	skip_blanks(&at);
	rule.base = *at == '+' || *at == '-' ? GATE_CHANGE : GATE_VALUE;
	rule.limit = strtod(at, &end);
	if (end == at || !isfinite(rule.limit))
		return invalid(text, "a number after the comparison");
	at = end;
	if (*at == '%') {
		if (rule.base == GATE_VALUE)
			return invalid(text, "a sign before a number with %");
		rule.base = GATE_PERCENT;
		at++;
	}
	skip_blanks(&at);
	if (*at)
		return invalid(text, "nothing behind the number");
	*ret = rule;
	return NULL;
}

/* ---- Applying -------------------------------------------------------------------------------- */

#define BROKEN_BY(compared)                                                                        \
	"INSERT INTO broken SELECT ?1, judged.* FROM judged WHERE scope = ?2 AND metric = ?3 "     \
	"AND after IS NOT NULL AND coalesce(variant, 'original') = 'original' AND " compared
/* What the baseline did not measure has no change. One within the noise of times is none. */
#define CHANGED_BY(compared)                                                                       \
	BROKEN_BY("why IS NULL AND (coalesce(noise, 0) = 0 OR before IS NULL OR "                  \
		  "abs(" COMPARE_CHANGE ") > noise) AND " COMPARE_CHANGE " " compared)

static const char *condition(const struct gate_rule *rule)
{
	static const struct {
		const char *comparison, *sql[3];
	} all[] = {
#define COMPARISON(op)                                                                             \
	{                                                                                          \
		op,                                                                                \
		{                                                                                  \
			[GATE_VALUE] = BROKEN_BY("after " op " ?4"),                               \
			[GATE_CHANGE] = CHANGED_BY(op " ?4"),                                      \
			[GATE_PERCENT] = CHANGED_BY(op " ?4 / 100 * coalesce(before, 0)"),         \
		}                                                                                  \
	}
		COMPARISON(">"),
		COMPARISON(">="),
		COMPARISON("<"),
		COMPARISON("<="),
#undef COMPARISON
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i].comparison, rule->comparison))
			return all[i].sql[rule->base];
	return NULL;
}

static struct probe_err *run_rule(const struct gate_rule *rule, const struct report_db *db,
				  const char *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *insert = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &insert);
	bool row;

	if (err)
		return err;
	sqlite3_bind_text(insert, 1, rule->text, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, scope_names[rule->metric->scope], -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 3, rule->metric->name, -1, SQLITE_STATIC);
	sqlite3_bind_double(insert, 4, rule->limit);
	sqlite3_bind_int(insert, 5, rule->base != GATE_VALUE);
	return report_step(db, insert, &row);
}

/* clang-format off */
/* A row of `broken` without a value for each row of `from`; `why` is an expression. */
#define UNJUDGED(why, from)                                                                        \
	"INSERT INTO broken (rule, scope, kernel, metric, why, nth) "                              \
	"SELECT ?1, ?2, kernel, ?3, 'not judged: ' || " why ", 1 FROM " from

/* Rules of lines. Of the baseline, kernels that it did not count matter if the run has them. */
static const char uncounted_sql[] = UNJUDGED(
	"reason || CASE run WHEN 0 THEN ' (in the baseline)' ELSE '' END",
	"unmeasured WHERE run = 1 OR (?5 AND kernel IN (SELECT kernel FROM place WHERE run = 1))");

#define KERNELS_OF(run)	"SELECT kernel FROM kernel WHERE run = " run
#define TIMED(run)	KERNELS_OF(run) " AND NOT instrumented AND time_ns NOT NULL"
static const char untimed_sql[] = UNJUDGED(
	"'no time of an uninstrumented dispatch' || "
	"CASE max(run) WHEN 1 THEN '' ELSE ' in the baseline' END",
	"(SELECT kernel, 1 AS run FROM kernel WHERE run = 1 AND kernel NOT IN (" TIMED("1") ") "
	"UNION SELECT kernel, 0 FROM kernel WHERE ?5 AND run = 0 "
	"AND kernel IN (" KERNELS_OF("1") ") AND kernel NOT IN (" TIMED("0") ")) GROUP BY kernel");
/* clang-format on */

/*
 * What rules judge: the rows of `change`, with the accesses of a line in a kernel added up. A
 * line's column and order are those of the access with the most. Accesses that are gone count for
 * the line to which others of their line belong now.
 */
/* clang-format off */
#define NEW_LINE                                                                                   \
	"CASE WHEN c.after NOT NULL THEN c.line ELSE (SELECT d.line FROM change d WHERE "          \
	"d.kernel = c.kernel AND d.metric = c.metric AND d.line_before = c.line_before AND "       \
	"d.file = c.file AND d.scope = 'line' AND d.after NOT NULL AND d.line > 0 LIMIT 1) END"
static const char results_sql[] =
	"CREATE TABLE broken AS SELECT '' AS rule, change.* FROM change LIMIT 0;"
	"CREATE INDEX change_before ON change (kernel, metric, line_before);"
	"CREATE TABLE judged AS SELECT * FROM change WHERE scope <> 'line' OR line = 0;"
	"INSERT INTO judged SELECT scope, kernel, variant, file, line, line_before, \"column\", "
	"CASE WHEN one_access THEN access END, CASE WHEN one_space THEN space END, source, metric, "
	"all_before, all_after, noise, why, nth FROM (SELECT *, sum(before) OVER w AS all_before, "
	"sum(after) OVER w AS all_after, min(access) OVER w = max(access) OVER w AS one_access, "
	"min(space) OVER w = max(space) OVER w AS one_space, row_number() OVER (w ORDER BY "
	"after DESC, \"column\", access, space) AS place FROM "
	"(SELECT c.*, " NEW_LINE " AS new_line FROM change c WHERE scope = 'line' AND line > 0) "
	"WHERE new_line NOT NULL WINDOW w AS (PARTITION BY kernel, file, new_line, metric)) "
	"WHERE place = 1;";
/* clang-format on */

struct probe_err *gate_results(const struct report_db *db)
{
	return report_run_sql(db, results_sql, "check the rules");
}

struct probe_err *gate_rule_apply(const struct gate_rule *rule, const struct report_db *db)
{
	struct probe_err *err = run_rule(rule, db, condition(rule));

	if (!err && rule->metric->scope == COMPARE_LINE)
		err = run_rule(rule, db, uncounted_sql);
	if (!err && !strcmp(rule->metric->name, "time_ns"))
		err = run_rule(rule, db, untimed_sql);
	return err;
}

struct probe_err *gate_rule_unjudged(const struct gate_rule *rule, const char *why,
				     const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *insert = NULL;
	bool row;
	struct probe_err *err =
		report_prepare_sql(db,
				   "INSERT INTO broken (rule, scope, metric, why, nth) "
				   "SELECT ?, ?, ?, 'not judged: ' || ?, 1",
				   &insert);

	if (err)
		return err;
	sqlite3_bind_text(insert, 1, rule->text, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, scope_names[rule->metric->scope], -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 3, rule->metric->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 4, why, -1, SQLITE_TRANSIENT);
	return report_step(db, insert, &row);
}

static const struct report_column columns[] = {
	{"rule", "rule", REPORT_TEXT, true, "rule", "the rule that is broken, as given"},
	COMPARE_COLUMNS};

const struct report_query report_gate_query = {
	.verb = "check",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "broken",
	/* Without a column for -k: what it excludes is not in the table. */
	.sort = COMPARE_SORT ",rule",
};
