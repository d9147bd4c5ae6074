# SPDX-License-Identifier: MIT
# The recorder gets SIGTERM twice while the program runs. It ends with everything that the program
# had recorded; the program continues, and probe-run exits as it does.
mkfifo go ready
probe-run -q -d . -o x.db -a count "$FAKE_APP" connect announce=x memory=50 drained wait=ready wait=go memory=3 exit=6 &
run=$!
: >ready # the program now waits for "go"
recorder=$(pgrep -P "$run" -x probe-recorder)
kill -TERM "$recorder"
kill -TERM "$recorder"
while [ "$(cut -d ' ' -f 3 "/proc/$recorder/stat")" != Z ]; do
	kill -TERM "$recorder"
done
: >go
wait "$run"
echo "$?"
sqlite3 x.db "PRAGMA integrity_check; SELECT count(*) >= 150 FROM probe_counter;
	SELECT value FROM probe_run WHERE key IN ('partial', 'partial_reason') ORDER BY key"
ls "$TMPDIR" | grep -c "^probe-......$"
true
