/* SPDX-License-Identifier: MIT */
#include "cmds/report/dispatch_filter.h"

#include <stdlib.h>
#include <string.h>

#include <probe/user_source.h>

#include "cmds/report/report_options.h"
#include "common/err.h"

static bool number(const char **text, int64_t *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*ret = strtoll(*text, &end, 10);
	*text = end;
	return *ret < INT64_MAX;
}

/* "3", "5-9", "12-" */
static bool range(const char **text, struct report_range *ret)
{
	if (!number(text, &ret->first))
		return false;
	ret->last = ret->first;
	if (**text != '-')
		return true;
	++*text;
	ret->last = INT64_MAX;
	if (**text && **text != ',' && !number(text, &ret->last))
		return false;
	return ret->last >= ret->first;
}

struct probe_err *report_set_dispatches(struct report *report, const char *text)
{
	const char *at = text;

	report->dispatch_count = 0;
	for (;;) {
		if (report->dispatch_count == REPORT_RANGES_MAX)
			return probe_err_create("--dispatches: over %d ranges", REPORT_RANGES_MAX);
		if (!range(&at, &report->dispatches[report->dispatch_count]) || (*at && *at != ','))
			return probe_err_create("invalid value '%s' for --dispatches; expected ids "
						"and ranges such as 1,5-9,12-",
						text);
		report->dispatch_count++;
		if (!*at++)
			return NULL;
	}
}

struct probe_err *report_set_time(const char *option, const char *text, int64_t *ret)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (!(value >= 0 && value < 9e18))
			break;
		*ret = (int64_t)value;
		return NULL;
	}
	return probe_err_create("invalid value '%s' for %s; expected a time such as 1500ns, 20us, "
				"3.5ms, 2s",
				text, option);
}

bool report_filtered(const struct report *report)
{
	return report->dispatch_count || report_timed(report);
}

bool report_timed(const struct report *report)
{
	return report->start > 0 || report->end < INT64_MAX;
}

/* probe_chosen(dispatch) */
static void chosen(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report *report = sqlite3_user_data(context);
	int64_t id = sqlite3_value_int64(values[0]);
	bool found = !report->dispatch_count;

	(void)count;
	for (size_t i = 0; i < report->dispatch_count && !found; i++)
		found = report->dispatches[i].first <= id && id <= report->dispatches[i].last;
	sqlite3_result_int(context, found);
}

/* probe_timely(from, to): true if it overlaps the time window. In ns since the first dispatch. */
static void timely(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report *report = sqlite3_user_data(context);

	(void)count;
	sqlite3_result_int(context, sqlite3_value_type(values[0]) != SQLITE_NULL &&
					    sqlite3_value_int64(values[0]) <= report->end &&
					    sqlite3_value_int64(values[1]) >= report->start);
}

static void users_file(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *file = (const char *)sqlite3_value_text(values[0]);

	(void)count;
	sqlite3_result_int(context, file && probe_is_user_source(file));
}

int report_filter_register(const struct report *report, sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	int rc = sqlite3_create_function(db, "probe_chosen", 1, flags, (void *)report, chosen, NULL,
					 NULL);

	if (!rc)
		rc = sqlite3_create_function(db, "probe_timely", 2, flags, (void *)report, timely,
					     NULL, NULL);
	return rc ? rc
		  : sqlite3_create_function(db, "probe_users_file", 1, flags | SQLITE_DETERMINISTIC,
					    NULL, users_file, NULL, NULL);
}
