/* SPDX-License-Identifier: MIT */
#include "cmds/report/gate_formats.h"

#include <stdio.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/gate_rows.h"
#include "cmds/report/gate_rules.h"
#include "common/err.h"
#include "probe_version.h"

/* ---- SARIF ----------------------------------------------------------------------------------- */

enum { SARIF_RESULTS_MAX = 5000, GITHUB_ANNOTATIONS_MAX = 10 };

static void print_text_member(struct report_json *json, const char *key, const char *text)
{
	report_json_key(json, key);
	report_json_open(json, '{');
	report_json_member(json, "text", text);
	report_json_close(json, '}');
}

/*
 * A URI reference: unreserved characters of RFC 3986, section 2.3, and the slash are not encoded.
 */
static void uri_of(const char *path, char *uri, size_t size)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/";
	size_t n = *path == '/' ? (size_t)snprintf(uri, size, "file://") : 0;

	for (; *path && n + 4 < size; path++)
		n += (size_t)snprintf(uri + n, size - n, strchr(plain, *path) ? "%c" : "%%%02X",
				      (unsigned char)*path);
	uri[n] = 0;
}

static void print_location(struct report_json *json, const struct gate_row *row)
{
	char uri[4096 * 3];

	uri_of(row->path, uri, sizeof(uri));
	report_json_open(json, '{');
	report_json_key(json, "physicalLocation");
	report_json_open(json, '{');
	report_json_key(json, "artifactLocation");
	report_json_open(json, '{');
	report_json_member(json, "uri", uri);
	report_json_close(json, '}');
	report_json_key(json, "region");
	report_json_open(json, '{');
	report_json_int_member(json, "startLine", row->line);
	if (row->column > 0) {
		report_json_int_member(json, "startColumn", row->column);
	}
	report_json_close(json, '}');
	report_json_close(json, '}');
	report_json_close(json, '}');
}

/*
 * A fingerprint that stays the same when lines above are added or removed: it depends on what is
 * measured, not on the position.
 */
static void print_fingerprint(struct report_json *json, const struct gate_row *row)
{
	const char *slash = strrchr(row->path, '/');
	char text[2000];

	snprintf(text, sizeof(text), "%s|%s|%s|%s|%s|%s", row->metric, row->access, row->space,
		 slash ? slash + 1 : row->path, row->kernel, row->source);
	report_json_key(json, "partialFingerprints");
	report_json_open(json, '{');
	report_json_member(json, "probe/v1", text);
	report_json_close(json, '}');
}

static void print_result(const struct gate_row *row, void *user)
{
	struct report_json *json = user;

	report_json_open(json, '{');
	report_json_member(json, "ruleId", row->metric);
	report_json_member(json, "level", "error");
	print_text_member(json, "message", row->message);
	report_json_key(json, "locations");
	report_json_open(json, '[');
	if (row->line > 0)
		print_location(json, row);
	report_json_close(json, ']');
	print_fingerprint(json, row);
	report_json_close(json, '}');
}

/* Each metric that a rule uses, once. */
static void print_rule_metrics(struct report_json *json, const struct gate *gate)
{
	report_json_key(json, "rules");
	report_json_open(json, '[');
	for (size_t i = 0; i < compare_metric_count; i++) {
		const struct compare_metric *metric = &compare_metrics[i];
		size_t at = 0;

		while (at < gate->rule_count && gate->rules[at].metric != metric)
			at++;
		if (at == gate->rule_count)
			continue;
		report_json_open(json, '{');
		report_json_member(json, "id", metric->name);
		print_text_member(json, "shortDescription", metric->text);
		report_json_close(json, '}');
	}
	report_json_close(json, ']');
}

struct probe_err *gate_put_sarif(const struct gate *gate)
{
	struct report_json json = {.out = stdout};
	struct probe_err *err;

