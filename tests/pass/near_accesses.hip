// SPDX-License-Identifier: MIT
// Which accesses of a block are at constant distances. An index of 32 bits is taken not to wrap, also an unsigned one.
//
// RUN: %hip_probe -O3 -g %s -o %t
// RUN: python3 %S/near_accesses.py %t | FileCheck %s
#include <hip/hip_runtime.h>

#define T (blockIdx.x * blockDim.x + threadIdx.x)

// CHECK: {{^}}filter load 0 from 0{{$}}
// CHECK: {{^}}filter load 8 from 0{{$}}
// CHECK: {{^}}filter store 0 from 2{{$}}
extern "C" __global__ void filter(float *out, const float *in)
{
	out[T] = in[2 * T] + in[2 * T + 1] + in[2 * T + 2];
}

// CHECK: {{^}}before load 0 from 0{{$}}
// CHECK: {{^}}before load -28 from 0{{$}}
extern "C" __global__ void before(float *out, const float *in)
{
	out[T] = in[4 * T + 11] - in[4 * T + 4];
}

// CHECK: {{^}}argument load 0 from 0{{$}}
// CHECK: {{^}}argument load 16392 from 0{{$}}
extern "C" __global__ void argument(double *out, const double *in, int k)
{
	out[T] = in[2 * T + k] + in[2 * T + k + 2049];
}

// Bytes do wrap.
// CHECK: {{^}}bytes load 0 from 0{{$}}
// CHECK: {{^}}bytes load 0 from 1{{$}}
extern "C" __global__ void bytes(float *out, const float *in)
{
	out[T] = in[(unsigned char)(3 * T)] + in[(unsigned char)(3 * T + 5)];
}

// Another index.
// CHECK: {{^}}other load 0 from 0{{$}}
// CHECK: {{^}}other load 0 from 1{{$}}
extern "C" __global__ void other(float *out, const float *in)
{
	out[T] = in[2 * T] + in[6 * T + 2];
}
