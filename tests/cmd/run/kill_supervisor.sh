# SPDX-License-Identifier: MIT
# probe-run dies: the application continues, the recorder finishes the database, and nothing is
# lost.
mkfifo pipe

# check N.db ROWS: prints what is wrong with it.
check()
{
	sqlite3 "$1" "PRAGMA integrity_check;
		SELECT 'rows', (SELECT count(*) FROM probe_counter) -
			(SELECT value FROM probe_account WHERE stream = 'counters' AND name = 'stored'),
			(SELECT count(*) FROM probe_counter);
		SELECT 'lost', coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%';
		SELECT 'partial', value FROM probe_run WHERE key = 'partial';
		SELECT 'handlers', value FROM probe_run WHERE key = 'handlers_ended';
		SELECT 'executions', executions FROM probe_count_total" >answer 2>&1
	grep -v -E "^(ok|rows.0.$2|lost.0|partial.0|handlers.1|executions.[1-9][0-9]*)$" answer
	[ $(wc -l <answer) = 6 ] || echo "answer of $1"
}

# Each dispatch has three rows; 20 dispatches follow the death of probe-run.
for n in 0 1 20 300 4000 20000; do
	probe-run -q -d dir$n -o x.db "$FAKE_APP" connect announce=x memory=$n trace=0 kill-parent=9 memory=20 out=alive exit-record >pipe &
	pid=$!
	said=$(cat pipe) # until the application has ended
	wait $pid 2>death
	echo "$said $?"
	probe-run -q --recover dir$n || echo "recover $n: $?"
	check dir$n/x.db $((3 * (n + 20)))
done
# The application dies as well.
for n in 1 300 20000; do
	probe-run -q -d both$n -o x.db "$FAKE_APP" connect announce=x memory=$n kill-parent=9 kill=9 &
	wait $! 2>death
	echo $?
	probe-run -q --recover both$n
	sqlite3 both$n/x.db "PRAGMA integrity_check; SELECT count(*) - 3 * $n FROM probe_counter"
done
# The recorder, for which nobody waits here, removes its socket after it has unlocked the database.
while ls "$TMPDIR" | grep -q "^probe-......$"; do
	:
done
