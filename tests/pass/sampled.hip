// SPDX-License-Identifier: MIT
// PROBE_SITES_MEASURED: an execution is counted, for all measured sites of its block, and each site skips most
// executions; what is derived, and without the option everything, is as before.
//
// RUN: env PROBE_SITES_MEASURED=1-in-16 PROBE_KINDS=memory %hip_asm -O2 %s -o %t.s
// RUN: FileCheck %s --input-file %t.s
// RUN: env PROBE_SITES_MEASURED=1-in-1 PROBE_KINDS=memory %hip_asm -O2 %s -o %t1.s
// RUN: env PROBE_KINDS=memory %hip_asm -O2 %s -o %t2.s
// RUN: diff %t1.s %t2.s
#include <hip/hip_runtime.h>

// No site of it is measured.
// CHECK-LABEL: __probe_memory_affine:
// CHECK-NOT: v_log_f32
// CHECK: s_endpgm
extern "C" __global__ void affine(float *data)
{
	data[threadIdx.x] = 1;
}

// CHECK-LABEL: __probe_memory_gather:
// CHECK: v_log_f32
// CHECK: s_bcnt1_i32_b64 s4, exec
// CHECK-NEXT: s_add_u32 [[COUNT:s[0-9]+]], [[COUNT]], 1
// CHECK-NEXT: s_add_u32 [[LANES:s[0-9]+]], [[LANES]], s4
// CHECK-NEXT: s_sub_u32 [[SKIP:s[0-9]+]], [[SKIP]], 1
// CHECK-NEXT: s_cbranch_scc0 .Lprobe_skipped
// CHECK: v_log_f32
// CHECK: v_readfirstlane_b32 [[SKIP]]
// CHECK: s_swappc_b64
// CHECK-NOT: s_bcnt1_i32_b64 s4, exec
// CHECK: s_sub_u32 [[SKIP]], [[SKIP]], 1
// CHECK-NOT: __probe_dev_memory_batch
// CHECK: s_endpgm
extern "C" __global__ void gather(const int *index, float *data, float *out, int n)
{
	float sum = 0;

	for (int i = threadIdx.x; i < n; i += 64) {
		int at = index[i];

		sum += data[at];
		out[at * 3] = sum;
	}
}
