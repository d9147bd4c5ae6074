/* SPDX-License-Identifier: MIT */
#include "cmds/report/annotate_query.h"

#include "store/sql_words.h"

static const struct report_column columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "name",
	 "demangled, or [function] and its name: not inlined, called by any kernel"},
	{"address", "address", REPORT_INT, true, "address", "in the code object's image"},
	{"instruction", "instruction", REPORT_TEXT, true, "text", "disassembled"},
	{"file", "file", REPORT_TEXT, false, "file", "empty: compiled without -g"},
	{"line", "line", REPORT_INT, true, "line", "0: made by the compiler"},
	{"column", "col", REPORT_INT, false, "\"column\"", "byte in the line, from 1"},
	{"stack", "stack", REPORT_TEXT, false, "stack",
	 "file:line, then of the calls it was inlined by, innermost first"},
	{"source", "source", REPORT_TEXT, false, "source", "text of the line"},
	{"memory", "memory", REPORT_TEXT, false, "space",
	 "lds, global, scalar: what it accesses; wait: s_waitcnt"},
	{"samples", "samples", REPORT_INT, true, "samples", "of waves that stood here"},
	{"share", "%", REPORT_REAL, true, "round(100.0 * samples / total, 2)",
	 "of the kernel's samples, or the function's"},
	{"issued", "issued", REPORT_INT, true, "issued", "in the cycle of the sample"},
	{"stalled", "stalled", REPORT_INT, true, "stalled", "the sum of the next"},
	{"waitcnt", "waitcnt", REPORT_INT, true, "waitcnt", "waiting for memory or LDS"},
	{"barrier", "barrier", REPORT_INT, false, "barrier", "waiting for other waves"},
	{"alu", "alu", REPORT_INT, false, "alu", "waiting for an earlier result"},
	{"arbiter", "arbiter", REPORT_INT, true, "arbiter",
	 "another wave was chosen, or the unit was busy"},
	{"internal", "internal", REPORT_INT, false, "internal", "s_nop and the like"},
	{"fetch", "fetch", REPORT_INT, false, "fetch", "no instruction fetched yet"},
	{"sleep", "sleep", REPORT_INT, false, "sleep", "s_sleep"},
	{"other", "other", REPORT_INT, false, "other", ""},
	{"lanes", "lanes", REPORT_REAL, true, "round(1.0 * lanes / samples, 1)",
	 "active lanes, average"},
	{"executions", "execs", REPORT_INT, true, "executions",
	 "waves that executed the accesses of this place, as probes counted them"},
	{"lines128_used", "l128 used", REPORT_INT, false, "lines128", "128-byte lines touched"},
	{"lines128_needed", "l128 need", REPORT_INT, false, "needed128", "fewest possible"},
	{"lines128_excess", "l128 excess", REPORT_INT, true, "excess128", "judged per execution"},
	{"passes", "passes", REPORT_INT, false, "passes", "LDS passes"},
	{"ideal_passes", "ideal", REPORT_INT, false, "ideal_passes", "fewest possible"},
	{"conflicts", "conflicts", REPORT_INT, true, "conflicts", "LDS passes lost"},
	{"max_way", "n-way", REPORT_INT, false, "max_way", "worst phase of any execution"},
	{"spans", "spans", REPORT_TEXT, false, "spans",
	 "what --kind time measured from this line on: block, region, function"},
	{"span_executions", "span execs", REPORT_INT, false, "span_executions", "of those"},
	{"span_cycles", "span cycles", REPORT_INT, false, "span_cycles",
	 "of the device's clock, of all waves, summed"},
	{"span_share", "span %", REPORT_REAL, false, "round(100.0 * span_share, 2)",
	 "of the cycles of all waves of the kernel"},
	{"code_object", "object", REPORT_INT, false, "co", "id"},
};

/* LDS, or what goes through the caches. */
#define SITE_MEMORY                                                                                \
	"CASE " SQL_WORD(PROBE_SPACE_TABLE, "s.space") " WHEN 'lds' THEN 'lds' ELSE 'global' END"

/* What probes counted, by place: an instruction has no site of its own. */
#define SITES                                                                                          \
	"sites AS MATERIALIZED (SELECT m.kernel, s.file, s.line, s.\"column\", s.access, " SITE_MEMORY \
	" AS space, "                                                                                  \
	"sum(m.executions) AS executions, sum(m.lines128) AS lines128, "                               \
	"sum(m.needed128) AS needed128, sum(m.excess128) AS excess128, sum(m.passes) AS passes, "      \
	"sum(m.ideal_passes) AS ideal_passes, sum(m.conflicts) AS conflicts, "                         \
	"max(m.max_way) AS max_way FROM probe_memory_site m JOIN probe_site s ON "                     \
	"s.code_object_id = m.code_object AND s.site = m.site GROUP BY m.kernel, s.file, s.line, "     \
	"s.\"column\", s.access, 6)"
#define NO_SITES                                                                                   \
	"sites AS (SELECT NULL AS kernel, NULL AS file, NULL AS line, NULL AS \"column\", "        \
	"NULL AS access, NULL AS space, NULL AS executions, NULL AS lines128, "                    \
	"NULL AS needed128, NULL AS excess128, NULL AS passes, NULL AS ideal_passes, "             \
	"NULL AS conflicts, NULL AS max_way)"

