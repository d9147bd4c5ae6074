// SPDX-License-Identifier: MIT
// The clones need as much LDS as the original, constant addresses or not.
//
// RUN: %hip_probe -O2 %s -o %t
// RUN: %llvm/llvm-readelf --notes %t | FileCheck %s
#include <hip/hip_runtime.h>

__global__ void sum(float *out, const float *in)
{
	__shared__ float s[256];
	int i = threadIdx.x;

	s[i] = in[i];
	__syncthreads();
	for (int step = 128; step; step >>= 1) {
		if (i < step)
			s[i] += s[i + step];
		__syncthreads();
	}
	if (!i)
		out[0] = s[0] + s[1] * s[2] * s[3];
}

// CHECK-COUNT-3: .group_segment_fixed_size: 1024
// CHECK-NOT: .group_segment_fixed_size
