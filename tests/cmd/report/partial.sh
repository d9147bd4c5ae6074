# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# An interrupted run is called partial in the first line; losses are listed.
sample run.db
sql run.db <<'END'
UPDATE probe_run SET value = 1 WHERE key = 'partial';
UPDATE probe_run SET value = 'the program was killed by signal 9' WHERE key = 'partial_reason';
UPDATE probe_account SET value = 12 WHERE stream = 'counters' AND name = 'emitted';
INSERT INTO probe_account VALUES ('counters', 'dropped.missing', 4), ('counters', 'dropped.store', 3),
	('dispatches', 'refused.recursion', 2);
INSERT INTO probe_log (time, level, origin, text) VALUES (1, 1, 'probe-run', 'disk full'), (2, 2, 'x', 'fine');
END
probe-report lines run.db | sed -n -e 1,2p -e '/dispatches/,$p'
# A handler that failed: the records are complete.
sql run.db <<'END'
UPDATE probe_run SET value = 'handler race died of signal 11 (Segmentation fault) in batch' WHERE key = 'partial_reason';
END
probe-report lines run.db | head -n 1
# If a program reads the report from stdout, the user gets the warning on stderr.
probe-report lines --format csv run.db >/dev/null
probe-report kernels --format json run.db >/dev/null
