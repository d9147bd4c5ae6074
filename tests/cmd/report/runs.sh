# SPDX-License-Identifier: MIT
# A sampled and a probed run of one code object (tests/data/codeobj/tile.hip), whose ids differ,
# joined. Kernel copy: 0x180c waits for the arguments, 0x1810 loads, 0x1818 waits for that, 0x181c
# stores; all of them but the first on line 29. 200 samples; the kernel took 1000 ns at 1700 MHz.
. "$(dirname "$0")/database.inc"
database a.db
sql a.db <<END
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
UPDATE rocpd_info_agent_t SET extdata = '{"clock_mhz":1700}' WHERE id = 1;
INSERT INTO probe_code VALUES (1, 'same', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
INSERT INTO probe_sample VALUES (1, 0x80c, 10, 640, 80, 0), (1, 0x810, 30, 1920, 240, 0),
	(1, 0x818, 100, 6400, 800, 0), (1, 0x81c, 60, 3840, 480, 0);
INSERT INTO probe_state VALUES (1, 0x80c, 0, 3, 10), (1, 0x810, 1, 7, 20), (1, 0x810, 0, 7, 10),
	(1, 0x818, 0, 3, 100), (1, 0x81c, 0, 6, 60);
INSERT INTO probe_sampled VALUES (1, 200);
INSERT INTO probe_profile VALUES (1, 1, 1, x'01010194860464');
END
kernel a.db 5 copy copy
dispatch a.db 1 5 1
sql a.db <<END
UPDATE rocpd_kernel_dispatch_t SET start = 100, "end" = 1100;
END
database b.db
memory_table b.db
kernel b.db 9 copy copy
dispatch b.db 1 9 0
dispatch b.db 2 9 0
sql b.db <<END
UPDATE rocpd_info_agent_t SET extdata = '{"clock_mhz":1700}' WHERE id = 1;
UPDATE rocpd_info_code_object_t SET id = 3, load_base = 0x1000, load_delta = 0;
UPDATE rocpd_info_kernel_symbol_t SET code_object_id = 3;
INSERT INTO probe_code VALUES (3, 'same', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_site VALUES
	(3, 0, '/src/tile.hip', 29, 13, 'copy', 1, 1, 4, 4, 4, 'copy', 2, '[]'),
	(3, 1, '/src/tile.hip', 29, 9, 'copy', 2, 1, 4, 4, 4, 'copy', 2, '[]');
INSERT INTO probe_memory_site VALUES
	(1, 3, 9, 0, 20, 1280, 0, 60, 30, 30, 40, 10, 30, 0, 0, 0, 0, 0, 0, 0, 'apart', 'together'),
	(2, 3, 9, 1, 20, 1280, 0, 20, 20, 0, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, '', '');
END
echo "== the join; the order of the files does not matter"
probe-report lines --format json --runs a.db b.db >ab
probe-report lines --format json --runs b.db a.db | sed 's/b.db and a.db/a.db and b.db/' | cmp ab -
jq -c '.[] | [.position, .memory, .samples, .waiting, .waiting_share, .stalled_share, .lines128_excess,
	.avoidable, .cycles, .cycles_high, .cycles_basis, .time_share, .kernel_cycles]' ab
echo "== samples of launches of different shapes count by the time of each: of 100 ns for 200 samples, and 900 ns for 40"
cp a.db shapes.db
cp b.db shapes-b.db
dispatch shapes.db 2 5 1
sql shapes.db <<END
UPDATE rocpd_kernel_dispatch_t SET "end" = start + 100 WHERE dispatch_id = 1;
UPDATE rocpd_kernel_dispatch_t SET start = 2000, "end" = 2900 WHERE dispatch_id = 2;
UPDATE probe_dispatch SET grid_x = 256, group_x = 256 WHERE dispatch_id = 2;
INSERT INTO probe_sampled VALUES (2, 40);
UPDATE probe_sample SET samples = samples + 40 WHERE offset = 0x818;
UPDATE probe_state SET samples = samples + 40 WHERE offset = 0x818;
DELETE FROM probe_profile;
INSERT INTO probe_profile VALUES (1, 1, 1, x'0101049483040a94011e94026494013c'),
	(2, 2, 2, x'02010194860428');
END
sql shapes-b.db <<END
UPDATE probe_dispatch SET grid_x = 256, group_x = 256 WHERE dispatch_id = 2;
END
probe-report lines --format csv -f position,memory,line_waiting,timed_waiting,kernel_samples,cycles,cycles_high --runs shapes.db shapes-b.db
probe-report lines --runs shapes.db shapes-b.db | grep cost:
echo "== as text"
probe-report lines --runs a.db b.db | head -15
echo "== only findings, not lines that have many samples"
probe-report lines --format csv -f position,memory,finding,waiting_share --runs a.db b.db
probe-report lines --findings --format csv -f position,memory,finding,waiting_share --runs a.db b.db
probe-report lines --findings --runs a.db b.db | sed -n 3,4p
echo "== no such kernel"
probe-report lines -k nosuch --runs a.db b.db | sed -n 4,7p
echo "== columns of both tables"
probe-report lines -f position,cycles --format csv --runs a.db b.db
probe-report lines -f line,column,excess --format csv --runs a.db b.db 2>&1 | head -1
probe-report lines -f line,column,lines128_excess --format csv --runs a.db b.db
echo "== dispatches of the sampled run follow those of the other"
probe-report samples --by dispatch --format csv -f dispatch,kernel,start_ns,samples,waitcnt --runs a.db b.db
probe-report dispatches --format csv -f dispatch,kernel,ran,reason --runs a.db b.db
echo "== samples in functions that the kernel calls count as samples of the kernel"
sql a.db <<END
UPDATE probe_sampled SET samples = 400;
END
probe-report lines --format csv -f position,memory,samples,share,stalled_share,waiting_share,time_share --runs a.db b.db
echo "== an access without waits: its line is one row"
cp a.db c.db
sql c.db <<END
UPDATE probe_sampled SET samples = 200;
DELETE FROM probe_sample WHERE offset > 0x80c;
DELETE FROM probe_state WHERE offset > 0x80c;
END
probe-report lines --format csv -f position,memory,samples,share,waiting --runs c.db b.db
echo "== host trap: every sample may have waited"
sql a.db <<END
DELETE FROM probe_state;
UPDATE probe_sampler SET method = 0;
UPDATE probe_sampled SET samples = 200;
END
probe-report lines --format csv -f position,memory,waiting,time_share --runs a.db b.db
echo "== different code: no common line"
sql a.db <<END
UPDATE probe_code SET hash = 'other';
END
probe-report lines --format csv -f line,lines128_excess --runs a.db b.db
probe-report samples --format csv -f position,kernel,samples --runs a.db b.db
probe-report lines --runs a.db b.db | sed -n 4p
probe-report annotate --runs a.db b.db | sed -n 5p
cp b.db hiprtc.db
sql hiprtc.db <<END
UPDATE probe_site SET file = '/tmp/comgr-1a2b3c/input/CompileSource';
END
probe-report lines --runs a.db hiprtc.db | sed -n 4p
echo "== the same code, but different kernels; only clones; no samples"
cp a.db d.db
sql d.db <<END
UPDATE probe_code SET hash = 'same';
UPDATE rocpd_info_kernel_symbol_t SET kernel_name = '_ZN2ns4tileILi32EEEvPfPKfi';
END
probe-report lines --runs d.db b.db | sed -n 4p
sql d.db <<END
UPDATE probe_dispatch SET verdict = 0;
END
probe-report lines --runs d.db b.db | sed -n 4p
sql d.db <<END
DELETE FROM probe_sampled;
END
probe-report lines --runs d.db b.db | sed -n 4p
echo "== the call in the kernel from which a line was inlined"
for db in a b; do
	cp $db.db $db-inline.db
	sql $db-inline.db <<END
UPDATE probe_code SET hash = 'inline', bytes = readfile('$data/codeobj/inline-dwarf5.co');
UPDATE rocpd_info_kernel_symbol_t SET kernel_name = 'chain';
UPDATE probe_sample SET offset = 0x85c WHERE offset = 0x818;
UPDATE probe_sample SET offset = 0x894 WHERE offset = 0x81c;
END
done
probe-report lines --format csv -f position,at,samples --runs a-inline.db b-inline.db
echo "== rejected"
probe-report lines --runs a.db 2>&1
probe-report lines --runs b.db b.db 2>&1
probe-report lines --runs a.db a.db 2>&1
sql a.db <<END
PRAGMA user_version = 2;
END
probe-report lines --runs a.db b.db 2>&1
