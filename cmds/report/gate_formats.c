/* SPDX-License-Identifier: MIT */
#include "cmds/report/gate_formats.h"

#include <stdio.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/gate_rows.h"
#include "cmds/report/gate_rules.h"
#include "cmds/report/report_options.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"
#include "probe_version.h"

void gate_put_passed(const struct gate *gate, const char *passed)
{
	printf("%s%zu %s", passed, gate->rule_count, gate->rule_count == 1 ? "rule" : "rules");
	if (gate->part) {
		fputs("; only part of the work was counted: ", stdout);
		report_put(gate->part);
	}
	putchar('\n');
}

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

static void print_physical_location(struct report_json *json, const char *path, long long line,
				    long long column)
{
	char uri[4096 * 3];

	uri_of(path, uri, sizeof(uri));
	report_json_key(json, "physicalLocation");
	report_json_open(json, '{');
	report_json_key(json, "artifactLocation");
	report_json_open(json, '{');
	report_json_member(json, "uri", uri);
	report_json_close(json, '}');
	report_json_key(json, "region");
	report_json_open(json, '{');
	report_json_int_member(json, "startLine", line);
	if (column > 0)
		report_json_int_member(json, "startColumn", column);
	report_json_close(json, '}');
	report_json_close(json, '}');
}

/*
 * GitHub needs a location in a file. If no line of the kernel is known, it is the database.
 */
static void print_location(struct report_json *json, const struct gate_row *row,
			   const char *database)
{
	report_json_open(json, '{');
	if (row->line > 0)
		print_physical_location(json, row->path, row->line, row->column);
	else
		print_physical_location(json, database, 1, 0);
	report_json_key(json, "logicalLocations");
	report_json_open(json, '[');
	report_json_open(json, '{');
	report_json_member(json, "fullyQualifiedName", row->kernel);
	report_json_member(json, "kind", "function");
	report_json_close(json, '}');
	report_json_close(json, ']');
	report_json_close(json, '}');
}

/*
 * A fingerprint that stays the same when lines above are added or removed: it depends on what is
 * measured, not on the position. Equal lines of a kernel are numbered, whether they break a rule or
 * not.
 */
static void print_fingerprint(struct report_json *json, const struct gate_row *row)
{
	const char *slash = strrchr(row->own_file, '/');
	char text[2000], nth[24] = "";

	if (row->nth > 1)
		snprintf(nth, sizeof(nth), "|%lld", row->nth);
	/* Before the text, which may be cut. */
	snprintf(text, sizeof(text), "%s|%s|%s|%s%s|%s|%s", row->metric, row->access, row->space,
		 slash ? slash + 1 : row->own_file, nth, row->kernel, row->source);
	report_json_key(json, "partialFingerprints");
	report_json_open(json, '{');
	report_json_member(json, "probe/v1", text);
	report_json_close(json, '}');
}

struct sarif {
	struct report_json json;
	const char *database;
};

static void print_result(const struct gate_row *row, void *user)
{
	struct sarif *sarif = user;
	struct report_json *json = &sarif->json;

	report_json_open(json, '{');
	report_json_member(json, "ruleId", row->metric);
	report_json_member(json, "level", "error");
	print_text_member(json, "message", row->message);
	report_json_key(json, "locations");
	report_json_open(json, '[');
	print_location(json, row, sarif->database);
	report_json_close(json, ']');
	print_fingerprint(json, row);
	report_json_close(json, '}');
}

static void print_notification(const struct gate_row *row, void *user)
{
	struct sarif *sarif = user;

	report_json_open(&sarif->json, '{');
	report_json_member(&sarif->json, "level", "error");
	print_text_member(&sarif->json, "message", row->message);
	report_json_close(&sarif->json, '}');
}

/* What was not judged, and which part of the work the results are of. */
static struct probe_err *print_invocation(struct sarif *sarif, const struct gate *gate)
{
	struct report_json *json = &sarif->json;
	struct probe_err *err;

	report_json_key(json, "invocations");
	report_json_open(json, '[');
	report_json_open(json, '{');
	report_json_key(json, "executionSuccessful");
	report_json_bool(json, !gate->unjudged);
	report_json_key(json, "toolExecutionNotifications");
	report_json_open(json, '[');
	if (gate->part) {
		report_json_open(json, '{');
		report_json_member(json, "level", "note");
		print_text_member(json, "message", gate->part);
		report_json_close(json, '}');
	}
	err = gate_each_row(gate, GATE_UNJUDGED, NULL, SARIF_RESULTS_MAX, print_notification,
			    sarif);
	report_json_close(json, ']');
	report_json_close(json, '}');
	report_json_close(json, ']');
	return err;
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
	struct sarif sarif = {.json.out = stdout, .database = gate->report->files[0]};
	struct report_json *json = &sarif.json;
	struct probe_err *err;

