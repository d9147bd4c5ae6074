# SPDX-License-Identifier: MIT
# A handler dies in its own process: the program's status, the records and the other handler's rows
# are those of a run without it, the handler is named, and what it missed can be replayed.
# A sanitized build would end with a report of its own in place of the signal.
ASAN_OPTIONS=handle_segv=0
export ASAN_OPTIONS
for how in crash exit overrun; do
	probe-run -q -d $how -o run.db -a count:fail=$how,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7
	echo "status $?"
	sqlite3 $how/run.db "PRAGMA integrity_check; SELECT value FROM probe_run WHERE key LIKE 'partial%' ORDER BY key;
		SELECT count(*) FROM probe_counter; SELECT begun, ended, executions, bad FROM probe_count_total"
	probe-report replay -a "$PROBE/lib/probe/handlers/count.so" --in-place $how/run.db
	sqlite3 $how/run.db "SELECT begun, ended, executions FROM probe_count_total"
done
# The deadline is of one call, and does not count the others.
probe-run -q -d slow -o run.db --handler-timeout 1 -a count:fail=hang,memory "$FAKE_APP" connect announce=x memory=2 exit-record
echo "status $?"
sqlite3 slow/run.db "SELECT begun, ended, executions, bad FROM probe_count_total; SELECT count(*) FROM probe_counter"
