# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
probe-report list | head -n 12
probe-report list | grep -c .
probe-report list --format csv | head -n 3
probe-report list --format csv --no-header -t ';' | grep -c '^lines;'
probe-report list --format json | jq -c '[length, .[0]]'
# Options that have no effect are rejected.
sample run.db
for wrong in "list run.db" "list -n 3" "list -k x" "list --all" "list --format rocprofv3" "info -f file run.db" \
		"info -k x run.db" "flame -s cycles run.db" "flame --all run.db" "kernels --all run.db" "tables -k x run.db"; do
	probe-report $wrong >/dev/null 2>error.txt
	echo "$? $(head -n 1 error.txt)"
done
# Warnings are not errors.
sql run.db <<'END'
UPDATE probe_run SET value = 1 WHERE key = 'partial';
END
probe-report lines --format csv -f cycles run.db 2>&1 | head -n 1
probe-report lines -q --format csv -f cycles run.db 2>&1 | head -n 1
