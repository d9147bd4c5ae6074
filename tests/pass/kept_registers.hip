// SPDX-License-Identifier: MIT
// Inline assembly that names a register which clones reserve: no clone of a kind with a ring; the other kinds count
// in memory instead. A callee may name any: it saves the registers of its caller.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning: <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=CLONES
// WARN-DAG: warning: kernel high is compiled without probes of kind trace: its inline assembly uses s81
// WARN-DAG: warning: kernel high is compiled without probes of kind time: its inline assembly uses s81
// CLONES: __probe_count_calls
// CLONES: __probe_count_high
// CLONES: __probe_count_low
// CLONES: __probe_memory_calls
// CLONES: __probe_memory_high
// CLONES: __probe_memory_low
// CLONES-NOT: __probe_{{time|trace}}_high
// CLONES: __probe_trace_low
//
// RUN: env PROBE_KINDS=memory,count %hip_probe %s -O2 -S -o %t.s
// RUN: FileCheck %s <%t.s
// CHECK-LABEL: __probe_memory_low:
// CHECK: s_add_u32 s93, s93, 1
// CHECK-LABEL: __probe_count_low:
// CHECK-NOT: s9{{[0-3]}}
// CHECK: s_endpgm
// CHECK-LABEL: __probe_memory_high:
// CHECK-NOT: s9{{[0-3]}}
// CHECK: s_endpgm
// CHECK-LABEL: __probe_count_high:
// CHECK-NOT: s9{{[0-3]}}
// CHECK: s_endpgm
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

extern "C" __global__ void low(int *out, int n)
{
	asm volatile("s_mov_b32 s60, 0" : : : "s60");
	for (int i = 0; i < n; i++)
		out[threadIdx.x + i * 32] = 1;
}

extern "C" __global__ void high(int *out, int n)
{
	asm volatile("s_mov_b64 s[80:81], 0" : : : "s80", "s81");
	for (int i = 0; i < n; i++)
		out[threadIdx.x + i * 32] = 1;
}
