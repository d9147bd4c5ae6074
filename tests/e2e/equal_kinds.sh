#!/bin/sh
# SPDX-License-Identifier: MIT
# Counters made on the device equal, in every word, what the handler computes from the addresses.
. "$(dirname "$0")/lib.sh"

dump()
{
	sqlite3 "$1" "
		SELECT s.file, s.line, s.column, s.access, s.space, k.display_name, m.executions, m.lanes, m.quads,
			m.lines64, m.needed64, m.excess64, m.lines128, m.needed128, m.excess128, m.passes,
			m.ideal_passes, m.conflicts, m.max_way, m.affine, m.stride_lo, m.stride_hi, m.site
		FROM probe_memory_site m
		JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel
		ORDER BY s.code_object_id, m.kernel, m.site"
}

# Launches of many shapes: part of the counters is measured, part is reckoned from proofs.
compile "$source/tests/e2e/proofs/shapes.hip" shapes
compile "$source/tests/e2e/proofs/digits.hip" digits
compile "$source/tests/e2e/proofs/signs.hip" signs
compile "$source/tests/e2e/proofs/mirrored.hip" mirrored
compile "$source/tests/e2e/proofs/launched.hip" launched
compile "$source/tests/e2e/proofs/branches.hip" branches
compile "$source/tests/e2e/proofs/lanes.hip" lanes
# Loops that lanes leave one after the other (llvm-plugin/pass_heads.h).
compile "$source/tests/e2e/proofs/heads.hip" heads
# Masks that do not come back (llvm-plugin/pass_windows.h).
compile "$source/tests/e2e/proofs/windows.hip" windows
# Loops that measure patterns once (devlib/devlib_keep.h).
compile "$source/tests/e2e/proofs/repeats.hip" repeats
(export PROBE_PROVE=0 && compile "$source/tests/e2e/proofs/repeats.hip" repeats_measured)

for example in shapes digits signs mirrored repeats repeats_measured launched branches heads windows lanes \
		transpose strided_copy reduction histogram convolution; do
	program="$build/examples/$example"
	[ ! -f "./$example" ] || program=./$example
	for kind in memory trace; do
		record "$example-$kind.db" --kind "$kind" -q -- "$program" >/dev/null
		dump "$example-$kind.db" >"$example-$kind.txt"
		balanced "$example-$kind.db"
	done
	[ -s "$example-memory.txt" ] || fail "$example: no sites"
	cmp "$example-memory.txt" "$example-trace.txt" || fail "$example: memory and trace differ"
done
