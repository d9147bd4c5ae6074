# SPDX-License-Identifier: MIT
# Nothing can be stored: a message says so before and after, the run fails, and the report does not
# say that there was nothing. Mounting a full file system needs root rights.
mkdir disk
mount -t tmpfs -o size=64k none disk 2>/dev/null || exit 77
trap "umount disk" EXIT
probe-run -d disk -o full.db "$FAKE_APP" connect announce=x memory=10 exit-record out=done 2>err
echo " $?"
cat err >&2
ls disk
# The status of a program that fails is its own.
probe-run -q -d disk -o own.db "$FAKE_APP" connect announce=x memory=10 exit-record exit=5
echo "$?"
probe-run -q -d disk -o signal.db "$FAKE_APP" connect announce=x memory=10 exit-record kill=9
echo "$?"
# Records whose handlers did not run: the report prints the replay command, which works.
probe-run -q -d . -o x.db "$FAKE_APP" connect announce=x memory=10 exit-record
sqlite3 x.db "UPDATE probe_run SET value = 0 WHERE key = 'handlers_ended'; DROP TABLE probe_count_total;
	DELETE FROM probe_dispatch WHERE 0"
probe-report lines x.db | grep -A1 "no lines"
probe-run --recover . 2>&1
sqlite3 x.db "SELECT begun, executions FROM probe_count_total"
