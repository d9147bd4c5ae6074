# SPDX-License-Identifier: MIT
# The application's own counts equal the records in the database plus those reported as lost, stream
# by stream. Records that waves had not published are in neither; the bound covers them.
count()
{
	rm -f own
	echo "== $*"
	probe-run -q --force -d . -o x.db --kind trace "$FAKE_APP" connect=64 announce=x "$@" 2>death
	read -r host rows traced unpublished <own
	sqlite3 x.db "CREATE TEMP TABLE own (stream, value, unpublished);
		INSERT INTO own VALUES ('host', $host, 0), ('counters', $rows, 0), ('trace', $traced, $unpublished);
		SELECT own.stream, own.value - sum(a.value) FILTER (WHERE name = 'stored') -
			coalesce(sum(a.value) FILTER (WHERE name LIKE 'dropped.%'), 0),
			coalesce(sum(a.value) FILTER (WHERE name = 'unknown'), 0),
			coalesce(sum(a.value) FILTER (WHERE name = 'unknown_most'), 0) >= unpublished
			FROM own JOIN probe_account a USING (stream) GROUP BY own.stream;
		SELECT 'counter rows in the table', count(*) - $rows FROM probe_counter;
		SELECT 'dropped', stream, reason, value FROM probe_loss"
}
count memory=3 trace=40 exit-record count=own
count records=2000 trace=64 trace=3 exit-record count=own
count memory=2 lost=7 garbage hole trace=4 count=own kill=9
count records=30 memory=5 trace=20 open=12 count=own kill=9
count open=1 begin count=own kill=9
probe-report lines x.db | grep -o "unknown number.*"
# With fewer rings than waves there is no bound.
probe-run --force -d . -o x.db --kind trace "$FAKE_APP" connect=16 announce=x open=1 kill=9 2>&1 | grep -o "unknown number.*"
# Many dispatches in flight: all are in the database.
count memory=3000 begin=5000 count=own kill=9
sqlite3 x.db "SELECT completed, count(*) FROM probe_dispatch GROUP BY 1"
# Records that a thread began but never wrote: counted, without a position.
count memory=1 begun=3 count=own kill=9
# More records arrive than the process states.
count memory=4 begun=-5 exit-record count=own
sqlite3 x.db "SELECT replace(text, (SELECT value FROM probe_run WHERE key = 'pid'), 'PID') FROM probe_log"
