# SPDX-License-Identifier: MIT
# Another program locks the database until the application has ended, and has written more than the
# segment holds: nothing is lost. LOCK_SECONDS: and then for some time (in check-long).
mkfifo go gate
probe-run -q -d . -o x.db --strict "$FAKE_APP" connect announce=x memory=1 wait=go memory=40000 exit-record out=done >said &
pid=$!
until [ -s x.db-wal ] && [ "$(sqlite3 x.db "SELECT count(*) FROM probe_dispatch" 2>&1)" = 1 ]; do
	kill -0 $pid || exit 1
done
: >lock
{ echo ".timeout 60000"; echo "BEGIN IMMEDIATE; SELECT 'locked';"; cat gate; echo "COMMIT;"; } | sqlite3 x.db >lock &
until grep -q locked lock; do
	kill -0 $pid || exit 1
done
exec 9<>go
until grep -q done said; do # the application is at its end
	kill -0 $pid || exit 1
done
sleep "${LOCK_SECONDS:-0}"
exec 8>gate 8>&- # the lock ends
wait $pid
echo $?
sqlite3 x.db "SELECT count(*) FROM probe_counter; SELECT value FROM probe_run WHERE key = 'partial';
	SELECT coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%'"
