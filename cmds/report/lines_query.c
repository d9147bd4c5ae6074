/* SPDX-License-Identifier: MIT */
#include "cmds/report/lines_query.h"

#include "cmds/report/query.h"
#include "cmds/report/site_sql.h"
#include "store/sql_words.h"

/*
 * What the back end made of a place: it merges accesses after the probes' widths are chosen. By
 * debug information, so an access merged into another place's is not here.
 */
#define SAME_KIND                                                                                  \
	"i.space = CASE q.space WHEN 'lds' THEN 'lds' ELSE 'global' END "                          \
	"AND CASE q.access WHEN 'load' THEN i.text GLOB '*_load*' OR i.text GLOB 'ds_read*' "      \
	"WHEN 'store' THEN i.text GLOB '*_store*' OR i.text GLOB 'ds_write*' "                     \
	"ELSE i.text GLOB '*_atomic*' OR (i.text GLOB 'ds_*' AND NOT i.text GLOB 'ds_read*' "      \
	"AND NOT i.text GLOB 'ds_write*') END"
#define MACHINE                                                                                    \
	"(SELECT group_concat(DISTINCT substr(i.text, 1, instr(i.text || ' ', ' ') - 1)) "         \
	"FROM probe_instructions(q.code_object, q.symbol) i WHERE i.line = q.line "                \
	"AND i.\"column\" = q.\"column\" AND i.file = q.file AND " SAME_KIND ")"

/* What an access without a line may be in the original kernel, and which line is before that. */
#define WITHOUT_LINE                                                                               \
	"FROM probe_instructions(q.code_object, q.symbol) i WHERE coalesce(i.line, 0) = 0 AND " SAME_KIND
#define CANDIDATES                                                                                           \
	"CASE q.line WHEN 0 THEN (SELECT group_concat(one, '; ') FROM (SELECT "                              \
	"printf('%s (0x%x)', i.text, i.address) || coalesce(', after ' || "                                  \
	"(SELECT j.users_file || ':' || j.users_line "                                                       \
	"FROM probe_instructions(q.code_object, q.symbol) j "                                                \
	"WHERE j.users_line > 0 AND j.address < i.address ORDER BY j.address DESC LIMIT 1), '') "            \
	"AS one " WITHOUT_LINE " ORDER BY i.address LIMIT 3)) || "                                           \
	"(SELECT CASE WHEN count(*) > 3 THEN printf('; or %d more', count(*) - 3) ELSE '' END " WITHOUT_LINE \
	") END"

/*
 * An update that the machine has no instruction for: the back end makes it a load and a loop round
 * a compare-and-swap, all of them at the update's place. One that the source itself compares and
 * swaps with has no load at its place.
 */
#define AT_PLACE                                                                                   \
	"(SELECT 1 FROM probe_instructions(q.code_object, q.symbol) i WHERE i.line = q.line "      \
	"AND i.\"column\" = q.\"column\" AND i.file = q.file AND "
#define SWAP_LOOP                                                                                  \
	"(q.access = 'atomic' AND EXISTS " AT_PLACE                                                \
	"(i.text GLOB '*_cmpswap*' OR i.text GLOB 'ds_cmps*')) AND EXISTS " AT_PLACE               \
	"(i.text GLOB '*_load_*' OR i.text GLOB 'ds_read*')))"

/* Where the numbers come from. Of a run of several kinds the records were all traced. */
#define BASIS                                                                                      \
	"CASE WHEN EXISTS (SELECT 1 FROM probe_run WHERE key = 'kind' AND value = 'trace') "       \
	"THEN 'traced' ELSE probe_basis(q.code_object, q.site) END"

