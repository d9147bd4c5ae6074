# SPDX-License-Identifier: MIT
# A code object that was loaded twice: its positions are added up, separate from those of another
# one.
. "$(dirname "$0")/database.inc"

database run.db
memory_table run.db
for i in 1 2 3; do
	kernel run.db $i 'k(int*)' _Z1kPi
	dispatch run.db $i $i 0
done
sql run.db <<'END'
INSERT INTO probe_site SELECT c, s, 'a.hip', 7, 3 + s / 2, 'k(int*)', 2, 1, 4, 4, 4, '_Z1kPi', 2, '[]'
	FROM (SELECT column1 AS c FROM (VALUES (1), (2), (3))),
	(SELECT column1 AS s FROM (VALUES (0), (1), (2)));
INSERT INTO probe_code VALUES (1, 'aa', NULL), (2, 'aa', NULL), (3, 'bb', NULL);
UPDATE rocpd_info_kernel_symbol_t SET code_object_id = id;
INSERT INTO probe_memory_site SELECT NULL, code_object_id, code_object_id, site, 1, 64, 16, 16, 4, 12, 8, 2, 6,
	0, 0, 0, 0, 1, 16, 16, 'cause', 'fix' FROM probe_site;
END
probe-report lines --format csv -f file,line,column,kernel,executions,sites,cycles run.db
probe-report kernels --format csv -f kernel,dispatches,instrumented,cycles,loads run.db
sql run.db <<'END'
DROP TABLE probe_memory_site;
CREATE TABLE probe_count_site (id INTEGER PRIMARY KEY, code_object INTEGER, kernel INTEGER, site INTEGER,
	executions INTEGER, lanes INTEGER);
INSERT INTO probe_count_site SELECT NULL, code_object_id, code_object_id, site, 1, 64 FROM probe_site;
END
probe-report lines --format csv -f file,line,column,kernel,executions,lanes,sites run.db
