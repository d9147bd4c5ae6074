#!/bin/sh
# SPDX-License-Identifier: MIT
# Handlers that run again on stored records compute the same results as in the run, individually and
# together.
# Folder: cmds/record
. "$(dirname "$0")/lib.sh"

# tables DB HANDLER: every row of its tables
tables()
{
	sqlite3 "$1" "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'probe_$2_*' ORDER BY name" |
		while read -r table; do
			echo "$table"
			sqlite3 "$1" "SELECT * FROM $table"
		done
}

compile "$source/tests/e2e/handlers.hip" program -I "$source/examples"
handlers="memory divergence heatmap cache race"
all=$(echo "$handlers" | tr ' ' ,)
record run.db -q -a "$all,log:file=run.csv" -- ./program
probe-report replay run.db -o again.db -a "$all,log:file=again.csv" >printed.txt
cmp run.csv again.csv || fail "the log differs"
for handler in $handlers; do
	tables run.db "$handler" >run.txt
	[ "$(wc -l <run.txt)" -gt 1 ] || fail "$handler wrote nothing"
	tables again.db "$handler" | cmp - run.txt || fail "$handler, all together again"
	# On a copy, into a separate file: the other handlers' tables stay.
	cp run.db "$handler.db"
	probe-report replay "$handler.db" -a "$handler" >/dev/null
	tables "$handler-replay.db" "$handler" | cmp - run.txt || fail "$handler alone"
done
[ -z "$(probe-report replay -q -i run.db -o quiet.db -a memory 2>&1)" ] || fail "replay -q speaks"
expect "printed by replay" "$(cut -d: -f2 printed.txt)" \
	" replayed $(sqlite3 run.db 'SELECT count(*) FROM probe_dispatch WHERE kind') dispatches, 0 counter rows and $(
		sed 1d run.csv | wc -l) records; 0 records malformed"
# Only the replayed tables change: counters of a run, in its own file.
record memory.db -q -a memory -- ./program
tables memory.db memory >run.txt
sqlite3 memory.db .dump >before.txt
probe-report replay memory.db --in-place -a memory >/dev/null
tables memory.db memory | cmp - run.txt || fail "memory, in place"
sqlite3 memory.db .dump | cmp - before.txt || fail "replaying in place changed the rest"
# Time stamps too.
record time.db -q -a time -- ./program
tables time.db time >run.txt
[ "$(wc -l <run.txt)" -gt 2 ] || fail "time wrote nothing"
probe-report replay time.db -a time >/dev/null
tables time-replay.db time | cmp - run.txt || fail "time"
# Deleted records are missing in the output, and nothing else.
for db in run memory; do
	probe-report replay "$db.db" -o whole.db --force -a memory 2>messages.txt >/dev/null
	[ ! -s messages.txt ] || fail "$db.db: $(cat messages.txt)"
	cp "$db.db" "cut-$db.db"
	sqlite3 "cut-$db.db" 'DELETE FROM probe_record WHERE id = (SELECT max(id) FROM probe_record);
		DELETE FROM probe_counter WHERE rowid > 10'
	probe-report replay "cut-$db.db" -a memory 2>messages.txt >/dev/null
	grep -q "cut-$db.db: [1-9][0-9]* of the records that the run stored are missing" messages.txt ||
		fail "no message about deleted records: $(cat messages.txt)"
done
# What is missing is said before anything is written.
if probe-report replay memory.db -o none.db -a race 2>none.txt; then fail "replayed addresses that are not there"; fi
grep -q "has nothing that handler race takes: record with --kind trace" none.txt || fail "$(cat none.txt)"
[ ! -e none.db ] || fail "a file was written"
# So is what is wrong with arguments.
for wrong in cache:l1=3 cache:what=1; do
	if probe-report replay run.db -o none.db -a $wrong 2>none.txt; then fail "replayed with $wrong"; fi
	grep -q "handler cache.*; nothing was written" none.txt || fail "$wrong: $(cat none.txt)"
	[ ! -e none.db ] || fail "a file was written with $wrong"
done
status=0
probe-report replay memory.db -a nonsense 2>none.txt || status=$?
expect "an unknown handler" "$status" 1
probe-report replay memory.db -a memory -o run.db 2>none.txt && fail "run.db was overwritten"
grep -q "run.db exists; --force" none.txt || fail "$(cat none.txt)"
