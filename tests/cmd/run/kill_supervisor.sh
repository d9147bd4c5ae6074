# SPDX-License-Identifier: MIT
# probe-run dies: the application goes on, what was committed is whole.
mkfifo pipe go

# check N.db: prints what is wrong with it.
check()
{
	sqlite3 "$1" "PRAGMA integrity_check;
		SELECT 'rows', (SELECT count(*) FROM probe_counter) -
			(SELECT value FROM probe_account WHERE stream = 'counters' AND name = 'stored')
		WHERE EXISTS (SELECT * FROM probe_account);
		SELECT 'partial', value FROM probe_run WHERE key = 'partial'" >answer 2>&1
	grep -v -E '^(ok|rows.0|partial.1)$' answer
}

# start N.db WORD...: with the application's output in N.db.out.
start()
{
	db=$1
	shift
	probe-run -q -d . -o "$db" "$FAKE_APP" connect announce=x "$@" kill-parent=9 memory=20 out=alive exit-record >pipe &
	pid=$!
	cat pipe >"$db.out" & # until the application has ended
	reader=$!
}

# finish N.db: prints what the application said after probe-run's death, and how that died.
finish()
{
	wait $reader
	wait $pid 2>death
	echo "$(cat "$1.out") $?"
}

# Once the first rows are committed, with more and more still to come.
for n in 1 20 300 4000 20000; do
	start $n.db memory=$n trace=0 wait=go
	until [ -s $n.db-wal ] && [ "$(sqlite3 $n.db "SELECT count(*) > 0 FROM probe_dispatch" 2>&1)" = 1 ]; do
		kill -0 $pid || exit 1
	done
	exec 9<>go
	finish $n.db
	exec 9>&-
	check $n.db
done
# At any moment, even before there is a database.
for n in 0 1 20 300 4000 20000; do
	start any$n.db memory=$n trace=0
	finish any$n.db
	[ -s any$n.db ] && [ "$(sqlite3 any$n.db "SELECT count(*) FROM sqlite_master")" != 0 ] || continue
	check any$n.db
done
true
