/* SPDX-License-Identifier: MIT */
/*
 * probe-report mix: operations of each kernel or line by type, and where the kernel is in the roofline
 * model. Operations are those of LLVM's IR, counted by probes of kind count. Rates are those of site_cost.h,
 * and the hardware's peaks (operation_table.h).
 */
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/site_cost.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

/* clang-format off */

/* ---- SQL ---------------------------------------------------------------------------------------- */

/* "n_fp16": how often waves executed it; "v_fp16": its floating-point operations or bytes. */
#define SUM_ROW(name, number, word, text)                                                          \
	", coalesce(sum(n) FILTER (WHERE operation = " #number "), 0) AS n_" word                   \
	", coalesce(sum(amount) FILTER (WHERE operation = " #number "), 0) AS v_" word
#define PEAK_ROW(name, number, word, text) ", probe_peak(target, " #number ") AS p_" word
#define N_ROW(name, number, word, text)    " + n_" word

/*
 * `amount` is per lane, or per wave for a wave's matrix operations and loads of one address. What was
 * counted for one code object is looked up by its rows: most blocks have several operations.
 */
#define PER_WAVE SQL_WORD(PROBE_OPERATION_TABLE, "p.operation") " IN "                             \
	"('matrix_fp16', 'matrix_fp32', 'matrix_fp64', 'matrix_fp8', 'matrix_i8', 'uniform_read')"
#define COUNTED                                                                                    \
	"counted AS MATERIALIZED (SELECT coalesce(o.code, c.code_object) AS code, "                \
	"coalesce(o.symbol, c.kernel) AS symbol, c.kernel, p.users_file, p.users_line, p.operation, " \
	"c.executions * p.count AS n, "                                                            \
	"CASE WHEN " PER_WAVE " THEN c.executions ELSE c.lanes END * p.amount AS amount "          \
	"FROM (SELECT DISTINCT code_object FROM probe_count_site) b "                              \
	"CROSS JOIN probe_operations(b.code_object) p "                                            \
	"JOIN probe_count_site c ON c.code_object = b.code_object AND c.site = p.row "             \
	"LEFT JOIN objects o ON o.kernel = c.kernel)"
#define MIXED(place)                                                                               \
	"mixed AS (SELECT code, symbol, min(kernel) AS kernel" place                               \
	PROBE_OPERATION_TABLE(SUM_ROW) " FROM counted GROUP BY code, symbol" place ")"
#define DEVICES                                                                                    \
	"devices AS (SELECT l.code, l.symbol, max(l.cus) AS cus, max(a.name) AS target "           \
	"FROM launches l JOIN probe_dispatch d ON d.dispatch_id = l.dispatch_id "                  \
	"LEFT JOIN rocpd_info_agent a ON a.id = d.agent GROUP BY l.code, l.symbol)"

/* Time in cycles that a unit needs at least, all compute units together. */
#define AT_PEAK(word)  "coalesce(1.0 * v_" word " / (p_" word " * cus), 0)"
/*
 * Integers: the vector units of a compute unit start one instruction of a wave per cycle. The back end joins at most
 * two operations to one (such as v_lshl_add), and addresses may become part of an access.
 */
#define AT_ISSUE "1.0 * (n_integer + n_compare) / (2 * cus)"
#define AT_RATE(bytes, rate) "1.0 * (" bytes ") / (" rate " * cus)"
#define READ_BYTES  "v_global_read + v_uniform_read + v_global_atomic"
#define WRITE_BYTES "v_global_write"
#define LDS_BYTES   "v_lds_read + v_lds_write + v_lds_atomic"
#define UNITS                                                                                      \
	AT_PEAK("fp16") " + " AT_PEAK("fp32") " + " AT_PEAK("fp64") " + " AT_PEAK("special")       \
	" + " AT_ISSUE " AS valu, " AT_PEAK("matrix_fp16") " + " AT_PEAK("matrix_fp32") " + "                     \
	AT_PEAK("matrix_fp64") " + " AT_PEAK("matrix_fp8") " + " AT_PEAK("matrix_i8") " AS matrix, "                            \
	AT_RATE(LDS_BYTES, "128.0") " AS in_lds, "                                                 \
	AT_RATE(READ_BYTES " + " WRITE_BYTES, "64.0") " AS in_l1, "                                \
	AT_RATE(READ_BYTES, COST_MEMORY_READ) " + " AT_RATE(WRITE_BYTES, COST_MEMORY_WRITE)        \
	" AS in_memory"
#define FLOPS                                                                                      \
	"v_fp16 + v_fp32 + v_fp64 + v_special + v_matrix_fp16 + v_matrix_fp32 + v_matrix_fp64 + v_matrix_fp8"
