// SPDX-License-Identifier: MIT
// An error of the program itself: one warning, however many kernels there are.
//
// RUN: env PROBE_KINDS=trace,memory not %hip_probe %s -O2 -o %t.o 2>&1 | FileCheck %s
// CHECK: warning: all kernels are compiled without probes: local memory (65792) exceeds limit (65536)
// CHECK-NOT: warning
// CHECK: error: local memory (65792) exceeds limit (65536)
#include <hip/hip_runtime.h>

extern "C" __global__ void usual(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void large(float *out, const float *in)
{
	__shared__ float tile[16448];

	tile[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x * 257];
}
