# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
echo "== none"
probe-report allocations run.db | head -n 5
sql run.db <<'END'
INSERT INTO probe_allocation VALUES (1, 4096, 256, 1, 'a.hip:3' || char(10) || 'main.hip:9', 1, NULL),
	(2, 8192, 64, 1, 'a.hip:3' || char(10) || 'main.hip:9', 1, 7), (3, 16384, 1000, 2, 'a.hip:3', 2, 2),
	(4, 32768, 100, 1, '', 1, NULL);
END
echo "== by call stack, and where that is not known"
probe-report allocations run.db
probe-report allocations --format csv -s call_site -f call_site,freed,call_stack run.db
probe-report allocations --format json -n 1 run.db | jq -c '.[]'
