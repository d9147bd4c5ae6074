// SPDX-License-Identifier: MIT
// A branch that asks whether a half is a number, in every kind: LLVM 15 cannot make a mask of that comparison.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_asm -O3 %s -o %t.s
// RUN: FileCheck %s < %t.s
// CHECK: __probe_memory_k:
// CHECK: v_cmp_{{[ou]}}_f16
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

extern "C" __global__ void k(float *p, const _Float16 *h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	_Float16 value = h[i];

	if (value == value)
		p[i] = 1;
}
