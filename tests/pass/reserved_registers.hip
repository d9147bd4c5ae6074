// SPDX-License-Identifier: MIT
// The compiler does not use the registers that clones reserve, even in code that needs more than are left.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_asm -I%S/../../include -O2 %s -emit-llvm -o %t.ll
// RUN: %llvm/llc -O2 %t.ll -o %t.s
// RUN: %S/reserved_registers.py %t.ll %t.s memory count trace time
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_asm -I%S/../../include --no-offload-arch=gfx90a --offload-arch=gfx1030 -O2 %s -emit-llvm -o %t10.ll
// RUN: %llvm/llc -O2 %t10.ll -o %t10.s
// RUN: %S/reserved_registers.py %t10.ll %t10.s count trace time
#include <hip/hip_runtime.h>
#include <probe/device.h>

__constant__ int table[96 * 20];

// All of these entries of the table, which are too far apart for wide loads, stay in scalar registers from the first to the second loop.
static __device__ __forceinline__ int heavy(int x)
{
	int entry[96];

#pragma unroll
	for (int i = 0; i < 96; i++)
		entry[i] = table[20 * i];
#pragma unroll
	for (int i = 0; i < 96; i++)
		x += entry[i] * (x ^ i);
	asm volatile("" : "+v"(x));
#pragma unroll
	for (int i = 95; i >= 0; i--)
		x += entry[i] * (x ^ i);
	return x;
}

// A function and a kernel with a stack; they need six special registers, other code needs two.
static __device__ __attribute__((noinline)) int call(int x, volatile int *where)
{
	where[threadIdx.x] = x;
	return heavy(x);
}

extern "C" __global__ void loop(int *out, const int *in, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum = heavy(sum + in[threadIdx.x + i * 32]);
	out[threadIdx.x] = sum;
}

extern "C" __global__ void calls(int *out, const int *in, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum = call(sum + in[threadIdx.x + i * 32], out);
	out[threadIdx.x] = heavy(sum);
}

extern "C" __global__ void spans(int *out)
{
	int x = threadIdx.x;

	probe_region_begin("a");
	x = heavy(x);
	probe_region_end("a");
	probe_region_begin("b");
	x = heavy(x);
	probe_region_end("b");
	probe_region_begin("c");
	x = heavy(x);
	probe_region_end("c");
	out[threadIdx.x] = x;
}
