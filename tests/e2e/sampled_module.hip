// SPDX-License-Identifier: MIT
#include <hip/hip_runtime.h>

extern "C" __global__ void spin(float *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = (float)i;

	for (int r = 0; r < rounds; r++)
		x = x * 1.25f + 1.0f;
	out[i] = x;
}