#define BUSIEST "max(valu, matrix, in_lds)"
#define LIMIT                                                                                      \
	"CASE WHEN in_memory + " BUSIEST " + v_flat = 0 THEN NULL "                                \
	"WHEN v_flat > " READ_BYTES " + " WRITE_BYTES " THEN 'unknown: flat addresses' WHEN in_l1 >= " BUSIEST " THEN 'memory' " \
	"ELSE CASE WHEN in_memory > " BUSIEST " THEN 'memory or ' ELSE '' END || "                 \
	"CASE WHEN in_lds >= max(valu, matrix) THEN 'LDS' WHEN matrix > valu THEN 'matrix' "       \
	"ELSE 'VALU' END END"

#define FROM(place)                                                                                \
	"(WITH " COST_OBJECTS ", " COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES) ", " COST_TIMES ", "   \
	DEVICES ", " COUNTED ", " MIXED(place) " SELECT x.*, k.display_name, " FLOPS " AS flops, "                             \
	READ_BYTES " + " WRITE_BYTES " AS bytes, " LDS_BYTES " AS lds_bytes, " LIMIT " AS limited, "            \
	"max(" BUSIEST ", in_l1) AS at_least, max(" BUSIEST ", in_memory) AS uncached, "           \
	"0" PROBE_OPERATION_TABLE(N_ROW) " AS operations FROM (SELECT *, " UNITS " FROM "                  \
	"(SELECT m.*, d.cus, t.mhz, t.original_average * t.instrumented AS original_ns, t.clone_ns"                   \
	PROBE_OPERATION_TABLE(PEAK_ROW) " FROM mixed m "                                           \
	"LEFT JOIN devices d ON d.code = m.code AND d.symbol = m.symbol "                          \
	"LEFT JOIN times t ON t.code = m.code AND t.symbol = m.symbol AND t.shape = '')) x "       \
	"LEFT JOIN rocpd_info_kernel_symbol k ON k.id = x.kernel)"

/* ---- Columns ------------------------------------------------------------------------------------ */

#define SHARE(sum) "round(100.0 * (" sum ") / nullif(operations, 0), 1)"
#define TIME	   "coalesce(original_ns, clone_ns)"
/* Of all compute units: floating-point operations per cycle, in 10^9 per second. */
#define RATE(cycles) "round(flops / nullif(" cycles ", 0) * mhz / 1000, 1)"

#define MIX_COLUMNS                                                                                \
	{"operations", "operations", REPORT_INT, true, "operations",                               \
	 "of waves, as instructions of LLVM's IR after its optimiser (inline assembly is one); an operation on a vector counts once "  \
	 "per element. The machine needs several instructions for some, and none for others"},     \
	{"float_share", "float %", REPORT_REAL, true,                                              \
	 SHARE("n_fp16 + n_fp32 + n_fp64 + n_special"), "floating-point arithmetic; share of the operations"},           \
	{"matrix_share", "matrix %", REPORT_REAL, true,                                            \
	 SHARE("n_matrix_fp16 + n_matrix_fp32 + n_matrix_fp64 + n_matrix_fp8 + n_matrix_i8"), "matrix instructions"}, \
	{"integer_share", "integer %", REPORT_REAL, true, SHARE("n_integer + n_address"),          \
	 "integers and addresses that differ between lanes"},                                      \
	{"scalar_share", "scalar %", REPORT_REAL, true, SHARE("n_scalar + n_uniform_read"),        \
	 "integers that are the same in all lanes, and loads of one address"},                     \
	{"select_share", "compare %", REPORT_REAL, true, SHARE("n_compare + n_convert + n_lanes"), \
	 "comparisons, selections, conversions, exchange between lanes"},                          \
	{"memory_share", "memory %", REPORT_REAL, true,                                            \
	 SHARE("n_global_read + n_global_write + n_global_atomic + n_scratch + n_flat"),                    \
	 "accesses of memory that differ between lanes, of private memory, and through flat addresses"},                   \
	{"lds_share", "LDS %", REPORT_REAL, true, SHARE("n_lds_read + n_lds_write + n_lds_atomic"), \
	 "accesses of LDS"},                                                                       \
	{"control_share", "control %", REPORT_REAL, true,                                          \
	 SHARE("n_branch + n_call + n_barrier + n_other"), "branches, calls, barriers, and others"},          \
	{"flops", "FLOP", REPORT_INT, false, "flops",                                               \
	 "floating-point operations of lanes: 1 for an addition, a multiplication or a transcendental function, "      \
	 "2 for a fused multiplication and addition; of matrix instructions all"},                 \
	{"bytes", "memory B", REPORT_INT, false, "bytes",                                           \
	 "bytes that lanes requested, caches not considered; loads of one address once per wave"}, \
	{"lds_bytes", "LDS B", REPORT_INT, false, "lds_bytes", "bytes that lanes requested from LDS"}, \
	{"flat_bytes", "flat B", REPORT_INT, false, "v_flat",                                      \
	 "bytes that lanes requested through flat addresses, from memory, LDS or private memory: not among the others"}, \
	{"intensity", "FLOP/B", REPORT_REAL, true, "round(1.0 * flops / nullif(bytes, 0), 3)",      \
	 "arithmetic intensity: floating-point operations per byte requested from memory"},
