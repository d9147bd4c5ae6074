# SPDX-License-Identifier: MIT
# --recover runs the handlers of the installation that had not run, also one that has nothing to take, and names the
# others with the command that runs them. The database is one file then.
pending() {
	sqlite3 rec/x.db "PRAGMA journal_mode = WAL; UPDATE probe_run SET value = 0 WHERE key = 'handlers_ended';
		UPDATE probe_run SET value = '$1' WHERE key = 'handlers'; DROP TABLE IF EXISTS probe_count_total" >/dev/null
	probe-run --recover rec 2>&1
	echo "status $?"
	sqlite3 rec/x.db "SELECT begun, executions FROM probe_count_total"
	ls rec
}
probe-run -q -d rec -o x.db -a count "$FAKE_APP" connect announce=x memory=2 exit-record
pending /some/where.so:a=1,count,./mine.so
pending /some/where.so
sqlite3 rec/x.db "UPDATE probe_dispatch SET kind = 3"
pending count
probe-run --recover nowhere 2>&1
echo "status $?"
