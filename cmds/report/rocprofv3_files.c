/* SPDX-License-Identifier: MIT */
#include "cmds/report/rocprofv3_files.h"

#include <stdio.h>

#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/err.h"
#include "store/sql_words.h"

/* Clones run longer, so their rows have a name of their own, and no mean covers both. */
#define KERNEL_NAME                                                                                \
	"k.display_name || CASE WHEN " SQL_INSTRUMENTED("p") " THEN ' [instrumented]' ELSE '' END"
#define DISPATCHES                                                                                 \
	"FROM rocpd_kernel_dispatch r JOIN rocpd_info_kernel_symbol k ON k.id = r.kernel_id "      \
	"LEFT JOIN probe_dispatch p ON p.dispatch_id = r.dispatch_id%s "

/* LDS_Block_Size is the size that hardware allocates: a multiple of 512. */
static const char trace_sql[] =
	"SELECT 'KERNEL_DISPATCH', 'Agent ' || r.agent_id, r.queue_id, r.stream_id, r.tid, "
	"r.dispatch_id, r.kernel_id, " KERNEL_NAME ", r.dispatch_id, r.start, r.\"end\", "
	"(coalesce(k.group_segment_size, 0) + 511) / 512 * 512, r.private_segment_size, "
	"k.arch_vgpr_count, k.accum_vgpr_count, k.sgpr_count, r.workgroup_size_x, "
	"r.workgroup_size_y, r.workgroup_size_z, r.grid_size_x, r.grid_size_y, r.grid_size_z " DISPATCHES
	"ORDER BY r.dispatch_id";
static const char trace_head[] =
	"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","
	"\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\","
	"\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\","
	"\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
	"\"Grid_Size_Y\",\"Grid_Size_Z\"\n";

/* Number formats are rocprofv3's: six decimals, or eight digits below 0.01. */
#define DOUBLE(value)                                                                              \
	"CASE WHEN " value " > 0.01 THEN printf('%%.6f', " value ") ELSE printf('%%.8e', " value   \
	") END"
#define PERCENT(value)                                                                             \
	"CASE WHEN " value " >= 1 THEN printf('%%.2f', " value ") WHEN " value                     \
	" > 0.01 THEN printf('%%.4f', " value ") ELSE printf('%%.3e', " value ") END"
static const char stats_sql[] =
	"SELECT name, calls, total, " DOUBLE("mean") ", " PERCENT("(100.0 * total / sum(total) OVER ())") ", least, most, " DOUBLE(
		"deviation") " FROM (SELECT name, count(*) AS calls, sum(time) AS total, avg(time) AS mean, "
			     "min(time) AS least, max(time) AS most, CASE WHEN count(*) > 1 THEN sqrt(max(0, "
			     "(sum(time * time) - sum(time) * avg(time)) / (count(*) - 1))) ELSE 0.0 END AS deviation "
			     "FROM (SELECT " KERNEL_NAME
			     " AS name, r.\"end\" - r.start AS time " DISPATCHES ") "
			     "GROUP BY name) ORDER BY total DESC, name";
static const char stats_head[] = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\","
				 "\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n";

/* Text in quotes, quotes doubled (RFC 4180; rocprofv3 does not double them); numbers bare. */
static void put_row(FILE *out, sqlite3_stmt *stmt, int text_columns)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *text = report_cell(stmt, i);

		if (i)
			putc(',', out);
		if (!(text_columns >> i & 1)) {
			fputs(*text ? text : "0", out);
			continue;
		}
		putc('"', out);
		for (; *text; text++) {
			if (*text == '"')
				putc('"', out);
			putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
		}
		putc('"', out);
	}
	putc('\n', out);
}

struct csv_file {
	const char *stem, *sql, *head;
	int text_columns; /* one bit per column */
};

static const struct csv_file files[] = {
	{"kernel_trace", trace_sql, trace_head, 1 << 0 | 1 << 1 | 1 << 7},
	{"kernel_stats", stats_sql, stats_head, 1 << 0},
};

static struct probe_err *put_rows(const struct report *report, const struct report_db *db,
				  const struct csv_file *file, FILE *out)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	char *sql = sqlite3_mprintf(file->sql,
				    report->kernel ? " WHERE probe_match(k.display_name)" : "");

	err = sql ? report_prepare_sql(db, sql, &stmt) : probe_err_oom();
	sqlite3_free(sql);
	fputs(file->head, out);
	while (!err) {
		bool row;

		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		put_row(out, stmt, file->text_columns);
	}
	return err;
}

struct probe_err *rocprofv3_write_files(const struct report *report, const struct report_db *db)
{
	struct probe_err *err = NULL;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !err; i++) {
		char *path = sqlite3_mprintf("%s_%s.csv", report->output, files[i].stem);
		FILE *out;

		if (!path)
			return probe_err_oom();
		err = output_open(path, report->force, &out);
		if (!err)
			err = output_close(path, out, put_rows(report, db, &files[i], out));
		sqlite3_free(path);
	}
	return err;
}
