# SPDX-License-Identifier: MIT
# Two runs with the same -o and --force: the second does not destroy the first one's database.
mkfifo go
probe-run -q -d . -o x.db --force "$FAKE_APP" connect announce=x memory=2 wait=go memory=3 exit-record exit=5 &
pid=$!
until [ -s x.db-wal ] && [ "$(sqlite3 x.db "SELECT count(*) FROM probe_dispatch" 2>&1)" = 2 ]; do
	kill -0 $pid || exit 1
done
probe-run -q -d . -o x.db --force "$FAKE_APP" connect announce=x memory=7 exit-record
echo $?
exec 9<>go
wait $pid
echo $?
sqlite3 x.db "PRAGMA integrity_check; SELECT count(*) FROM probe_counter; SELECT value FROM probe_run WHERE key = 'partial'"
# The name is free afterwards.
probe-run -q -d . -o x.db --force "$FAKE_APP" connect announce=x memory=1 exit-record
sqlite3 x.db "SELECT count(*) FROM probe_counter"
