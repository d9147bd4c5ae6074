/* SPDX-License-Identifier: MIT */
#include "cmds/report/kernels_query.h"

#include "cmds/report/report_db.h"
#include "cmds/report/sample_join.h"
#include "cmds/report/site_cost.h"
#include "cmds/report/wait_sql.h"
#include "common/err.h"
#include "store/sql_words.h"

/* clang-format off */

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "display_name", "demangled"},
	{"dispatches", "dispatches", REPORT_INT, true, "dispatches", "times launched"},
	{"instrumented", "instrumented", REPORT_INT, true, "instrumented",
	 "dispatches that ran as an instrumented clone"},
	{"launch_shape", "launch shape", REPORT_TEXT, false, "launch_shapes",
	 "workgroups and their size; or how many shapes it was launched in"},
	{"original_ns", "time ns", REPORT_INT, true, "original_ns",
	 "GPU time of the uninstrumented dispatches"},
	{"original_average_ns", "average ns", REPORT_INT, true, "original_average",
	 "GPU time of one of them"},
	{"clone_ns", "clone time ns", REPORT_INT, true, "clone_ns",
	 "GPU time of the dispatches that ran as an instrumented clone"},
	{"clone_average_ns", "clone average ns", REPORT_INT, true, "clone_average",
	 "GPU time of one of them"},
	{"time_share", "% of time", REPORT_REAL, true,
	 "round(100.0 * counted_ns / nullif(counted_total, 0), 2)",
	 "its share of the uninstrumented time of all kernels (of two runs, in the uninstrumented one); "
	 "if most kernels ran only as clones, of the time of all clones, see: time of"},
	{"time_of", "time of", REPORT_TEXT, true,
	 "CASE WHEN counted_ns IS NOT NULL THEN CASE WHEN clones THEN 'clone' ELSE 'original' END END",
	 "what its share counts: original or clone; empty: it has no such time, and no share"},
	{"counted_ns", "counted time ns", REPORT_INT, false, "counted_ns",
	 "GPU time that its share counts"},
	{"counted", "counted", REPORT_INT, false, "counted", "dispatches that its share counts"},
	{"cycles", "extra cycles (estimate)", REPORT_INT, true, "CAST(round(cycles) AS INTEGER)",
	 "as in lines; empty if the kernel was not measured"},
	{"conflicts", "bank conflicts", REPORT_INT, true, "conflicts",
	 "extra LDS passes"},
	{"lines128_excess", "extra 128B requests", REPORT_INT, true, "excess128",
	 "extra requests for 128-byte cache lines"},
	{"vgprs", "vgprs", REPORT_INT, true, "arch_vgpr_count", "vector registers"},
	{"agprs", "agprs", REPORT_INT, false, "accum_vgpr_count", "accumulation registers"},
	{"sgprs", "sgprs", REPORT_INT, false, "sgpr_count", "scalar registers"},
	{"lds", "lds B", REPORT_INT, true, "group_segment_size", "static LDS, bytes"},
	{"scratch", "scratch B", REPORT_INT, false, "private_segment_size", "per lane, bytes"},
	{"clone_vgprs", "clone vgprs", REPORT_INT, false, "clone_vgprs",
	 "vector registers of the clone that ran"},
	{"code", "code B", REPORT_INT, false, "probe_code_size(code_object_id, kernel_name)",
	 "bytes of its own code, without functions that it calls"},
	{"clone_code", "clone code B", REPORT_INT, false,
	 "probe_code_size(code_object_id, " COST_KERNEL("kernel_name", "clone") ")",
	 "bytes of the clone that ran, without functions that clones share"},
	{"position", "declared at", REPORT_TEXT, false,
	 "probe_position(code_object_id, kernel_name)", "file:line, from debug information"},
	{"symbol", "symbol", REPORT_TEXT, false, "kernel_name", "mangled"},
	{"loads", "loads", REPORT_INT, false, "loads",
	 "number of times that its code object was loaded, if it was launched from it"},
	{"code_object", "object", REPORT_INT, false, "code_object_id",
	 "id of the code object when it was first loaded"},
	{"id", "id", REPORT_INT, false, "id", ""},
};

#define LAUNCHED                                                                                   \
	"launched AS (SELECT o.code, o.symbol, min(o.kernel) AS kernel, "                          \
	"count(DISTINCT p.kernel_id) AS loads, "                                                   \
	"max(CASE WHEN " SQL_INSTRUMENTED("p") " THEN c.arch_vgpr_count END) AS clone_vgprs, "     \
	"max(CASE WHEN " SQL_INSTRUMENTED("p") " THEN c.id END) AS clone "                        \
	"FROM equal p JOIN objects o ON o.kernel = p.kernel_id "                                   \
	"LEFT JOIN rocpd_info_kernel_symbol c ON c.id = p.launched_kernel_id "                     \
	"GROUP BY o.code, o.symbol)"
