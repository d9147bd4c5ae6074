# SPDX-License-Identifier: MIT
# Instructions of a real code object (tests/data/codeobj/tile.hip) with samples and counters;
# sources that are missing, elsewhere, or hostile; no debug information.
. "$(dirname "$0")/database.inc"
make()
{
	database "$1"
	memory_table "$1"
	kernel "$1" 1 copy copy
	kernel "$1" 2 'void ns::tile<32>(float*, float const*, int)' _ZN2ns4tileILi32EEEvPfPKfi
	dispatch "$1" 1 1 1
	dispatch "$1" 2 2 1
	sql "$1" <<END
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
INSERT INTO probe_code VALUES (1, 'same', readfile('$data/codeobj/$2.co'));
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
INSERT INTO probe_sample VALUES (1, 0x80c, 10, 640, 80, 0), (1, 0x810, 30, 960, 240, 0),
	(1, 0x818, 100, 6400, 800, 0), (1, 0x81c, 60, 3840, 480, 0), (1, 0xd48, 40, 2560, 320, 0);
INSERT INTO probe_state VALUES (1, 0x80c, 0, 3, 10), (1, 0x810, 1, 7, 20), (1, 0x810, 0, 7, 10),
	(1, 0x818, 0, 3, 100), (1, 0x81c, 0, 6, 60), (1, 0xd48, 0, 5, 40);
INSERT INTO probe_sampled VALUES (1, 200), (2, 40);
-- dispatch 1, code object 1, one row: 100 at 0x818 waiting; dispatch 2: 40 at 0xd48 at the barrier
INSERT INTO probe_profile VALUES (1, 1, 1, x'01010194860464'), (2, 2, 2, x'02010196d20628');
INSERT INTO probe_site VALUES
	(1, 0, '/src/tile.hip', 29, 16, 'copy', 1, 1, 4, 4, 4, 'copy', 2, '[]'),
	(1, 1, '/src/tile.hip', 29, 14, 'copy', 2, 1, 4, 4, 4, 'copy', 2, '[]');
INSERT INTO probe_memory_site VALUES
	(1, 1, 1, 0, 20, 1280, 0, 60, 30, 30, 40, 10, 30, 0, 0, 0, 0, 0, 0, 0, 'apart', 'together'),
	(2, 1, 1, 1, 20, 1280, 0, 20, 20, 0, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, '', '');
END
}
body()
{
	sed -n '/^kernel/,/^$/p'
}
make run.db tile-dwarf5
probe-report annotate copy run.db
echo "== csv of one kernel, json of all"
probe-report annotate -k tile --format csv -f address,instruction,line,memory,samples,share,barrier run.db
probe-report annotate --format json run.db |
	jq -c 'group_by(.kernel)[] | [.[0].kernel, length, (map(.samples // 0) | add), (map(.share // 0) | add)]'
echo "== only dispatch 2"
probe-report annotate -d 2 --format csv -f kernel,address,samples run.db | grep -v ',$'
echo "== the source has moved"
mkdir -p moved/src
cp "$data/codeobj/tile.hip" moved/src/
probe-report annotate copy --source-dir moved run.db | body | grep ' | '
echo "== the text in the database is shown; control bytes do not reach the terminal"
sql run.db <<END
INSERT INTO probe_source VALUES ('/src/tile.hip', 29, 'evil ' || char(27) || '[31m "text"');
UPDATE rocpd_info_kernel_symbol_t SET display_name = 'copy' || char(10) || char(7) WHERE id = 1;
END
probe-report annotate copy run.db | body | grep -a -e kernel -e '| evil'
probe-report annotate copy --format csv -f kernel,source run.db | tail -3
echo "== without debug information"
make stripped.db tile-nodebug
probe-report annotate copy stripped.db | body
echo "== a name as printed, which means something else as a pattern"
probe-report annotate 'void ns::tile<32>(float*, float const*, int)' stripped.db | grep ^kernel
echo "== without probes"
sql run.db <<END
DROP TABLE probe_memory_site;
END
probe-report annotate tile run.db | body | head -8
echo "== no match, an unreadable code object, usage errors"
probe-report annotate nobody run.db 2>&1 || echo "status $?"
probe-report annotate 'b(' run.db 2>&1
sql run.db <<END
UPDATE probe_code SET bytes = x'7f454c46';
END
probe-report annotate copy run.db | grep 'no code'
probe-report annotate run.db -f nonsense 2>&1 | head -1
probe-report annotate 2>&1 | head -1
echo "== with time stamps"
make times.db tile-dwarf5
sql times.db <<END
CREATE TABLE probe_time_span (id INTEGER PRIMARY KEY, code_object INTEGER, kernel INTEGER, site INTEGER,
	what TEXT, name TEXT, executions INTEGER, cycles INTEGER, share REAL);
INSERT INTO probe_time_span VALUES (1, 1, 1, 1, 'block', 'copy', 20, 5000, 0.8);
END
probe-report annotate copy times.db | body | grep -B1 -A1 time:
probe-report annotate copy --format csv -f address,spans,span_executions,span_cycles,span_share times.db | sed -n 3,5p
echo "== a function that was not inlined"
make inline.db inline-dwarf5
sql inline.db <<END
UPDATE probe_sample SET offset = 0x8c0 WHERE offset = 0x818;
UPDATE probe_state SET offset = 0x8c0 WHERE offset = 0x818;
DELETE FROM probe_sample WHERE offset <> 0x8c0;
END
probe-report annotate apart inline.db | sed -n '/^.function/,/^$/p'
