#!/bin/sh
# SPDX-License-Identifier: MIT
# Waves that write their time stamps at their end, to per-wave storage and to rings by the fast and
# the slow path. Every region of every wave, and no other, has the times that the wave itself read.
# Folder: devlib
. "$(dirname "$0")/lib.sh"

# check WHAT: compares run.db with the program's output
check()
{
	balanced run.db
	rm -f check.db
	sqlite3 -bail check.db >result <<END
CREATE TABLE clock(launch INTEGER, x INTEGER, y INTEGER, z INTEGER, wave INTEGER, name TEXT, clock INTEGER);
.mode csv
.import clocks clock
.mode list
ATTACH 'run.db' AS run;
CREATE TABLE number AS SELECT dispatch, row_number() OVER (ORDER BY dispatch) AS launch
	FROM (SELECT DISTINCT dispatch FROM run.probe_time_line);
CREATE TABLE span AS SELECT launch, name, depth, group_x, group_y, group_z, wave, begin, end
	FROM run.probe_time_line JOIN number USING (dispatch);
SELECT count(*), (SELECT count(*) FROM span WHERE depth = 1) FROM clock;
SELECT count(*) FROM clock c JOIN span s ON s.launch = c.launch AND s.name = c.name AND s.group_x = c.x
	AND s.group_y = c.y AND s.group_z = c.z AND s.wave = c.wave AND c.clock BETWEEN s.begin AND s.end;
SELECT count(*) FROM span WHERE depth = 0;
SELECT count(*) FROM (SELECT DISTINCT launch, group_x, group_y, group_z, wave FROM span WHERE depth = 0);
END
	wc -l <clocks >count
	read -r lines <count
	waves=$((24 + 3 + 32 + 12 + 4 + 1024 + 1200 + 1120 + 1200 + 1100))
	expect "$1" "$(tr '\n' ' ' <result)" "$lines|$lines $lines $waves $waves "
	expect "$1: what stamps cost" "$(sqlite3 run.db 'SELECT count(*) FROM probe_time_span WHERE stamp = 0')" 0
	[ "$lines" -gt 12000 ] || fail "$1: only $lines regions"
}

compile "$source/tests/e2e/wave_storage.hip" program -I "$source/include"
PROBE_SIM_STATS=$PWD/stats record run.db -q -a time -- ./program >clocks
check "places and rings"
# The same kernel in 1024 waves and in 1200: per-wave storage takes fewer instructions than a ring.
sed -n 's/.*"kernel":"__probe_time_[^"]*spansILi4[^"]*".*"waves":\([0-9]*\),.*"insts":\([0-9]*\),.*/\1 \2/p' stats |
	awk '$1 == 1024 { place = $2 / $1 } $1 == 1200 { ring = $2 / $1 } END { print (place > 0 && place + 25 < ring) }' >cheap
expect "places were used" "$(cat cheap)" 1
# With a filter, even one that selects everything, each wave first tests it.
record run.db -q -a time --filter-x 0:4096 -- ./program >clocks
check "the long way"
