# SPDX-License-Identifier: MIT
# Impossible sizes and counts: each is refused, and the accounting stays balanced.
probe-run -q \
	-d . -o x.db "$FAKE_APP" connect huge-code announce=x sampler=1 memory=2 impossible exit-record exit=4 2>err
echo $?
grep -v -e instrumented -e "device:" err
sqlite3 x.db "SELECT count(*) FROM probe_counter; SELECT stream, name, value FROM probe_account
		WHERE value < 0 OR value > 1000;
	SELECT stream, sum(CASE WHEN name = 'emitted' THEN value END) -
		sum(CASE WHEN name = 'stored' OR name LIKE 'dropped.%' THEN value END)
	FROM probe_account WHERE stream IN ('host', 'counters') GROUP BY stream;
	SELECT value FROM probe_account WHERE stream = 'host' AND name = 'dropped.invalid'"
