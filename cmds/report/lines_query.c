/* SPDX-License-Identifier: MIT */
#include "cmds/report/lines_query.h"

#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/sample_join.h"
#include "cmds/report/sample_source.h"
#include "cmds/report/site_cost.h"
#include "cmds/report/wait_sql.h"
#include "common/err.h"

/* clang-format off */

/*
 * The instructions that the back end generated at a position: it merges accesses after the probes'
 * widths have been chosen. Instructions are found by debug information, so an access that was
 * merged into one at another position is missing.
 */
#define SYMBOL COST_KERNEL("kernel_name", "q.kernel")
/* Buffer instructions are those of private memory, if the kernel has some. */
#define PRIVATE_OR_NOT                                                                             \
	"(q.space_word = 'scratch') = (i.text GLOB 'buffer_*' AND "                                \
	COST_KERNEL("private_segment_size", "q.kernel") " > 0)"
#define SAME_KIND                                                                                  \
	PRIVATE_OR_NOT " AND i.space = CASE q.space_word WHEN 'lds' THEN 'lds' ELSE 'global' END "                          \
	"AND CASE q.access_word WHEN 'load' THEN i.text GLOB '*_load*' OR i.text GLOB 'ds_read*' "      \
	"WHEN 'store' THEN i.text GLOB '*_store*' OR i.text GLOB 'ds_write*' "                     \
	"ELSE i.text GLOB '*_atomic*' OR (i.text GLOB 'ds_*' AND NOT i.text GLOB 'ds_read*' "      \
	"AND NOT i.text GLOB 'ds_write*') END"
#define MACHINE_WHERE(position)                                                                    \
	"(SELECT group_concat(DISTINCT substr(i.text, 1, instr(i.text || ' ', ' ') - 1)) "         \
	"FROM probe_instructions(q.code_object, " SYMBOL ") i WHERE " position SAME_KIND ")"
/* The position is a likely one (PROBE_SITE_LIKELY_LINE): the instruction has no line. */
#define APPROXIMATE COST_SITE("s.kinds >> 31 & 1")
#define MACHINE                                                                                    \
	MACHINE_WHERE("CASE WHEN " APPROXIMATE " THEN coalesce(i.line, 0) = 0 "                    \
		      "ELSE i.line = q.line AND i.\"column\" = q.\"column\" AND i.file = q.file END AND ")

/*
 * The instructions that an access without a line may be in the original kernel, and the line before
 * it.
 */
#define WITHOUT_LINE                                                                               \
	"FROM probe_instructions(q.code_object, " SYMBOL ") i WHERE coalesce(i.line, 0) = 0 AND " SAME_KIND
#define CANDIDATES                                                                                           \
	"CASE WHEN q.line = 0 OR " APPROXIMATE " THEN (SELECT group_concat(one, '; ') FROM (SELECT "                              \
	"printf('%s (0x%x)', i.text, i.address) || coalesce(', after ' || "                                  \
	"(SELECT j.users_file || ':' || j.users_line "                                                       \
	"FROM probe_instructions(q.code_object, " SYMBOL ") j "                                                \
	"WHERE j.users_line > 0 AND j.address < i.address ORDER BY j.address DESC LIMIT 1), '') "            \
	"AS one " WITHOUT_LINE " ORDER BY i.address LIMIT 3)) || "                                           \
	"(SELECT CASE WHEN count(*) > 3 THEN printf('; or %d more', count(*) - 3) ELSE '' END " WITHOUT_LINE \
	") END"

#define SWAP_LOOP                                                                                  \
	"(q.access_word = 'atomic' AND " COST_SWAP_LOOP("q.code_object", "q.kernel", "q") ")"

/* The origin of the numbers. If a run has several kinds, all records were traced. */
#define BASIS                                                                                      \
	"CASE WHEN q.access IS NULL THEN NULL WHEN EXISTS (SELECT 1 FROM probe_run "               \
	"WHERE key = 'kind' AND value = 'trace') THEN 'traced' "                                   \
	"WHEN q.row_every > 0 THEN 'sampled 1-in-' || q.row_every "                                \
	"ELSE probe_basis(q.code_object, q.site) END"

