#!/bin/sh
# SPDX-License-Identifier: MIT
# The filters select what is instrumented, and the accounting gives the reason for the rest.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

cat >ten.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void odd(int *p) { p[threadIdx.x] = 1; }
__global__ void even(int *p) { p[threadIdx.x] = 2; }
int main()
{
	int *p;
	if (hipMalloc(&p, 1 << 12) != hipSuccess) return 99;
	for (int i = 0; i < 10; i++) {
		odd<<<1, 64>>>(p);
		even<<<1, 64>>>(p);
	}
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile ten.hip ten

# asked NUMBERS OPTIONS...: dispatches of the two kernels that ran as clones, then the reasons why
# others did not
asked()
{
	_want=$1
	shift
	record run.db -q "$@" -- ./ten
	expect "$*" "$(sqlite3 run.db "SELECT group_concat(n) FROM (SELECT n FROM (SELECT row_number() OVER
			(PARTITION BY kernel_id ORDER BY dispatch_id) n, verdict v, dispatch_id d FROM probe_dispatch)
			WHERE v = 0 ORDER BY d)")|$(sqlite3 run.db "SELECT group_concat(substr(name, length('refused.') + 1) || ' ' || value) FROM
			(SELECT name, value FROM probe_account WHERE stream = 'dispatches' AND value > 0
			AND name GLOB 'refused.*' ORDER BY name)")" "$_want"
}

asked "1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10|"
asked "1,1|dispatch 18" --dispatches first
asked "2,2,3,3,7,7|dispatch 14" --dispatches 2-3,7
asked "1,1,5,5,9,9|dispatch 14" --dispatches 1-in-4
asked "1,2,3,4,5,6,7,8,9,10|filtered 10" -k odd
asked "1,2,3,4,5,6,7,8,9,10|filtered 10" --kernel-exclude-regex '^even'
asked "1,2|dispatch 8,filtered 10" -k odd --dispatches 1-2
asked "|library 20" --library-exclude ten
asked "|library 20" --library-include '*.so' --library-include 'memory'
asked "1,1|dispatch 18" --library-include "$work/t?n" --library-exclude '*.so' --dispatches first
# Random selection: the same seed gives the same dispatches, another seed others.
for seed in 1 1 2; do
	record run.db -q --dispatches 1-in-2:$seed -- ./ten
	sqlite3 run.db 'SELECT dispatch_id FROM probe_dispatch WHERE verdict = 0' >seed.txt
	[ ! -e "seed-$seed.txt" ] || cmp seed.txt "seed-$seed.txt" || fail "seed $seed chose others this time"
	mv seed.txt "seed-$seed.txt"
done
cmp -s seed-1.txt seed-2.txt && fail "both seeds chose the same"
[ -s seed-1.txt ] || fail "seed 1 chose none"
