# SPDX-License-Identifier: MIT
# The application dies at any point: everything it had committed is in the database, and the rest is
# counted.
for n in 1 2 3 10 100 1000 10000; do
	for tail in "" begin hole "hole garbage" "memory=1 hole memory=3 begin"; do
		probe-run -q --force -d . -o x.db "$FAKE_APP" connect announce=x memory=$n $tail kill=9 &
		wait $! 2>death # the shell reports each death
		[ $? = 137 ] || echo "status of $n $tail"
		sqlite3 x.db "PRAGMA integrity_check; SELECT stream, sum(CASE WHEN name = 'emitted' THEN value END) -
			sum(CASE WHEN name = 'stored' OR name LIKE 'dropped.%' THEN value END) FROM probe_account
			WHERE stream IN ('host', 'counters', 'trace') GROUP BY stream;
			SELECT 'unread', sum(value) FROM probe_account WHERE name = 'unread';
			SELECT 'stored', count(*) - 3 * (SELECT count(*) FROM probe_dispatch WHERE completed) FROM probe_counter;
			SELECT 'enough', (SELECT count(*) FROM probe_dispatch WHERE completed) >= $n;
			SELECT 'partial', value FROM probe_run WHERE key = 'partial'" >answer
		grep -v -E '^(ok|host.0|counters.0|trace.0|unread.0|stored.0|enough.1|partial.1)$' answer
		[ $(wc -l <answer) = 8 ] || echo "answer of $n $tail"
	done
done
true
