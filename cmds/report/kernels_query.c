/* SPDX-License-Identifier: MIT */
#include "cmds/report/kernels_query.h"

#include "cmds/report/report_db.h"
#include "cmds/report/site_sql.h"
#include "store/sql_words.h"

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "k.display_name", "demangled"},
	{"dispatches", "dispatches", REPORT_INT, true, "d.dispatches", "times launched"},
	{"instrumented", "instrumented", REPORT_INT, true, "d.swapped",
	 "dispatches that ran as an instrumented clone"},
	{"time_ns", "time ns", REPORT_INT, true, "d.time",
	 "GPU time of all dispatches, including clones"},
	{"average_ns", "average ns", REPORT_INT, true, "d.average", "GPU time of a dispatch"},
	{"cost", "cost B", REPORT_INT, true, "m.cost",
	 "bytes, as in lines; empty if the kernel was not measured"},
	{"conflicts", "bank conflicts", REPORT_INT, true, "m.conflicts",
	 "extra LDS passes"},
	{"lines128_excess", "extra 128B requests", REPORT_INT, true, "m.excess128",
	 "extra requests for 128-byte cache lines"},
	{"vgprs", "vgprs", REPORT_INT, true, "k.arch_vgpr_count", "vector registers"},
	{"agprs", "agprs", REPORT_INT, false, "k.accum_vgpr_count", "accumulation registers"},
	{"sgprs", "sgprs", REPORT_INT, false, "k.sgpr_count", "scalar registers"},
	{"lds", "lds B", REPORT_INT, true, "k.group_segment_size", "static LDS, bytes"},
	{"scratch", "scratch B", REPORT_INT, false, "k.private_segment_size", "per lane, bytes"},
	{"clone_vgprs", "clone vgprs", REPORT_INT, false, "d.clone_vgprs",
	 "vector registers of the clone that ran"},
	{"code", "code B", REPORT_INT, false, "probe_code_size(k.code_object_id, k.kernel_name)",
	 "bytes of its own code, without functions that it calls"},
	{"clone_code", "clone code B", REPORT_INT, false,
	 "probe_code_size(k.code_object_id, d.clone)",
	 "bytes of the clone that ran, without what clones share"},
	{"position", "declared at", REPORT_TEXT, false,
	 "probe_position(k.code_object_id, k.kernel_name)", "file:line, from debug information"},
	{"symbol", "symbol", REPORT_TEXT, false, "k.kernel_name", "mangled"},
	{"loads", "loads", REPORT_INT, false, "d.loads",
	 "times its code object was loaded, if it was launched from there"},
	{"code_object", "object", REPORT_INT, false, "k.code_object_id",
	 "id of the code object when it was first loaded"},
	{"id", "id", REPORT_INT, false, "k.id", ""},
};

/* A code object that is loaded twice has two ids, and so have its kernels: the lowest is taken. */
#define SAME                                                                                       \
	"(SELECT i.id AS kernel, min(i.id) OVER (PARTITION BY coalesce(nullif(o.hash, ''), "       \
	"i.code_object_id), i.kernel_name) AS same FROM rocpd_info_kernel_symbol i "               \
	"LEFT JOIN probe_code o ON o.code_object_id = i.code_object_id)"

#define KERNELS_FROM                                                                                                         \
	"rocpd_info_kernel_symbol k JOIN (SELECT j.same AS kernel_id, count(*) AS dispatches, "                              \
	"count(DISTINCT p.kernel_id) AS loads, "                                                                             \
	"max(CASE WHEN " SQL_INSTRUMENTED(                                                                                   \
		"p") " THEN l.arch_vgpr_count END) AS clone_vgprs, "                                                         \
		     "max(CASE WHEN " SQL_INSTRUMENTED(                                                                      \
			     "p") " THEN l.kernel_name END) AS clone, "                                                      \
				  "sum(" SQL_INSTRUMENTED(                                                                   \
					  "p") ") AS swapped, sum(r.\"end\" - r.start) AS time, "                            \
					       "CAST(avg(r.\"end\" - r.start) AS INTEGER) AS average FROM probe_dispatch p " \
					       "JOIN " SAME " j ON j.kernel = p.kernel_id "                                  \
					       "LEFT JOIN rocpd_info_kernel_symbol l ON l.id = p.launched_kernel_id "        \
					       "LEFT JOIN rocpd_kernel_dispatch r ON r.dispatch_id = p.dispatch_id "         \
					       "GROUP BY j.same) d ON d.kernel_id = k.id LEFT JOIN "

#define KERNELS_SORT "cost,time_ns,kernel,+id"

static const struct report_query kernels_query = {
	.verb = "kernels",
	.columns = kernel_columns,
	.count = sizeof(kernel_columns) / sizeof(*kernel_columns),
	.from = KERNELS_FROM
	"(SELECT j.same AS kernel, "
	"sum(" SITE_COST(
		"s") ") AS cost, "
		     "sum(conflicts) AS conflicts, sum(excess128) AS excess128 FROM probe_memory_site s "
		     "JOIN " SAME " j ON j.kernel = s.kernel GROUP BY j.same) m ON m.kernel = k.id",
	.kernel_column = "kernel",
	.sort = KERNELS_SORT,
};

/* The handler `memory` did not run. */
static const struct report_query unprobed_query = {
	.verb = "kernels",
	.columns = kernel_columns,
	.count = sizeof(kernel_columns) / sizeof(*kernel_columns),
	.from = KERNELS_FROM "(SELECT NULL AS kernel, NULL AS cost, NULL AS conflicts, "
			     "NULL AS excess128) m ON m.kernel = k.id",
	.kernel_column = "kernel",
	.sort = KERNELS_SORT,
};

const struct report_query *report_kernels_query(const struct report_db *db)
{
	return !db || report_db_has(db, "probe_memory_site") ? &kernels_query : &unprobed_query;
}
