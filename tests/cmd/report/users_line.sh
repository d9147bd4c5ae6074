# SPDX-License-Identifier: MIT
# Accesses in headers of HIP are shown at the user's line; an access without a line in a program that
# has lines is the compiler's; updates of one word are a finding, though they waste no bandwidth.
. "$(dirname "$0")/database.inc"

database run.db
memory_table run.db
kernel run.db 1 'count(int*)' _Z5countPi
dispatch run.db 1 1 0
sql run.db <<'END'
INSERT INTO probe_site VALUES
	(1, 0, '/usr/include/hip/atomic.h', 153, 10, 'atomicAdd(int*, int)', 3, 1, 4, 4, 4, '_Z5countPi', 2,
		'[{"file":"/usr/include/hip/wrap.h","function":"wrap(int*)","line":9,"column":2},
		  {"file":"a.hip","function":"mine(int*)","line":24,"column":2},
		  {"file":"a.hip","function":"count(int*)","line":30,"column":3}]'),
	(1, 1, '/usr/include/hip/vector.h', 726, 22, 'operator=', 2, 1, 16, 16, 16, '_Z5countPi', 2,
		'[{"file":"a.hip","function":"count(int*)","line":31,"column":7}]'),
	(1, 2, '/usr/include/hip/vector.h', 800, 1, 'alone', 2, 1, 16, 16, 16, '_Z5countPi', 2, '[]'),
	(1, 3, '', 0, 0, 'count(int*)', 1, 1, 4, 4, 4, '_Z5countPi', 2, '[]');
INSERT INTO probe_source VALUES ('a.hip', 24, char(9) || 'atomicAdd(p, 1);'),
	('/usr/include/hip/atomic.h', 153, 'return __hip_atomic_fetch_add(address, val);');
INSERT INTO probe_memory_site VALUES
	(1, 1, 1, 0, 16, 1024, 16, 16, 64, 0, 16, 32, 0, 0, 0, 0, 0, 16, 0, 0,
		'all active lanes update one word', 'add up within the wave first'),
	(2, 1, 1, 1, 16, 1024, 256, 256, 256, 0, 128, 128, 0, 0, 0, 0, 0, 16, 16, 16, '', ''),
	(3, 1, 1, 2, 16, 1024, 256, 256, 256, 0, 128, 128, 0, 0, 0, 0, 0, 16, 16, 16, '', ''),
	(4, 1, 1, 3, 16, 1024, 256, 64, 64, 0, 32, 32, 0, 0, 0, 0, 0, 16, 4, 4, '', '');
END
probe-report lines --all run.db | sed '/^dispatches/,$d'
probe-report lines --format json -f site,cycles,finding run.db
probe-report lines --all --format csv -f site,file,line,column,own_file,own_line,source run.db
probe-report tables --table memory_site --format csv -f site,file,line,column run.db
