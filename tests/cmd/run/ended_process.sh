# SPDX-License-Identifier: MIT
# The database of a process that has ended is complete while the run goes on, but for its handlers. The recorder is
# killed then: another one knows of it. It runs handlers that have not run yet, and not over a file that was replaced.
mkfifo go ready

check()
{
	echo "$1"
	sqlite3 "$1" "PRAGMA journal_mode; SELECT 'rows', count(*) FROM probe_counter;
		SELECT key, value FROM probe_run WHERE key IN ('partial', 'handlers_ended') ORDER BY key"
}
count=0
for name in a b c d; do
	count=$((count + 1))
	echo "NAME=$name \"$FAKE_APP\" connect announce=x memory=$count exit-record"
done >program
echo ": >ready; : <go; NAME=e \"$FAKE_APP\" connect announce=x memory=5 exit-record" >>program
probe-run -d . -o '%env{NAME}%.db' sh program 2>said &
run=$!
: <ready
while [ "$(find . -name '*-spool' | wc -l)" != 0 ]; do
	kill -0 $run || exit 1
done
check a.db
probe-report lines a.db | sed -n "/^no lines/,/^$/p"

# --recover is faster with the first one, the second and the third are not where they were.
probe-run --recover a.db 2>&1
mv b.db moved.db
cp moved.db b.db
mv c.db gone.db
pkill -KILL -P "$run" -x probe-recorder
: >go
wait $run
echo "status $?"
sed "s|process [0-9][0-9]*|process PID|" said | sort
for db in *.db; do
	check "$db"
done
ls
