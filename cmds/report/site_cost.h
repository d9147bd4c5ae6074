/* SPDX-License-Identifier: MIT */
/*
 * SQL: what probed accesses cost, in cycles, as common table expressions that queries of lines and
 * kernels share. Cycles are those of the whole run: all instrumented dispatches of the kernel, one
 * after the other.
 *
 * What is modelled is throughput. A unit that takes `n` cycles longer on each workgroup takes n times
 * the workgroups that its compute unit gets; data take their bytes over the rate of the level of the
 * hierarchy that they most likely come from:
 *
 *	LDS		one pass per cycle and compute unit
 *	address unit	one cycle per quad of lanes and 64-byte line, per compute unit; for each extra
 *			request at most three cycles more per quad, as if it were an execution in
 *			which each quad needs four lines
 *	L2		64 B per extra request for a 64-byte line; if all that was allocated
 *			fits in the L2
 *	memory		the larger of that and 128 B per extra request for a 128-byte line
 *	updates		one update per cycle of a word that several lanes of a wave update atomically
 *	swap loop	the same where the machine has a compare-and-swap loop instead: one lane of a
 *			wave succeeds per round trip to the L2. A compare-and-swap of the source is
 *			executed, and counted, once per try
 *
 * Bytes per cycle are those measured on an MI210 (mt4g) by compute units: an MI300X has the same per
 * compute unit, within 25 %. One unit moves at most 64 B per cycle. The bound: loads that all hit in
 * L1 cost the address unit only; at most everything comes from memory. Updates cost nothing if the L2
 * combines those of a wave (no vendor document says; the simulated GPU does). At least, each wave has a
 * word of its own, and the swap loops of all waves run at the same time; at most, all waves of the
 * device try to swap one word, and each try waits for those of all others.
 *
 * Where the originals were sampled, with COST_SAMPLES_MIN samples of the kernel at least, the cost is
 * what waves were seen to wait for, times the share of it that is avoidable.
 */
#ifndef PROBE_CMDS_REPORT_SITE_COST_H
#define PROBE_CMDS_REPORT_SITE_COST_H

#include "cmds/report/equal_dispatches.h"
#include "cmds/report/site_sql.h"
#include "store/sql_words.h"

#define COST_SAMPLES_MIN "100"

/* Rates in bytes per cycle and compute unit; the L2's size in bytes. */
#define COST_L2_READ	  "24.4"
#define COST_L2_WRITE	  "14.6"
#define COST_MEMORY_READ  "6.6"
#define COST_MEMORY_WRITE "5.9"
#define COST_L2_BYTES	  "8388608"
#define COST_BIAS	  "2147483648" /* PROBE_STRIDE_BIAS */
#define COST_CUS	  "104" /* an MI210's number, if the database does not say */

/* Cycles of a try to swap: from issue to use in the L2; for each try that waits before it. */
#define COST_SWAP_TRY	"302"
#define COST_SWAP_QUEUE "1.4" /* 64 B by COST_L2_WRITE of one of 32 channels, for all units */
#define COST_CU_WAVES	"32"

/* clang-format off */

/*
 * Kernels. A kernel that was loaded twice has two ids: `code` and `symbol` identify it. `symbol` is its
 * name only then, else its id: names may have thousands of bytes, and grouping writes them to
 * temporary files.
 */
#define COST_OBJECTS                                                                               \
	"objects AS MATERIALIZED (SELECT k.id AS kernel, "                                         \
	"CASE WHEN c.hash IN (SELECT hash FROM probe_code WHERE hash <> '' GROUP BY hash "         \
	"HAVING count(*) > 1) THEN k.kernel_name ELSE k.id END AS symbol, "                        \
	"coalesce(nullif(c.hash, ''), k.code_object_id) AS code "                                  \
	"FROM rocpd_info_kernel_symbol k "                                                         \
	"LEFT JOIN probe_code c ON c.code_object_id = k.code_object_id)"
/* Of the kernel with this id. */
#define COST_KERNEL(column, id)                                                                    \
	"(SELECT " column " FROM rocpd_info_kernel_symbol WHERE id = " id ")"

#define COST_GROUPS(axis) "((p.grid_" axis " + p.group_" axis " - 1) / max(p.group_" axis ", 1))"

/* "64x1x1 groups of 256x1x1" */
#define COST_SHAPE                                                                                 \
	"printf('%dx%dx%d groups of %dx%dx%d', " COST_GROUPS("x") ", " COST_GROUPS("y") ", "       \
	COST_GROUPS("z") ", p.group_x, p.group_y, p.group_z)"
