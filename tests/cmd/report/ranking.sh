# SPDX-License-Identifier: MIT
# Findings are sorted by their cycles: 64 workgroups on 104 compute units, 1 pass per cycle and
# unit: 63488 / 64 = 992 cycles of LDS. 28672 extra requests for 64 B at the L2's 14.6 x 104 B per
# cycle take 1208.5; from memory, 30720 of 128 B at 5.9 x 104, 6408.
. "$(dirname "$0")/database.inc"
transpose()
{
	sample "$1"
	sql "$1" <<END
UPDATE probe_dispatch SET grid_x = 16384 WHERE kernel_id = 1;
UPDATE rocpd_kernel_dispatch_t SET "end" = start + 50000 WHERE dispatch_id = 1;
DELETE FROM probe_memory_site WHERE site > 1;
UPDATE probe_memory_site SET executions = 1024, lanes = 65536;
UPDATE probe_memory_site SET passes = 65536, ideal_passes = 2048, conflicts = 63488 WHERE site = 0;
UPDATE probe_memory_site SET quads = 65536, lines64 = 32768, needed64 = 4096, excess64 = 28672,
	lines128 = 32768, needed128 = 2048, excess128 = 30720 WHERE site = 1;
INSERT INTO probe_allocation VALUES (1, 4096, 262144, 1, '', 1, NULL), (2, 400000, 262144, 1, '', 1, NULL);
UPDATE rocpd_info_agent_t SET extdata = '{"clock_mhz":1700,"compute_units":104}' WHERE id = 1;
END
}
show()
{
	probe-report lines --format csv -f line,space,cycles,cycles_low,cycles_high,cycles_basis,time_share,time_of "$@"
}
transpose run.db
echo "== the store through the L2 is first, although LDS conflicts move more bytes"
show run.db
echo "== one workgroup on a unit: 4096 cache lines, 3072 more than its address unit needs"
cp run.db one.db
sql one.db <<END
UPDATE probe_dispatch SET grid_x = 256 WHERE kernel_id = 1;
END
show one.db
echo "== executions that are no multiple of the 64 workgroups: one compute unit may do all; of all workgroups but the last: not"
for executions in 1000 1009 1024; do
	cp run.db uneven.db
	sql uneven.db <<END
UPDATE probe_memory_site SET executions = $executions;
END
	probe-report lines --format csv -f line,executions,cycles,cycles_high,uneven,kernel_cycles uneven.db
done
sql uneven.db <<END
UPDATE probe_memory_site SET executions = 100;
END
probe-report lines uneven.db | grep cost:
echo "== of chosen workgroups only: no share of the kernel's time; 16 executions of 64 workgroups are not uneven"
sql uneven.db <<END
UPDATE probe_memory_site SET executions = 16;
INSERT INTO probe_run VALUES ('filters', '--filter-x 0:1');
END
probe-report lines --format csv -f line,cycles,cycles_high,time_share,finding_share,kernel_cycles uneven.db
probe-report lines uneven.db | grep cost:
sql uneven.db <<END
DELETE FROM probe_memory_site;
END
probe-report lines uneven.db | grep '^no records'
echo "== data that does not fit in the L2 comes from memory"
sql run.db <<END
UPDATE probe_allocation SET size = 8388608;
END
show run.db
echo "== the time of the original, if it was recorded"
dispatch run.db 9 1 1
show run.db
echo "-- of the same launch shape"
sql run.db <<END
UPDATE probe_dispatch SET grid_x = 16384 WHERE dispatch_id = 9;
END
show run.db
echo "-- an estimate is not above it"
sql run.db <<END
UPDATE rocpd_kernel_dispatch_t SET "end" = start + 1000 WHERE dispatch_id = 9;
END
show run.db
probe-report kernels --format csv -f kernel,dispatches,instrumented,original_average_ns,clone_average_ns,cycles run.db
echo "-- the estimates of a kernel do not add up to more than its time; the text says so"
probe-report lines --format csv -f line,cycles,cycles_scale,kernel_cycles run.db
probe-report lines run.db | grep cost:
echo "== launch shapes: one line in two shapes, with the counters of each; and one dispatch"
dispatch run.db 10 1 0
sql run.db <<END
UPDATE probe_dispatch SET grid_x = 256 WHERE dispatch_id = 10;
INSERT INTO probe_counter VALUES
	(1, 1, 0, 1024, 65536, 0, 0, 0, 0, 0, 0, 0, 65536, 2048, 0, 32, 0, 0, 0),
	(10, 1, 0, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1024, 32, 16, 8, 2147483652, 2147483644, 0);
