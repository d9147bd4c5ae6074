# SPDX-License-Identifier: MIT
# What the application counts itself is what the database has and what it says was lost, stream by stream. What
# waves had not published is not in either; the bound covers it.
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
# Records that a thread began and never got to write: counted, without a place.
count memory=1 begun=3 count=own kill=9
# More come than are stated.
count memory=4 begun=-5 exit-record count=own
sqlite3 x.db "SELECT replace(text, (SELECT value FROM probe_run WHERE key = 'pid'), 'PID') FROM probe_log"