#define COST_ALL_SHAPES "''"

/*
 * Dispatches: `equal` is EQUAL_DISPATCHES, or COST_ALL for those of the whole file. Their size, and how
 * the device's compute units share them. `shape` is COST_SHAPE if rows of one kernel are divided by
 * it.
 */
#define COST_ALL "SELECT * FROM probe_equal"
#define COST_LAUNCHES(equal, shape)                                                                \
	"equal AS MATERIALIZED (" equal "), "                                                      \
	"launches AS MATERIALIZED (SELECT o.code, o.symbol, dispatch_id, n, instrumented, ns, "    \
	"timed, mhz, shape, real_shape, wave, groups, cus, min(groups, cus) AS used, "             \
	"(groups + cus - 1) / cus AS rounds FROM "                                                 \
	"(SELECT p.dispatch_id, p.kernel_id, p.n, p.ns, p.timed, "                                 \
	SQL_INSTRUMENTED("p") " AS instrumented, " shape " AS shape, " COST_SHAPE " AS real_shape, " \
	"json_extract(a.extdata, '$.clock_mhz') AS mhz, "                                          \
	"CASE WHEN a.name LIKE 'gfx1%' THEN 32 ELSE 64 END AS wave, "                              \
	"max(" COST_GROUPS("x") " * " COST_GROUPS("y") " * " COST_GROUPS("z") ", 1) AS groups, "   \
	"max(coalesce(json_extract(a.extdata, '$.compute_units'), " COST_CUS "), 1) AS cus "       \
	"FROM equal p LEFT JOIN rocpd_info_agent a ON a.id = p.agent) p "                          \
	"JOIN objects o ON o.kernel = p.kernel_id)"

/* Of the instrumented dispatches, by workgroup. */
#define COST_MEAN(sum)                                                                             \
	"1.0 * sum(" sum ") FILTER (WHERE instrumented) / sum(n * groups) FILTER (WHERE instrumented)"
#define COST_RATE(rate) COST_MEAN("n * groups / min(64.0 * used, " rate " * cus)")

/* Times: clones and originals are never added up. */
#define COST_AVERAGE(which)                                                                        \
	"CAST(1.0 * sum(ns) FILTER (WHERE " which ") / sum(timed) FILTER (WHERE " which ") AS INTEGER)"

/*
 * By kernel and launch shape, because a launch of few large workgroups has fewer compute units than one
 * of many: cycles per cycle of a unit, cycles per byte of a level, and bytes allocated. The time, which
 * limits the cost, is that of originals if all shapes have one. `launch` '': over all shapes, for rows
 * of shapes that the handler does not separate.
 */
#define COST_WORK_OF(launch)                                                                       \
	"SELECT code, symbol, shape, " launch " AS launch, max(wave) AS wave, "                    \
	"min(dispatch_id) FILTER (WHERE instrumented) AS first, max(cus) AS cus, "                 \
	COST_AVERAGE("NOT instrumented") " * sum(n * instrumented) * max(mhz) / 1000.0 AS original, " \
	"sum(ns) FILTER (WHERE instrumented) * max(mhz) / 1000.0 AS clone, "                       \
	COST_MEAN("n * rounds") " AS per_unit, "                                                   \
	"sum(n * groups) FILTER (WHERE instrumented) AS groups, "                                  \
	"sum(n) FILTER (WHERE instrumented) AS launched, "                                         \
	COST_RATE(COST_L2_READ) " AS l2_read, " COST_RATE(COST_L2_WRITE) " AS l2_write, "          \
	COST_RATE(COST_MEMORY_READ) " AS memory_read, "                                            \
	COST_RATE(COST_MEMORY_WRITE) " AS memory_write "                                           \
	"FROM launches GROUP BY code, symbol, shape, " launch " HAVING sum(instrumented) > 0"
#define COST_WORK                                                                                  \
	"work AS MATERIALIZED (SELECT w.*, CASE WHEN by_original THEN original ELSE clone END "    \
	"AS spent, coalesce((SELECT sum(a.size) FROM probe_allocation a "                          \
	"WHERE a.first_dispatch <= w.first AND coalesce(a.last_dispatch, w.first) >= w.first), "   \
	COST_L2_BYTES " + 1) > " COST_L2_BYTES " AS large FROM "                                   \
	"(SELECT *, count(*) OVER k = count(original) OVER k AS by_original FROM ("                \
	COST_WORK_OF("real_shape") " UNION ALL " COST_WORK_OF("''")                              \
	") WINDOW k AS (PARTITION BY code, symbol, shape)) w), "                                   \
	"spent AS MATERIALIZED (SELECT code, symbol, shape, "                                      \
	"CASE WHEN count(spent) = count(*) THEN sum(spent) END AS all_spent "                      \
	"FROM work WHERE launch <> '' GROUP BY code, symbol, shape)"
