# SPDX-License-Identifier: MIT
# probe-run dies at any point: the application goes on, what was committed is whole.
exec 2>/dev/null # the shell tells of each death
mkfifo pipe
checked=0
for n in 0 1 20 300 4000 20000; do
	probe-run -q -d . -o $n.db "$FAKE_APP" connect announce=x memory=$n trace=0 sleep=$((n % 7 * 30)) \
		kill-parent=9 memory=20 out=alive exit-record >pipe 2>/dev/null &
	cat pipe # until the application has ended
	wait $!
	echo " $?"
	[ -s $n.db ] && [ "$(sqlite3 $n.db "SELECT count(*) FROM sqlite_master")" != 0 ] || continue # died before
	sqlite3 $n.db "PRAGMA integrity_check;
		SELECT 'rows', (SELECT count(*) FROM probe_counter) -
			(SELECT value FROM probe_account WHERE stream = 'counters' AND name = 'stored')
		WHERE EXISTS (SELECT * FROM probe_account);
		SELECT 'partial', value FROM probe_run WHERE key = 'partial'" >answer 2>&1
	grep -v -E '^(ok|rows.0|partial.1)$' answer
	checked=$((checked + 1))
done
[ "$checked" -ge 3 ] # most had something to look at
