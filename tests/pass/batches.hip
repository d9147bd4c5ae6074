// SPDX-License-Identifier: MIT
// Addresses from data in a loop are measured in batches (batch_code.h); others, and on older targets, not.
//
// RUN: %hip_asm -O2 %s -o %t.s
// RUN: FileCheck %s --input-file %t.s
// RUN: env PROBE_DISABLE=batches %hip_asm -O2 %s -o %t1.s
// RUN: FileCheck %s --input-file %t1.s -check-prefix NONE
// RUN: %hip_asm -O2 --no-offload-arch=gfx90a --offload-arch=gfx908 %s -o %t2.s
// RUN: FileCheck %s --input-file %t2.s -check-prefix NONE
#include <hip/hip_runtime.h>

// CHECK-LABEL: __probe_memory_once:
// CHECK-NOT: scratch_store
// CHECK: s_endpgm
// NONE-NOT: scratch_store
// NONE-NOT: __probe_dev_memory_batch
extern "C" __global__ void once(const int *index, float *data)
{
	data[index[threadIdx.x]] = 1;
}

// CHECK-LABEL: __probe_memory_loop:
// CHECK: s_add{{c?}}_u32 flat_scratch
// CHECK: global_store_dwordx2 v0, v[2:3], s[86:87]
// CHECK: scratch_store_dwordx4 off, v[32:35]
// CHECK: __probe_dev_memory_batch
// CHECK: scratch_load_dwordx4 v[32:35], off
// CHECK: s_endpgm
extern "C" __global__ void loop(const int *index, float *data, int n)
{
	for (int i = threadIdx.x; i >= 0 && i < n; i = index[i])
		data[i] += 1;
}