/* The row of a shape that no dispatch has is that of all. */
#define COST_JOIN_WORK                                                                             \
	" LEFT JOIN spent e ON e.code = o.code AND e.symbol = o.symbol AND e.shape = m.shape "     \
	"LEFT JOIN work w ON w.code = o.code AND w.symbol = o.symbol AND w.shape = m.shape AND "   \
	"w.launch = CASE WHEN (o.code, o.symbol, m.shape, m.row_shape) IN "                        \
	"(SELECT code, symbol, shape, launch FROM work) THEN m.row_shape ELSE '' END "

/*
 * An atomic update for which the machine has no instruction: the back end generates a load and a
 * compare-and-swap loop, all at the position of the update. A compare-and-swap in the source itself
 * has no load at its position. Updates of LDS and of global memory may have one position in a header.
 */
#define COST_AT_PLACE(object, kernel, place)                                                       \
	"EXISTS (SELECT 1 FROM probe_instructions(" object ", " COST_KERNEL("kernel_name", kernel) \
	") i WHERE i.line = " place ".line AND i.\"column\" = " place ".\"column\" AND i.file = "    \
	place ".file AND "
#define COST_SWAP(object, kernel, place)                                                           \
	COST_AT_PLACE(object, kernel, place) "i.space = " place ".memory AND "                     \
	"(i.text GLOB '*_cmpswap*' OR i.text GLOB 'ds_cmps*'))"
#define COST_SWAP_LOOP(object, kernel, place)                                                      \
	"(" COST_SWAP(object, kernel, place) " AND " COST_AT_PLACE(object, kernel, place)          \
	"(i.text GLOB '*_load_*' OR i.text GLOB 'ds_read*')))"

#define COST_TIMES                                                                                 \
	"times AS MATERIALIZED (SELECT code, symbol, shape, sum(n) AS dispatches, "                \
	"sum(n * instrumented) AS instrumented, "                                                  \
	"sum(ns) FILTER (WHERE NOT instrumented) AS original_ns, "                                 \
	COST_AVERAGE("NOT instrumented") " AS original_average, "                                  \
	"sum(ns) FILTER (WHERE instrumented) AS clone_ns, "                                        \
	COST_AVERAGE("instrumented") " AS clone_average, "                                         \
	"CASE count(DISTINCT real_shape) WHEN 1 THEN max(real_shape) ELSE "                        \
	"count(DISTINCT real_shape) || ' shapes' END AS launch_shapes, "                           \
	"max(mhz) AS mhz FROM launches GROUP BY code, symbol, shape)"

/* What a row has of its kernel's times. */
#define COST_OF_TIMES                                                                              \
	"launch_shapes, original_average, clone_ns, instrumented, clock_mhz"
#define COST_JOIN_TIMES(key, shape)                                                                \
	" LEFT JOIN (SELECT code AS timed_code, symbol AS timed_symbol, shape AS timed_shape, "    \
	"launch_shapes, original_average, clone_ns, instrumented, mhz AS clock_mhz FROM times) "    \
	"ON timed_code = " key ".code AND timed_symbol = " key ".symbol AND timed_shape = " shape " "

#define COST_LOADS SQL_WORD(PROBE_ACCESS_TABLE, "s.access") " = 'load'"
#define COST_BY_ACCESS(level)                                                                      \
	"CASE WHEN " COST_LOADS " THEN w." level "_read ELSE w." level "_write END"

/*
 * Rows of the memory handler, one per launch shape. Databases of earlier versions lack some of the
 * columns: the name in the inner query then resolves to that of the outer query, which is NULL.
 */
#define COST_NEWER(column, name)                                                                   \
	", (SELECT " column " FROM probe_memory_site t WHERE t.id = m.id) AS " name
#define COST_ROWS                                                                                  \
	"(SELECT m.*" COST_NEWER("launch_shape", "row_shape")                                      \
	COST_NEWER("address_class", "row_class") COST_NEWER("address", "row_address")              \
	COST_NEWER("index_source", "row_index") COST_NEWER("lane_offsets", "row_lanes")            \
	COST_NEWER("measured_every", "row_every")                                                  \
	COST_NEWER("near_site", "row_near") COST_NEWER("waiting_updates", "row_waits")             \
	COST_NEWER("measured", "row_measured") " FROM probe_memory_site m, (SELECT "               \
	"NULL AS launch_shape, NULL AS address_class, NULL AS address, NULL AS index_source, NULL AS lane_offsets, "     \
	"NULL AS measured_every, NULL AS measured, NULL AS near_site, NULL AS waiting_updates))"

