#!/bin/sh
# SPDX-License-Identifier: MIT
# A program's output and exit status are the same with and without probe-run, for every kind.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

# HIP 6.4.3 prints how many signals a process leaves behind, which includes the tool's, and addresses
# if it could not free its memory. A runtime whose descriptors were closed aborts in an assertion; which one is
# the first depends on its threads.
same_in_all_runs='s/\(SharedSignalPool,\) [0-9]* Signals/\1 Signals/; s/0x[0-9a-f]*/0x/g
s|: \./src/core/runtime/.* Assertion .*|: an assertion of the runtime|'

# same COMMAND...: compare stdout, stderr and status; probe-run's own lines begin with "probe: "
same()
{
	status=0
	simulated "$@" >plain.out 2>plain.all || status=$?
	sed "$same_in_all_runs" plain.all >plain.err
	for kind in memory trace; do
		got=0
		probe-run --device=sim -d "out-$kind" --force -q --kind "$kind" -- "$@" >run.out 2>run.err || got=$?
		expect "$* ($kind): status" "$got" "$status"
		cmp plain.out run.out || fail "$* ($kind): stdout differs"
		grep -v '^probe: ' run.err | sed "$same_in_all_runs" >run.own
		cmp plain.err run.own || diff plain.err run.own || fail "$* ($kind): stderr differs"
		rm -rf "out-$kind"
	done
}

for example in transpose strided_copy reduction histogram convolution; do
	same "$build/examples/$example"
	same "$build/examples/plain_$example"
done

cat >ends.hip <<'END'
#include <hip/hip_runtime.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
int main(int, char **argv)
{
	int *p, host[64];
	if (hipMalloc(&p, sizeof(host)) != hipSuccess) return 99;
	fill<<<1, 64>>>(p);
	if (hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess) return 99;
	printf("sum %d\n", host[1] + host[63]);
	fprintf(stderr, "to stderr\n");
	fflush(stdout);
	switch (atoi(argv[1])) {
	case 1: return 37;
	case 2: abort();
	case 3: raise(SIGKILL); break;
	case 4: raise(SIGSEGV); break;
	case 5: _exit(5);
	case 6: for (int fd = 3; fd < 256; fd++) close(fd); return 6;
	case 7: raise(SIGTERM); break;
	}
	return 0;
}
END
compile ends.hip ends
for how in 0 1 2 3 4 5 6 7; do
	# HIP 7 does not end without its descriptors, also without Probe.
	[ "$how" != 6 ] || ! hipcc --version | grep -q '^HIP version: 7' || continue
	same ./ends "$how"
done
