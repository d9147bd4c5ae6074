// SPDX-License-Identifier: MIT
// Without optimisation variables are in private memory: loads from it are not loads of indices.
//
// RUN: %hip_probe -O0 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
// RUN: python3 %S/address_terms.py %t | FileCheck %s --check-prefix=TERMS
#include <hip/hip_runtime.h>

// CHECK: {{^}}ids [[@LINE+6]] store computed argument 0 + 132*
// CHECK: {{^}}ids [[@LINE+7]] store computed {{.*}} + 4*(a variable)
extern "C" __global__ void ids(float *a, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	a[t * 33] = 1;
	for (int i = 0; i < n; i++)
		a[t * n + i] = 2;
}

// Loads of indices are, also through variables.
// CHECK: {{^}}gather [[@LINE+5]] load gather {{.*}} argument 1 + 4*(load at unoptimised.hip:[[@LINE+4]]) from [[@LINE+4]]
// CHECK: {{^}}gather [[@LINE+5]] store computed argument 0 +
extern "C" __global__ void gather(float *out, const float *a, const int *ix)
{
	int i = ix[threadIdx.x];
	float v = a[i];
	out[threadIdx.x] = v;
}

// CHECK: {{^}}chase [[@LINE+6]] load chase argument 1 + 4*(a variable) from [[@LINE+6]]
extern "C" __global__ void chase(int *out, const int *next)
{
	int at = threadIdx.x;

	for (int i = 0; i < 5; i++)
		at = next[at];
	out[threadIdx.x] = at;
}

__device__ void set(int *p)
{
	*p = threadIdx.x * 3;
}

// The index may be anything.
// CHECK: {{^}}elsewhere [[@LINE+6]] store unknown {{.*}}argument 0 + 4*(a variable){{$}}
extern "C" __global__ void elsewhere(float *a)
{
	int i;

	set(&i);
	a[i] = 1;
}

// Terms are those of other values: a variable may be another one in each lane.
// TERMS: {{^}}variables [[@LINE+6]] store 0*unknown{{$}}
// TERMS: {{^}}variables [[@LINE+8]] store 0*unknown{{$}}
extern "C" __global__ void variables(float *a, int n)
{
	int t = threadIdx.x, at = t * n;

	a[t] = 1;
	if (n > 3)
		at += threadIdx.y;
	a[at] = 2;
}
