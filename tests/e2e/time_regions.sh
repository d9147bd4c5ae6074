#!/bin/sh
# SPDX-License-Identifier: MIT
# Kind time: regions of known number, and of a length that the kernel measures itself.
# Folder: devlib
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/time_regions.hip" program -I "$source/include"
PROBE_SIM_STATS=$PWD/probed.stats record run.db -q -a time -- ./program >clocks
read -r least most _ <clocks
PROBE_SIM_STATS=$PWD/plain.stats simulated ./program >plain_clocks
read -r _ _ around <plain_clocks
balanced run.db

# spans COLUMNS NAME: of the regions with a name
spans()
{
	sqlite3 run.db "SELECT $1 FROM probe_time_span WHERE what = 'region' AND name = '$2'"
}

# 6 groups of 3 waves.
for row in 'known|18|0' 'outer|18|0' 'inner|90|0' 'branch|9|0' 'spin|18|0' 'left|18|3'; do
	region=${row%%|*}
	expect "$region" "$(spans 'executions, open' "$region")" "${row#*|}"
done
expect "kernels" "$(sqlite3 run.db "SELECT executions FROM probe_time_span
	WHERE what = 'function' AND name LIKE 'regions%'")" 18
expect "a kernel without regions has a time too" "$(sqlite3 run.db "SELECT executions, min > 0, share
	FROM probe_time_span WHERE what = 'function' AND name LIKE 'none%'")" "1|1|1.0"
expect "the function that is not inlined" "$(sqlite3 run.db "SELECT executions FROM probe_time_span
	WHERE what = 'function' AND name LIKE '%spin%'")" 18

# A span includes its contents and a small cost of stamps: one before the kernel's own reading of
# the clock and one after it.
expect "as the kernel measures it" "$(sqlite3 run.db "SELECT min >= $least, min - $least <= 2 * stamp,
	max >= $most, max - $most <= 2 * stamp FROM probe_time_span WHERE name = 'known'")" "1|1|1|1"
# Without the stamps it takes as long as in the original, where the kernel measures it: within one
# instruction per stamp; outer has two stamps, and contains five spans.
expect "less what stamps cost" "$(sqlite3 run.db "SELECT abs((cycles - overhead) / executions - $around)
	<= 4 * (2 + 5) FROM probe_time_span WHERE name = 'outer'")" 1
expect "inner in outer" "$(sqlite3 run.db "SELECT i.cycles - i.overhead < o.cycles - o.overhead
	FROM probe_time_span i, probe_time_span o WHERE i.name = 'inner' AND o.name = 'outer'")" 1
expect "an empty region takes what a stamp shows, and no overhead more than its span" "$(sqlite3 run.db \
	"SELECT (SELECT cycles - overhead FROM probe_time_span WHERE name = 'empty'),
	(SELECT (cycles - overhead) / executions BETWEEN 0 AND 16 FROM probe_time_span
	WHERE name = 'around'), count(*) FROM probe_time_span WHERE overhead > cycles")" "0|1|0"
expect "percentiles" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_span
	WHERE NOT (min <= p50 AND p50 <= p90 AND p90 <= p99 AND p99 <= max)")" 0

# Waves that write all their stamps at their end.
read -r short long <<END
$(tail -n 1 clocks)
END
expect "once at most" "$(spans "executions, open, min - $short BETWEEN 0 AND 3 * stamp,
	max - $long BETWEEN 0 AND 3 * stamp" some) $(spans executions half)" "12|0|1|1 18"
expect "in their kernel" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_line a JOIN probe_time_line b
	USING (dispatch, group_x, wave) WHERE a.name IN ('some', 'half') AND a.depth = 1 AND b.depth = 0
	AND a.begin > b.begin AND a.end < b.end")" 30

# Lanes that end a region separately: one span per wave, until the last lane.
expect "apart" "$(sqlite3 run.db "SELECT executions, open, min >= 30 * 64, max < 45 * 64
	FROM probe_time_span WHERE name IN ('apart', 'holds')" | sort | uniq -c | tr -s ' ')" " 3 18|0|1|1"

# Compared with the simulator's times of the same dispatches: a tick is 17 cycles of the same clock.
# ticks FILE KERNEL: when the dispatch began and ended
ticks()
{
	sed -n "s/.*\"kernel\":\"[^\"]*$2[^\"]*\".*\"start_tick\":\([0-9]*\),\"end_tick\":\([0-9]*\).*/\1 \2/p" "$1"
}
for kernel in regions none once; do
	ticks probed.stats "$kernel" >window
	read -r from to <window
	expect "$kernel within its dispatch" "$(sqlite3 run.db "SELECT min(begin) >= 17 * $from AND
		max(end) <= 17 * $to, min(wave_time) >= $from FROM probe_time_line l JOIN
		rocpd_info_kernel_symbol k ON k.id = l.kernel WHERE k.display_name LIKE '$kernel%'")" "1|1"
done
# The longest wave, minus the cost of its stamps, takes as long as in the original: within 5 %, and
# 7 % with the longer stamps of portable code (6.1 % measured), whose stores wait for each other. The dispatch also contains what no wave sees: 50 cycles
# before its first instruction, and up to 430 until its last store is complete (simgpu/TIME.md).
within=5
[ "$name" = time_regions ] || within=7
for kernel in regions once; do
	ticks plain.stats "$kernel" >window
	read -r from to <window
	expect "$kernel as without stamps" "$(sqlite3 run.db "SELECT max - overhead / executions -
		17 * ($to - $from) BETWEEN -480 - $within * 0.01 * 17 * ($to - $from)
		AND $within * 0.01 * 17 * ($to - $from) FROM probe_time_span
		WHERE what = 'function' AND name LIKE '$kernel%'")" 1