/* The handler's rows, over all dispatches. */
#define COST_TABLE "(SELECT *, '' AS shape FROM " COST_ROWS ")"
#define COST_TABLE_BY_SHAPE                                                                        \
	"(SELECT *, coalesce(row_shape, 'other shapes') AS shape FROM " COST_ROWS ")"

/*
 * Counters of the selected dispatches, as recorded. Cause and fix are those of all launches of the
 * same shape (t), or of the shapes that the handler does not separate (u).
 */
#define COST_ADD(name) "sum(c." name ") AS " name ", "
#define COST_COUNTERS(chosen, shape)                                                               \
	"(SELECT min(c.rowid) AS id, c.code_object_id AS code_object, p.kernel_id AS kernel, "     \
	"c.site, " shape " AS shape, " COST_ADD("executions") COST_ADD("lanes") COST_ADD("quads")  \
	COST_ADD("lines64") COST_ADD("needed64") COST_ADD("excess64") COST_ADD("lines128")         \
	COST_ADD("needed128") COST_ADD("excess128") COST_ADD("passes") COST_ADD("ideal_passes")    \
	COST_ADD("affine") "sum(c.passes) - sum(c.ideal_passes) AS conflicts, "                    \
	"max(c.max_way) AS max_way, "                                                              \
	"CASE max(c.stride_lo) WHEN 0 THEN 0 ELSE " COST_BIAS " - max(c.stride_lo) END AS stride_lo, " \
	"CASE max(c.stride_hi) WHEN 0 THEN 0 ELSE max(c.stride_hi) - " COST_BIAS " END AS stride_hi, " \
	"coalesce(t.cause, u.cause) AS cause, coalesce(t.fix, u.fix) AS fix, "                     \
	COST_SHAPE " AS row_shape, coalesce(t.row_class, u.row_class) AS row_class, "            \
	"coalesce(t.row_address, u.row_address) AS row_address, "                                  \
	"coalesce(t.row_index, u.row_index) AS row_index, "                                        \
	"coalesce(t.row_lanes, u.row_lanes) AS row_lanes, "                                        \
	"coalesce(t.row_near, u.row_near) AS row_near, NULL AS row_waits, "                        \
	"coalesce(t.row_every, u.row_every) AS row_every, sum(max(c.spare - 1, 0)) AS row_measured " \
	"FROM probe_counter c "                                                                    \
	"JOIN probe_dispatch p ON p.dispatch_id = c.dispatch_id "                                  \
	"LEFT JOIN " COST_ROWS " t ON t.code_object = c.code_object_id AND "                         \
	"t.kernel = p.kernel_id AND t.site = c.site AND t.row_shape = " COST_SHAPE              \
	" LEFT JOIN " COST_ROWS " u ON u.code_object = c.code_object_id AND "                        \
	"u.kernel = p.kernel_id AND u.site = c.site AND u.row_shape IS NULL "                   \
	"WHERE c.executions > 0 AND " chosen                                                       \
	" GROUP BY c.code_object_id, p.kernel_id, c.site, " COST_SHAPE ")"

/*
 * What tells functions and chains of calls apart. Like names of kernels, the texts themselves are
 * looked up at the end (COST_SITE), so that they are not part of what is sorted and grouped.
 */
#define COST_KEYS                                                                                  \
	"probe_text_key(s.function) AS function_key, probe_text_key(s.frames) AS frames_key"
#define COST_SITE(text)                                                                            \
	"(SELECT " text " FROM probe_site s WHERE s.code_object_id = q.code_object AND s.site = q.site)"

/*
 * Updates that wait for another lane of their wave. The handler knows them from addresses (row_waits).
 * Else they follow from strides: all but one lane of each execution, or none. Else from cache lines, each
 * of which has at least one word that is updated, and at most as many as fit. An execution that needs more
 * lines than it touches has an update that waits for each of them, at least.
 */
#define COST_ONE_WORD "m.affine = m.executions AND m.stride_lo = 0 AND m.stride_hi = 0"
#define COST_APART                                                                                 \
	"m.affine = m.executions AND (m.stride_lo >= s.size OR m.stride_hi <= -s.size)"
