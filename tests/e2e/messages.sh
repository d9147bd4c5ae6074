#!/bin/sh
# SPDX-License-Identifier: MIT
# probe_emit() and probe_emit_lanes(): every message arrives once, complete, with its wave and lane.
# Folder: devlib
. "$(dirname "$0")/lib.sh"

cc -shared -fPIC -Wall -Werror -I "$source/include" "$source/tests/e2e/messages_handler.c" -o messages.so

# seen QUERY: one row, from the table of messages
seen()
{
	sqlite3 run.db "SELECT $1"
}

# little BYTES VALUE: hexadecimal, least byte first, as the device writes it
little()
{
	awk -v bytes="$1" -v value="$2" \
		'BEGIN { for (; bytes > 0; bytes--) { printf "%02x", value % 256; value = int(value / 256) } }'
}

# 3 groups of 100: a whole wave and one of 36 lanes.
check()
{
	balanced run.db
	expect "$1: state" "$(seen "count(*), min(bytes), max(lane), max(lanes) FROM probe_messages_seen
		WHERE tag = 'state'")" "6|24|0|0"
	expect "$1: state of group 2, wave 1" "$(seen "substr(data, 1, 42) FROM probe_messages_seen
		WHERE tag = 'state' AND group_x = 2 AND wave = 1")" \
		"$(little 4 2)$(little 4 264)00000000008060400102030405"
	expect "$1: nothing" "$(seen "count(*), max(bytes) FROM probe_messages_seen WHERE tag = 'nothing'")" "6|0"
	expect "$1: bytes" "$(seen "count(*), count(DISTINCT data), min(lanes) FROM probe_messages_seen
		WHERE tag = 'byte'")" "300|100|1"
	expect "$1: each byte from its lane" "$(seen "count(*) FROM probe_messages_seen
		WHERE tag = 'byte' AND data <> lower(printf('%02x', wave * 64 + lane))")" 0
	expect "$1: big" "$(seen "count(*), min(bytes), max(bytes) FROM probe_messages_seen WHERE tag = 'big'")" \
		"102|64|64"
	expect "$1: big of item 199" "$(seen "data FROM probe_messages_seen
		WHERE tag = 'big' AND group_x = 1 AND wave = 1 AND lane = 35")" \
		"$(for i in 0 1 2 3 4 5 6 7; do little 8 $((199 * 1000 + i)); done)"
	# Of 25 in 100 lanes each: 0, 1, 2 and 3 turns.
	expect "$1: turns" "$(seen "data, count(*) FROM probe_messages_seen WHERE tag = 'turn' GROUP BY data")" \
		"00000000|225
01000000|150
02000000|75"
	expect "$1: lines" "$(seen "group_concat(line) FROM (SELECT DISTINCT line FROM probe_messages_seen
		ORDER BY line)")" "$(grep -n '	probe_emit' "$source/tests/e2e/messages.hip" | cut -d: -f1 | paste -sd,)"
}

for level in -O2 -O0 -O3; do
	compile "$source/tests/e2e/messages.hip" program -I "$source/include" $level
	for kind in time trace; do
		expect "the program" "$(record run.db -q --kind $kind -a ./messages.so -- ./program)" right
		check "$level $kind"
	done
done

# Without --kind: probe-run chooses a kind that has messages.
record run.db -q -a ./messages.so -- ./program >/dev/null
check "by default"