static const struct report_column columns[] = {
	{"file", "file", REPORT_TEXT, true, REPORT_USERS("q", "file"),
	 "source file; for accesses inlined from headers of HIP, your own"},
	{"line", "line", REPORT_INT, true, REPORT_USERS("q", "line"), "0: compiled without -g"},
	{"column", "col", REPORT_INT, true, REPORT_USERS("q", "column"),
	 "byte in the line, from 1"},
	{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},
	{"function", "function", REPORT_TEXT, false, "function",
	 "function of the line, perhaps inlined"},
	{"access", "access", REPORT_TEXT, true, "access", "load, store, atomic"},
	{"space", "space", REPORT_TEXT, true, "space", "global, lds, flat, ..."},
	{"size", "size", REPORT_INT, true, "size", "bytes per lane"},
	{"unit", "unit", REPORT_INT, false, "unit",
	 "bytes per instruction and lane, as probes counted it"},
	{"align", "align", REPORT_INT, false, "align", "known alignment, bytes"},
	{"executions", "executions", REPORT_INT, true, "executions",
	 "waves that executed the access"},
	{"lanes", "lanes", REPORT_INT, false, "lanes", "active lanes, summed"},
	{"quads", "quads", REPORT_INT, false, "quads", "cycles of the address coalescer"},
	{"lines64_used", "64B cache lines", REPORT_INT, false, "lines64",
	 "64-byte cache lines requested"},
	{"lines64_needed", "64B needed", REPORT_INT, false, "needed64", "fewest possible"},
	{"lines64_excess", "extra 64B requests", REPORT_INT, false, "excess64",
	 "extra requests for 64-byte cache lines, of each execution summed"},
	{"lines128_used", "128B cache lines", REPORT_INT, true, "lines128",
	 "128-byte cache lines requested"},
	{"lines128_needed", "128B needed", REPORT_INT, true, "needed128", "fewest possible"},
	{"lines128_excess", "extra 128B requests", REPORT_INT, false, "excess128",
	 "extra requests for 128-byte cache lines, of each execution summed"},
	{"passes", "passes", REPORT_INT, false, "passes", "LDS passes taken"},
	{"ideal_passes", "ideal passes", REPORT_INT, false, "ideal_passes", "fewest possible"},
	{"conflicts", "bank conflicts", REPORT_INT, true, "conflicts", "extra LDS passes"},
	{"max_way", "n-way", REPORT_INT, true, "max_way", "worst bank conflict of any execution"},
	{"affine", "affine", REPORT_INT, false, "affine", "executions at one constant stride"},
	{"stride_lo", "stride lo", REPORT_INT, false, "stride_lo", "smallest stride, bytes"},
	{"stride_hi", "stride hi", REPORT_INT, false, "stride_hi", "largest stride, bytes"},
	{"cost", "cost B", REPORT_INT, true, "cost",
	 "bytes: max(64 x extra 64 B requests, 128 x extra 128 B requests) + 128 x bank conflicts"},
	{"cause", "cause", REPORT_TEXT, false, "cause", "empty: there is nothing to fix"},
	{"fix", "fix", REPORT_TEXT, false, "fix", "what to change"},
	{"source", "source", REPORT_TEXT, false,
	 "(SELECT text FROM probe_source t WHERE t.file = " REPORT_USERS(
		 "q", "file") " AND "
			      "t.line = " REPORT_USERS("q", "line") ")",
	 "text of the line"},
	{"own_file", "own file", REPORT_TEXT, false, "q.file",
	 "file of the access itself, perhaps a header"},
	{"own_line", "own line", REPORT_INT, false, "q.line", ""},
	{"own_column", "own col", REPORT_INT, false, "q.\"column\"", ""},
	{"inlined", "inlined at", REPORT_JSON_TEXT, false, "frames", "callers, innermost first"},
	{"sites", "sites", REPORT_INT, false, "sites", "accesses at this position, summed"},
	{"site", "site", REPORT_INT, false, "site", "id of the access with the highest cost"},
	{"code_object", "object", REPORT_INT, false, "code_object", "id"},
	{"machine", "machine", REPORT_TEXT, false, MACHINE,
	 "instructions of the original kernel at this position"},
	{"finding", "finding", REPORT_INT, false, "(cost > 0 OR cause <> '')",
	 "1: there is something to fix; contended atomics have no cost in bytes"},
	{"basis", "basis", REPORT_TEXT, false, BASIS,
	 "measured: counted on the device; derived: executions were measured, addresses are "
	 "those that the compiler proved; traced: from every address"},
	{"candidates", "candidates", REPORT_TEXT, false, CANDIDATES,
	 "line 0: instructions of the original kernel that it may be"},
	{"swap_loop", "swap loop", REPORT_INT, false, SWAP_LOOP,
	 "1: an atomic made of a compare-and-swap loop; executions count it once"},
};