END
probe-report lines --by launch-shape --format csv -f line,launch_shape,executions,conflicts,max_way,stride_lo,cycles,cause run.db
probe-report lines --by launch-shape -k transpose run.db | grep -e '^a.hip' -e cost:
probe-report lines -d 10 --format csv -f line,launch_shape,executions,conflicts run.db
echo "-- the cost of a kernel is the sum of that of its shapes, of which 1 workgroup has 1 unit; cause and fix are of the first"
cp run.db shapes.db
sql shapes.db <<END
ALTER TABLE probe_memory_site ADD COLUMN launch_shape TEXT;
INSERT INTO probe_allocation VALUES (9, 4194304, 8388609, 1, '', 1, NULL);
UPDATE rocpd_kernel_dispatch_t SET "end" = start + 40000 WHERE dispatch_id = 10;
DELETE FROM probe_dispatch WHERE dispatch_id = 9;
DELETE FROM probe_counter;
UPDATE probe_memory_site SET launch_shape = '64x1x1 groups of 256x1x1';
INSERT INTO probe_memory_site (code_object, kernel, site, executions, lanes, quads, lines64, needed64, excess64, lines128,
	needed128, excess128, passes, ideal_passes, conflicts, max_way, cause, fix, launch_shape)
	VALUES (1, 1, 0, 1600, 102400, 0, 0, 0, 0, 0, 0, 0, 21600, 1600, 20000, 8, 'of one', 'fix one', '1x1x1 groups of 256x1x1');
END
for by in line launch-shape; do
	probe-report lines --by $by -k transpose --format csv -f line,launch_shape,cycles,cycles_low,cycles_high,kernel_cycles,time_share,cause,cause_shape shapes.db
done
probe-report lines -d 2 run.db | sed -n 4p
# No dispatch in this time; no such dispatch.
probe-report lines --start 5 run.db | sed -n 4p
probe-report lines -d 99 run.db | sed -n 4p
probe-report lines -d 0,98- --format csv -f line,executions run.db 2>&1
probe-report lines --by kernel run.db 2>&1 | head -1
sql run.db <<END
DELETE FROM probe_counter;
END
probe-report lines -d 10 run.db 2>&1

echo "== instantiations of a template: one finding; several of many; small ones; the device library"
sample many.db
sql many.db <<END
INSERT INTO rocpd_info_kernel_symbol_t (id, nid, pid, code_object_id, kernel_name, display_name)
	SELECT value, 1, 1, 1, 't' || value, 'tile<' || value || '>' FROM generate_series(11, 13);
INSERT INTO probe_site SELECT 1, value, 't.hip', 5, 3, 'tile', 1, 3, 4, 4, 4, 't', 2, '[]'
	FROM generate_series(11, 13);
INSERT INTO probe_memory_site SELECT NULL, 1, value, value, 16, 1024, 0, 0, 0, 0, 0, 0, 0,
	100 * value + 900, 1000, 100 * (value - 1), 32, 0, 0, 0, 'conflicts', 'pad' FROM generate_series(11, 13);
INSERT INTO probe_site SELECT 1, value, 'l.hip', value, 3, 'copy', 1, 3, 4, 4, 4, 'l', 2, '[]'
	FROM generate_series(101, 130);
INSERT INTO probe_memory_site SELECT NULL, 1, 2, value, 16, 1024, 0, 0, 0, 0, 0, 0, 0,
	2000, 1000, 1000 + value, 32, 0, 0, 0, 'conflicts', 'pad' FROM generate_series(101, 130);
