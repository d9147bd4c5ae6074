# SPDX-License-Identifier: MIT
# Code objects are read by child processes. If one of them dies, the report says what it lacks.
. "$(dirname "$0")/database.inc"
database run.db
memory_table run.db
kernel run.db 1 copy copy
dispatch run.db 1 1 1
sql run.db <<END
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
INSERT INTO probe_code VALUES (1, 'same', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
INSERT INTO probe_sample VALUES (1, 0x810, 30, 960, 240, 0);
INSERT INTO probe_state VALUES (1, 0x810, 1, 7, 30);
INSERT INTO probe_sampled VALUES (1, 30);
END
dying()
{
	child=$1
	shift
	KILL_CHILD=$child LD_PRELOAD=$TEST_HANDLERS/preload/kill_child.so \
		ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 probe-report "$@" 2>&1
}
probe-report annotate copy --format json run.db >whole.json
for child in 1 2 3 4 5 6 7 8 9; do
	echo "== child $child"
	dying $child annotate copy --format json run.db >out
	grep -a '^probe:' out
	grep -av '^probe:' out | cmp -s - whole.json && echo "the same instructions"
done
echo "== the page"
probe-report export --format html -o page.html run.db
data_of page.html | jq -c .gaps
dying 3 export --format html -o lacking.html run.db
data_of lacking.html | jq -c .gaps
echo "== code objects that cannot be read, more than are worth a sentence"
sql run.db <<END
WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 14)
INSERT INTO rocpd_info_code_object_t (id, nid, pid, agent_id, uri) SELECT i, 1, 1, 1, 'memory://' || i FROM n;
INSERT INTO probe_code SELECT id, 'bad' || id, x'7f454c46' FROM rocpd_info_code_object_t WHERE id > 1;
INSERT INTO rocpd_info_kernel_symbol_t (nid, pid, code_object_id, kernel_name, display_name)
	SELECT 1, 1, id, 'k' || id, 'k' || id FROM rocpd_info_code_object_t WHERE id > 1;
INSERT INTO probe_dispatch SELECT 100 + id, id, id, 0, 1, 1, 1, 64, 1, 1, 64, 1, 1, 0, 0, 1
	FROM rocpd_info_kernel_symbol_t WHERE code_object_id > 1;
END
probe-report annotate --format csv -f address run.db 2>&1 >/dev/null
