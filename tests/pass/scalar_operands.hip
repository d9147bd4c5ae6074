// SPDX-License-Identifier: MIT
// Operands of probes that asm wants in scalar registers: values that all lanes agree about, but that the
// back end keeps in vector registers, such as the quotient of two 64-bit arguments.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O1 -o /dev/null
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O2 -o /dev/null
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O3 -o /dev/null
#include <hip/hip_runtime.h>
#include <cstdint>

// A chunk for each work-item.
__global__ void chunks(uint32_t *out, const uint8_t *in, unsigned long bytes, unsigned long threads)
{
	unsigned long per = bytes / threads, first = threadIdx.x * per;
	uint32_t sum = 0;

	for (unsigned long i = 0; i < per; i++)
		sum = sum * 31 + in[first + i];
	out[threadIdx.x] = sum;
}

__global__ void chunks_of_grid(uint32_t *out, const uint8_t *in, unsigned long bytes)
{
	unsigned long per = bytes / (blockDim.x * gridDim.x);
	const uint8_t *at = in + (blockIdx.x * blockDim.x + threadIdx.x) * per;
	uint32_t sum = 0;

	for (unsigned long i = 0; i < per; i++)
		if (at[i] > 3)
			sum = sum * 31 + at[i];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Distances between accesses, and conditions, made of such quotients and of floating-point numbers.
__global__ void distances(float *out, const float *in, unsigned long rows, unsigned long parts, float scale)
{
	unsigned long width = rows / parts;
	int shift = (int)(scale * 3.5f);
	float sum = 0;

	for (unsigned long i = 0; i < width; i++) {
		unsigned long at = (threadIdx.x * threadIdx.x) % 977 + i * 31;

		sum += in[at] + in[at + width] + in[at + 2 * width] + in[at + shift];
		if (width > 7)
			sum -= in[at + 5 * shift];
	}
	if (shift == 3)
		out[threadIdx.x] = sum;
}
