// SPDX-License-Identifier: MIT
// Kernels that hsa_app.c dispatches itself: arguments of odd sizes, dynamic LDS, device globals.
#include <hip/hip_runtime.h>

#include <stdint.h>

__constant__ uint32_t factor = 3;
__device__ uint32_t total;

extern "C" __global__ void bump(uint32_t *counter)
{
	if (threadIdx.x == 0)
		atomicAdd(counter, 1u);
}

// One wave per dispatch writes its number: shows order and completeness.
extern "C" __global__ void stamp(uint32_t *out, uint32_t index)
{
	out[index * 64 + threadIdx.x] = index * factor + threadIdx.x;
}

struct odd {
	uint8_t bytes[13];
};

extern "C" __global__ void oddly(uint8_t a, uint16_t b, uint64_t *out, struct odd c, uint8_t d,
				 float e, uint32_t f)
{
	uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t sum = 0;

	for (int i = 0; i < 13; i++)
		sum = sum * 7 + c.bytes[i];
	out[id] = (uint64_t)a << 56 | (uint64_t)b << 40 | (uint64_t)d << 32 |
		  (sum + (uint32_t)e + f + id + blockDim.x);
}

extern "C" __global__ void dynamic(uint32_t *out, uint32_t n)
{
	__shared__ uint32_t fixed[64];
	extern __shared__ uint32_t cells[];

	fixed[threadIdx.x] = threadIdx.x * 5;
	for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
		cells[i] = i ^ 0x55;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = cells[n - 1 - i] + fixed[i % 64];
}

extern "C" __global__ void globals(uint32_t *out)
{
	atomicAdd(&total, factor);
	__syncthreads();
	out[threadIdx.x] = total;
}

// Runs until the host says so.
extern "C" __global__ void gate(volatile uint32_t *open, uint32_t *out)
{
	while (!*open)
		__builtin_amdgcn_s_sleep(10);
	out[threadIdx.x] = *open;
}
