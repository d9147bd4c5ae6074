# SPDX-License-Identifier: MIT
# 1500 kernels and functions with names of 10,000 characters: their names (30 MB) are not written to temporary files,
# which are limited to 4 MB here (loaded_twice.sh has the kernels that are united by name). The page shows names cut,
# and sorts these: 32 MB. A table that is too long for browsers ends earlier, with a sentence.
. "$(dirname "$0")/database.inc"
database run.db
memory_table run.db
sql run.db <<'SQL'
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO rocpd_info_kernel_symbol_t (id, nid, pid, code_object_id, kernel_name, display_name)
	SELECT i, 1, 1, 1, printf('_Z%09990d', i), printf('void %09990d()', i) FROM n;
INSERT INTO probe_dispatch SELECT id, id, id, 1, 0, 1, 1, 1024, 1, 1, 256, 1, 1, 0, 0, 1
	FROM rocpd_info_kernel_symbol_t;
INSERT INTO probe_dispatchsum SELECT kernel_id, kernel_id, 1, 0, 1, 1024, 1, 1, 256, 1, 1,
	dispatch_id, 1, 1, 500 FROM probe_dispatch;
INSERT INTO probe_site SELECT 1, id, '/src/a.hip', id, 1, display_name, 1, 1, 4, 4, 4, 'k', 2,
	json_array(json_object('file', '/src/a.hip', 'line', 1, 'function', display_name))
	FROM rocpd_info_kernel_symbol_t;
INSERT INTO probe_memory_site SELECT id, 1, id, id, 20, 1280, 0, 60, 30, 30, 40, 10, 30, 0, 0, 0, 0, 0, 0, 0, 'apart', ''
	FROM rocpd_info_kernel_symbol_t;
COMMIT;
SQL
(
	ulimit -f 8192
	probe-report kernels --format csv -f dispatches,clone_ns,id -n 3 run.db
	probe-report lines --format csv -f line,executions,lines128_excess,cycles,site -n 3 run.db
)
(
	ulimit -f 65536
	probe-report export --format html -o page.html run.db
)
echo "== names of two kernels, and their lengths"
data_of page.html | jq -c '.tables | [.kernels, .lines] | .[] |
	[(.rows | length), (.columns | map(.name) | index("kernel")) as $at | (.rows[0,1499][$at] | length)]'
data_of page.html | jq '[.tables.lines.rows[][4]] | unique | length'
echo "== too many lines of source"
sql run.db <<'SQL'
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 34000)
INSERT INTO probe_source SELECT '/src/a.hip', i, printf('%02000d', i) FROM n;
SQL
probe-report export --format html --force -o page.html run.db 2>&1
data_of page.html | jq -c .cut,.gaps
