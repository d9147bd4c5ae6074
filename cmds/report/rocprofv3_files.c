/* SPDX-License-Identifier: MIT */
#include "cmds/report/rocprofv3_files.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/trace_events.h"
#include "common/err.h"

#define DISPATCHES TRACE_DISPATCHES "%s"
#define NO_FILTER  "%.0s"

/* LDS_Block_Size is the size that hardware allocates: a multiple of 512. */
static const char kernel_trace_sql[] =
	"SELECT 'KERNEL_DISPATCH', 'Agent ' || r.agent_id, r.queue_id, r.stream_id, r.tid, "
	"r.dispatch_id, r.kernel_id, " TRACE_KERNEL_NAME ", coalesce(nullif((SELECT stack_id FROM "
	"rocpd_event e WHERE e.id = r.event_id AND e.guid = r.guid), 0), r.dispatch_id), r.start, "
	"r.\"end\", (coalesce(k.group_segment_size, 0) + 511) / 512 * 512, r.private_segment_size, "
	"k.arch_vgpr_count, k.accum_vgpr_count, k.sgpr_count, r.workgroup_size_x, "
	"r.workgroup_size_y, r.workgroup_size_z, r.grid_size_x, r.grid_size_y, r.grid_size_z "
	"FROM " DISPATCHES " ORDER BY r.dispatch_id";
static const char kernel_trace_head[] =
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
/* `rows`: a query of name and time. */
#define STATS(rows)                                                                                                                         \
	"SELECT name, calls, total, " DOUBLE("mean") ", " PERCENT("(100.0 * total / max(1, sum(total) OVER ()))") ", least, most, " DOUBLE( \
		"deviation") " FROM (SELECT name, count(*) AS calls, sum(time) AS total, "                                                  \
			     "avg(time) AS mean, min(time) AS least, max(time) AS most, CASE WHEN "                                         \
			     "count(*) > 1 THEN sqrt(max(0, (sum(1.0 * time * time) - sum(time) * "                                         \
			     "avg(time)) / (count(*) - 1))) ELSE 0.0 END AS deviation FROM (" rows                                          \
			     ") GROUP BY name) ORDER BY total DESC, name"
static const char stats_head[] = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\","
				 "\"Percentage\",\"MinNs\",\"MaxNs\",\"StdDev\"\n";

#define KERNEL_TIMES                                                                               \
	"SELECT " TRACE_KERNEL_NAME " AS name, r.\"end\" - r.start AS time FROM " DISPATCHES
#define COPY_TIMES "SELECT s.string AS name, m.\"end\" - m.start AS time FROM " TRACE_COPIES
#define CALL_TIMES(domain)                                                                         \
	"SELECT s.string AS name, r.\"end\" - r.start AS time FROM " TRACE_REGIONS                 \
	"WHERE c.string LIKE '" domain "%%'"

static const char call_head[] = "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\","
				"\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n";
#define CALLS(domain)                                                                              \
	"SELECT c.string, s.string, r.pid, r.tid, e.stack_id, r.start, r.\"end\" "                 \
	"FROM " TRACE_REGIONS "WHERE c.string LIKE '" domain                                       \
	"%%' ORDER BY r.start, r.id" NO_FILTER

static const char copy_trace_sql[] =
	"SELECT 'MEMORY_COPY', s.string, m.stream_id, 'Agent ' || m.src_agent_id, "
	"'Agent ' || m.dst_agent_id, e.stack_id, m.start, m.\"end\" FROM " TRACE_COPIES
	"LEFT JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid ORDER BY m.start, m.id" NO_FILTER;
static const char copy_trace_head[] =
	"\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\","
	"\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n";

/* All of a domain together, under rocprofv3's names. */
static const char domain_stats_sql[] = STATS(
	"SELECT 'KERNEL_DISPATCH' AS name, r.\"end\" - r.start AS time FROM " DISPATCHES
	" UNION ALL SELECT 'MEMORY_COPY', m.\"end\" - m.start FROM " TRACE_COPIES
	"UNION ALL SELECT substr(c.string, 1, instr(c.string, '_')) || 'API', r.\"end\" - r.start "
	"FROM " TRACE_REGIONS);

