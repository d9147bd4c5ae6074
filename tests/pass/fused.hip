// SPDX-License-Identifier: MIT
// Without optimisation the back end fuses a multiplication and an addition if they are in one block.
// A probe between them does not divide it, so that results stay the same.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_asm -O0 %s -o %t.s
// RUN: FileCheck %s --input-file %t.s -check-prefix PLAIN
// RUN: FileCheck %s --input-file %t.s -check-prefix MEMORY
// RUN: FileCheck %s --input-file %t.s -check-prefix TRACE
// RUN: FileCheck %s --input-file %t.s -check-prefix TIME
// RUN: FileCheck %s --input-file %t.s -check-prefix COUNT
#include <hip/hip_runtime.h>

// PLAIN-LABEL: {{^}}fused:
// PLAIN: v_fma_f32
// PLAIN: s_endpgm
// MEMORY-LABEL: {{^}}__probe_memory_fused:
// MEMORY: v_fma_f32
// MEMORY: s_endpgm
// TRACE-LABEL: {{^}}__probe_trace_fused:
// TRACE: v_fma_f32
// TRACE: s_endpgm
// TIME-LABEL: {{^}}__probe_time_fused:
// TIME: v_fma_f32
// TIME: s_endpgm
// COUNT-LABEL: {{^}}__probe_count_fused:
// COUNT: v_fma_f32
// COUNT: s_endpgm
extern "C" __global__ void fused(const float *in, float *out)
{
	int i = threadIdx.x;

	out[i] = in[i] * in[i + 1] - in[i + 2];
}