INSERT INTO probe_site VALUES (1, 200, 's.hip', 1, 3, 'copy', 1, 3, 4, 4, 4, 's', 2, '[]'),
	(1, 201, '', 0, 0, '__ockl_printf_append', 1, 3, 4, 4, 4, 's', 2, '[]');
INSERT INTO probe_memory_site VALUES (900, 1, 2, 200, 1, 64, 0, 0, 0, 0, 0, 0, 0, 8, 2, 6, 4, 0, 0, 0, 'c', 'f'),
	(901, 1, 2, 201, 1, 64, 0, 0, 0, 0, 0, 0, 0, 9999, 2, 9997, 4, 0, 0, 0, 'c', 'f');
END
probe-report lines many.db >all.txt
head -12 all.txt | tail -8
grep -c cause: all.txt
grep -e '^[0-9].* finding' all.txt
echo "-- unfolded, and everything"
probe-report lines --unfold --limit 3 many.db | grep -e '^t.hip'
probe-report lines --all many.db | grep -c cause:
probe-report lines --limit 0 many.db | grep -c cause:
echo "-- accesses of one finding in the device library, at constant distances"
sql many.db <<END
ALTER TABLE probe_memory_site ADD near_site INTEGER;
UPDATE probe_memory_site SET near_site = 201 WHERE id = 901;
INSERT INTO probe_site VALUES (1, 202, '', 0, 0, '__ockl_printf_append', 1, 3, 4, 4, 4, 's', 2, '[]');
INSERT INTO probe_memory_site VALUES (902, 1, 2, 202, 1, 64, 0, 0, 0, 0, 0, 0, 0, 4002, 2, 4000, 4, 0, 0, 0, 'c', 'f', 201);
END
probe-report lines many.db | grep library
probe-report lines many.db --format csv -q -f cycles --all --sort=-cycles | sed -n 2,3p

echo "== updates of one word: by all lanes, by half of them and, of 16 words, by unknown ones; by one lane; not known; of words of their own"
sample updates.db
sql updates.db <<END
UPDATE rocpd_info_agent_t SET extdata = '{"clock_mhz":1700,"compute_units":104}' WHERE id = 1;
UPDATE rocpd_kernel_dispatch_t SET "end" = start + 50000 WHERE dispatch_id = 1;
UPDATE probe_site SET access = 3, space = 1;
DELETE FROM probe_memory_site;
INSERT INTO probe_memory_site VALUES
	(1, 1, 1, 0, 1024, 65536, 16384, 1024, 4096, 0, 1024, 2048, 0, 0, 0, 0, 0, 1024, 0, 0, 'one word', 'reduce'),
	(2, 1, 1, 1, 1024, 32768, 16384, 1024, 2048, 0, 1024, 1024, 0, 0, 0, 0, 0, 1024, 0, 0, 'one word', 'reduce'),
	(3, 1, 1, 2, 1024, 65536, 16384, 1024, 4096, 0, 1024, 2048, 0, 0, 0, 0, 0, 0, 0, 0, 'the same words', ''),
	(4, 1, 2, 3, 1024, 1024, 1024, 1024, 1024, 0, 1024, 1024, 0, 0, 0, 0, 0, 1024, 0, 0, '', ''),
	(5, 1, 2, 1, 16, 1024, 256, 64, 64, 0, 32, 32, 0, 0, 0, 0, 0, 0, 0, 0, '', ''),
	(6, 1, 2, 2, 16, 1024, 256, 64, 64, 0, 32, 32, 0, 0, 0, 0, 0, 16, 4, 4, '', '');
END
fields=kernel,line,column,updates_low,updates,cycles,cycles_low,cycles_high,cycles_basis
probe-report lines --all --format csv -f $fields updates.db
probe-report lines updates.db | grep cost:
probe-report lines --all updates.db | grep 'copy(int'
probe-report kernels --format csv -f kernel,cycles updates.db
echo "-- counted from addresses, as far as these were recorded"
sql updates.db <<END
ALTER TABLE probe_memory_site ADD COLUMN waiting_updates INTEGER DEFAULT -1;
UPDATE probe_memory_site SET waiting_updates = 112 WHERE id = 5;
UPDATE probe_memory_site SET waiting_updates = 50000 WHERE id = 3;
END
probe-report lines --all --format csv -f $fields updates.db
probe-report lines --all updates.db | grep 'copy(int'

