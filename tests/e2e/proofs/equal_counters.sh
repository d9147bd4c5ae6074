#!/bin/sh
# SPDX-License-Identifier: MIT
# equal_counters.sh BUILD SOURCE PROGRAM: the counters of kind memory, some measured on the device
# and some derived from proofs, equal in every word those that the handler computes from the
# addresses of kind trace. PROGRAM is a .hip file below SOURCE.
. "$(dirname "$0")/../lib.sh"
program=$3

counters()
{
	sqlite3 "$1" "
		SELECT s.file, s.line, s.column, s.access, s.space, k.display_name, m.executions, m.lanes, m.quads,
			m.lines64, m.needed64, m.excess64, m.lines128, m.needed128, m.excess128, m.passes,
			m.ideal_passes, m.conflicts, m.max_way, m.affine, m.stride_lo, m.stride_hi, m.site
		FROM probe_memory_site m
		JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel
		ORDER BY s.code_object_id, m.kernel, m.site, m.launch_shape"
}

compile "$source/$program" program
for kind in memory trace; do
	record $kind.db --kind $kind -q -- ./program >/dev/null
	counters $kind.db >$kind.txt
	balanced $kind.db
done
[ -s memory.txt ] || fail "$program: no sites"
cmp memory.txt trace.txt || fail "$program: memory and trace differ"
