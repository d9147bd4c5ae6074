# SPDX-License-Identifier: MIT
# One process, two programs: one database each, the first one partial.
probe-run "$FAKE_APP" connect announce=x memory=1 exec connect announce=x memory=2 exit-record 2>err
sed "s|process [0-9]*|process PID|" err | sort >&2
cd probe-out/*
for db in *.db; do
	case $db in *-2.db) echo second ;; *) echo first ;; esac
	sqlite3 "$db" "SELECT count(*) FROM kernels; SELECT value FROM probe_run WHERE key = 'partial_reason'"
done | sort