/* clang-format off */
/* Of an agent's record; NULL = not recorded. */
#define EXTDATA(key) "json_extract(a.extdata, '$." key "')"
/* 0 for a CPU, which has none of it. */
#define OF_GPU(value) "CASE a.type WHEN 'GPU' THEN " value " ELSE 0 END"
/* SIMDs of a compute unit: RDNA (gfx10 and later) has two. */
#define SIMDS "CASE WHEN target LIKE 'gfx1%%' THEN 2 ELSE 4 END"
#define HEX_DIGIT(digit) "(instr('0123456789abcdef', " digit ") - 1)"
/* As the driver numbers targets: 90010 for gfx90a, 110001 for gfx1101. */
#define TARGET_VERSION                                                                             \
	"CASE WHEN target LIKE 'gfx___%%' THEN 10000 * substr(target, 4, length(target) - 5) + "   \
	"100 * " HEX_DIGIT("substr(target, -2, 1)") " + " HEX_DIGIT("substr(target, -1)") " END"
/* KB of a workgroup, by target. */
#define LDS_SIZE                                                                                   \
	"CASE WHEN target = 'gfx950' THEN 160 WHEN target LIKE 'gfx9__' OR target LIKE 'gfx10__' " \
	"OR target LIKE 'gfx11__' OR target LIKE 'gfx120_' THEN 64 END"
/* Parts with several dies as one device, from gfx94x on, may be partitioned: not known. */
#define DIES "CASE WHEN target LIKE 'gfx90_' OR target LIKE 'gfx1%%' THEN 1 END"
/* NULL where Probe does not know: of the driver's description of an agent it records little. */
static const char agent_sql[] =
	"SELECT " EXTDATA("node_id") ", a.logical_index, a.type, "
	"CASE a.type WHEN 'CPU' THEN " EXTDATA("compute_units") " ELSE 0 END, "
	OF_GPU(SIMDS " * " EXTDATA("compute_units")) ", NULL, NULL, "
	OF_GPU(EXTDATA("wave_slots") " / max(1, " SIMDS " * " EXTDATA("compute_units") ")") ", "
	OF_GPU(LDS_SIZE) ", NULL, NULL, " EXTDATA("wave_front_size") ", " OF_GPU(DIES) ", "
	OF_GPU(EXTDATA("compute_units")) ", NULL, NULL, NULL, NULL, " OF_GPU(SIMDS) ", NULL, "
	OF_GPU(TARGET_VERSION) ", "
	"CASE WHEN a.type = 'GPU' AND a.vendor_name = 'AMD' THEN 0x1002 END, "
	"NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
	"CASE a.type WHEN 'GPU' THEN 0 ELSE " EXTDATA("clock_mhz") " END, "
	OF_GPU(EXTDATA("clock_mhz")) ", NULL, NULL, NULL, NULL, "
	OF_GPU(EXTDATA("wave_slots") " / max(1, " EXTDATA("compute_units") ")") ", NULL, "
	/* Of AMD's GPUs, a workgroup has at most 1024 work-items. */
	OF_GPU("1024") ", NULL, NULL, NULL, CASE a.type WHEN 'GPU' THEN nullif(a.uuid, 0) ELSE 0 END, NULL, NULL, NULL, NULL, NULL, NULL, "
	"target, a.vendor_name, a.product_name, a.model_name FROM (SELECT *, "
	"substr(name, 1, instr(name || ':', ':') - 1) AS target FROM rocpd_info_agent) a "
	"ORDER BY a.id" NO_FILTER;
