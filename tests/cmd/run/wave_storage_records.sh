# SPDX-License-Identifier: MIT
# The storage of waves: a valid one, and malformed ones.
probe-run -a count --kind time "$FAKE_APP" connect=16 announce=x stored=7 exit-record
sqlite3 probe-out/*/*.db "SELECT min(first_dispatch), max(last_dispatch), sum(size) FROM probe_record;
	SELECT name, value FROM probe_account WHERE stream = 'trace' AND value"