	report_json_open(&json, '{');
	report_json_member(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	report_json_member(&json, "version", "2.1.0");
	report_json_key(&json, "runs");
	report_json_open(&json, '[');
	report_json_open(&json, '{');
	report_json_key(&json, "tool");
	report_json_open(&json, '{');
	report_json_key(&json, "driver");
	report_json_open(&json, '{');
	report_json_member(&json, "name", "probe-report");
	report_json_member(&json, "version", PROBE_VERSION);
	print_rule_metrics(&json, gate);
	report_json_close(&json, '}');
	report_json_close(&json, '}');
	report_json_member(&json, "columnKind", "utf16CodeUnits");
	report_json_key(&json, "results");
	report_json_open(&json, '[');
	err = gate_each_row(gate, NULL, SARIF_RESULTS_MAX, print_result, &json);
	report_json_close(&json, ']');
	report_json_close(&json, '}');
	report_json_close(&json, ']');
	report_json_close(&json, '}');
	return err;
}

/* ---- GitHub ---------------------------------------------------------------------------------- */

/* Properties end at commas and colons, commands at the end of a line. */
static void print_property(const char *text)
{
	static const char *const replaced[] = {"%25", "%0D", "%0A", "%3A", "%2C"};

	report_replaced(stdout, text, "%\r\n:,", replaced);
}

static void print_data(const char *text)
{
	static const char *const replaced[] = {"%25", "%0D", "%0A"};

	report_replaced(stdout, text, "%\r\n", replaced);
}

static void print_annotation(const struct gate_row *row, void *user)
{
	(void)user;
	fputs("::error ", stdout);
	if (row->line > 0) {
		fputs("file=", stdout);
		print_property(row->path);
		printf(",line=%lld,", row->line);
		if (row->column > 0)
			printf("col=%lld,", row->column);
	}
	fputs("title=", stdout);
	print_property(row->rule);
	fputs("::", stdout);
	print_data(row->message);
	putchar('\n');
}

struct probe_err *gate_put_github(const struct gate *gate)
{
	struct probe_err *err =
		gate_each_row(gate, NULL, GITHUB_ANNOTATIONS_MAX, print_annotation, NULL);

	if (err)
		return err;
	if (gate->broken > GITHUB_ANNOTATIONS_MAX)
		printf("::error::%lld more broke the rules; GitHub shows %d annotations a step\n",
		       (long long)(gate->broken - GITHUB_ANNOTATIONS_MAX), GITHUB_ANNOTATIONS_MAX);
	return NULL;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void print_markdown_text(const char *text)
{
	static const char special[] = "\\|`*_<>[]&\r\n";
	static const char *const replaced[] = {"\\\\", "\\|", "\\`", "\\*",   "\\_", "&lt;",
					       "&gt;", "\\[", "\\]", "&amp;", " ",   " "};

	report_replaced(stdout, text, special, replaced);
}

static void print_markdown_row(const struct gate_row *row, void *user)
{
	(void)user;
	fputs("| ", stdout);
	print_markdown_text(row->line > 0 ? row->path : row->kernel);
	if (row->line > 0)
		printf(":%lld", row->line);
	fputs(" | ", stdout);
	print_markdown_text(row->message);
	fputs(" |\n", stdout);
}

struct probe_err *gate_put_markdown(const struct gate *gate)
{
	if (!gate->broken) {
		printf("**Probe: passed**, %zu %s\n", gate->rule_count,
		       gate->rule_count == 1 ? "rule" : "rules");
		return NULL;
	}
	printf("**Probe: failed**, %lld %s\n\n| place | what |\n| --- | --- |\n",
	       (long long)gate->broken, gate->broken == 1 ? "place" : "places");
	return gate_each_row(gate, NULL, -1, print_markdown_row, NULL);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

struct junit_case {
	const struct gate_rule *rule;
	size_t failures;
};

static void print_failure(const struct gate_row *row, void *user)
{
	struct junit_case *test = user;

	if (!test->failures++)
		fputs(">\n      <failure message=\"the rule is broken\">", stdout);
	if (row->line > 0) {
		report_markup(stdout, row->path);
		printf(":%lld: ", row->line);
	}
	report_markup(stdout, row->message);
	putchar('\n');
}

static void count_row(const struct gate_row *row, void *user)
{
	(void)row;
	++*(size_t *)user;
}

static struct probe_err *count_broken_rules(const struct gate *gate, size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < gate->rule_count; i++) {
		size_t rows = 0;
		struct probe_err *err =
			gate_each_row(gate, gate->rules[i].text, 1, count_row, &rows);

		if (err)
			return err;
		*ret += rows > 0;
	}
	return NULL;
}

static struct probe_err *print_test_cases(const struct gate *gate)
{
	for (size_t i = 0; i < gate->rule_count; i++) {
		struct junit_case test = {.rule = &gate->rules[i]};
		struct probe_err *err;

		fputs("    <testcase classname=\"probe\" name=\"", stdout);
		report_markup(stdout, test.rule->text);
		putchar('"');
		err = gate_each_row(gate, test.rule->text, -1, print_failure, &test);
		puts(test.failures ? "</failure>\n    </testcase>" : "/>");
		if (err)
			return err;
	}
	return NULL;
}

struct probe_err *gate_put_junit(const struct gate *gate)
{
	size_t broken;
	struct probe_err *err = count_broken_rules(gate, &broken);

	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
	printf("  <testsuite name=\"probe-report check\" tests=\"%zu\" failures=\"%zu\">\n",
	       gate->rule_count, broken);
	if (!err)
		err = print_test_cases(gate);
	puts("  </testsuite>\n</testsuites>");
	return err;
}