#define KERNEL "coalesce(" COST_KERNEL("display_name", "q.place_kernel") ", '')"

/*
 * Hoeffding's bound of a mean: the range of a value times sqrt(ln(2 / 0.05) / 2 / n). A machine access
 * requests 1 to 64 cache lines, or 128 if lanes may cross the end of one, and takes at most 64 passes
 * more than the fewest.
 */
#define SAMPLE_ERROR                                                                               \
	"CASE WHEN row_every > 0 AND row_measured > 0 AND lines128 + passes > 0 THEN "             \
	"round(100.0 * (CASE WHEN align < unit THEN 127 ELSE 64 END) * (size / max(unit, 1)) * "   \
	"sqrt(ln(2 / 0.05) / 2 / row_measured) * executions / max(lines128, passes), 1) END"

#define COST "cycles IS NOT NULL AND " COST_EXTRA " > 0"

static const struct report_column columns[] = {
	{"position", "position", REPORT_TEXT, false,
	 "CASE coalesce(place_line, 0) WHEN 0 THEN '(unknown)' ELSE place_file || ':' || place_line END",
	 "file:line; unknown: compiled without -g, or generated by the compiler"},
	{"file", "file", REPORT_TEXT, true, "place_file",
	 "source file; for accesses inlined from headers of HIP, your own"},
	{"line", "line", REPORT_INT, true, "place_line", "0: compiled without -g"},
	{"column", "col", REPORT_INT, true, "users_column", "byte in the line, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, KERNEL, "demangled"},
	{"launch_shape", "launch shape", REPORT_TEXT, false, "launch_shapes",
	 "number and size of workgroups; or the number of shapes in which the kernel was launched"},
	{"function", "function", REPORT_TEXT, false, COST_SITE("s.function"),
	 "function of the line, perhaps inlined"},
	{"access", "access", REPORT_TEXT, true, "access_word",
	 "load, store, atomic; with --kind count: block"},
	{"space", "space", REPORT_TEXT, true, "space_word", "global, lds, flat, ..."},
	{"memory", "memory", REPORT_TEXT, false, "place_memory", "lds, global, scalar"},
	{"size", "size", REPORT_INT, true, "size", "bytes per lane"},
	{"unit", "unit", REPORT_INT, false, "unit",
	 "bytes per instruction and lane, as probes counted it"},
	{"align", "align", REPORT_INT, false, "align", "known alignment, bytes"},
	{"executions", "executions", REPORT_INT, true, "executions",
	 "waves that executed the access; with --kind count: the block, of which the line may be a part"},
	{"lanes", "lanes", REPORT_INT, false, "lanes", "active lanes, summed"},
	{"mean_lanes", "mean lanes", REPORT_REAL, false,
	 "round(1.0 * lanes / nullif(executions, 0), 2)", "active lanes, on average"},
	{"quads", "quads", REPORT_INT, false, "quads", "cycles of the address coalescer"},
	{"lines64_used", "64B cache lines", REPORT_INT, false, "lines64",
	 "64-byte cache lines requested"},
	{"lines64_needed", "64B needed", REPORT_INT, false, "needed64", "fewest possible if no lanes share bytes"},
	{"lines64_excess", "extra 64B requests", REPORT_INT, false, "excess64",
	 "extra requests for 64-byte cache lines, summed over executions"},
	{"lines128_used", "128B cache lines", REPORT_INT, true, "lines128",
	 "128-byte cache lines requested"},
	{"lines128_needed", "128B needed", REPORT_INT, true, "needed128", "fewest possible if no lanes share bytes"},
	{"lines128_excess", "extra 128B requests", REPORT_INT, false, "excess128",
	 "extra requests for 128-byte cache lines, summed over executions"},
	{"passes", "passes", REPORT_INT, false, "passes", "LDS passes taken"},
	{"ideal_passes", "ideal passes", REPORT_INT, false, "ideal_passes", "fewest possible"},
	{"conflicts", "bank conflicts", REPORT_INT, true, "conflicts", "extra LDS passes"},
	{"updates", "waiting updates", REPORT_INT, false, "waits_high",
	 "updates of global memory that wait for another lane of their wave which updates the same word, at most"},
	{"updates_low", "waiting at least", REPORT_INT, false, "waits_low",
	 "the same, at least: what is known from counters. Equal to updates: exact, as with --kind trace"},
	{"max_way", "n-way", REPORT_INT, true, "max_way", "worst bank conflict of any execution"},
	{"affine", "affine", REPORT_INT, false, "affine", "executions with one constant stride"},
	{"stride_lo", "stride lo", REPORT_INT, false, "stride_lo", "smallest stride, bytes"},
	{"stride_hi", "stride hi", REPORT_INT, false, "stride_hi", "largest stride, bytes"},
	{"cycles", "extra cycles (estimate)", REPORT_INT, true, "CAST(round(cycles) AS INTEGER)",
	 "estimated cost of extra passes, requests and waiting updates in the whole run (see probe-report "
	 "--help); empty: not estimated"},
	{"cycles_low", "at least", REPORT_INT, false, "CASE WHEN " COST " THEN CAST(round(at_least) AS INTEGER) END",
	 "lower bound: loads hit in L1, updates of a wave are combined; 0 if samples are the basis"},
	{"cycles_high", "at most", REPORT_INT, false, "CASE WHEN " COST " THEN CAST(round(at_most) AS INTEGER) END",
	 "upper bound: everything comes from memory, all waves update the same words; empty if samples are the "
	 "basis: they bound nothing"},
	{"uneven", "uneven", REPORT_INT, false, "CASE WHEN " COST " THEN few AND at_most NOT NULL END",
	 "1: workgroups execute the access different numbers of times, and cycles_high is for one compute unit "
	 "that does all of it"},
	{"cycles_basis", "basis of cycles", REPORT_TEXT, true, "CASE WHEN " COST " THEN basis END",
	 "sampled; or modelled, with the unit or level that limits: LDS, address unit, L2, memory, "
	 "updates (of one word), swap loop (the same, in a compare-and-swap loop)"},
	{"cycles_scale", "scale of cycles", REPORT_REAL, false, "CASE WHEN " COST " THEN round(scale, 4) END",
	 "factor in the cycles of all accesses of the kernel, because by the model those with extra cost take "
	 "longer than the kernel; empty: 1"},
	{"time_share", "% of time", REPORT_REAL, true,
	 "round(100.0 * cycles / nullif(CASE WHEN NOT windowed THEN kernel_cycles END, 0), 2)",
	 "extra cycles divided by kernel cycles; empty if only some workgroups were counted (--filter-x)"},
	{"kernel_cycles", "kernel cycles", REPORT_INT, false, "CAST(round(kernel_cycles) AS INTEGER)",
	 "cycles of the dispatches that were counted"},
	{"time_of", "time of", REPORT_TEXT, true, "time_of",
	 "original: the uninstrumented kernel; clone: only its instrumented clone was timed"},
	{"samples", "samples", REPORT_INT, false, "samples",
	 "samples at the line; if it has several accesses, shown with the first"},
	{"share", "% of kernel", REPORT_REAL, false, "round(100.0 * samples / total, 2)",
	 "share of the samples in the kernel's dispatches, including functions that it calls"},
	{"stalled", "stalled", REPORT_INT, false, "stalled",
	 "samples of stalled waves; not known with host trap"},
	{"stalled_share", "% stalled", REPORT_REAL, false, "round(100.0 * stalled / total, 2)",
	 "of the kernel's samples"},
	{"waiting", "waiting", REPORT_REAL, false, "round(waiting, 2)",
	 "samples of waves that waited for these accesses, on any line"},
	{"line_waiting", "waiting at line", REPORT_REAL, false, "round(line_waiting, 2)",
	 "the same, repeated for each access of the line"},
	{"timed_waiting", "waiting by time", REPORT_REAL, false, "round(timed_waiting, 2)",
	 "waiting at line, with each sample weighted by the kernel's time per sample in its launch shape: the "
	 "basis of cycles"},
	{"waiting_share", "% waiting", REPORT_REAL, false, "round(100.0 * waiting / total, 2)",
	 "of the kernel's samples"},
	{"kernel_samples", "kernel samples", REPORT_INT, false, "total",
	 "samples in the kernel's dispatches; below " COST_SAMPLES_MIN " they are no basis"},
	{"avoidable", "% avoidable", REPORT_REAL, false, "round(100.0 * avoidable, 2)",
	 "the part that is extra of the LDS passes, cache-line requests or updates of words of the "
	 "line's accesses to this memory; if it has several kinds, the largest part"},
	{"at", "inlined at", REPORT_TEXT, false, "at",
	 "call in the kernel itself through which the line was inlined"},
	{"cause", "cause", REPORT_TEXT, false, "cause",
	 "why it costs more than needed; empty: there is nothing to fix"},
	{"fix", "fix", REPORT_TEXT, false, "fix", "what to change"},
	{"address_class", "address class", REPORT_TEXT, false, "row_class",
	 "how the address depends on the lane: uniform, affine, rows, wrapped, computed, gather, chase"},
	{"address", "address", REPORT_TEXT, false, "row_address",
	 "the address as the compiler pass knows it; empty: no expression"},
	{"index_source", "index from", REPORT_TEXT, false, "row_index",
	 "file:line of the load or atomic update of the index; empty if there are several"},
	{"lane_offsets", "lane offsets", REPORT_TEXT, false, "row_lanes",
	 "bytes from the first lane's address to that of each lane of the first wave; empty: not known"},
	{"cause_shape", "cause in", REPORT_TEXT, false, "cause_shape",
	 "launch shape that cause and fix are about: the one with the highest cost; empty: several"},
	{"source", "source", REPORT_TEXT, false,
	 "(SELECT text FROM probe_source t WHERE t.file = place_file AND t.line = place_line)",
	 "text of the line, as it was when the program ran"},
	{"source_state", "source state", REPORT_TEXT, false, "probe_source_state(place_file)",
	 "empty; newer than the program; changed since the run"},
	{"own_file", "own file", REPORT_TEXT, false, "file",
	 "file of the access itself, perhaps a header"},
	{"own_line", "own line", REPORT_INT, false, "line", ""},
	{"own_column", "own col", REPORT_INT, false, "\"column\"", ""},
	{"inlined", "frames", REPORT_JSON_TEXT, false,
	 COST_SITE("CASE WHEN json_valid(s.frames) THEN s.frames ELSE '[]' END"), "callers, innermost first"},
	{"sites", "sites", REPORT_INT, false, "sites", "accesses or blocks at this position, summed"},
	{"site", "site", REPORT_INT, false, "site", "id of the access with the highest cost"},
	{"code_object", "object", REPORT_INT, false, "code_object", "id"},
	{"machine", "machine", REPORT_TEXT, false, MACHINE,
	 "instructions of the original kernel at this position"},
	{"finding", "finding", REPORT_INT, false, "is_finding",
	 "1: there is something to fix"},
	{"finding_kernels", "kernels", REPORT_INT, false, "all_kernels",
	 "kernels (such as instantiations of a template) that have the finding"},
	{"finding_places", "places", REPORT_INT, false, "all_places",
	 "accesses with a finding at this position, in all kernels"},
	{"finding_cycles", "cycles of all kernels", REPORT_INT, false, "CAST(round(position_cycles) AS INTEGER)",
	 "extra cycles at this position in all kernels"},
	{"finding_rank", "rank", REPORT_INT, false, "rank",
	 "1: of these kernels, the one with the highest cost"},
	{"finding_order", "order", REPORT_INT, false, "CAST(round(order_cycles) AS INTEGER)",
	 "extra cycles of the findings at this position, in all kernels; findings are sorted by them"},
	{"group_rank", "group rank", REPORT_INT, false, "group_rank",
	 "1: the finding of several accesses to LDS at constant distances in one block, which may be one "
	 "instruction; 2 and higher: the others of them"},
	{"group_at", "group", REPORT_TEXT, false, "CASE group_rank WHEN 1 THEN group_at END",
	 "line and column of these others"},
	{"group_cycles", "cycles of the group", REPORT_INT, false,
	 "CAST(round(group_cycles) AS INTEGER)", "extra cycles of all of them"},
#define OF_FINDING(name, title, expression, what)                                                 \
	{"finding_" name, title " of finding", REPORT_INT, false,                                  \
	 "CASE WHEN is_finding THEN CAST(round(" expression ") AS INTEGER) END", what " of all accesses of the finding"}
	OF_FINDING("executions", "executions", "all_executions", "executions"),
	OF_FINDING("lanes", "lanes", "all_lanes", "active lanes"),
	OF_FINDING("lines64_used", "64B cache lines", "all_lines64", "64-byte cache lines requested"),
	OF_FINDING("lines64_needed", "64B needed", "all_needed64", "lines64_needed"),
	OF_FINDING("lines64_excess", "extra 64B requests", "all_excess64", "lines64_excess"),
	OF_FINDING("lines128_used", "128B cache lines", "all_lines128", "128-byte cache lines requested"),
	OF_FINDING("lines128_needed", "128B needed", "all_needed128", "lines128_needed"),
	OF_FINDING("lines128_excess", "extra 128B requests", "all_excess128", "lines128_excess"),
	OF_FINDING("passes", "passes", "all_passes", "LDS passes"),
	OF_FINDING("ideal_passes", "ideal passes", "all_ideal_passes", "ideal passes"),
	OF_FINDING("conflicts", "bank conflicts", "all_conflicts", "extra LDS passes"),
	OF_FINDING("max_way", "n-way", "all_max_way", "worst bank conflict"),
	OF_FINDING("updates", "waiting updates", "all_waits_high", "waiting updates"),
	OF_FINDING("updates_low", "waiting at least", "all_waits_low", "updates_low"),
	OF_FINDING("sites", "sites", "all_sites", "number"),
	OF_FINDING("cycles_low", "at least", "all_at_least", "lower bound"),
	OF_FINDING("cycles_high", "at most", "all_at_most", "upper bound"),
	OF_FINDING("uneven", "uneven", "all_few", "1: uneven, of one"),
	OF_FINDING("size_least", "smallest size", "least_size", "smallest size"),
	OF_FINDING("size_most", "largest size", "most_size", "largest size"),
#undef OF_FINDING
	{"finding_at", "group of finding", REPORT_TEXT, false, "CASE WHEN is_finding THEN all_at END",
	 "line and column of accesses at other positions that the finding contains, in the kernel"},
	{"finding_share", "% of time of finding", REPORT_REAL, false,
	 "CASE WHEN is_finding AND NOT all_windowed THEN round(100.0 * order_cycles / nullif(all_kernel_cycles, 0), 2) END",
	 "extra cycles of the finding divided by the cycles of its kernels"},
	{"finding_basis", "basis of cycles of finding", REPORT_TEXT, false, "CASE WHEN is_finding THEN all_basis END",
	 "cycles_basis of all accesses of the finding; empty: not the same"},
	{"basis", "basis", REPORT_TEXT, false, BASIS,
	 "measured: counted on the device; derived: computed from measured executions and "
	 "addresses that the compiler proved; traced: computed from every recorded address; "
	 "sampled 1-in-N: estimated from the measured executions, chosen at random"},
	{"measured", "measured", REPORT_INT, false, "CASE WHEN row_every > 0 THEN row_measured END",
	 "sampled access (PROBE_SITES_MEASURED): executions that were measured, by which its cache "
	 "lines and passes are estimated; empty: they are exact"},
	{"error", "error %", REPORT_REAL, false, SAMPLE_ERROR,
	 "sampled access: bound of the error of its cache lines or passes, with 95 % confidence; "
	 "empty: they are exact, or nothing was measured"},
	{"candidates", "candidates", REPORT_TEXT, false, CANDIDATES,
	 "line 0, or approximate: instructions of the original kernel that may be this access"},
	{"approximate", "approximate", REPORT_INT, false, APPROXIMATE,
	 "1: the compiler removed the line of the access; this one is that of the call by which it was "
	 "inlined, or of the computation of its address or of the stored value"},
	{"swap_loop", "swap loop", REPORT_INT, false, SWAP_LOOP,
	 "1: an atomic made of a compare-and-swap loop; executions count it once"},
	{"machine_kernel", "machine, kernel", REPORT_TEXT, false, MACHINE_WHERE(""),
	 "instructions of the original kernel for accesses of this kind, at any position"},
};

/*
 * A source position, over all kernels: unites the instantiations of a template. Where it is unknown, accesses
 * at constant distances from each other.
 */
#define KEY                                                                                        \
	"place_file, place_line, users_column, access, space, shape, "                             \
	"CASE coalesce(place_line, 0) WHEN 0 THEN code || ' ' || symbol || ' ' || coalesce(row_near, -1 - site) END"
/*
 * Accesses to LDS of one block at constant distances, which the machine may do with one instruction
 * (ds_read2_b32): one finding. Others are alone.
 */
#define GROUP                                                                                      \
	"code, symbol, shape, access, space, size, is_finding, CASE WHEN place_memory = 'lds' "    \
	"AND row_near IS NOT NULL THEN row_near ELSE -1 - row END"
#define GROUP_ORDER "cycles DESC, place_line, users_column, site"
/*
 * A finding: the groups whose first access is at one position. Each is counted with the position of
 * that access (`lead`), wherever the others are; of all, the one with the highest cost is first (`rank`).
 */
#define FIND_SUM(column) "sum(" column ") OVER f AS all_" column ", "
#define FOUND                                                                                      \
	"found AS (SELECT *, sum(CASE WHEN group_rank = 1 THEN group_cycles END) OVER k "          \
	"AS order_cycles, sum(first_of_kernel) OVER f AS all_kernels, "                            \
	"sum(is_finding) OVER k AS all_places, sum(cycles) OVER k AS position_cycles, "            \
	FIND_SUM("executions") FIND_SUM("lanes") FIND_SUM("lines64") FIND_SUM("needed64")          \
	FIND_SUM("excess64") FIND_SUM("lines128") FIND_SUM("needed128") FIND_SUM("excess128")      \
	FIND_SUM("passes") FIND_SUM("ideal_passes") FIND_SUM("conflicts") FIND_SUM("waits_high") FIND_SUM("waits_low") \
	FIND_SUM("sites") FIND_SUM("at_least") "CASE WHEN count(cycles) OVER f = count(at_most) OVER f THEN sum(at_most) OVER f END AS all_at_most, " \
	"max(max_way) OVER f AS all_max_way, max(few AND at_most NOT NULL) OVER f AS all_few, max(windowed) OVER f AS all_windowed, min(size) OVER f AS least_size, max(size) OVER f AS most_size, " \
	"CASE WHEN min(basis) OVER f = max(basis) OVER f THEN basis END AS all_basis, "            \
	"sum(CASE WHEN first_of_kernel THEN kernel_cycles END) OVER f AS all_kernel_cycles, "      \
	"group_concat(CASE WHEN group_rank = 1 THEN group_at END, ', ') OVER (PARTITION BY position, code, symbol) " \
	"AS all_at, "                                                                              \
	"row_number() OVER (k ORDER BY group_rank = 1 DESC, cycles DESC, modelled DESC, name, kernel, " \
	"code_object, site) AS rank FROM (SELECT *, is_finding AND row_number() OVER "              \
	"(PARTITION BY lead, is_finding, code, symbol ORDER BY site) = 1 AS first_of_kernel "      \
	"FROM (SELECT *, substr(" KERNEL ", 1, 64) AS name, row_number() OVER (g ORDER BY " GROUP_ORDER ") AS group_rank, "       \
	"first_value(position) OVER (g ORDER BY " GROUP_ORDER ") AS lead, "                        \
	"count(*) OVER g AS group_size, sum(cycles) OVER g AS group_cycles, "                      \
	"group_concat(place_line || ':' || users_column, ', ') OVER (g ORDER BY " GROUP_ORDER      \
	" ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS group_at "                          \
	"FROM (SELECT *, row_number() OVER () AS row, dense_rank() OVER (ORDER BY " KEY ") AS position FROM costed) q " \
	"WINDOW g AS (PARTITION BY " GROUP "))) "                                                  \
	"WINDOW k AS (PARTITION BY position), f AS (PARTITION BY lead, is_finding))"

#define ACCESS_WORDS                                                                               \
	"CASE WHEN q.access IS NOT NULL THEN coalesce(" SQL_WORD(PROBE_ACCESS_TABLE, "q.access")   \
	", '?') END AS access_word, "                                                              \
	"CASE WHEN q.space IS NOT NULL THEN coalesce(" SQL_WORD(PROBE_SPACE_TABLE, "q.space")      \
	", '?') END AS space_word"

#define FROM(launches, merged, waited)                                                             \
	"(WITH " COST_OBJECTS ", " launches ", " COST_TIMES ", " merged ", " waited ", "           \
	COST_COSTED ", " FOUND " SELECT q.*, " ACCESS_WORDS " FROM found q) q"

#define CHOSEN	 "p.dispatch_id IN " SAMPLES_CHOSEN
#define ACCESSES COST_WORK ", " COST_SITES(COST_TABLE) ", " COST_MERGED
#define SHAPES	 COST_WORK ", " COST_SITES(COST_TABLE_BY_SHAPE) ", " COST_MERGED
#define COUNTERS(shape) COST_WORK ", " COST_SITES(COST_COUNTERS(CHOSEN, shape)) ", " COST_MERGED

/* Blocks of a run with --kind count, with the columns of COST_MERGED. */
#define BLOCKS                                                                                     \
	"merged AS MATERIALIZED (SELECT min(kernel) AS kernel, min(code_object) AS code_object, "  \
	"min(site) AS site, code, symbol, '' AS shape, users_file AS file, "                 \
	"users_line AS line, users_column AS \"column\", access, NULL AS space, "      \
	"NULL AS size, NULL AS unit, NULL AS align, NULL AS memory, "       \
	"users_file, users_line, users_column, NULL AS cause, NULL AS fix, NULL AS cause_shape, NULL AS row_class, NULL AS row_address, NULL AS row_index, NULL AS row_lanes, NULL AS row_every, NULL AS row_near, NULL AS row_measured, NULL AS by_original, NULL AS all_spent, " COST_OF_TIMES ", NULL AS level, "        \
	"sum(executions) AS executions, sum(lanes) AS lanes, NULL AS quads, NULL AS lines64, "     \
	"NULL AS needed64, NULL AS excess64, NULL AS lines128, NULL AS needed128, "                \
	"NULL AS excess128, NULL AS passes, NULL AS ideal_passes, NULL AS conflicts, "             \
	"NULL AS affine, NULL AS updates, NULL AS waits_low, NULL AS waits_high, NULL AS swaps, NULL AS modelled, NULL AS whole, NULL AS low, NULL AS high, NULL AS cost, NULL AS limited_low, NULL AS limited_high, NULL AS max_way, NULL AS few, "           \
	"NULL AS stride_lo, NULL AS stride_hi, count(DISTINCT site) AS sites, NULL AS avoidable, " \
	"NULL AS line_modelled, NULL AS line_places, 1 AS line_place, 1 AS line_first FROM "                        \
	"(SELECT c.*, " COST_OF_TIMES ", " COST_KEYS ", s.access, "                                                      \
	REPORT_USERS("s", "file") " AS users_file, " REPORT_USERS("s", "line") " AS users_line, "  \
	REPORT_USERS("s", "column") " AS users_column, "                                           \
	"coalesce(o.code, c.code_object) AS code, coalesce(o.symbol, c.kernel) AS symbol FROM probe_count_site c JOIN probe_site s "                  \
	"ON s.code_object_id = c.code_object AND s.site = c.site "                                 \
	"LEFT JOIN objects o ON o.kernel = c.kernel" COST_JOIN_TIMES("o", "''") ") "                                             \
	"GROUP BY code, symbol, users_file, users_line, users_column, function_key)"

#define QUERY(source, condition, order)                                                            \
	{                                                                                          \
		.verb = "lines", .columns = columns, .count = REPORT_COLUMN_COUNT(columns),        \
		.from = source, .where = condition, .kernel_column = "kernel", .sort = order       \
	}

#define FINDINGS   "(finding = 1 OR share >= 5 OR waiting_share >= 5)"
#define BY_CYCLES  "finding,cycles,waiting,samples,file,+line,+column,kernel,access,+site"
#define BY_COUNTS  "executions,file,+line,+column,kernel,+site"

enum source { ALL_ACCESSES, WITH_SAMPLES, WITH_PROFILES, CHOSEN_DISPATCHES, BY_SHAPE,
	      ROWS_BY_SHAPE, COUNTED_BLOCKS, SOURCES };

static const struct report_query queries[SOURCES] = {
	[ALL_ACCESSES] = QUERY(FROM(COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES), ACCESSES, WAIT_NONE),
			       FINDINGS, BY_CYCLES),
	[WITH_SAMPLES] = QUERY(FROM(COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES), ACCESSES, WAIT_ALL(WAIT_NO_WEIGHTS)),
			       FINDINGS, BY_CYCLES),
	[WITH_PROFILES] = QUERY(FROM(COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES), ACCESSES, WAIT_ALL(WAIT_WEIGHTS)),
				FINDINGS, BY_CYCLES),
	[CHOSEN_DISPATCHES] = QUERY(FROM(COST_LAUNCHES(EQUAL_DISPATCHES(CHOSEN), COST_ALL_SHAPES),
					 COUNTERS(COST_ALL_SHAPES), WAIT_NONE),
				    FINDINGS, BY_CYCLES),
	[BY_SHAPE] = QUERY(FROM(COST_LAUNCHES(EQUAL_DISPATCHES(CHOSEN), COST_SHAPE), COUNTERS(COST_SHAPE), WAIT_NONE),
			   FINDINGS, BY_CYCLES),
	[ROWS_BY_SHAPE] = QUERY(FROM(COST_LAUNCHES(COST_ALL, COST_SHAPE), SHAPES, WAIT_NONE), FINDINGS,
				BY_CYCLES),
	[COUNTED_BLOCKS] = QUERY(FROM(COST_LAUNCHES(COST_ALL, COST_ALL_SHAPES), BLOCKS, WAIT_NONE), NULL,
				 BY_COUNTS),
};

