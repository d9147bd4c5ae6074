/* SPDX-License-Identifier: MIT */
/*
 * probe-report spills: where a kernel saves registers that do not fit, by source line. Spills are counted in the code of
 * the original, not as executed. The compiler states how many registers it spilled (metadata of code objects); which
 * instructions do it is read from their form.
 */
#include "cmds/report/query.h"
#include "cmds/report/verb_table.h"

/* clang-format off */

/*
 * Private memory at an offset that is part of the instruction: gfx9 and gfx10 through the descriptor of scratch, which is in
 * any four scalar registers; gfx940 and gfx11 by scratch instructions without an address. A program with buffer descriptors of
 * its own may have the first form, too.
 */
#define STORES "(vector > 0 AND (text LIKE 'buffer_store_%, off, s[%' OR text LIKE 'scratch_store_% off, %'))"
#define LOADS  "(vector > 0 AND (text LIKE 'buffer_load_%, off, s[%' OR text LIKE 'scratch_load_%, off,%'))"
/* Scalar registers are saved in the lanes of a vector register. */
#define WRITES "(scalar > 0 AND text LIKE 'v_writelane_b32%')"
#define READS  "(scalar > 0 AND text LIKE 'v_readlane_b32%')"
/* Vector registers are saved in accumulation registers, if some are free. */
#define COPIES "(vector > 0 AND text LIKE 'v_accvgpr_%')"
#define COUNT(what, name) "coalesce(sum(" what "), 0) AS " name

static const struct report_column columns[] = {
	{"position", "position", REPORT_TEXT, true,
	 "CASE WHEN users_line > 0 THEN users_file || ':' || users_line ELSE 'unknown' END",
	 "file:line; for code from headers of HIP or the compiler, your own"},
	{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},
	{"stores", "stores", REPORT_INT, true, "stores",
	 "instructions that store to private memory at a fixed offset: spilled registers, or elements of private arrays"},
	{"loads", "loads", REPORT_INT, true, "loads", "the same, loads"},
	{"agpr_copies", "AGPR copies", REPORT_INT, true, "copies",
	 "copies from and to accumulation registers: spilled registers, or operands of matrix instructions"},
	{"lane_writes", "lane writes", REPORT_INT, true, "writes",
	 "scalar registers saved in a lane of a vector register"},
	{"lane_reads", "lane reads", REPORT_INT, true, "reads", "and restored"},
	{"vgpr_spills", "spilled vgprs", REPORT_INT, true, "vector", "vector registers that did not fit, in the whole kernel"},
	{"sgpr_spills", "spilled sgprs", REPORT_INT, true, "scalar", "scalar registers that did not fit, in the whole kernel"},
	{"scratch", "scratch B", REPORT_INT, true, "scratch", "private memory per lane"},
	{"code_object", "object", REPORT_INT, false, "code_object", "id"},
};

static const struct report_query spills_query = {
	.verb = "spills",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(WITH spilled AS MATERIALIZED (SELECT * FROM (SELECT k.display_name AS kernel, k.kernel_name AS symbol, "
		"min(k.code_object_id) AS code_object, k.private_segment_size AS scratch, "
		"probe_spills(k.code_object_id, k.kernel_name, 'vgpr') AS vector, "
		"probe_spills(k.code_object_id, k.kernel_name, 'sgpr') AS scalar "
		"FROM rocpd_info_kernel_symbol k LEFT JOIN probe_code c ON c.code_object_id = k.code_object_id "
		"WHERE k.id IN (SELECT kernel_id FROM probe_dispatch) "
		"GROUP BY k.kernel_name, coalesce(nullif(c.hash, ''), k.code_object_id)) "
		"WHERE vector > 0 OR scalar > 0) "
		"SELECT * FROM (SELECT s.kernel, s.code_object, s.scratch, s.vector, s.scalar, i.users_file, i.users_line, "
		COUNT(STORES, "stores") ", " COUNT(LOADS, "loads") ", " COUNT(COPIES, "copies") ", "
		COUNT(WRITES, "writes") ", " COUNT(READS, "reads")
		" FROM spilled s CROSS JOIN probe_instructions(s.code_object, s.symbol) i "
		"GROUP BY s.kernel, s.code_object, i.users_file, i.users_line) "
		"WHERE stores + loads + copies + writes + reads > 0)",
	.kernel_column = "kernel",
	.sort = "loads,stores,lane_reads,agpr_copies,kernel,position",
	.none = "no spills: all registers of these kernels fit",
};

/* clang-format on */

const struct report_verb report_verb_spills = {
	.name = "spills",
	.help = "source lines at which a kernel saves registers that do not fit",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.rows = &spills_query,
};
