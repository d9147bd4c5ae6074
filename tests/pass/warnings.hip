// SPDX-License-Identifier: MIT
// A warning about the program, after which clang would print the notes of dropped warnings about probes, as the linker
// prints warnings and notes: the plugin adds none.
//
// RUN: env PROBE_KINDS=memory,trace,count %hip_probe %s -O2 -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=lobber
// CHECK: warning: loop not unrolled
// CHECK: 1 warning generated
// RUN: %hip_plain -fgpu-rdc -emit-llvm %s -O2 -o %t.bc
// RUN: env PROBE_KINDS=memory,trace,count %llvm/lld -flavor gnu -shared -plugin-opt=mcpu=gfx90a --load-pass-plugin=%plugin %t.bc -o %t.so 2>&1 | FileCheck %s --check-prefix=LINK --implicit-check-not=warning: --implicit-check-not=lobber
// LINK: warning: {{.*}}loop not unrolled
// Of the program's own assembly, they are not dropped.
// RUN: %hip_probe -DOWN %s -O2 -o %t.o 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: warning: inline asm clobber list contains reserved registers: flat_scratch
#include <hip/hip_runtime.h>

__global__ void sum(int *out, const int *in, int n)
{
	__shared__ int histogram[256];
	int s = 0;

	histogram[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll 4
	for (int k = 0; k < n; k++) {
		s += in[(__shfl_xor((int)threadIdx.x, 16) + k) & 255];
		atomicAdd(&histogram[in[threadIdx.x + k] & 255], 1);
	}
	__syncthreads();
	out[threadIdx.x] = s + histogram[threadIdx.x];
#ifdef OWN
	asm volatile("s_nop 0" : : : "flat_scratch");
#endif
}
