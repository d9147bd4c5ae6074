#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that dies keeps its records, and the report says that it is partial.
# Folder: cmds/record
. "$(dirname "$0")/lib.sh"

cat >dies.hip <<'END'
#include <hip/hip_runtime.h>
#include <csignal>
#include <cstdlib>
__global__ void fill(int *p) { p[threadIdx.x * 16] = threadIdx.x; }
int main(int, char **argv)
{
	int *p;
	if (hipMalloc(&p, 1 << 16) != hipSuccess) return 99;
	for (int i = 0; i < 10; i++) {
		fill<<<4, 64>>>(p);
		if (hipDeviceSynchronize() != hipSuccess) return 99;
	}
	raise(atoi(argv[1]));
}
END
compile dies.hip dies
for kind in memory trace; do
	for signal in 9 6 11; do
		status=0
		record "$kind-$signal.db" --kind "$kind" -q -- ./dies "$signal" 2>err.txt || status=$?
		expect "$kind, signal $signal: status" "$status" "$((128 + signal))"
		expect "$kind, signal $signal: integrity" "$(sqlite3 "$kind-$signal.db" 'PRAGMA integrity_check')" ok
		balanced "$kind-$signal.db"
		# Addresses lie in shared memory as soon as the kernel has ended; counters are fetched from
		# the device after that, so the last dispatches may be cut off. Never part of one.
		stored=$(sqlite3 "$kind-$signal.db" 'SELECT sum(executions) FROM probe_memory_site')
		least=4
		[ "$kind" = memory ] || least=36
		[ "${stored:-0}" -ge "$least" ] && [ $((stored % 4)) = 0 ] ||
			fail "$kind, signal $signal: ${stored:-0} of 40 executions stored"
		probe-report lines "$kind-$signal.db" >report.txt || fail "report failed"
		head -n 1 report.txt | grep -qi partial || fail "$kind, signal $signal: first line does not say partial: $(head -n 1 report.txt)"
	done
done