#define COST_WAITS(mixed, bound)                                                                   \
	"CASE WHEN " SQL_WORD(PROBE_ACCESS_TABLE, "s.access") " <> 'atomic' OR m.lines64 = 0 "     \
	"THEN 0 WHEN m.row_waits >= 0 THEN m.row_waits WHEN m.passes > 0 THEN " mixed              \
	" WHEN " COST_ONE_WORD " THEN m.lanes - m.executions WHEN " COST_APART " THEN 0 "          \
	"ELSE max(" bound ", 0) END"
#define COST_UPDATES                                                                               \
	COST_WAITS("0", "m.lanes - m.lines64 * 64 / max(s.size, 1), m.needed64 - m.lines64, "      \
			"m.lanes - m.lines128 * 128 / max(s.size, 1), m.needed128 - m.lines128")   \
	" AS waits_low, "                                                                          \
	COST_WAITS("m.lanes", "m.lanes - m.lines64") " AS waits_high"
/* What counts as cost: only where some are known to wait. */
#define COST_OF_WAITS                                                                              \
	"CASE WHEN coalesce(cause, '') <> '' AND waits_low > 0 THEN waits_high ELSE 0 END "        \
	"AS updates, lanes - waits_low AS words"
/*
 * Tries that wait for another one: of a loop of the back end, one per update; of a compare-and-swap of
 * the source, which is an execution, no more than were executed. Words of the latter are taken to be as
 * many as an execution uses: one, or those of a hash table.
 */
#define COST_SWAPS                                                                                 \
	"(SELECT y.*, CASE WHEN updates = 0 OR NOT " COST_SWAP("y.code_object", "y.kernel", "y")   \
	" THEN 'no' WHEN " COST_SWAP_LOOP("y.code_object", "y.kernel", "y")                        \
	" THEN 'machine' ELSE 'source' END AS swaps, min(updates, executions) AS tries "           \
	"FROM (SELECT *, " COST_OF_WAITS " FROM (SELECT m.*, "
#define COST_OF_UPDATES                                                                            \
	"CASE swaps WHEN 'machine' THEN updates * " COST_SWAP_TRY ".0 WHEN 'source' THEN "         \
	COST_SWAP_TRY ".0 * tries * executions / max(words, 1) ELSE updates END AS in_updates, "   \
	"CASE swaps WHEN 'machine' THEN "                                                          \
	COST_SWAP_TRY ".0 * max(1.0 * lanes / max(words, 1) - 1, 0) ELSE 0 END AS updates_low, "   \
	"CASE swaps WHEN 'no' THEN updates ELSE CASE swaps WHEN 'source' THEN tries ELSE updates " \
	"END * (" COST_SWAP_TRY " + " COST_SWAP_QUEUE " * " COST_CU_WAVES                           \
	" * coalesce(cus, " COST_CUS ")) END AS updates_high"

/*
 * The model divides work equally among workgroups. Executions that lack more than one workgroup's per
 * dispatch (the last one is often partly idle) are not: one compute unit may do all of the work. Those
 * of a window (probe-run --filter-x) lack the other workgroups.
 */
#define COST_WINDOWED                                                                              \
	"EXISTS (SELECT 1 FROM probe_run WHERE key = 'filters' AND value LIKE '%--filter-_ %')"
#define COST_PER_GROUP "((m.executions + w.groups - 1) / w.groups)"
#define COST_UNEVEN                                                                                \
	"coalesce(" COST_PER_GROUP " * w.groups - m.executions > " COST_PER_GROUP " * w.launched, 0) " \
	"AND NOT " COST_WINDOWED
#define COST_UNIT                                                                                  \
	"min(max(0, m.quads - m.executions * (w.wave / 4) * (s.size / max(s.unit, 1))), "          \
	"(m.excess64 + m.excess128) * 3 * (w.wave / 4))"
#define COST_HIGH_ALONE                                                                            \
	"conflicts + max(unit_alone, max(64 * excess64, 128 * excess128) / 64.0, updates_high)"

