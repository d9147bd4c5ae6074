#!/bin/sh
# SPDX-License-Identifier: MIT
# With --filter-x, -y and -z the counters are those of the selected workgroups. They equal those
# that the handler computes from a trace with this filter, those of each kind in a launch of only
# these workgroups, and the simulator's in that launch. A filter that selects all workgroups gives
# the counters of all.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
PROBE_KINDS=memory,trace,count
PROBE_SIM_MODEL=0
export PROBE_KINDS PROBE_SIM_MODEL
some="--filter-x 2:5 --filter-y 1:3 --filter-z 1"

rows()
{
	sqlite3 "$1" "SELECT s.owner, s.line, s.column, s.access, m.kernel, m.executions, m.lanes, m.quads,
			m.lines64, m.needed64, m.excess64, m.lines128, m.needed128, m.excess128, m.passes,
			m.ideal_passes, m.conflicts, m.max_way, m.affine, m.stride_lo, m.stride_hi FROM probe_memory_site m
		JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site ORDER BY m.kernel, m.site" >"$2"
	[ -s "$2" ] || fail "$1 has no rows"
	balanced "$1"
}

blocks()
{
	sqlite3 "$1" "SELECT s.owner, s.line, s.column, c.* FROM probe_count_site c
		JOIN probe_site s ON s.code_object_id = c.code_object AND s.site = c.site ORDER BY c.kernel, c.site" >"$2"
	[ -s "$2" ] || fail "$1 has no rows"
	balanced "$1"
}

# both FLAGS...: the program compiled with these flags
both()
{
	compile "$source/tests/e2e/workgroup_filters.hip" program "$@"
	for kind in memory trace; do
		# shellcheck disable=SC2086
		record $kind.db --kind $kind $some -q -- ./program
		rows $kind.db $kind.txt
	done
	record alone.db --kind memory -q -- ./program alone
	rows alone.db alone.txt
	cmp memory.txt trace.txt || fail "$*: counters and addresses of the groups differ"
	cmp memory.txt alone.txt || fail "$*: the groups among others and alone differ"
	# shellcheck disable=SC2086
	record count.db --kind count $some -q -- ./program
	blocks count.db count.txt
	record lone.db --kind count -q -- ./program alone
	blocks lone.db lone.txt
	cmp count.txt lone.txt || fail "$*: blocks of the groups among others and alone differ"
}

if ! wrong_at_O0; then
	both -O0
fi
both -O3
# Compared with the simulator: every position with blocks has an instruction that executed as often,
# and every access is equal.
PROBE_SIM_PCS=pcs.csv record plain.db --no-instrumented -q -- ./program alone
"$build/tests/isa_lines" plain.db pcs.csv all >all.csv
"$build/tests/isa_lines" plain.db pcs.csv >isa.csv
rm -f both.db compare.db
sqlite3 -bail both.db >places.txt <<END
.mode csv
.import all.csv isa
ATTACH 'count.db' AS probed;
SELECT s.owner, s.line, c.executions, c.lanes FROM probed.probe_count_site c
	JOIN probed.probe_site s ON s.code_object_id = c.code_object AND s.site = c.site
	WHERE s.line > 0 AND NOT EXISTS (SELECT 1 FROM isa i WHERE i.owner = s.owner AND i.file = s.file
		AND abs(i.line - s.line) <= 1 AND i.executions = c.executions AND i.lanes = c.lanes);
END
expect "blocks that the machine did not count so" "$(cat places.txt)" ""
sqlite3 -bail compare.db >accesses.txt <<END
.mode csv
.import isa.csv isa
.mode list
ATTACH 'memory.db' AS probed;
.read $source/tests/e2e/isa/compare.sql
SELECT * FROM result WHERE verdict = '';
SELECT sum(verdict = 'equal') > 5 FROM result;
END
expect "accesses that the machine did not count so" "$(cat accesses.txt)" "1"
# All of them, by an explicit range; and none.
record all.db --kind memory --filter-x 0:4294967296 -q -- ./program
rows all.db all.txt
record whole.db --kind memory --filter-x 0:7 --filter-y 0:99 -q -- ./program
rows whole.db whole.txt
cmp all.txt whole.txt || fail "a filter around the whole launch leaves something out"
for kind in memory count; do
	record none.db --kind $kind --filter-x 7 -q -- ./program
	expect "rows of no group, kind $kind" "$(sqlite3 none.db "SELECT count(*) FROM probe_${kind}_site")" "0"
	balanced none.db
done
