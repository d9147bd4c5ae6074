# SPDX-License-Identifier: MIT
# What late waves left: as it can be, and as it cannot be.
probe-run -a count --kind time "$FAKE_APP" connect=16 announce=x late=7 exit-record
sqlite3 probe-out/*/*.db "SELECT dispatch_id, sum(size) FROM probe_record GROUP BY 1;
	SELECT name, value FROM probe_account WHERE stream = 'trace' AND value"
