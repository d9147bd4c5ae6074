/* SPDX-License-Identifier: MIT */
/* SQL: what waves waited for, by line and kind of memory, from samples of original kernels. */
#ifndef PROBE_CMDS_REPORT_WAIT_SQL_H
#define PROBE_CMDS_REPORT_WAIT_SQL_H

#include "cmds/report/site_cost.h"
#include "store/sql_words.h"

/* clang-format off */

/* Kernels that were sampled, with the time of their original dispatches. */
#define WAIT_KERNELS                                                                                    \
	"kernels AS MATERIALIZED (SELECT k.id AS kernel, k.kernel_name, "  \
	"k.code_object_id AS co, o.load_delta - o.load_base AS shift, d.* FROM "                   \
	"(SELECT p.kernel_id, count(*) AS runs, sum(s.samples) AS total, sum(r.\"end\" - r.start) AS ns, "           \
	"max(json_extract(a.extdata, '$.clock_mhz')) AS mhz FROM probe_sampled s "                 \
	"JOIN probe_dispatch p ON p.dispatch_id = s.dispatch_id AND NOT " SQL_INSTRUMENTED("p") " " \
	"JOIN rocpd_kernel_dispatch r ON r.dispatch_id = s.dispatch_id "                           \
	"LEFT JOIN rocpd_info_agent a ON a.id = r.agent_id GROUP BY p.kernel_id) d "               \
	"JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id "                                   \
	"JOIN rocpd_info_code_object o ON o.id = k.code_object_id)"

/* Samples by state: of any known one, stalled, and stalled for these two reasons. */
#define WAIT_REASON(code) SQL_WORD(PROBE_PCS_REASON_TABLE, code)
#define WAIT_STATES(samples, known, stalled, code)                                                 \
	"sum(" samples ") FILTER (WHERE " known ") AS any, "                                       \
	"sum(" samples ") FILTER (WHERE " stalled ") AS stalled, "                                 \
	"sum(" samples ") FILTER (WHERE " stalled " AND " WAIT_REASON(code) " = 'waitcnt') "       \
	"AS waitcnt, sum(" samples ") FILTER (WHERE " stalled " AND " WAIT_REASON(code)            \
	" = 'arbiter') AS arbiter "

/*
 * A sample stands for more time in a dispatch of few waves than in one of many. Its weight is the time
 * per sample of the dispatches with the same launch shape, relative to that of all of the kernel.
 */
#define WAIT_WEIGHTS                                                                               \
	"timed AS MATERIALIZED (SELECT dispatch_id, kernel, "                                      \
	"sum(ns) OVER shape * sum(samples) OVER k / (sum(samples) OVER shape * sum(ns) OVER k) "   \
	"AS weight FROM (SELECT p.kernel_id AS kernel, p.dispatch_id, 1.0 * s.samples AS samples, " \
	"1.0 * (r.\"end\" - r.start) AS ns, " COST_SHAPE " AS shape FROM probe_sampled s "         \
	"JOIN probe_dispatch p ON p.dispatch_id = s.dispatch_id AND NOT " SQL_INSTRUMENTED("p") " " \
	"JOIN rocpd_kernel_dispatch r ON r.dispatch_id = s.dispatch_id) "                          \
	"WINDOW k AS (PARTITION BY kernel), shape AS (PARTITION BY kernel, shape)), "              \
	"profiled AS MATERIALIZED (SELECT t.kernel, u.code_object AS co, u.offset, "               \
	"sum(u.samples * t.weight) / sum(u.samples) AS weight, sum(u.samples) AS samples, "        \
	WAIT_STATES("u.samples", "NOT u.issued OR u.code <> 0", "NOT u.issued", "u.code")          \
	"FROM probe_profile p, probe_unpack(p.bytes) u JOIN timed t ON t.dispatch_id = u.dispatch " \
	"WHERE EXISTS (SELECT 1 FROM timed WHERE abs(weight - 1) > 1e-6) OR "                      \
	"EXISTS (SELECT 1 FROM named) GROUP BY t.kernel, u.code_object, u.offset)"
/* The same columns for databases of earlier versions, without samples by dispatch. */
#define WAIT_NO_WEIGHTS                                                                            \
	"profiled AS (SELECT NULL AS kernel, NULL AS co, NULL AS offset, NULL AS weight, "         \
	"NULL AS samples, NULL AS any, NULL AS stalled, NULL AS waitcnt, NULL AS arbiter WHERE 0)"

#define WAIT_CODE(from, symbol, called)                                                            \
	"SELECT k.kernel, k.co, i.address, i.address + k.shift AS offset, "                        \
	"coalesce(i.users_file, '') AS file, coalesce(i.users_line, 0) AS line, i.space, i.at, "   \
	called " AS called FROM " from " k, probe_instructions(k.co, k." symbol ") i"

/* Samples in functions that were not inlined: outside of the kernels' own code. */
#define WAIT_OWN                                                                                   \
	"own AS MATERIALIZED (" WAIT_CODE("kernels", "kernel_name", "0") "), "                     \
	"named AS MATERIALIZED (SELECT * FROM (SELECT s.co, s.offset, s.offset - k.shift AS "      \
	"address, probe_kernel_at(s.co, s.offset - k.shift) AS name FROM (SELECT "                 \
	"code_object_id AS co, offset FROM probe_sample WHERE code_object_id IN (SELECT co FROM "  \
	"kernels) EXCEPT SELECT co, offset FROM own) s JOIN (SELECT DISTINCT co, shift FROM "      \
	"kernels) k ON k.co = s.co) WHERE name LIKE '[function] %')"