/* Time stamps: spans that begin on the line. */
#define SPANS                                                                                      \
	"spans AS MATERIALIZED (SELECT t.kernel, s.file, s.line, "                                 \
	"group_concat(DISTINCT t.what) AS spans, sum(t.executions) AS span_executions, "           \
	"sum(t.cycles) AS span_cycles, sum(t.share) AS span_share FROM probe_time_span t "         \
	"JOIN probe_site s ON s.code_object_id = t.code_object AND s.site = t.site "               \
	"WHERE s.line > 0 GROUP BY t.kernel, s.file, s.line)"
#define NO_SPANS                                                                                   \
	"spans AS (SELECT NULL AS kernel, NULL AS file, NULL AS line, NULL AS spans, "             \
	"NULL AS span_executions, NULL AS span_cycles, NULL AS span_share)"

#define ACCESS                                                                                     \
	"CASE WHEN i.text LIKE '%atomic%' OR i.text LIKE 'ds\\_add%' ESCAPE '\\' THEN 3 "          \
	"WHEN i.text LIKE '%\\_load%' ESCAPE '\\' OR i.text LIKE 'ds\\_read%' ESCAPE '\\' THEN 1 " \
	"WHEN i.text LIKE '%\\_store%' ESCAPE '\\' OR i.text LIKE 'ds\\_write%' ESCAPE '\\' THEN 2 END"

/* Functions that were not inlined, and were sampled; whichever kernels called them. */
#define FUNCTIONS                                                                                  \
	"SELECT -row_number() OVER (ORDER BY co, name), name, '@' || min(address), co, shift "     \
	"FROM (SELECT *, probe_kernel_at(co, address) AS name FROM (SELECT "                       \
	"s.code_object_id AS co, s.offset - (o.load_delta - o.load_base) AS address, "             \
	"o.load_delta - o.load_base AS shift FROM probe_sample s JOIN rocpd_info_code_object o "   \
	"ON o.id = s.code_object_id)) WHERE name LIKE '[function] %' GROUP BY co, name"

/* Original kernels that were launched; clones have the same lines twice over. */
#define ROWS(source, sites, times)                                                                          \
	"(WITH kernels AS MATERIALIZED (SELECT k.id AS kernel, k.display_name AS name, "                    \
	"k.kernel_name AS symbol, k.code_object_id AS co, o.load_delta - o.load_base AS shift "             \
	"FROM rocpd_info_kernel_symbol k JOIN rocpd_info_code_object o ON "                                 \
	"o.id = k.code_object_id WHERE k.id IN (SELECT kernel_id FROM probe_dispatch) UNION ALL " FUNCTIONS \
	"), "                                                                                               \
	"hits AS MATERIALIZED (SELECT * FROM " source "), " sites ", " times                                \
	" SELECT k.kernel, k.name, k.co, i.*, h.*, m.executions, m.lines128, m.needed128, "                 \
	"m.excess128, m.passes, m.ideal_passes, m.conflicts, m.max_way, t.spans, "                          \
	"t.span_executions, t.span_cycles, t.span_share, src.text AS source, "                              \
	"probe_comment_at(k.co, i.address) AS stack, "                                                      \
	"sum(h.samples) OVER (PARTITION BY k.kernel) AS total FROM kernels k, "                             \
	"probe_instructions(k.co, k.symbol) i LEFT JOIN hits h ON h.code_object_id = k.co AND "             \
	"h.offset = i.address + k.shift LEFT JOIN sites m ON m.kernel = k.kernel AND "                      \
	"m.file = i.file AND m.line = i.line AND m.\"column\" = i.\"column\" AND "                          \
	"m.space = i.space AND m.access = " ACCESS " LEFT JOIN spans t ON "                                 \
	"t.kernel = k.kernel AND t.file = i.file AND t.line = i.line LEFT JOIN probe_source src ON "        \
	"src.file = i.file AND src.line = i.line)"

#define QUERY(source, sites, times)                                                                \
	{                                                                                          \
		.verb = "annotate", .columns = columns,                                            \
		.count = sizeof(columns) / sizeof(*columns), .from = ROWS(source, sites, times),   \
		.kernel_column = "kernel", .sort = "+kernel,+code_object,+address"                 \
	}

#define QUERIES(source)                                                                            \
	{                                                                                          \
		{QUERY(source, NO_SITES, NO_SPANS), QUERY(source, NO_SITES, SPANS)},               \
			{QUERY(source, SITES, NO_SPANS), QUERY(source, SITES, SPANS)},             \
	}

/* By source, whether sites were counted, whether spans were timed. */
static const struct report_query queries[REPORT_FROM_SAMPLES + 1][2][2] = {
	QUERIES(SAMPLES_SUMS),
	QUERIES(SAMPLES_DISPATCHES("NULL")),
	QUERIES(SAMPLES_SAMPLES("NULL")),
};

const struct report_query *report_annotate_query(enum report_source source, bool probed, bool timed)
{
	return &queries[source][probed][timed];
}
