/* SPDX-License-Identifier: MIT */
#include "cmds/report/occupancy_sql.h"

#include <stdio.h>
#include <string.h>

#include "common/occupancy.h"

static const char *const limits[] = {
	[PROBE_LIMIT_SLOTS] = "wave slots",
	[PROBE_LIMIT_VGPRS] = "vector registers",
	[PROBE_LIMIT_SGPRS] = "scalar registers",
	[PROBE_LIMIT_LDS] = "LDS",
};

static uint32_t number(sqlite3_value *value)
{
	sqlite3_int64 n = sqlite3_value_int64(value);

	return n < 0 ? 0 : n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

/* "at most 64 vector registers: 32 waves"; empty if more waves are not possible. */
static void result_advice(sqlite3_context *context, const struct probe_occupancy *occupancy)
{
	char text[120];

	if (!occupancy->waves_next || !occupancy->value_next) {
		sqlite3_result_text(context, "", -1, SQLITE_STATIC);
		return;
	}
	snprintf(text, sizeof(text), "at most %u %s%s: %u waves", occupancy->value_next,
		 occupancy->limit == PROBE_LIMIT_LDS ? "B of " : "", limits[occupancy->limit],
		 occupancy->waves_next);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void occupancy_of(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *what = (const char *)sqlite3_value_text(values[0]);
	const char *target = (const char *)sqlite3_value_text(values[1]);
	struct probe_occupancy_kernel kernel = {
		.target = target ? target : "",
		.vgprs = number(values[2]),
		.agprs = number(values[3]),
		.sgprs = number(values[4]),
		.lds = number(values[5]),
		.items = number(values[6]),
	};
	struct probe_occupancy occupancy;

	(void)count;
	if (!what || !probe_occupancy_of(&kernel, &occupancy))
		return;
	if (!strcmp(what, "waves"))
		sqlite3_result_int64(context, occupancy.waves);
	else if (!strcmp(what, "waves_max"))
		sqlite3_result_int64(context, occupancy.waves_max);
	else if (!strcmp(what, "limit"))
		sqlite3_result_text(context, limits[occupancy.limit], -1, SQLITE_STATIC);
	else
		result_advice(context, &occupancy);
}

int occupancy_sql_register(sqlite3 *db)
{
	return sqlite3_create_function(db, "probe_occupancy", 7, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
				       NULL, occupancy_of, NULL, NULL);
}
