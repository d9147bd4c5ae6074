// SPDX-License-Identifier: MIT
// Inline assembly that names a register which a kind's clones keep for a whole wave: no clone of that kind.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning: <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=CLONES
// WARN-DAG: warning: kernel low is compiled without probes of kind count: its inline assembly uses s60, which probes keep
// WARN-DAG: warning: kernel high is compiled without probes of kind memory: its inline assembly uses s81, which probes keep
// WARN-DAG: warning: kernel high is compiled without probes of kind trace: its inline assembly uses s81
// WARN-DAG: warning: kernel high is compiled without probes of kind time: its inline assembly uses s81
// WARN-DAG: warning: kernel high is compiled without probes of kind count: its inline assembly uses s81
// WARN-DAG: warning: kernel calls is compiled without probes of kind count: its callee _Z6calleev has none
// CLONES-NOT: __probe_{{.*}}_high
// CLONES: __probe_memory_calls
// CLONES: __probe_memory_low
// CLONES: __probe_trace_low
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) void callee()
{
	asm volatile("s_mov_b32 s55, 0" : : : "s55");
}

extern "C" __global__ void calls(int *out)
{
	callee();
	out[threadIdx.x] = 1;
}

extern "C" __global__ void low(int *out)
{
	asm volatile("s_mov_b32 s60, 0" : : : "s60");
	out[threadIdx.x] = 1;
}

extern "C" __global__ void high(int *out)
{
	asm volatile("s_mov_b64 s[80:81], 0" : : : "s80", "s81");
	out[threadIdx.x] = 1;
}
