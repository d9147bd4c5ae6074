# SPDX-License-Identifier: MIT
counts=$PROBE/lib/probe/handlers/count.so
for where in open begin batch end close; do
	probe-run -q -d out -o $where.db -a count:fail=$where,count "$FAKE_APP" connect announce=x memory=2 exit-record
done
for where in begin batch end close; do
	sqlite3 out/$where.db "SELECT value FROM probe_run WHERE key = 'partial_reason';
		SELECT begun, ended, executions, bad FROM probe_count_total ORDER BY id DESC LIMIT 1"
done
echo "== replay fails, too"
probe-report replay -q -a "$counts":fail=close out/close.db -o out/again.db || echo "status $?"
echo "== rows that are added in open"
probe-run -q -d out -o early.db -a count:fail=rows-open,count "$FAKE_APP" connect announce=x memory=2 exit-record
probe-report replay -q -a "$counts":fail=rows-open out/early.db -o out/early_again.db
for name in early early_again; do
	sqlite3 out/$name.db "SELECT count(*), sum(begun = 0 AND executions = 0) FROM probe_count_total"
done