#define ROOF_COLUMNS                                                                               \
	{"limit", "limited by", REPORT_TEXT, true, "limited",                                      \
	 "modelled: what takes longest at its peak rate; 'memory or ...': memory, unless most requests hit in a cache; unknown: most accesses are through flat addresses"},
#define NUMBER_COLUMN(name, number, word, text) {word, word, REPORT_INT, false, "n_" word, text},

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "display_name", "demangled"},
	MIX_COLUMNS
	ROOF_COLUMNS
	{"time_ns", "time ns", REPORT_INT, false, "CAST(round(" TIME ") AS INTEGER)",
	 "GPU time of the dispatches that were counted"},
	{"time_of", "time of", REPORT_TEXT, true,
	 "CASE WHEN original_ns IS NOT NULL THEN 'original' WHEN clone_ns IS NOT NULL THEN 'clone' END",
	 "original: the uninstrumented kernel; clone: only its instrumented clone was timed"},
	{"gflops", "GFLOP/s", REPORT_REAL, true, "round(1.0 * flops / nullif(" TIME ", 0), 1)",
	 "floating-point operations by this time"},
	{"roof_gflops", "roof GFLOP/s", REPORT_REAL, true, RATE("at_least"),
	 "modelled: most that the hardware can do of this mix if all requests hit in L1"},
	{"memory_roof_gflops", "roof of memory", REPORT_REAL, true, RATE("uncached"),
	 "modelled: the same if all requested bytes come from memory"},
	{"roof_share", "% of roof", REPORT_REAL, true,
	 "round(100.0 * at_least * 1000 / nullif(mhz * " TIME ", 0), 1)",
	 "modelled: time that the busiest unit needs at its peak rate, of the kernel's time"},
	PROBE_OPERATION_TABLE(NUMBER_COLUMN)
};

static const struct report_column line_columns[] = {
	{"position", "position", REPORT_TEXT, true,
	 "CASE WHEN users_line > 0 THEN users_file || ':' || users_line ELSE 'unknown' END",
	 "file:line; for code from headers of HIP or the compiler, your own"},
	{"kernel", "kernel", REPORT_TEXT, true, "display_name", "demangled"},
	MIX_COLUMNS
	ROOF_COLUMNS
	PROBE_OPERATION_TABLE(NUMBER_COLUMN)
};

#define QUERY(when_, columns_, place, order)                                                       \
	{                                                                                          \
		.verb = "mix", .when = when_, .columns = columns_,                                 \
		.count = REPORT_COLUMN_COUNT(columns_), .from = FROM(place),                       \
		.kernel_column = "kernel", .sort = order,                                          \
		.none = "no counts of blocks: compile with PROBE_KINDS=count and this version of the plugin, and record with probe-run -a count",         \
	}

static const struct report_query by_kernel =
	QUERY(NULL, kernel_columns, "", "operations,kernel");
static const struct report_query by_line =
	QUERY("--by line", line_columns, ", users_file, users_line", "operations,position,kernel");

/* clang-format on */

static const struct report_query *chosen(const struct report *report)
{
	return report->given & REPORT_O_BY && report->by == REPORT_BY_LINE ? &by_line : &by_kernel;
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	if (report->given & REPORT_O_BY)
		return number ? NULL : chosen(report);
	if (!number)
		return &by_kernel;
	return number == 1 && report->by == REPORT_BY_LINE ? &by_line : NULL;
}

static struct probe_err *check(const struct report *report)
{
	if (report->given & REPORT_O_BY && report->by != REPORT_BY_LINE &&
	    report->by != REPORT_BY_KERNEL)
		return probe_err_create("--by: the mix is shown by kernel or by line");
	return NULL;
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	const struct report_query *rows = chosen(report);
	struct probe_err *err;

	if (report_db_has(db, "probe_count_site"))
		return report_framed_rows(report, db, rows, first, last);
	if (report->format != REPORT_TABLE)
		return report_no_rows(report, db, rows, first, last);
	err = report_head(report, db);
	if (err)
		return err;
	printf("\n%s\n\n", rows->none);
	return report_account(report, db);
}

const struct report_verb report_verb_mix = {
	.name = "mix",
	.help = "operations of each kernel or line by type, and its roofline (probe-run -a count)",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_BY,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.query = query,
	.check = check,
	.show = show,
};
