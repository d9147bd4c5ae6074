# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# One line per access without extra cost; only one kernel.
sample run.db
probe-report lines --all -k 'copy' run.db
echo "-- at most one"
probe-report lines -n 1 run.db
echo "-- a kernel that is not there"
probe-report lines -k nothing run.db
echo "-- updates that may wait are part of the verdict"
sample waits.db
sql waits.db <<'END'
INSERT INTO probe_site VALUES
	(1, 5, 'b.hip', 7, 3, 'copy(int*)', 3, 1, 4, 4, 4, '_Z4copyPi', 2, '[]');
INSERT INTO probe_memory_site VALUES
	(6, 1, 2, 5, 4, 256, 64, 16, 16, 0, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, '', '');
END
probe-report lines -k 'copy' waits.db
