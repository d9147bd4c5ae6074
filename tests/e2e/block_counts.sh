#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts of kind `count` equal what the program computes on the host, with and without optimisation.
# For every position that is counted, the simulator executed an instruction of the original kernel
# from that line, or the next, as often and with as many lanes.
# Folder: devlib
. "$(dirname "$0")/lib.sh"
PROBE_KINDS=count
export PROBE_KINDS

# known FLAGS...: against the program's own numbers
known()
{
	compile "$source/tests/e2e/block_counts.hip" known "$@"
	rm -f known.db
	record known.db --kind count -q -- ./known >expected.txt || fail "status $?"
	balanced known.db
	sqlite3 -separator ' ' known.db "
		SELECT CASE s.owner WHEN '_Z5plainPi' THEN 1006 ELSE s.line END AS at, sum(c.executions), sum(c.lanes)
		FROM probe_count_site c
		JOIN probe_site s ON s.code_object_id = c.code_object AND s.site = c.site
		WHERE at >= 1000 GROUP BY at" >counted.txt
	[ -s expected.txt ] || fail "the program said nothing"
	cmp expected.txt counted.txt || fail "$*: $(diff expected.txt counted.txt)"
}

# machine PROGRAM: positions that have no instruction with these numbers
machine()
{
	rm -f plain.db probed.db both.db
	PROBE_SIM_PCS=pcs.csv record plain.db --no-instrumented -q -- "$1" >plain.txt
	"$build/tests/isa_lines" plain.db pcs.csv all >isa.csv
	record probed.db --kind count -q -- "$1" >probed.txt
	cmp plain.txt probed.txt || fail "$1 prints something else with probes"
	sqlite3 -bail both.db >places.txt <<-END
		.mode csv
		.import isa.csv isa
		ATTACH 'probed.db' AS probed;
		CREATE TEMP VIEW place AS SELECT s.owner, s.file, s.line, s."column" AS col, c.* FROM probed.probe_count_site c
			JOIN probed.probe_site s ON s.code_object_id = c.code_object AND s.site = c.site WHERE s.line > 0;
		SELECT count(*) FROM place;
		SELECT * FROM place p WHERE NOT EXISTS (SELECT 1 FROM isa i WHERE i.owner = p.owner AND i.file = p.file
			AND abs(i.line - p.line) <= 1 AND i.executions = p.executions AND i.lanes = p.lanes);
	END
	[ "$(head -n 1 places.txt)" -gt 2 ] || fail "$1: no places"
	[ "$(wc -l <places.txt)" -eq 1 ] || fail "$1: not what the machine counted: $(cat places.txt)"
}

known -fno-unroll-loops
expect "the report's first line" "$(probe-report lines --format csv -f line,executions,lanes,mean_lanes known.db | sed -n 2p)" "1003,333,3312,9.95"
if ! wrong_at_O0; then
	known -O0
fi
for example in reduction histogram convolution; do
	compile "$source/examples/$example.hip" "$example"
	machine "./$example"
done
