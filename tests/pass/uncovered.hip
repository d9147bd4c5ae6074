// SPDX-License-Identifier: MIT
// What no probe covers is counted, not passed over; atomics are sites.
//
// RUN: env PROBE_VERBOSE=1 %hip_probe -O2 -g %s -o %t 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>

struct big {
	char bytes[4096];
};

__global__ void copy(big *a, const big *b)
{
	__builtin_memcpy(a, b, sizeof(*a));
}

__global__ void add(int *a)
{
	atomicAdd(a + threadIdx.x, 1);
}

// CHECK: probe: {{.*}}: 2 kernels, 1 sites ({{.*}}), 1 accesses not covered