/*
 * The time that shares count, of one kind for all kernels, because a clone takes longer than its
 * original. Of two runs (probe-run --twice), only the one without probes has the times of all
 * originals. Clones count if originals stand for less than half of the work that was instrumented.
 */
#define SAMPLED_FROM                                                                               \
	"coalesce((SELECT CAST(value AS INTEGER) FROM probe_run WHERE key = 'sampled_from'), 0)"
#define COUNTED_TIMES                                                                              \
	"kinds AS MATERIALIZED (SELECT code, symbol, "                                             \
	"sum(ns) FILTER (WHERE original) AS original_ns, sum(n) FILTER (WHERE original) AS originals, " \
	"sum(ns) FILTER (WHERE instrumented) AS clone_ns, "                                        \
	"sum(n) FILTER (WHERE instrumented) AS clones FROM (SELECT *, NOT instrumented AND "       \
	"dispatch_id > " SAMPLED_FROM " AS original FROM launches) GROUP BY code, symbol), "       \
	"counted AS (SELECT *, sum(counted_ns) OVER () AS counted_total FROM (SELECT code, symbol, w.clones, "                                              \
	"CASE WHEN w.clones THEN kinds.clone_ns ELSE original_ns END AS counted_ns, "              \
	"CASE WHEN w.clones THEN kinds.clones ELSE originals END AS counted FROM kinds, "          \
	"(SELECT coalesce(2 * sum(clone_ns) FILTER (WHERE original_ns IS NULL) > sum(clone_ns), 0) " \
	"AS clones FROM kinds) w))"
#define SUMS                                                                                       \
	"(SELECT code, symbol, coalesce(sum(cycles), 0) AS cycles, sum(conflicts) AS conflicts, "                               \
	"sum(excess128) AS excess128 FROM costed GROUP BY code, symbol)"
#define NO_SUMS                                                                                    \
	"(SELECT NULL AS code, NULL AS symbol, NULL AS cycles, NULL AS conflicts, "                \
	"NULL AS excess128)"

#define FROM(counted, sums)                                                                        \
	"(WITH " COST_OBJECTS ", " COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES) ", " COST_TIMES ", "        \
	counted LAUNCHED ", " COUNTED_TIMES " SELECT k.*, l.loads, l.clone_vgprs, l.clone, "                \
	"t.dispatches, t.instrumented, t.launch_shapes, t.original_ns, t.original_average, "        \
	"t.clone_ns, t.clone_average, c.clones, c.counted_ns, c.counted, c.counted_total, m.cycles, m.conflicts, "      \
	"m.excess128 FROM launched l JOIN rocpd_info_kernel_symbol k "              \
	"ON k.id = l.kernel JOIN times t ON t.code = l.code AND t.symbol = l.symbol "              \
	"JOIN counted c ON c.code = l.code AND c.symbol = l.symbol "                               \
	"LEFT JOIN " sums " m ON m.code = l.code AND m.symbol = +l.symbol)"
#define COUNTED(waits)                                                                             \
	COST_WORK ", " COST_SITES(COST_TABLE) ", " COST_MERGED ", " waits ", " COST_COSTED ", "

#define QUERY(source)                                                                              \
	{                                                                                          \
		.verb = "kernels", .columns = kernel_columns,                                      \
		.count = REPORT_COLUMN_COUNT(kernel_columns), .from = source,                      \
		.kernel_column = "kernel",                                                         \
		.sort = "cycles,original_ns,clone_ns,kernel,+id",                                  \
		.none = "no kernels: the program launched none",                                   \
	}

enum source { UNPROBED, PROBED, WITH_SAMPLES, WITH_PROFILES, SOURCES };

static const struct report_query queries[SOURCES] = {
	[UNPROBED] = QUERY(FROM("", NO_SUMS)),
	[PROBED] = QUERY(FROM(COUNTED(WAIT_NONE), SUMS)),
	[WITH_SAMPLES] = QUERY(FROM(COUNTED(WAIT_ALL(WAIT_NO_WEIGHTS)), SUMS)),
	[WITH_PROFILES] = QUERY(FROM(COUNTED(WAIT_ALL(WAIT_WEIGHTS)), SUMS)),
};

/* clang-format on */

struct probe_err *report_kernels_query(const struct report_db *db, const struct report_query **ret)
{
	bool sampled = false;
	struct probe_err *err;

	*ret = &queries[db ? UNPROBED : PROBED];
	if (!db || !report_db_has(db, "probe_memory_site"))
		return NULL;
	err = report_joined(db, &sampled);
	*ret = &queries[!sampled			     ? PROBED
			: report_db_has(db, "probe_profile") ? WITH_PROFILES
							     : WITH_SAMPLES];
	return err;
}
