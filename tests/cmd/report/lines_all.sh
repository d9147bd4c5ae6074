# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# One line per access without extra cost; only one kernel.
sample run.db
probe-report lines --all -k 'copy' run.db
echo "-- at most one"
probe-report lines -n 1 run.db
echo "-- a kernel that is not there"
probe-report lines -k nothing run.db
