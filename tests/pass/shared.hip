// SPDX-License-Identifier: MIT
// The functions that probes call keep to the registers that measure_access.h declares: no
// stack, v0-v19 (LLVM 15), s0-s31 and vcc (38 scalar registers with the 6 special ones).
//
// RUN: %hip_asm -O2 %s -o %t.s
// RUN: python3 %S/shared.py 20 < %t.s
// RUN: %hip_asm -O1 %s -o %t1.s
// RUN: python3 %S/shared.py 20 < %t1.s
// RUN: %hip_asm -O3 %s -o %t3.s
// RUN: python3 %S/shared.py 20 < %t3.s
// RUN: env PROBE_PROVE=0 %hip_asm -O2 %s -o %t0.s
// RUN: python3 %S/shared.py 20 < %t0.s
#include <hip/hip_runtime.h>

typedef unsigned bits96 __attribute__((ext_vector_type(3)));
typedef float unaligned __attribute__((aligned(1)));

template <typename T> __global__ void all(T *global, T **flat)
{
	__shared__ T lds[64];
	int i = threadIdx.x;

	lds[i] = global[i];
	__syncthreads();
	*flat[i] = lds[i ^ 1];
	global[i] = *flat[i + 64];
}

template __global__ void all(char *, char **);
template __global__ void all(short *, short **);
template __global__ void all(int *, int **);
template __global__ void all(double *, double **);
template __global__ void all(float4 *, float4 **);

// Addresses from a table.
template <typename T> __global__ void rows(T *global, const int *table, int n)
{
	__shared__ T lds[64];
	int at = table[threadIdx.x];

	for (int i = 0; i < n; i++) {
		lds[at + i & 63] = global[at + i];
		__syncthreads();
		global[at + i + 1000] = lds[at & 63];
	}
}

template __global__ void rows(char *, const int *, int);
template __global__ void rows(int *, const int *, int);
template __global__ void rows(double *, const int *, int);
template __global__ void rows(float4 *, const int *, int);

__global__ void odd(unaligned *a, int *b)
{
	a[threadIdx.x] += 1;
	atomicAdd(b + threadIdx.x, 1);
}
