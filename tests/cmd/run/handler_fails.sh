# SPDX-License-Identifier: MIT
for where in open begin batch end close; do
	probe-run -q -d out -o $where.db -a count:fail=$where,count "$FAKE_APP" connect announce=x memory=2 exit-record
done
for where in begin batch end close; do
	sqlite3 out/$where.db "SELECT value FROM probe_run WHERE key = 'partial_reason';
		SELECT begun, ended, executions, bad FROM probe_count_total ORDER BY id DESC LIMIT 1"
done
