/* SPDX-License-Identifier: MIT */
/*
 * probe-report occupancy: how many waves of each kernel fit on a compute unit, and what limits
 * them.
 */
#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/verb_table.h"

#define OCCUPANCY(what) "probe_occupancy('" what "', target, vgprs, agprs, sgprs, lds, items)"

static const struct report_column columns[] = {
	{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},
	{"workgroup", "workgroup", REPORT_INT, true, "items", "work-items of a workgroup"},
	{"waves", "waves/CU", REPORT_INT, true, OCCUPANCY("waves"),
	 "waves that a compute unit holds at a time; computed, from registers, LDS and workgroup"},
	{"waves_max", "most", REPORT_INT, true, OCCUPANCY("waves_max"),
	 "wave slots of the compute unit"},
	{"limit", "limited by", REPORT_TEXT, true, OCCUPANCY("limit"),
	 "vector registers, scalar registers, LDS, or wave slots (no resource limits it)"},
	{"advice", "for more", REPORT_TEXT, true, OCCUPANCY("advice"),
	 "the most that a kernel may use for one more workgroup to fit; more waves hide latency, "
	 "which helps only where waves wait"},
	{"vgprs", "vgprs", REPORT_INT, true, "vgprs", "vector registers"},
	{"agprs", "agprs", REPORT_INT, true, "agprs", "accumulation registers"},
	{"sgprs", "sgprs", REPORT_INT, true, "sgprs", "scalar registers"},
	{"lds", "lds B", REPORT_INT, true, "lds", "bytes of a workgroup, dynamic ones included"},
	{"scratch", "scratch B", REPORT_INT, true, "scratch",
	 "bytes per lane: spilled registers and arrays in private memory"},
	{"vgpr_spills", "spilled vgprs", REPORT_INT, true, "vgpr_spills",
	 "vector registers that did not fit (probe-report spills: where)"},
	{"sgpr_spills", "spilled sgprs", REPORT_INT, true, "sgpr_spills",
	 "scalar registers that did not fit"},
	{"dispatches", "dispatches", REPORT_INT, true, "dispatches",
	 "with this workgroup and this much LDS"},
	{"target", "target", REPORT_TEXT, false, "target", "of the device"},
};

static const struct report_query occupancy_query = {
	.verb = "occupancy",
	.columns = columns,
	.count = REPORT_COLUMN_COUNT(columns),
	.from = "(SELECT k.display_name AS kernel, a.name AS target, "
		"p.group_x * p.group_y * p.group_z AS items, k.arch_vgpr_count AS vgprs, "
		"k.accum_vgpr_count AS agprs, k.sgpr_count AS sgprs, "
		"max(coalesce(k.group_segment_size, 0), coalesce(r.group_segment_size, 0)) AS lds, "
		"k.private_segment_size AS scratch, "
		"probe_spills(k.code_object_id, k.kernel_name, 'vgpr') AS vgpr_spills, "
		"probe_spills(k.code_object_id, k.kernel_name, 'sgpr') AS sgpr_spills, "
		"count(*) AS dispatches FROM probe_dispatch p "
		"JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id "
		"LEFT JOIN rocpd_info_agent a ON a.id = p.agent "
		"LEFT JOIN rocpd_kernel_dispatch r ON r.id = p.dispatch_id "
		"GROUP BY kernel, target, items, vgprs, agprs, sgprs, lds, scratch)",
	.kernel_column = "kernel",
	.sort = "+waves,kernel,+workgroup,+lds",
	.none = "no kernels: the program launched none",
};

const struct report_verb report_verb_occupancy = {
	.name = "occupancy",
	.help = "waves of each kernel that fit on a compute unit, and what limits them",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.rows = &occupancy_query,
};
