# SPDX-License-Identifier: MIT
probe-run -a count --kind trace "$FAKE_APP" connect=16 announce=x records=3000 trace=48 trace=2 exit-record
sqlite3 probe-out/*/*.db "SELECT begun, ended, accesses, lanes, bad FROM probe_count_total;
	SELECT min(first_dispatch), max(last_dispatch), sum(size) FROM probe_record"
