/* SPDX-License-Identifier: MIT */
/* probe-report kernels, dispatches, summary. */
#include <string.h>

#include "common/err.h"
#include "store/sql_words.h"
#include "cmds/report/report.h"

static const struct report_column kernel_columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "k.display_name", "demangled"},
	{"dispatches", "dispatches", REPORT_INT, true, "d.dispatches", "times launched"},
	{"instrumented", "instrumented", REPORT_INT, true, "d.swapped", "of those, as a clone"},
	{"time_ns", "time ns", REPORT_INT, true, "d.time", "device time of all, clones included"},
	{"average_ns", "average ns", REPORT_INT, true, "d.average", ""},
	{"cost", "cost B", REPORT_INT, true, "coalesce(m.cost, 0)", "bytes wasted, as in lines"},
	{"conflicts", "conflicts", REPORT_INT, true, "coalesce(m.conflicts, 0)", "LDS passes lost"},
	{"lines128_excess", "l128 excess", REPORT_INT, true, "coalesce(m.excess128, 0)", ""},
	{"vgprs", "vgprs", REPORT_INT, true, "k.arch_vgpr_count", "vector registers"},
	{"agprs", "agprs", REPORT_INT, false, "k.accum_vgpr_count", "accumulation registers"},
	{"sgprs", "sgprs", REPORT_INT, false, "k.sgpr_count", "scalar registers"},
	{"lds", "lds B", REPORT_INT, true, "k.group_segment_size", "static LDS, bytes"},
	{"scratch", "scratch B", REPORT_INT, false, "k.private_segment_size", "per lane, bytes"},
	{"clone_vgprs", "clone vgprs", REPORT_INT, false, "d.clone_vgprs",
	 "vector registers of the clone that ran"},
	{"code", "code B", REPORT_INT, false, "probe_code_size(k.code_object_id, k.kernel_name)",
	 "bytes of its own code; functions it calls are not in it"},
	{"clone_code", "clone code B", REPORT_INT, false,
	 "probe_code_size(k.code_object_id, d.clone)",
	 "the same of the clone that ran; what clones share is not in it"},
	{"position", "declared at", REPORT_TEXT, false,
	 "probe_position(k.code_object_id, k.kernel_name)", "file:line, from debug information"},
	{"symbol", "symbol", REPORT_TEXT, false, "k.kernel_name", "mangled"},
	{"loads", "loads", REPORT_INT, false, "d.loads",
	 "of its code object, to the byte, that launched it"},
	{"code_object", "object", REPORT_INT, false, "k.code_object_id", "id, of the first load"},
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

const struct report_query report_kernels_query = {
	.verb = "kernels",
	.columns = kernel_columns,
	.count = sizeof(kernel_columns) / sizeof(*kernel_columns),
	.from = KERNELS_FROM
	"(SELECT j.same AS kernel, "
	"sum(max(64 * excess64, 128 * excess128) + 128 * conflicts) AS cost, "
	"sum(conflicts) AS conflicts, sum(excess128) AS excess128 FROM probe_memory_site s "
	"JOIN " SAME " j ON j.kernel = s.kernel GROUP BY j.same) m ON m.kernel = k.id",
	.kernel_column = "kernel",
	.sort = KERNELS_SORT,
};

/* The handler `memory` did not run. */
static const struct report_query kernels_alone_query = {
	.verb = "kernels",
	.columns = kernel_columns,
	.count = sizeof(kernel_columns) / sizeof(*kernel_columns),
	.from = KERNELS_FROM "(SELECT NULL AS kernel, NULL AS cost, NULL AS conflicts, "
			     "NULL AS excess128) m ON m.kernel = k.id",
	.kernel_column = "kernel",
	.sort = KERNELS_SORT,
};

