# SPDX-License-Identifier: MIT
# The recorder is killed while the program runs: another one continues, and the run is as if nothing
# had happened. Then it and probe-run are killed: --recover does so, even while the program still runs.
mkfifo go ready

check()
{
	sqlite3 "$1" "PRAGMA integrity_check;
		SELECT 'rows', count(*) FROM probe_counter;
		SELECT 'lost', coalesce(sum(value), 0) FROM probe_account WHERE name LIKE 'dropped.%';
		SELECT key, value FROM probe_run WHERE key IN ('partial', 'handlers_ended') ORDER BY key"
}
probe-run -d again -o x.db --kind trace "$FAKE_APP" connect=64 announce=x memory=500 trace=8 wait=ready wait=go memory=20 trace=2 exit-record exit=6 2>said &
run=$!
: >ready
pkill -KILL -P "$run" -x probe-recorder
: >go
wait "$run"
echo "$?"
grep -o "recorder died.*" said
check again/x.db
ls again

probe-run -q -d alive -o x.db "$FAKE_APP" connect announce=x memory=500 wait=ready wait=go memory=20 exit-record &
run=$!
: >ready
app=$(pgrep -P "$run" -x fake-app)
recorder=$(pgrep -P "$run" -x probe-recorder)
segment=$(grep -a -o -m1 "/dev/shm/probe-[0-9a-f]*" alive/x.db-spool)
kill -KILL "$run" "$recorder"
wait "$run" 2>death
echo "$?"
# Each of its threads: files stay open, and locked, until the last one has ended.
while cut -d ' ' -f 3 "/proc/$recorder"/task/*/stat 2>/dev/null | grep -q '[^ZX]'; do :; done
probe-report lines alive/x.db 2>&1 | grep -o "its recorder was killed.*"
: >out
probe-run --recover alive >>out 2>&1 &
recover=$!
until grep -q "still runs" out; do
	kill -0 $recover || exit 1
done
: >go
wait $recover
echo "$?"
sed "s/over [0-9]* dispatches/over N dispatches/" out
check alive/x.db
ls alive
[ ! -e "$segment" ] && echo "no segment is left"