	report_json_open(json, '{');
	report_json_member(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	report_json_member(json, "version", "2.1.0");
	report_json_key(json, "runs");
	report_json_open(json, '[');
	report_json_open(json, '{');
	report_json_key(json, "tool");
	report_json_open(json, '{');
	report_json_key(json, "driver");
	report_json_open(json, '{');
	report_json_member(json, "name", "probe-report");
	report_json_member(json, "version", PROBE_VERSION);
	print_rule_metrics(json, gate);
	report_json_close(json, '}');
	report_json_close(json, '}');
	err = print_invocation(&sarif, gate);
	report_json_member(json, "columnKind", "utf16CodeUnits");
	report_json_key(json, "results");
	report_json_open(json, '[');
	if (!err)
		err = gate_each_row(gate, GATE_BROKEN, NULL, SARIF_RESULTS_MAX, print_result,
				    &sarif);
	report_json_close(json, ']');
	report_json_close(json, '}');
	report_json_close(json, ']');
	report_json_close(json, '}');
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
	int64_t all = gate->broken + gate->unjudged;
	struct probe_err *err = gate_each_row(gate, GATE_BROKEN, NULL, GITHUB_ANNOTATIONS_MAX,
					      print_annotation, NULL);

	if (!err && gate->broken < GITHUB_ANNOTATIONS_MAX)
		err = gate_each_row(gate, GATE_UNJUDGED, NULL,
				    GITHUB_ANNOTATIONS_MAX - gate->broken, print_annotation, NULL);
	if (err)
		return err;
	if (gate->part) {
		fputs("::notice::only part of the work was counted: ", stdout);
		print_data(gate->part);
		putchar('\n');
	}
	if (all > GITHUB_ANNOTATIONS_MAX)
		printf("::error::%lld more broke the rules; GitHub shows %d annotations a step\n",
		       (long long)(all - GITHUB_ANNOTATIONS_MAX), GITHUB_ANNOTATIONS_MAX);
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
	struct probe_err *err;

	if (!gate->broken && !gate->unjudged) {
		gate_put_passed(gate, "**Probe: passed**, ");
		return NULL;
	}
	if (gate->broken)
		printf("**Probe: failed**, %lld %s\n", (long long)gate->broken,
		       gate->broken == 1 ? "place" : "places");
	else
		printf("**Probe: not judged**, %lld of %zu %s\n", (long long)gate->unjudged_rules,
		       gate->rule_count, gate->rule_count == 1 ? "rule" : "rules");
	puts("\n| place | what |\n| --- | --- |");
	err = gate_each_row(gate, GATE_BROKEN, NULL, -1, print_markdown_row, NULL);
	return err ? err : gate_each_row(gate, GATE_UNJUDGED, NULL, -1, print_markdown_row, NULL);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

static const struct junit_element {
	const char *name, *message;
} junit_elements[] = {
	[GATE_BROKEN] = {"failure", "the rule is broken"},
	[GATE_UNJUDGED] = {"error", "the rule could not be judged"},
};

struct junit_case {
	const struct junit_element *element;
	size_t rows;	/* of this element */
	bool *contents; /* of the test case */
};

static void print_junit_row(const struct gate_row *row, void *user)
{
	struct junit_case *test = user;

	if (!*test->contents)
		puts(">");
	*test->contents = true;
	if (!test->rows++)
		printf("      <%s message=\"%s\">", test->element->name, test->element->message);
	if (row->line > 0) {
		report_markup(stdout, row->path);
		printf(":%lld: ", row->line);
	}
	report_markup(stdout, row->message);
	putchar('\n');
}

static struct probe_err *print_junit_rows(const struct gate *gate, enum gate_verdict verdict,
					  const char *rule, bool *contents)
{
	struct junit_case test = {.element = &junit_elements[verdict], .contents = contents};
	struct probe_err *err = gate_each_row(gate, verdict, rule, -1, print_junit_row, &test);

	if (test.rows)
		printf("</%s>\n", test.element->name);
	return err;
}

static struct probe_err *print_test_case(const struct gate *gate, const char *rule)
{
	bool contents = false;
	struct probe_err *err;

	fputs("    <testcase classname=\"probe\" name=\"", stdout);
	report_markup(stdout, rule);
	putchar('"');
	err = print_junit_rows(gate, GATE_BROKEN, rule, &contents);
	if (!err)
		err = print_junit_rows(gate, GATE_UNJUDGED, rule, &contents);
	puts(contents ? "    </testcase>" : "/>");
	return err;
}

static void count_row(const struct gate_row *row, void *user)
{
	(void)row;
	++*(size_t *)user;
}

static struct probe_err *count_rules(const struct gate *gate, enum gate_verdict verdict,
				     size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < gate->rule_count; i++) {
		size_t rows = 0;
		struct probe_err *err =
			gate_each_row(gate, verdict, gate->rules[i].text, 1, count_row, &rows);

		if (err)
			return err;
		*ret += rows > 0;
	}
	return NULL;
}

struct probe_err *gate_put_junit(const struct gate *gate)
{
	size_t broken, unjudged;
	struct probe_err *err = count_rules(gate, GATE_BROKEN, &broken);

	if (!err)
		err = count_rules(gate, GATE_UNJUDGED, &unjudged);
	if (err)
		return err;
	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
	printf("  <testsuite name=\"probe-report check\" tests=\"%zu\" failures=\"%zu\" "
	       "errors=\"%zu\">\n",
	       gate->rule_count, broken, unjudged);
	for (size_t i = 0; i < gate->rule_count && !err; i++)
		err = print_test_case(gate, gate->rules[i].text);
	if (gate->part) {
		fputs("    <system-out>only part of the work was counted: ", stdout);
		report_markup(stdout, gate->part);
		puts("</system-out>");
	}
	puts("  </testsuite>\n</testsuites>");
	return err;
}
