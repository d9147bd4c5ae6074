// SPDX-License-Identifier: MIT
// Kernels of hsa_hard.c: small, and some that wait for others.
#include <hip/hip_runtime.h>

#include <stdint.h>

extern "C" __global__ void stamp(uint32_t *out, uint32_t index)
{
	out[index * 64 + threadIdx.x] = index * 3 + threadIdx.x;
}

// Announces that it runs, waits for its neighbour and passes one more on.
extern "C" __global__ void pass_on(volatile uint32_t *from, volatile uint32_t *to,
				   volatile uint32_t *started)
{
	uint32_t value;

	if (!threadIdx.x)
		*started = 1;
	while (!(value = *from))
		;
	if (!threadIdx.x)
		*to = value + 1;
}