static const struct report_column dispatch_columns[] = {
	{"dispatch", "dispatch", REPORT_INT, true, "p.dispatch_id", "id, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "coalesce(k.display_name, '(unknown)')",
	 "demangled"},
	{"ran", "ran as", REPORT_TEXT, true,
	 "CASE WHEN " SQL_INSTRUMENTED("p") " THEN coalesce(" SQL_WORD(
		 PROBE_KIND_TABLE, "p.kind") ", '?') || ' clone' ELSE 'original' END",
	 "the kind of clone, or the original kernel"},
	{"start_ns", "start ns", REPORT_INT, false, "r.start", "CLOCK_BOOTTIME"},
	{"duration_ns", "duration ns", REPORT_INT, true, "r.\"end\" - r.start",
	 "empty: did not end"},
	{"grid_x", "grid x", REPORT_INT, true, "p.grid_x", "work-items"},
	{"grid_y", "y", REPORT_INT, true, "p.grid_y", ""},
	{"grid_z", "z", REPORT_INT, true, "p.grid_z", ""},
	{"group_x", "group x", REPORT_INT, true, "p.group_x", "work-items"},
	{"group_y", "y", REPORT_INT, true, "p.group_y", ""},
	{"group_z", "z", REPORT_INT, true, "p.group_z", ""},
	{"lds", "lds B", REPORT_INT, false, "r.group_segment_size", "of the launch, bytes"},
	{"scratch", "scratch B", REPORT_INT, false, "r.private_segment_size", ""},
	{"queue", "queue", REPORT_INT, true, "p.queue_id", ""},
	{"agent", "agent", REPORT_INT, false, "p.agent", ""},
	{"completed", "completed", REPORT_INT, false, "p.completed", "0 = not seen to end"},
	{"kernel_id", "kernel id", REPORT_INT, false, "p.kernel_id", ""},
	{"reason", "why not instrumented", REPORT_TEXT, true,
	 "CASE WHEN NOT " SQL_INSTRUMENTED("p") " THEN coalesce(" SQL_TEXT(
		 PROBE_VERDICT_TABLE, "p.verdict") ", 'unknown reason') END",
	 "empty: it ran as a clone"},
};

const struct report_query report_dispatches_query = {
	.verb = "dispatches",
	.columns = dispatch_columns,
	.count = sizeof(dispatch_columns) / sizeof(*dispatch_columns),
	.from = "probe_dispatch p LEFT JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id "
		"LEFT JOIN rocpd_kernel_dispatch r ON r.dispatch_id = p.dispatch_id",
	.kernel_column = "kernel",
	.sort = "+dispatch",
};

static const struct report_query *kernels_query(const struct report_db *db)
{
	return report_db_has(db, "probe_memory_site") ? &report_kernels_query
						      : &kernels_alone_query;
}

/* Head, rows, account. */
static struct probe_err *with_frame(const struct report *report, struct report_db *db,
				    const struct report_query *query, bool first, bool last)
{
	struct probe_err *err = NULL;

	if (report->format != REPORT_TABLE)
		return report_rows(report, db, query, first, last);
	err = report_head(report, db);
	if (!err) {
		putchar('\n');
		err = report_rows(report, db, query, first, last);
	}
	if (!err) {
		putchar('\n');
		err = report_account(report, db);
	}
	return err;
}

struct probe_err *report_kernels(const struct report *report, struct report_db *db, bool first,
				 bool last)
{
	return with_frame(report, db, kernels_query(db), first, last);
}

struct probe_err *report_dispatches(const struct report *report, struct report_db *db, bool first,
				    bool last)
{
	return with_frame(report, db, &report_dispatches_query, first, last);
}

/* The ten costliest kernels and the five costliest lines. */
/* The lines with most samples, if there are any. */
static struct probe_err *put_samples(const struct report *report, const struct report_db *db)
{
	struct report view = *report;
	struct probe_err *err = NULL;
	bool any = false;

	if (report_db_has(db, "probe_sample"))
		err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);
	if (err || !any)
		return err;
	view.fields =
		"position,kernel,samples,share,issued,waitcnt,barrier,alu,arbiter,fetch,lanes";
	err = report_rows(&view, db, report_samples_query(REPORT_BY_LINE, REPORT_FROM_SUMS), true,
			  true);
	putchar('\n');
	return err;
}

/* Of a run of the `count` kind: what ran most. */
static struct probe_err *put_counts(const struct report *view, const struct report_db *db)
{
	struct report counts = *view;

	counts.fields = NULL;
	counts.fields_given = false;
	return report_rows(&counts, db, &report_counts_query, true, true);
}

struct probe_err *report_summary(const struct report *report, struct report_db *db, bool first,
				 bool last)
{
	bool limited = report->limit >= 0, told = false;
	bool memory = report_db_has(db, "probe_memory_site");
	bool counts = report_db_has(db, "probe_count_site");
	struct report view = *report;
	struct probe_err *err;

	if (report->format != REPORT_TABLE)
		return report_kernels(report, db, first, last);
	err = report_head(report, db);
	if (!err && report_db_has(db, "probe_sampler"))
		err = report_samplers(db);
	if (err)
		return err;
	view.limit = limited ? report->limit : 10;
	putchar('\n');
	err = report_rows(&view, db, kernels_query(db), first, last);
	putchar('\n');
	/* -s and -f speak of the table above. */
	view.sort = NULL;
	view.limit = limited ? report->limit : 5;
	if (!err)
		err = put_samples(&view, db);
	if (!err)
		err = report_no_clones(report, db, &told);
	if (!err && !told && memory)
		err = report_findings(&view, db, limited ? report->limit : 5, true);
	else if (!err && !told && counts)
		err = put_counts(&view, db);
	if (err)
		return err;
	if (told || memory || counts || report_db_has(db, "probe_sampler"))
		putchar('\n');
	return report_account(report, db);
}
