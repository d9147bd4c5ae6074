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

# run N.db WORD...: kills probe-run at the word kill-parent; prints what the application does then.
run()
{
	db=$1
	shift
	probe-run -q -d . -o "$db" "$FAKE_APP" connect announce=x "$@" memory=20 out=alive exit-record >pipe &
	cat pipe # until the application has ended
	wait $! 2>death
	echo " $?"
}

# Once the first rows are committed, with more and more still to come.
for n in 1 20 300 4000 20000; do
	{
		until [ -s $n.db-wal ] && [ "$(sqlite3 $n.db "SELECT count(*) > 0 FROM probe_dispatch" 2>&1)" = 1 ]; do
			:
		done
		: >go
	} &
	run $n.db memory=$n trace=0 wait=go kill-parent=9
	check $n.db
done
# At any moment, even before there is a database.
for n in 0 1 20 300 4000 20000; do
	run any$n.db memory=$n trace=0 kill-parent=9
	[ -s any$n.db ] && [ "$(sqlite3 any$n.db "SELECT count(*) FROM sqlite_master")" != 0 ] || continue
	check any$n.db
done
true
