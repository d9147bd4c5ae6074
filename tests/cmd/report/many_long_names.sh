# SPDX-License-Identifier: MIT
# 3000 kernels with names of 10,000 characters: their names (60 MB) are not written to temporary files,
# which are limited to 4 MB here (loaded_twice.sh has the kernels that are united by name).
. "$(dirname "$0")/database.inc"
database run.db
sql run.db <<'SQL'
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO rocpd_info_kernel_symbol_t (id, nid, pid, code_object_id, kernel_name, display_name)
	SELECT i, 1, 1, 1, printf('_Z%09990d', i), printf('void %09990d()', i) FROM n;
INSERT INTO probe_dispatch SELECT id, id, id, 1, 0, 1, 1, 1024, 1, 1, 256, 1, 1, 0, 0, 1
	FROM rocpd_info_kernel_symbol_t;
INSERT INTO probe_dispatchsum SELECT kernel_id, kernel_id, 1, 0, 1, 1024, 1, 1, 256, 1, 1,
	dispatch_id, 1, 1, 500 FROM probe_dispatch;
COMMIT;
SQL
ulimit -f 8192
probe-report kernels --format csv -f dispatches,clone_ns,id -n 3 run.db