/* Sites with their counters: `rows` is one of the two above. */
#define COST_IN_DATA "CASE WHEN large THEN in_memory ELSE in_l2 END"
#define COST_SITES(rows)                                                                           \
	"sites AS MATERIALIZED (SELECT *, max(high_equal, CASE uneven WHEN 1 THEN "                \
	COST_HIGH_ALONE " ELSE 0 END) AS high, "                                                   \
	"uneven AND " COST_HIGH_ALONE " > high_equal AS few FROM (SELECT x.*, "                    \
	"in_lds + max(in_unit, " COST_IN_DATA ", in_updates) AS modelled, "                        \
	"in_lds + max(CASE WHEN loads THEN in_unit ELSE max(in_unit, in_l2) END, updates_low) AS low, " \
	"in_lds + max(in_unit, in_memory, updates_high) AS high_equal, "                           \
	"CASE WHEN conflicts + excess64 + excess128 + updates > 0 THEN whole_lds + max(whole_unit, " \
	"CASE WHEN large THEN whole_memory ELSE whole_l2 END, "                                    \
	"in_updates * CASE swaps WHEN 'source' THEN 1.0 * executions / max(tries, 1) "             \
	"ELSE 1.0 * lanes / max(updates, 1) END) ELSE 0 END AS whole, "                            \
	"CASE WHEN conflicts + excess64 + excess128 + updates = 0 THEN NULL "                      \
	"WHEN in_updates > max(in_lds, in_unit, " COST_IN_DATA ") "                                \
	"THEN CASE swaps WHEN 'no' THEN 'updates' ELSE 'swap loop' END "                           \
	"WHEN in_lds > max(in_unit, " COST_IN_DATA ") THEN 'LDS' "                                 \
	"WHEN in_unit > " COST_IN_DATA " THEN 'address unit' "                                     \
	"WHEN large THEN 'memory' ELSE 'L2' END AS level FROM "                                    \
	"(SELECT y.*, " COST_OF_UPDATES " FROM "                                                   \
	COST_SWAPS COST_UPDATES ", w.cus, w.launch, w.spent, w.by_original, e.all_spent, " COST_OF_TIMES ", coalesce(o.code, m.code_object) AS code, "    \
	"coalesce(o.symbol, m.kernel) AS symbol, s.file, s.line, s.\"column\", " COST_KEYS ", "        \
	"s.access, s.space, s.size, s.unit, s.align, "                                             \
	SITE_MEMORY("s") " AS memory, " COST_LOADS " AS loads, "                                   \
	REPORT_USERS("s", "file") " AS users_file, " REPORT_USERS("s", "line") " AS users_line, "  \
	REPORT_USERS("s", "column") " AS users_column, coalesce(w.large, 1) AS large, "            \
	"m.conflicts * coalesce(w.per_unit, 1) AS in_lds, "                                        \
	COST_UNEVEN " AS uneven, coalesce(" COST_UNIT ", 0) AS unit_alone, "                       \
	"CASE WHEN m.excess64 + m.excess128 > 0 THEN " COST_UNIT " * w.per_unit ELSE 0 END AS in_unit, " \
	"coalesce(64 * m.excess64 * " COST_BY_ACCESS("l2") ", 0) AS in_l2, "                                    \
	"coalesce(max(64 * m.excess64, 128 * m.excess128) * " COST_BY_ACCESS("memory") ", 0) "       \
	"AS in_memory, "                                                                           \
	"m.passes * coalesce(w.per_unit, 1) AS whole_lds, "                                        \
	"coalesce(m.quads * w.per_unit, 0) AS whole_unit, "                                        \
	"coalesce(64 * m.lines64 * " COST_BY_ACCESS("l2") ", 0) AS whole_l2, "                     \
	"coalesce(max(64 * m.lines64, 128 * m.lines128) * " COST_BY_ACCESS("memory") ", 0) "       \
	"AS whole_memory "                                                                         \
	"FROM " rows " m JOIN probe_site s ON s.code_object_id = m.code_object AND "               \
	"s.site = m.site LEFT JOIN objects o ON o.kernel = m.kernel"                              \
	COST_JOIN_WORK                                                                             \
	COST_JOIN_TIMES("o", "m.shape")                                                            \
	"WHERE probe_match(coalesce(" COST_KERNEL("display_name", "m.kernel") ", '')))) y) y) x))"

#define COST_WINDOW                                                                                \
	"PARTITION BY code, symbol, shape, file, line, \"column\", function_key, access, space, size, unit, " \
	"frames_key, CASE line WHEN 0 THEN site END"
#define COST_SUM(column) "sum(" column ") OVER w AS " column ", "

/*
 * By the model, the accesses of a kernel that have extra cost may take longer than its launches of one
 * shape, all their requests and passes together: more data came from caches, or units worked at the same
 * time. All estimates of these launches are reduced by the same factor then, so that a share of them is one
 * of their time. Updates are modelled one after the other, which may be many times that time: each is
 * reduced to it first, or nothing would remain of the other estimates.
 */
