#!/bin/sh
# SPDX-License-Identifier: MIT
# Device printf waits for the host in loops that the back end may enter with no lane active; probes
# inside them must terminate, too.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"

cat >speak.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void speak(const int *p) { printf("item %d is %d\n", (int)threadIdx.x, p[threadIdx.x]); }
int main()
{
	int *p, host[256];
	for (int i = 0; i < 256; i++) host[i] = 3 * i;
	if (hipMalloc(&p, sizeof(host)) != hipSuccess) return 99;
	if (hipMemcpy(p, host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess) return 99;
	speak<<<1, 256>>>(p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
for level in -O3 -O1; do
	compile speak.hip "speak$level" "$level"
	simulated "./speak$level" | sort >plain.txt
	expect "lines of $level" "$(grep -c '^item [0-9]* is [0-9]*$' plain.txt)" 256
	for kind in memory trace; do
		status=0
		probe-run --device=sim -d out --force -q --kind "$kind" -- "./speak$level" >run.txt ||
			status=$?
		expect "status of $level ($kind)" "$status" 0
		sort run.txt | cmp - plain.txt || fail "$level ($kind): output differs"
		for db in out/*/*.db; do
			balanced "$db"
		done
		rm -rf out
	done
done