/* clang-format on */
static const char agent_head[] =
	"\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cpu_Cores_Count\",\"Simd_Count\","
	"\"Cpu_Core_Id_Base\",\"Simd_Id_Base\",\"Max_Waves_Per_Simd\",\"Lds_Size_In_Kb\","
	"\"Gds_Size_In_Kb\",\"Num_Gws\",\"Wave_Front_Size\",\"Num_Xcc\",\"Cu_Count\","
	"\"Array_Count\",\"Num_Shader_Banks\",\"Simd_Arrays_Per_Engine\",\"Cu_Per_Simd_Array\","
	"\"Simd_Per_Cu\",\"Max_Slots_Scratch_Cu\",\"Gfx_Target_Version\",\"Vendor_Id\","
	"\"Device_Id\",\"Location_Id\",\"Domain\",\"Drm_Render_Minor\",\"Num_Sdma_Engines\","
	"\"Num_Sdma_Xgmi_Engines\",\"Num_Sdma_Queues_Per_Engine\",\"Num_Cp_Queues\","
	"\"Max_Engine_Clk_Ccompute\",\"Max_Engine_Clk_Fcompute\",\"Sdma_Fw_Version\","
	"\"Fw_Version\",\"Capability\",\"Cu_Per_Engine\",\"Max_Waves_Per_Cu\",\"Family_Id\","
	"\"Workgroup_Max_Size\",\"Grid_Max_Size\",\"Local_Mem_Size\",\"Hive_Id\",\"Gpu_Id\","
	"\"Workgroup_Max_Dim_X\",\"Workgroup_Max_Dim_Y\",\"Workgroup_Max_Dim_Z\","
	"\"Grid_Max_Dim_X\",\"Grid_Max_Dim_Y\",\"Grid_Max_Dim_Z\",\"Name\",\"Vendor_Name\","
	"\"Product_Name\",\"Model_Name\"\n";

/*
 * Text in quotes, quotes doubled (RFC 4180; rocprofv3 does not double them); numbers bare, unknown
 * ones empty.
 */
static void write_row(FILE *out, sqlite3_stmt *stmt, uint64_t text_columns)
{
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const char *text = report_cell(stmt, i);

		if (i)
			putc(',', out);
		if (!(text_columns >> i & 1)) {
			fputs(text, out);
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
	uint64_t text_columns; /* one bit per column */
	bool always;	       /* also without rows */
};

static const struct csv_file files[] = {
	{"kernel_trace", kernel_trace_sql, kernel_trace_head, 1 << 0 | 1 << 1 | 1 << 7, true},
	{"kernel_stats", STATS(KERNEL_TIMES), stats_head, 1 << 0, true},
	{"memory_copy_trace", copy_trace_sql, copy_trace_head, 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4,
	 false},
	{"memory_copy_stats", STATS(COPY_TIMES) NO_FILTER, stats_head, 1 << 0, false},
	{"hip_api_trace", CALLS("HIP"), call_head, 1 << 0 | 1 << 1, false},
	{"hip_api_stats", STATS(CALL_TIMES("HIP")) NO_FILTER, stats_head, 1 << 0, false},
	{"hsa_api_trace", CALLS("HSA"), call_head, 1 << 0 | 1 << 1, false},
	{"hsa_api_stats", STATS(CALL_TIMES("HSA")) NO_FILTER, stats_head, 1 << 0, false},
	{"marker_api_trace", CALLS("MARKER"), call_head, 1 << 0 | 1 << 1, false},
	{"marker_api_stats", STATS(CALL_TIMES("MARKER")) NO_FILTER, stats_head, 1 << 0, false},
	{"domain_stats", domain_stats_sql, stats_head, 1 << 0, true},
	{"agent_info", agent_sql, agent_head, 1 << 2 | 0xfull << 49, true},
};

/* The rows of a file; `row`: stmt is at the first. */
static struct probe_err *write_rows(const struct report_db *db, const struct csv_file *file,
				    sqlite3_stmt *stmt, bool row, FILE *out)
{
	fputs(file->head, out);
	while (row) {
		struct probe_err *err;

		write_row(out, stmt, file->text_columns);
		err = report_step(db, stmt, &row);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *write_file(const struct report *report, const struct report_db *db,
				    const struct csv_file *file)
{
	REPORT_AUTO_SQL char *path = sqlite3_mprintf("%s_%s.csv", report->output, file->stem);
	REPORT_AUTO_SQL char *sql = sqlite3_mprintf(
		file->sql, report->kernel ? " WHERE probe_match(k.display_name)" : "");
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct output output;
	struct probe_err *err;
	bool row = false;

	if (!path || !sql)
		return probe_err_oom();
	err = report_first_row(db, sql, &stmt, &row);
	if (err || (!row && !file->always))
		return err;
	err = output_check(path, report);
	if (err)
		return err;
	err = output_open(path, report->force, &output);
	return err ? err : output_close(&output, write_rows(db, file, stmt, row, output.file));
}

struct probe_err *rocprofv3_write_files(const struct report *report, const struct report_db *db)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct probe_err *err = write_file(report, db, &files[i]);

		if (err)
			return err;
	}
	return NULL;
}