#define COST_LAUNCH "PARTITION BY code, symbol, shape, launch"
#define COST_SCALED                                                                                \
	"scaled AS MATERIALIZED (SELECT *, modelled * scale AS cost, "                             \
	"sum(modelled * scale) OVER p AS launch_cost, CASE launch_place WHEN 1 THEN "              \
	"min(launch_low, sum(modelled * scale) OVER p) END AS limited_low, "                          \
	"CASE launch_place WHEN 1 THEN min(launch_high, coalesce(spent, launch_high)) END AS limited_high " \
	"FROM (SELECT *, coalesce(alone * spent / max(sum(whole * alone) OVER "                    \
	"(" COST_LAUNCH "), spent), 1.0) AS scale FROM (SELECT *, "                                \
	"CASE WHEN level IN ('updates', 'swap loop') "                                             \
	"THEN coalesce(spent / max(launch_whole, spent), 1.0) ELSE 1.0 END AS alone FROM "         \
	"(SELECT *, sum(whole) OVER p AS launch_whole, sum(low) OVER p AS launch_low, "            \
	"sum(high) OVER p AS launch_high, row_number() OVER p AS launch_place FROM sites "         \
	"WINDOW p AS (" COST_WINDOW ", launch)))) WINDOW p AS (" COST_WINDOW ", launch))"

/* The avoidable part of `whole`, for a line's accesses. */
#define COST_SHARE(part, whole)                                                                    \
	"coalesce(1.0 * sum(" part ") OVER l / nullif(sum(" whole ") OVER l, 0), 0)"

/* One row per position of a kernel: accesses that the optimiser duplicated are added up. */
#define COST_MERGED                                                                                \
	COST_SCALED ", merged AS MATERIALIZED (SELECT *, sum(modelled) OVER l AS line_modelled, "                \
	"count(*) OVER l AS line_places, row_number() OVER (l ORDER BY modelled DESC, executions DESC, "\
	"site) AS line_place, row_number() OVER (PARTITION BY code, symbol, shape, users_file, "    \
	"users_line ORDER BY modelled DESC, executions DESC, site) = 1 AS line_first, max(" COST_SHARE("conflicts", "passes") ", "              \
	COST_SHARE("excess64", "lines64") ", " COST_SHARE("excess128", "lines128") ", "            \
	COST_SHARE("updates", "CASE WHEN updates > 0 THEN lanes END") ") AS avoidable "                                           \
	"FROM (SELECT kernel, code_object, site, "\
	"code, symbol, shape, file, line, \"column\", access, space, size, unit, align, " \
	"memory, users_file, users_line, users_column, cause, fix, row_shape AS cause_shape, row_class, row_address, row_index, row_lanes, row_every, row_near, by_original, all_spent, " COST_OF_TIMES ", level, "                \
	COST_SUM("row_measured")                                                                   \
	COST_SUM("executions") COST_SUM("lanes") COST_SUM("quads") COST_SUM("lines64")             \
	COST_SUM("needed64") COST_SUM("excess64") COST_SUM("lines128") COST_SUM("needed128")       \
	COST_SUM("excess128") COST_SUM("passes") COST_SUM("ideal_passes") COST_SUM("conflicts")    \
	COST_SUM("affine") COST_SUM("updates") COST_SUM("waits_low") COST_SUM("waits_high") COST_SUM("modelled") COST_SUM("whole") COST_SUM("low") COST_SUM("high") \
	COST_SUM("cost") COST_SUM("limited_low") COST_SUM("limited_high")                   \
	"max(swaps) OVER w AS swaps, max(few) OVER w AS few, max(max_way) OVER w AS max_way, "                                                         \
	"min(CASE WHEN affine > 0 THEN stride_lo END) OVER w AS stride_lo, "                       \
	"max(CASE WHEN affine > 0 THEN stride_hi END) OVER w AS stride_hi, "                       \
	"sum(first) OVER w AS sites, row_number() OVER (" COST_WINDOW                              \
	" ORDER BY launch_cost DESC, cost DESC, site) AS place FROM (SELECT *, row_number() OVER "               \
	"(PARTITION BY code, symbol, shape, site ORDER BY id) = 1 AS first FROM scaled) "                  \
	"WINDOW w AS (" COST_WINDOW ")) WHERE place = 1 "                                          \
	"WINDOW l AS (PARTITION BY code, symbol, shape, users_file, users_line, memory))"

#define COST_EXTRA "q.conflicts + q.excess64 + q.excess128 + q.updates"