/* clang-format on */

/*
 * Some dispatches, or rows by launch shape: from counters of single dispatches, where there are
 * any. A trace has none, but rows of the handler by launch shape.
 */
static struct probe_err *divided_query(const struct report *report, const struct report_db *db,
				       const struct report_query **ret)
{
	bool by_shape = report->by == REPORT_BY_LAUNCH_SHAPE, any = false, shapes = false;
	struct probe_err *err = NULL;

	if (report_db_has(db, "probe_counter"))
		err = report_any(db, "SELECT 1 FROM probe_counter LIMIT 1", &any);
	if (err)
		return err;
	if (!any && by_shape && !report_filtered(report))
		err = report_any(db,
				 "SELECT 1 FROM pragma_table_info('probe_memory_site') "
				 "WHERE name = 'launch_shape'",
				 &shapes);
	if (err)
		return err;
	if (!any && !shapes)
		return probe_err_create("%s: no counters of single dispatches: record with "
					"--kind memory, or select dispatches of a trace with "
					"probe-report replay",
					db->path);
	*ret = &queries[!by_shape ? CHOSEN_DISPATCHES : any ? BY_SHAPE : ROWS_BY_SHAPE];
	return NULL;
}

struct probe_err *report_lines_query(const struct report *report, const struct report_db *db,
				     const struct report_query **ret)
{
	bool memory = !db || report_db_has(db, "probe_memory_site"), sampled = false;
	bool count = !memory && report_db_has(db, "probe_count_site");
	struct probe_err *err;

	*ret = &queries[count ? COUNTED_BLOCKS : ALL_ACCESSES];
	if (!db || !memory)
		return NULL;
	if (report_filtered(report) || report->by == REPORT_BY_LAUNCH_SHAPE)
		return divided_query(report, db, ret);
	err = report_joined(db, &sampled);
	if (err)
		return err;
	if (sampled)
		*ret = &queries[report_db_has(db, "probe_profile") ? WITH_PROFILES : WITH_SAMPLES];
	return NULL;
}
