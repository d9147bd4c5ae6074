// SPDX-License-Identifier: MIT
// Accesses that the back end removes have no probes, so that counts are those of the machine's instructions.
//
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory %hip_probe -O2 -g %s -o %t2 2>&1 | FileCheck %s -check-prefix O2
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory %hip_probe -O3 -g %s -o %t3 2>&1 | FileCheck %s -check-prefix O3
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory PROBE_DISABLE=removal %hip_probe -O2 -g %s -o %t 2>&1 | FileCheck %s -check-prefix OFF
// RUN: %hip_plain -O2 %s -S -o - | FileCheck %s -check-prefix MACHINE
// At -O3 the machine has 20.
// O2: probe: {{.*}}: 3 kernels, 21 sites
// O3: probe: {{.*}}: 3 kernels, 25 sites
// OFF: probe: {{.*}}: 3 kernels, 44 sites
#include <hip/hip_runtime.h>

// Loops are unrolled last: what an iteration stores, the next one loads, and stores again.
// MACHINE-LABEL: update:
// MACHINE-COUNT-1: global_load
// MACHINE-NOT: global_load
// MACHINE: global_store
// MACHINE-NOT: global_store
// MACHINE: s_endpgm
extern "C" __global__ void update(float *a, float by)
{
#pragma unroll
	for (int i = 0; i < 3; i++)
		a[threadIdx.x * 8] = a[threadIdx.x * 8] * by + 1;
}

// MACHINE-LABEL: cholesky:
// MACHINE-COUNT-14: global_{{load|store}}
// MACHINE-NOT: global_
// MACHINE: s_endpgm
extern "C" __global__ void cholesky(float *A)
{
	float *a = A + (blockIdx.x * 64 + threadIdx.x) * 16;

	for (int j = 0; j < 4; j++) {
		for (int k = 0; k < j; k++)
			for (int i = j; i < 4; i++)
				a[i * 4 + j] -= a[i * 4 + k] * a[j * 4 + k];
		float d = sqrtf(a[j * 4 + j]);
		for (int i = j; i < 4; i++)
			a[i * 4 + j] /= d;
	}
}

// A barrier ends what is known.
// MACHINE-LABEL: kept:
// MACHINE-COUNT-2: ds_read_b32
extern "C" __global__ void kept(float *out)
{
	__shared__ float s[64];

	s[threadIdx.x] = out[threadIdx.x];
	__syncthreads();
	float first = s[threadIdx.x ^ 1];
	__syncthreads();
	out[threadIdx.x] = first + s[threadIdx.x ^ 1];
}
