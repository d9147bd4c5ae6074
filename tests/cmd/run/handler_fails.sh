# SPDX-License-Identifier: MIT
for where in open begin batch end close; do
	probe-run -q -a count:fail=$where,count "$FAKE_APP" connect announce=x memory=2 exit-record
done
for db in probe-out/*/*.db; do
	sqlite3 "$db" "SELECT value FROM probe_run WHERE key = 'partial_reason';
		SELECT begun, ended, executions, bad FROM probe_count_total ORDER BY id DESC LIMIT 1"
done
