// SPDX-License-Identifier: MIT
// A copy is loads and stores; an atomic is a site; what no probe covers is counted, not passed over.
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

__global__ void append(int *a)
{
	__shared__ int counter;

	*a = __builtin_amdgcn_ds_append((__attribute__((address_space(3))) int *)&counter);
}

// CHECK: probe: {{.*}}: 3 kernels, 4 sites{{.*}}, 1 accesses not covered