echo "== accesses to LDS at constant distances in a block, which may be one instruction: one finding"
sample pair.db
sql pair.db <<END
ALTER TABLE probe_memory_site ADD COLUMN near_site INTEGER;
DELETE FROM probe_site WHERE site > 2;
DELETE FROM probe_memory_site;
UPDATE probe_site SET access = 1, space = 3, frames = '[]', file = 'a.hip', function = 'f';
INSERT INTO probe_memory_site VALUES
	(1, 1, 1, 0, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1024, 32, 992, 32, 0, 0, 0, 'columns', 'pad', 0),
	(2, 1, 1, 1, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1024, 32, 992, 32, 0, 0, 0, 'columns', 'pad', 0),
	(3, 1, 1, 2, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1532, 32, 1500, 32, 0, 0, 0, 'columns', 'pad', 2);
END
probe-report lines --format csv -f line,column,cycles,finding_order,group_rank,group_at,group_cycles pair.db
probe-report lines pair.db | grep -e '^a.hip' -e cycles
probe-report lines --unfold pair.db | grep -e '^a.hip' -e cycles
probe-report summary pair.db | grep '^bad'
echo "-- two sizes at one position, in two kernels, with a group: the head counts all of them"
cp pair.db fold.db
sql fold.db <<END
UPDATE probe_site SET line = 1, "column" = 5 WHERE site < 2;
UPDATE probe_site SET line = 1, "column" = 5, size = 8, unit = 8 WHERE site = 2;
INSERT INTO probe_site SELECT 1, 3, file, 9, 7, function, access, space, size, unit, align, owner, kinds, frames
	FROM probe_site WHERE site = 2;
INSERT INTO probe_memory_site VALUES
	(4, 1, 1, 3, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1532, 32, 1500, 16, 0, 0, 0, 'columns', 'pad', 2),
	(5, 1, 2, 2, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 132, 32, 100, 8, 0, 0, 0, 'columns', 'pad', 2);
END
probe-report lines fold.db | sed -n "4,10p"
probe-report summary fold.db | grep '^bad'
echo "-- one extra request in 1000 executions: the other ones cost nothing"
cp pair.db once.db
sql once.db <<END
UPDATE probe_site SET space = 1;
DELETE FROM probe_memory_site;
INSERT INTO probe_memory_site VALUES
	(1, 1, 1, 0, 1000, 64000, 32000, 4001, 4000, 1, 2001, 2000, 1, 0, 0, 0, 0, 0, 0, 0, 'gather', '', 0);
END
probe-report lines --format csv -f line,cycles,lines128_excess once.db
echo "-- of selected dispatches: the cause is that of all launches of this shape"
sql pair.db <<END
ALTER TABLE probe_memory_site ADD COLUMN launch_shape TEXT;
UPDATE probe_memory_site SET launch_shape = '4x1x1 groups of 256x1x1';
INSERT INTO probe_counter VALUES (1, 1, 0, 16, 1024, 0, 0, 0, 0, 0, 0, 0, 1024, 32, 0, 32, 0, 0, 0);
END
probe-report lines -d 1 pair.db | grep cause
echo "-- a kernel with many parameters keeps its name in tables"
sql pair.db <<END
UPDATE rocpd_info_kernel_symbol_t SET display_name =
	'csr_scalar(int const*, int const*, float const*, float const*, float*, int)' WHERE id = 1;
END
probe-report kernels pair.db | cut -c1-64 | grep -e '^csr' -e '^\.\.'
echo "-- findings come first, whatever rows are sorted by"
sql once.db <<END
INSERT INTO probe_memory_site VALUES
	(2, 1, 1, 1, 1, 64, 2, 4, 4, 0, 2, 2, 0, 0, 0, 0, 0, 1, 4, 4, '', '', 0);
END
probe-report lines --all -s +executions once.db | sed -n 's/^\(good\|no \|a.hip:[0-9]*\).*/\1/p'
