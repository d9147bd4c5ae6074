#!/bin/sh
# SPDX-License-Identifier: MIT
# PROBE_SPACES: accesses to constant memory and scratch are instrumented only if it names them.
# Their counters equal those that the program computes, in both kinds, and the simulator's
# executions and lanes.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
PROBE_KINDS=memory,trace
PROBE_SIM_MODEL=0
export PROBE_KINDS PROBE_SIM_MODEL

# rows DB: the handler's rows by line, without the global accesses of the same line
rows()
{
	sqlite3 -separator ' ' "$1" "SELECT s.line, sum(m.executions), sum(m.lanes), sum(m.lines64), sum(m.lines128)
		FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		WHERE s.line > 1000 AND s.space IN (4, 5) GROUP BY s.line"
}

compile "$source/tests/e2e/address_spaces.hip" plain
record plain.db -q -- ./plain >/dev/null
expect "sites that were not requested" "$(rows plain.db)" ""
for level in -O1 -O3; do
	PROBE_SPACES=scratch,constant compile "$source/tests/e2e/address_spaces.hip" program $level
	for kind in memory trace; do
		record $kind.db --kind $kind -q -- ./program >expected.txt
		rows $kind.db >rows.txt
		cmp expected.txt rows.txt || fail "$level, $kind: $(diff expected.txt rows.txt)"
		balanced $kind.db
	done
done
PROBE_SIM_PCS=pcs.csv record plain.db --no-instrumented -q -- ./program >/dev/null
"$build/tests/isa_lines" plain.db pcs.csv >isa.csv
# Columns of an imported table are text. Per piece of at most a dword. Constants at addresses that differ between lanes are loaded like
# global memory.
sqlite3 -bail machine.db >machine.txt <<'END'
.mode csv
.import isa.csv isa
.mode list
.separator ' '
SELECT line, sum(executions * bytes / CASE WHEN bytes + 0 < 4 THEN bytes ELSE 4 END),
	sum(lanes * bytes / CASE WHEN bytes + 0 < 4 THEN bytes ELSE 4 END) FROM isa
	WHERE line + 0 BETWEEN 1001 AND 1005 AND space IN ('scratch', 'scalar') GROUP BY line;
SELECT line, executions, lanes, lines64, lines128 FROM isa WHERE line + 0 = 1006 AND col + 0 = 7;
END
sed '/^1006/!s/ [0-9]* [0-9]*$//' expected.txt >expected_machine.txt
# The back end of LLVM 20 and later accesses packed members of scratch at any address, at once; the probes
# count their bytes.
if [ "$(hip_llvm)" -ge 20 ]; then
	for file in expected_machine machine; do
		grep -v '^100[34] ' $file.txt >$file.compared
		mv $file.compared $file.txt
	done
fi
cmp expected_machine.txt machine.txt || fail "the machine: $(diff expected_machine.txt machine.txt)"
