// SPDX-License-Identifier: MIT
// Records of accesses at addresses from data, or from bits of ids that give a wave several strides: there is no test
// for a common stride. Those of eight accesses are reserved in parts that are at most half of the smallest ring:
// 2048 bytes, 7 records of 64 lanes.
//
// RUN: env PROBE_KINDS=trace %hip_asm -O2 %s -o %t.s
// RUN: FileCheck %s --input-file %t.s
#include <hip/hip_runtime.h>

// CHECK-LABEL: __probe_trace_gather:
// CHECK: s_mul_i32 s7, s6, 7
// CHECK: s_sub_u32 s86, s86, s7
// CHECK-COUNT-7: global_store_dword v0, {{v[0-9]+}}, s[84:85] offset:8
// CHECK-NOT: global_store_dword v0, {{v[0-9]+}}, s[84:85] offset:8
// CHECK: s_mul_i32 s7, s6, 1
// CHECK: s_sub_u32 s86, s86, s7
// CHECK: global_store_dword v0, {{v[0-9]+}}, s[84:85] offset:8
// CHECK: s_endpgm
extern "C" __global__ void gather(const int *index, const float *a, const float *b, const float *c,
				  const float *d, const float *e, const float *f, const float *g,
				  const float *h, float *out)
{
	int i = index[threadIdx.x];

	out[threadIdx.x] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
}

// CHECK-LABEL: __probe_trace_quarters:
// CHECK: s_mul_i32 s7, s6, 1
// CHECK: global_store_dword v0, {{v[0-9]+}}, s[84:85] offset:8
// CHECK: s_endpgm
extern "C" __global__ void quarters(const float *in, float *out, int pitch)
{
	int lane = threadIdx.x;

	out[lane] = in[lane % 16 * pitch + lane / 16];
}

// All bits that differ in a wave: one stride, so that the address may be short.
// CHECK-LABEL: __probe_trace_whole:
// CHECK-NOT: s_mul_i32 s7, s6, 1
// CHECK: s_endpgm
extern "C" __global__ void whole(const float *in, float *out)
{
	out[threadIdx.x] = in[threadIdx.x % 64];
}
