# SPDX-License-Identifier: MIT
# A handler crashes in its own process. The program's status, the records and the other handler's
# rows are the same as without it; the handler is named, and it can be replayed. A sanitized build
# would print its own report instead of dying of the signal.
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
# The time limit applies to one call and ignores the others.
probe-run -q -d slow -o run.db --handler-timeout 1 -a count:fail=hang,memory "$FAKE_APP" connect announce=x memory=2 exit-record
echo "status $?"
sqlite3 slow/run.db "SELECT begun, ended, executions, bad FROM probe_count_total; SELECT count(*) FROM probe_counter"
# A process that the handler started keeps its socket, and the pipe to cat, until it is ended, too.
probe-run -q -d forked -o run.db -a count:fail=fork,memory "$FAKE_APP" connect announce=x memory=2 exit-record 2>&1 | cat
sqlite3 forked/run.db "SELECT begun, ended, executions, bad FROM probe_count_total; SELECT count(*) FROM probe_counter"
# A process that the handler forked, and that returns to the worker, ends: it handles no records and writes no rows.
probe-run -q -d forks -o run.db -a count:fail=forks,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7
echo "status $?"
sqlite3 forks/run.db "SELECT begun, ended, executions, bad FROM probe_count_total; SELECT count(*) FROM probe_counter"
# One kills the recorder, each time. The replacements do not come to an end by it.
probe-run -d killer -o run.db -a count:fail=kill,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7 2>said
echo "status $?"
grep -o "[0-9]* recorders died.*" said
ls killer
probe-report replay -a memory --in-place killer/run.db
# One stops the recorder, which probe-run continues; if it does so without end, as if it had killed the recorder.
for how in stop-open stop; do
	probe-run -q -d $how -o run.db -a count:fail=$how,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7
	echo "status $?"
	sqlite3 $how/run.db "SELECT begun, ended, executions, bad FROM probe_count_total; SELECT count(*) FROM probe_counter"
done
probe-run -d stops -o run.db -a count:fail=stops,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7 2>said
echo "status $?"
grep -o "[0-9]* recorders died.*" said
ls stops