/*
 * These functions belong to each kernel whose dispatches have samples there: their code is code of
 * the kernel, with the samples of its dispatches only.
 */
#define WAIT_INSTRUCTIONS                                                                          \
	"functions AS MATERIALIZED (SELECT k.kernel, k.co, k.shift, '@' || min(n.address) AS "     \
	"symbol FROM profiled p JOIN named n ON n.co = p.co AND n.offset = p.offset "              \
	"JOIN kernels k ON k.kernel = p.kernel AND k.co = p.co GROUP BY k.kernel, k.co, n.name), " \
	"code AS MATERIALIZED (SELECT * FROM own UNION ALL "                                       \
	WAIT_CODE("functions", "symbol", "1") ")"

/* wait: at an s_waitcnt; queue: could not issue. Without states every sample may be either. */
#define WAIT_EITHER(row)                                                                           \
	"CASE WHEN " row ".any IS NULL THEN s.samples ELSE "                                       \
	"coalesce(" row ".waitcnt, 0) END AS wait, " \
	"CASE WHEN " row ".any IS NULL THEN s.samples ELSE "                                       \
	"coalesce(" row ".arbiter, 0) END AS queue "
#define WAIT_HITS                                                                                  \
	"hits AS MATERIALIZED (SELECT c.*, s.samples, t.stalled, coalesce(w.weight, 1.0) AS by_time, " \
	WAIT_EITHER("t") "FROM code c "                                                            \
	"JOIN probe_sample s ON s.code_object_id = c.co AND s.offset = c.offset "                  \
	"LEFT JOIN (SELECT code_object_id, offset, "                                               \
	WAIT_STATES("samples", "1", "NOT issued", "code")                                          \
	"FROM probe_state GROUP BY code_object_id, offset) t ON t.code_object_id = c.co "          \
	"AND t.offset = c.offset LEFT JOIN profiled w ON w.kernel = c.kernel AND w.co = c.co "     \
	"AND w.offset = c.offset WHERE NOT c.called "                                              \
	"UNION ALL SELECT c.*, s.samples, s.stalled, s.weight, " WAIT_EITHER("s") "FROM code c "   \
	"JOIN profiled s ON s.kernel = c.kernel AND s.co = c.co AND s.offset = c.offset "          \
	"WHERE c.called)"

#define WAIT_WAITS                                                                                 \
	"waits AS (SELECT p.kernel, p.file, p.line, p.space, sum(n) AS waiting, "                  \
	"sum(n * by_time) AS timed_waiting FROM (SELECT k.kernel, w.producer AS address, "         \
	"h.wait * w.weight AS n, h.by_time FROM (SELECT kernel, co, kernel_name AS symbol FROM "   \
	"kernels UNION ALL SELECT kernel, co, symbol FROM functions) k, "                          \
	"probe_waits(k.co, k.symbol) w JOIN hits h ON h.kernel = k.kernel AND "                    \
	"h.address = w.wait UNION ALL SELECT kernel, address, queue, by_time FROM hits "           \
	"WHERE space IN ('lds', 'global', 'scalar')) x "                                           \
	"JOIN code p ON p.kernel = x.kernel AND p.address = x.address "                            \
	"GROUP BY p.kernel, p.file, p.line, p.space)"

/* By kernel, user's line and kind of memory; the kind is NULL for lines without an access. */
#define WAIT_WAITED                                                                                \
	"waited AS MATERIALIZED (SELECT p.kernel AS kernel, p.file, p.line, p.space AS memory, "   \
	"l.samples, l.stalled, l.at, w.waiting, w.timed_waiting FROM "                             \
	"(SELECT kernel, file, line, space FROM waits UNION SELECT kernel, file, line, '' FROM "   \
	"lines l WHERE NOT EXISTS (SELECT 1 FROM waits w WHERE w.kernel = l.kernel AND "           \
	"w.file = l.file AND w.line = l.line)) p "                                                 \
	"LEFT JOIN lines l ON l.kernel = p.kernel AND l.file = p.file AND l.line = p.line "        \
	"LEFT JOIN waits w ON w.kernel = p.kernel AND w.file = p.file AND w.line = p.line AND "    \
	"w.space = p.space)"
#define WAIT_LINES                                                                                 \
	"lines AS MATERIALIZED (SELECT kernel, file, line, sum(samples) AS samples, "              \
	"sum(stalled) AS stalled, group_concat(DISTINCT at) AS at FROM hits "                      \
	"GROUP BY kernel, file, line)"

/* `weights` is WAIT_WEIGHTS if the database has probe_profile. */
#define WAIT_ALL(weights)                                                                          \
	WAIT_KERNELS ", " WAIT_OWN ", " weights ", " WAIT_INSTRUCTIONS ", "                        \
	WAIT_HITS ", " WAIT_WAITS ", "                                                             \
	WAIT_LINES ", " WAIT_WAITED

/* The same columns for a run that was not sampled. */
#define WAIT_NONE                                                                                  \
	"kernels AS (SELECT NULL AS kernel, NULL AS co, NULL AS total, NULL AS ns, " \
	"NULL AS runs, NULL AS mhz WHERE 0), "                                                                   \
	"waited AS (SELECT NULL AS kernel, NULL AS file, NULL AS line, NULL AS memory, "           \
	"NULL AS samples, NULL AS stalled, NULL AS at, NULL AS waiting, NULL AS timed_waiting WHERE 0)"

/* clang-format on */

#endif
