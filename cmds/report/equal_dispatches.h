/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of one kernel, clone, agent and launch shape as one row. For queries over all dispatches
 * of a file there is the view probe_equal (report_equal_dispatches()): the rows of probe_dispatchsum
 * or, if the file has none, sums over probe_dispatch.
 */
#ifndef PROBE_CMDS_REPORT_EQUAL_DISPATCHES_H
#define PROBE_CMDS_REPORT_EQUAL_DISPATCHES_H

/*
 * As SQL, of the dispatches for which a condition on p (probe_dispatch) holds: how many (n), the
 * first one, their time (ns), and how many have one (timed). In a database of probe-run, ids of
 * dispatches are ids of rows.
 */
#define EQUAL_DISPATCHES(condition)                                                                \
	"SELECT p.kernel_id, p.launched_kernel_id, p.kind, p.verdict, p.agent, p.grid_x, "         \
	"p.grid_y, p.grid_z, p.group_x, p.group_y, p.group_z, min(p.dispatch_id) AS dispatch_id, " \
	"count(*) AS n, sum(r.\"end\" - r.start) AS ns, count(r.id) AS timed "                     \
	"FROM probe_dispatch p LEFT JOIN rocpd_kernel_dispatch r ON r.id = p.dispatch_id "         \
	"WHERE " condition " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"

#endif
