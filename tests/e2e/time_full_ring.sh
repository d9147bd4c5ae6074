#!/bin/sh
# SPDX-License-Identifier: MIT
# Kind time: what stamps cost is known of a wave that fills its ring several times, and how long it waited.
# Folder: devlib
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/time_full_ring.hip" program -I "$source/include"
record run.db -q -a time -- ./program
balanced run.db
expect "regions" "$(sqlite3 run.db "SELECT executions, stamp > 0, overhead > 0 AND overhead <= cycles
	FROM probe_time_span WHERE name = 'step'")" "4000|1|1"
waited=$(sqlite3 run.db "SELECT value FROM probe_account WHERE stream = 'trace' AND name = 'waited_us'")
shown=$(probe-report summary run.db | sed -n 's/.*; waves waited \([0-9]*\) us.*/\1/p')
expect "waited" "${shown:-0}" "$waited"
