// SPDX-License-Identifier: MIT
// Addresses and conditions that depend on the iterations of loops: which of them the host computes.
//
// RUN: env PROBE_VERBOSE=2 PROBE_KINDS=memory %hip_probe -O2 %s -o %t 2>&1 | FileCheck %s
// RUN: env PROBE_VERBOSE=2 PROBE_KINDS=memory PROBE_DISABLE=iterations %hip_probe -O2 %s -o %t 2>&1 \
// RUN:	| FileCheck %s -check-prefix WITHOUT
#include <hip/hip_runtime.h>

// The outer loop may be long: it moves all addresses by the same distance.
// CHECK: site 0 of staged: not measured in launches of up to 16384 waves
// CHECK: site 1 of staged: not measured in launches of up to 16384 waves
// WITHOUT-NOT: of staged: not measured
extern "C" __global__ void staged(const int *in, int *out, int planes, int width)
{
	for (int plane = 0; plane < planes; plane++)
#pragma unroll 1
		for (int i = threadIdx.x; i < 340; i += 256)
			out[plane * 340 + i] = in[(plane * 10 + i / 34) * width + i % 34];
}

// CHECK: site {{[0-9]+}} of condition: not measured in launches of up to 16384 waves
// WITHOUT-NOT: of condition: not measured
extern "C" __global__ void condition(int *out, int pitch)
{
#pragma unroll 1
	for (int i = 0; i < 7; i++)
		if ((i + threadIdx.x) % 3 == 0)
			out[i * pitch + threadIdx.x] = i;
}

// Both loops may be long.
// CHECK-NOT: of long_loops: not measured
// CHECK: of long_loops: U +4*x
// CHECK-NOT: of long_loops: not measured
extern "C" __global__ void long_loops(int *out, int rows, int columns)
{
	for (int i = 0; i < rows; i++)
#pragma unroll 1
		for (int k = 0; k < columns; k++)
			out[(i * columns + k) * 64 + threadIdx.x] = i;
}

// More iterations than the host evaluates, and a condition that depends on them.
// CHECK-NOT: of many: not measured
// CHECK: of many: U +4*x
// CHECK-NOT: of many: not measured
extern "C" __global__ void many(int *out, int pitch)
{
#pragma unroll 1
	for (int i = 0; i < 17; i++)
		if ((i + threadIdx.x) % 3 == 0)
			out[i * pitch + threadIdx.x] = i;
}

// A value that leaves its loop depends on no iteration that could be named where it is used.
// CHECK-NOT: of after: not measured
// CHECK: of after: measured
// CHECK-NOT: of after: not measured
extern "C" __global__ void after(int *out, const int *in)
{
	int last = 0;

#pragma unroll 1
	for (last = threadIdx.x; last < 5 * (threadIdx.x & 3); last += 3)
		__builtin_amdgcn_s_sleep(1);
	out[last * 3] = 1;
}