/* Observed waits if there are enough samples, else the model. */
#define COST_SEEN "coalesce(k.total, 0) >= " COST_SAMPLES_MIN
/*
 * Waits bound nothing: other waves may wait for this one at a barrier, or a few waves work alone. A
 * loop keeps the model's bounds: without it, its other instructions would be gone, too.
 */
#define COST_BY_WAITS COST_SEEN " AND NOT coalesce(q.swaps, 0)"
#define COST_CYCLES                                                                                     \
	"CASE WHEN " COST_EXTRA " = 0 THEN CASE WHEN q.cause = '' THEN 0 END "                     \
	"WHEN " COST_SEEN " THEN coalesce(w.timed_waiting, 0) * q.avoidable / k.total * k.ns / k.runs * q.instrumented * k.mhz / 1000 * "\
	"coalesce(q.modelled / nullif(q.line_modelled, 0), 1.0 / q.line_places) "                  \
	"ELSE q.cost END"
#define COST_FIRST(column) "CASE WHEN coalesce(q.line_place, 1) = 1 THEN w." column " END AS " column ", "

/* The sum of a kernel's waits is limited like that of the model, whose factor is in `cost`. */
#define COST_TOGETHER "sum(raw) FILTER (WHERE seen) OVER (PARTITION BY code, symbol, shape)"
#define COST_SCALE                                                                                 \
	"nullif(CASE WHEN seen THEN kernel_cycles / max(" COST_TOGETHER ", kernel_cycles) "        \
	"ELSE raw / nullif(modelled, 0) END, 1.0) AS scale"

/*
 * Accesses with the waits at them, and lines whose waits belong to no counted access. No estimate
 * exceeds the time of the kernel.
 */
#define COST_COSTED                                                                                     \
	"costed AS MATERIALIZED (SELECT *, min(raw_low, cycles) AS at_least, "                     \
	"min(raw_high, coalesce(kernel_cycles, raw_high)) AS at_most "                             \
	"FROM (SELECT *, CASE WHEN seen THEN raw * coalesce(scale, 1) ELSE raw END AS cycles "     \
	"FROM (SELECT *, " COST_SCALE " FROM (SELECT q.*, " COST_SEEN " AS seen, "                 \
	"NOT (" COST_SEEN ") AND " COST_WINDOWED " AS windowed, "                                  \
	"coalesce(q.kernel, w.kernel) AS place_kernel, "           \
	"coalesce(q.users_file, w.file) AS place_file, "                                           \
	"coalesce(q.users_line, w.line) AS place_line, "                                           \
	"coalesce(q.memory, w.memory) AS place_memory, k.total, "                                  \
	COST_FIRST("samples") COST_FIRST("stalled") COST_FIRST("at") COST_FIRST("waiting") "w.waiting AS line_waiting, w.timed_waiting, " COST_CYCLES " AS raw, "       \
	"CASE WHEN " COST_BY_WAITS " THEN 0 WHEN " COST_SEEN " THEN q.low ELSE q.limited_low END " \
	"AS raw_low, CASE WHEN " COST_BY_WAITS " THEN NULL WHEN " COST_SEEN             \
	" THEN q.high ELSE q.limited_high END AS raw_high, "                                       \
	"CASE WHEN " COST_SEEN " THEN 'sampled' ELSE 'modelled: ' || q.level || "                  \
	"CASE WHEN k.total > 0 THEN ' (too few samples)' ELSE '' END END AS basis, "               \
	"coalesce(" COST_EXTRA ", 0) > 0 OR coalesce(q.cause, '') <> '' "  \
	"AS is_finding, "                                                                          \
	"coalesce(q.all_spent, CASE WHEN q.original_average IS NULL THEN q.clone_ns ELSE "         \
	"q.original_average * q.instrumented END * q.clock_mhz / 1000.0) AS kernel_cycles, "       \
	"CASE WHEN coalesce(CASE WHEN q.all_spent > 0 THEN q.by_original END, "                    \
	"q.original_average IS NOT NULL) THEN 'original' "                                         \
	"WHEN q.clone_ns IS NOT NULL THEN 'clone' END AS time_of FROM "                            \
	"merged q FULL JOIN waited w ON w.kernel = q.kernel AND "                                           \
	"w.file = q.users_file AND w.line = q.users_line AND "                                     \
	"(w.memory = q.memory OR w.memory = '' AND q.line_first) "                                 \
	"LEFT JOIN kernels k ON k.kernel = coalesce(q.kernel, w.kernel)))))"

/* clang-format on */

#endif
