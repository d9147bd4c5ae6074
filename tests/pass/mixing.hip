// SPDX-License-Identifier: MIT
// A mixing function that was unrolled: each value is made of all before it, and there are more ways from one to another than can be walked.
// The expression is too long for a reader.
//
// RUN: timeout 120 %hip_probe -O3 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
#include <hip/hip_runtime.h>

template <int ROUNDS> __device__ static unsigned mix(unsigned x, unsigned y)
{
#pragma unroll
	for (int i = 0; i < ROUNDS; i++) {
		x += y;
		y = (y << 7 | y >> 25) ^ x;
	}
	return y;
}

// CHECK: {{^}}mixed [[@LINE+4]] load computed{{ *$}}
// CHECK: {{^}}mixed [[@LINE+3]] store
extern "C" __global__ void mixed(int *out, const int *in)
{
	out[threadIdx.x] = in[mix<32>(threadIdx.x, blockIdx.x)];
}

// Few rounds have a text.
// CHECK: {{^}}few [[@LINE+4]] load computed in + 4*{{.*}}threadIdx.x
// CHECK: {{^}}few [[@LINE+3]] store
extern "C" __global__ void few(int *out, const int *in)
{
	out[threadIdx.x] = in[mix<2>(threadIdx.x, blockIdx.x)];
}