/*
 * A code object that is loaded twice has two ids, and so have its kernels: by its hash they are
 * one. first: the first row of a site, by which sites are counted.
 */
#define LOADED                                                                                     \
	"SELECT l.*, row_number() OVER (PARTITION BY l.code, l.symbol, l.site ORDER BY l.id) = 1 " \
	"AS first FROM (SELECT m.*, coalesce(nullif(c.hash, ''), m.code_object) AS code, "         \
	"coalesce(k.kernel_name, m.kernel) AS symbol FROM probe_memory_site m "                    \
	"LEFT JOIN probe_code c ON c.code_object_id = m.code_object "                              \
	"LEFT JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel) l"

#define PARTITION                                                                                         \
	"m.code, m.symbol, s.file, s.line, s.\"column\", s.function, s.access, s.space, s.size, s.unit, " \
	"s.frames, CASE s.line WHEN 0 THEN m.site END"

const struct report_query report_lines_query = {
	.verb = "lines",
	.when = "of a run with the handler memory",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
	.from = "(SELECT s.file, s.line, s.\"column\", coalesce(k.display_name, '') AS kernel, "
		"k.kernel_name AS symbol, s.function, "
		"coalesce(" SQL_WORD(
			PROBE_ACCESS_TABLE,
			"s.access") ", '?') AS access, "
				    "coalesce(" SQL_WORD(
					    PROBE_SPACE_TABLE,
					    "s.space") ", '?') AS space, s.size, s.unit, s.align, m.code_object, m.site, "
						       "CASE WHEN json_valid(s.frames) THEN s.frames ELSE '[]' END AS frames, "
						       "m.cause, m.fix, "
						       "sum(m.executions) OVER w AS executions, "
						       "sum(m.lanes) OVER w AS lanes, "
						       "sum(m.quads) OVER w AS quads, "
						       "sum(m.lines64) OVER w AS lines64, "
						       "sum(m.needed64) OVER w AS needed64, "
						       "sum(m.excess64) OVER w AS excess64, "
						       "sum(m.lines128) OVER w AS lines128, "
						       "sum(m.needed128) OVER w AS needed128, "
						       "sum(m.excess128) OVER w AS excess128, "
						       "sum(m.passes) OVER w AS passes, "
						       "sum(m.ideal_passes) OVER w AS ideal_passes, "
						       "sum(m.conflicts) OVER w AS conflicts, "
						       "sum(m.affine) OVER w AS affine, "
						       "max(m.max_way) OVER w AS max_way, "
						       "min(CASE WHEN m.affine > 0 THEN m.stride_lo END) OVER w AS stride_lo, "
						       "max(CASE WHEN m.affine > 0 THEN m.stride_hi END) OVER w AS stride_hi, "
						       "sum(" SITE_COST(
							       "m") ") OVER w AS cost, sum(m.first) OVER w AS sites, "
								    "row_number() OVER (PARTITION BY " PARTITION
								    " ORDER BY " SITE_COST(
									    "m") " DESC, m.site) "
										 "AS place "
										 "FROM (" LOADED
										 ") m JOIN probe_site s "
										 "ON s.code_object_id = m.code_object AND s.site = m.site "
										 "LEFT JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel "
										 "WINDOW w AS (PARTITION BY " PARTITION
										 ")) AS q WHERE place = 1",
	.where = "(cost > 0 OR cause <> '')",
	.kernel_column = "kernel",
	.sort = "cost,finding,file,+line,+column,kernel,access,+site",
};
