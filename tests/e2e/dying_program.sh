#!/bin/sh
# SPDX-License-Identifier: MIT
# If a program dies, its records are kept, and the report says that it is partial.
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
		# Addresses are in shared memory as soon as the kernel has ended. Counters are
		# fetched from the device after that, so those of the last dispatches may be
		# missing, but never a part of one.
		stored=$(sqlite3 "$kind-$signal.db" 'SELECT sum(executions) FROM probe_memory_site')
		least=4
		[ "$kind" = memory ] || least=36
		[ "${stored:-0}" -ge "$least" ] && [ $((stored % 4)) = 0 ] ||
			fail "$kind, signal $signal: ${stored:-0} of 40 executions stored"
		probe-report lines "$kind-$signal.db" >report.txt || fail "report failed"
		head -n 1 report.txt | grep -qi partial || fail "$kind, signal $signal: first line does not say partial: $(head -n 1 report.txt)"
	done
done

# It dies in the middle of a kernel: what waves have not handed over is unknown, and the bound covers it.
cat >inside.hip <<'EOF'
#include <hip/hip_runtime.h>
#include <csignal>
#include <cstdio>
#include <sched.h>
__global__ void spin(int *p, int *waves, int *stop, int rounds)
{
	for (int i = 0; i < rounds; i++)
		p[(p[i * 64 + threadIdx.x] + i * 64 + threadIdx.x) & 4095] = i; /* two accesses */
	if (threadIdx.x == 0)
		__hip_atomic_fetch_add(waves, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
	while (!__hip_atomic_load(stop, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
		__builtin_amdgcn_s_sleep(1);
}
int main()
{
	enum { WAVES = 8, ROUNDS = 50 };
	volatile int *flags;
	int *p, *shared;
	if (hipMalloc(&p, 1 << 20) != hipSuccess || hipMemset(p, 0, 1 << 20) != hipSuccess) return 99;
	if (hipHostMalloc(&shared, 8, hipHostMallocCoherent) != hipSuccess) return 99;
	flags = shared;
	flags[0] = flags[1] = 0;
	spin<<<WAVES, 64>>>(p, shared, shared + 1, ROUNDS);
	if (hipStreamQuery(0) == hipSuccess) return 99;
	while (flags[0] != WAVES)
		sched_yield();
	printf("%d\n", 2 * WAVES * ROUNDS);
	fflush(stdout);
	raise(SIGKILL);
}
EOF
PROBE_KINDS=memory,trace,time compile inside.hip inside
for kind in trace memory time; do
	status=0
	record "inside-$kind.db" --kind "$kind" -q -- ./inside >own.txt 2>err.txt || status=$?
	expect "killed in a kernel, $kind: status" "$status" 137
	balanced "inside-$kind.db"
	stream=trace
	own=$(cat own.txt)
	[ "$kind" = memory ] && stream=counters && own=1
	[ "$kind" = time ] && own=16 # each wave begins and ends
	read -r stored most <<EOF
$(sqlite3 -separator ' ' "inside-$kind.db" "SELECT sum(value) FILTER (WHERE name = 'stored'),
	sum(value) FILTER (WHERE name = 'unknown_most') FROM probe_account WHERE stream = '$stream'")
EOF
	[ "$((stored + most))" -ge "$own" ] ||
		fail "killed in a kernel, $kind: $stored recorded and at most $most more, but the program made $own"
	probe-report lines "inside-$kind.db" | grep -q "an unknown number more was not handed over, at most" ||
		fail "killed in a kernel, $kind: the report does not say that records are missing"
done
