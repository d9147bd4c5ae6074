// SPDX-License-Identifier: MIT
// The back end merges accesses of IR from -O2 on, also those of an unrolled loop, whose addresses are sums of its own.
//
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory %hip_probe -O1 -g %s -o %t 2>&1 | FileCheck %s -check-prefix O1
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory %hip_probe -O2 -g %s -o %t 2>&1 | FileCheck %s -check-prefix O2
// RUN: %hip_plain -O1 %s -S -o - | FileCheck %s -check-prefix MACHINE1
// RUN: %hip_plain -O2 %s -S -o - | FileCheck %s -check-prefix MACHINE2
// O1: probe: {{.*}}: 2 kernels, 14 sites
// O2: probe: {{.*}}: 2 kernels, 24 sites
#include <hip/hip_runtime.h>

// MACHINE1-LABEL: eight:
// MACHINE1-COUNT-8: global_load_ubyte
// MACHINE2-LABEL: eight:
// MACHINE2: global_load_dwordx2
// MACHINE2-NOT: global_load
// MACHINE2: s_endpgm
extern "C" __global__ void eight(int *out, const unsigned char *in)
{
	const unsigned char *own = in + threadIdx.x * 8;
	int sum = 0;

#pragma unroll
	for (int i = 0; i < 8; i++)
		sum = sum * 3 + own[i];
	out[threadIdx.x] = sum;
}

// MACHINE2-LABEL: chunk:
// MACHINE2: global_load_dwordx4
extern "C" __global__ void chunk(int *out, const int *in, int n)
{
	extern __shared__ int table[];
	const int t = (int)threadIdx.x;

	for (int i = 0; i < n; i++) {
		int value = in[t * n + i];

		table[(value & 3) * 64 + t] += value;
	}
	out[t] = table[t];
}