done

# The tables by place and by line contain the same spans.
expect "by place" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_span s WHERE
	(SELECT sum(executions) || ' ' || sum(cycles) FROM probe_time_place p WHERE p.kernel = s.kernel
	AND p.site = s.site) <> s.executions || ' ' || s.cycles")" 0
expect "timeline" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_span s WHERE
	(SELECT count(*) || ' ' || sum(end - begin) FROM probe_time_line l WHERE l.kernel = s.kernel
	AND l.site = s.site) <> s.executions || ' ' || s.cycles")" 0
expect "nothing sticks out of its kernel" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_line a
	JOIN probe_time_line b ON a.dispatch = b.dispatch AND a.group_x = b.group_x AND a.wave = b.wave
	AND b.depth = 0 WHERE a.begin < b.begin OR a.end > b.end")" 0

# Modelled time: the same result with another number of host threads.
PROBE_SIM_THREADS=1 record again.db -q -a time:timeline=0 -- ./program >/dev/null
for db in run.db again.db; do
	sqlite3 "$db" 'SELECT kernel, site, what, name, executions, cycles, min, max, p50, p90, p99, overhead
		FROM probe_time_span ORDER BY kernel, site' >"$db.spans"
done
cmp run.db.spans again.db.spans || fail "another run, other times"
expect "no timeline" "$(sqlite3 again.db 'SELECT count(*) FROM probe_time_line')" 0

# Without optimisation: the same regions.
compile "$source/tests/e2e/time_regions.hip" plain -O0 -I "$source/include"
record run.db -q -a time -- ./plain >/dev/null
balanced run.db
for row in 'known|18|0' 'inner|90|0' 'branch|9|0' 'spin|18|0' 'left|18|3'; do
	name=${row%%|*}
	expect "-O0: $name" "$(spans 'executions, open' "$name")" "${row#*|}"
done

# Only workgroups 1 and 2: their waves, and no others.
compile "$source/tests/e2e/time_regions.hip" program -I "$source/include"
record run.db -q --filter-x 1:3 -a time -- ./program >/dev/null
balanced run.db
expect "filtered" "$(spans 'executions, open' inner)" "30|0"
expect "groups" "$(sqlite3 run.db "SELECT group_concat(DISTINCT group_x) FROM
	(SELECT group_x FROM probe_time_line ORDER BY group_x)")" "1,2"
expect "all waves or none" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_line WHERE depth = 0")" 24
expect "what stamps cost" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_span WHERE stamp = 0")" 0

# Blocks: the body of the loop "outer"; all blocks together take as long as the kernel.
PROBE_TIME=blocks compile "$source/tests/e2e/time_regions.hip" program -I "$source/include"
record run.db -q -a time -- ./program >/dev/null
balanced run.db
body=$(grep -n 'probe_region_begin("inner")' "$source/tests/e2e/time_regions.hip" | cut -d: -f1)
expect "a block in a loop" "$(sqlite3 run.db "SELECT DISTINCT executions FROM probe_time_span t
	JOIN probe_site s ON s.site = t.site WHERE what = 'block' AND line BETWEEN $body AND $body + 2")" 90
expect "blocks follow one another" "$(sqlite3 run.db "SELECT k.cycles - sum(b.cycles) BETWEEN 0 AND
	k.executions * 3 * k.stamp FROM probe_time_span k JOIN probe_time_span b USING (kernel)
	WHERE k.what = 'function' AND b.what = 'block' AND b.name = k.name AND k.name LIKE 'regions%'")" 1
expect "regions are as they were" "$(spans 'executions, open' inner) $(spans 'executions, open' left)" "90|0 18|3"
expect "functions are where they are declared" "$(sqlite3 run.db "SELECT count(*) FROM probe_time_span t
	JOIN probe_site s ON s.site = t.site WHERE what = 'function' AND line <> CASE
	WHEN name LIKE 'spin%' THEN $(grep -n ' spin(int' "$source/tests/e2e/time_regions.hip" | cut -d: -f1)
	WHEN name LIKE 'once%' THEN $(grep -n 'void once' "$source/tests/e2e/time_regions.hip" | cut -d: -f1)
	WHEN name LIKE '%apart%' THEN $(grep -n 'void apart' "$source/tests/e2e/time_regions.hip" | cut -d: -f1)
	WHEN name LIKE 'none%' THEN $(grep -n 'void none' "$source/tests/e2e/time_regions.hip" | cut -d: -f1)
	ELSE $(grep -n 'void regions' "$source/tests/e2e/time_regions.hip" | cut -d: -f1) END")" 0

# Regions only: no times of functions.
PROBE_TIME=regions compile "$source/tests/e2e/time_regions.hip" program -I "$source/include"
record run.db -q -a time -- ./program >/dev/null
balanced run.db
expect "what there is" "$(sqlite3 run.db "SELECT group_concat(name) FROM (SELECT name FROM probe_time_span
	WHERE what = 'function' AND name LIKE 'spin%')") $(spans executions spin)" " 18"
