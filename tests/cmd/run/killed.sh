# SPDX-License-Identifier: MIT
probe-run "$FAKE_APP" connect announce=x memory=2 begin hole kill=9 &
wait $!
echo $?
sqlite3 probe-out/*/*.db "SELECT count(*) FROM kernels; SELECT dispatch_id, completed FROM probe_dispatch;
	SELECT value FROM probe_run WHERE key LIKE 'partial%' ORDER BY key; SELECT * FROM probe_loss;
	SELECT stream, sum(CASE WHEN name = 'emitted' THEN value END) -
		sum(CASE WHEN name = 'stored' OR name LIKE 'dropped.%' THEN value END)
	FROM probe_account WHERE stream IN ('host', 'counters', 'trace') GROUP BY stream"
