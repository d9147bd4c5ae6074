// SPDX-License-Identifier: MIT
// A copy is loads and stores; an atomic is a site; what no probe covers is counted, not passed over.
//
// RUN: env PROBE_VERBOSE=1 %hip_probe -O2 -g %s -o %t 2>&1 | FileCheck %s
// RUN: strings -n 10 %t | FileCheck %s --check-prefix=NAMES
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

// Instructions of inline assembly that access memory in lanes: four, however they are written.
__global__ void assembly(float *out, const float *in)
{
	__shared__ float tile[64];
	unsigned at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) float *)&tile[threadIdx.x];
	float a, b;

	asm volatile("global_load_dword %0, %1, off\n\ts_waitcnt vmcnt(0)\n\n  flat_load_dword %0, %1 glc\n"
		     "s_waitcnt vmcnt(0) lgkmcnt(0)" : "=&v"(a) : "v"(in + threadIdx.x) : "memory");
	asm volatile("ds_write_b32 %0, %1\nds_read_b32 %1, %0" : : "v"(at), "v"(a) : "memory");
	// global_load_dword
	asm volatile("; ds_read_b32 in a comment\nds_bpermute_b32 %0, %1, %2\ns_mov_b32 s0, flat_scratch_lo\nbuffer_wbinvl1"
		     : "=v"(b) : "v"(at), "v"(a) : "s0");
	out[threadIdx.x] = b;
}

// CHECK: probe: {{.*}}: 4 kernels, 5 sites{{.*}}, 5 accesses not covered
// NAMES: global_load_dword
// NAMES: flat_load_dword
// NAMES: ds_write_b32
