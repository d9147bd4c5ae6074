# SPDX-License-Identifier: MIT
# A handler that writes without end is ended, in a run and in a replay. Of one that fails, nothing is stored but
# its messages, whether it is ended, dies or exits; the tables of the others are stored.
counts=$PROBE/lib/probe/handlers/count.so
for how in rows logs rows-crash rows-exit; do
	probe-run -q -d $how -o run.db --handler-output 1 -a count:fail=$how,memory "$FAKE_APP" connect announce=x memory=2 exit-record exit=7
	echo "status $?"
	sqlite3 $how/run.db "PRAGMA integrity_check; SELECT value FROM probe_run WHERE key = 'partial_reason';
		SELECT count(*) FROM probe_counter; SELECT begun, ended, executions, bad FROM probe_count_total;
		SELECT text FROM probe_log WHERE text LIKE '%rows are written'"
done
# A replay that fails leaves the tables of an earlier one.
for how in rows rows-crash rows-exit; do
	probe-report replay --handler-output 1 -a "$counts":fail=$how --in-place rows/run.db
	echo "status $?"
	sqlite3 rows/run.db "SELECT begun, ended, executions, bad FROM probe_count_total"
done
probe-report replay -q --handler-timeout 1 -a "$counts":fail=hang --in-place rows/run.db
probe-report replay --handler-timeout 0 -a count --in-place rows/run.db
echo "status $?"
