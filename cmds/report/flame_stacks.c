/* SPDX-License-Identifier: MIT */
#include "cmds/report/flame_stacks.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

#include "cmds/report/escape.h"
#include "cmds/report/missing_samples.h"
#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"
#include "common/cleanup.h"
#include "common/err.h"

/*
 * Rows of code_object, offset, issued, code, samples. Host trap records no states, so code is NULL.
 */
#define OF_RUN                                                                                     \
	"SELECT code_object_id AS code_object, offset, issued, code, samples FROM probe_state "    \
	"UNION ALL SELECT code_object_id, offset, 1, NULL, samples FROM probe_sample s "           \
	"WHERE NOT EXISTS (SELECT 1 FROM probe_state t WHERE t.code_object_id = "                  \
	"s.code_object_id AND t.offset = s.offset)"
#define OF_DISPATCHES                                                                              \
	"SELECT code_object, offset, issued, nullif(code, 0) AS code, samples "                    \
	"FROM probe_profile p, probe_unpack(p.bytes) WHERE dispatch IN "
#define OF_SAMPLES                                                                                 \
	"SELECT code_object, offset - load_base AS offset, issued, nullif(code, 0) AS code, "      \
	"samples FROM probe_rawsample p JOIN probe_sampler m ON m.agent = p.agent "                \
	"JOIN rocpd_info_agent a ON a.id = p.agent, probe_unraw(p.bytes, a.name, m.method) "       \
	"JOIN rocpd_info_code_object c ON c.id = code_object WHERE samples AND dispatch AND "      \
	"probe_chosen(dispatch) AND probe_timely(time - " REPORT_FIRST ", time - " REPORT_FIRST    \
	")"

static char *stacks_sql(const struct report *report, enum report_source source)
{
	return sqlite3_mprintf(
		"SELECT stack, sum(samples) FROM (SELECT probe_stack_at(code_object, address) || "
		"CASE WHEN code IS NULL THEN '' WHEN issued THEN ';issued' ELSE ';' || coalesce(" SQL_WORD(
			PROBE_PCS_REASON_TABLE,
			"code") ", 'other') END AS stack, "
				"probe_kernel_at(code_object, address) AS kernel, samples FROM "
				"(SELECT s.*, s.offset + c.load_base - c.load_delta AS address FROM (%s%s) s "
				"JOIN rocpd_info_code_object c ON c.id = s.code_object))%s GROUP BY stack "
				"ORDER BY stack",
		source == REPORT_FROM_SUMS	   ? OF_RUN
		: source == REPORT_FROM_DISPATCHES ? OF_DISPATCHES
						   : OF_SAMPLES,
		source == REPORT_FROM_DISPATCHES ? report_chosen_sql : "",
		report->kernel ? " WHERE probe_match(coalesce(kernel, '(unknown)'))" : "");
}

struct probe_err *flame_stacks_prepare(const struct report *report, const struct report_db *db,
				       sqlite3_stmt **ret)
{
	REPORT_AUTO_SQL char *sql = NULL;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);

	if (err)
		return err;
	sql = stacks_sql(report, source);
	return sql ? report_prepare_sql(db, sql, ret) : probe_err_oom();
}

struct probe_err *flame_stacks_missing(const struct report *report, const struct report_db *db)
{
	bool any = false;
	struct probe_err *err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);
	PROBE_AUTO_FREE char *text = NULL;
	const char *why;
	size_t size;
	FILE *out;

	if (err)
		return err;
	if (!any) {
		err = report_no_samples(db, &why);
		return err ? err : probe_err_create("%s: no samples: %s", db->path, why);
	}
	out = open_memstream(&text, &size);
	if (!out)
		return probe_err_oom();
	err = output_close_memory(out, report_no_choice(report, db, out));
	return err ? err : probe_err_create("%s: %s", db->path, text);
}

struct probe_err *flame_stacks_put(const struct report *report, const struct report_db *db,
				   FILE *out)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = flame_stacks_prepare(report, db, &stmt);
	bool any = false;

	if (err)
		return err;
	while (report_next(db, stmt, &err)) {
		report_text(out, report_cell(stmt, 0), SIZE_MAX, 0);
		fprintf(out, " %s\n", report_cell(stmt, 1));
		any = true;
	}
	return err || any ? err : flame_stacks_missing(report, db);
}
