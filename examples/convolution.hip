// SPDX-License-Identifier: MIT
// One-dimensional convolution: weights in __constant__ memory set by the host, a tile in dynamic
// LDS whose size the launch decides, and a __device__ counter the kernel updates. A tool that ran
// the kernel from a copy of its code object, or lost the launch's LDS, would get wrong results.

#include "check.h"

#include <cstdio>
#include <vector>

constexpr int RADIUS = 3;
constexpr int BLOCK = 128;
constexpr int COUNT = 16 * BLOCK;

__constant__ int weight[2 * RADIUS + 1];
__device__ unsigned groups_done;

__global__ void convolve(int *out, const int *in, int count)
{
	extern __shared__ int tile[];
	int base = blockIdx.x * blockDim.x;

	for (int i = threadIdx.x; i < (int)blockDim.x + 2 * RADIUS; i += blockDim.x) {
		int from = base + i - RADIUS;

		tile[i] = from >= 0 && from < count ? in[from] : 0;
	}
	__syncthreads();

	int sum = 0;

	for (int k = 0; k <= 2 * RADIUS; k++)
		sum += weight[k] * tile[threadIdx.x + k];
	out[base + threadIdx.x] = sum;
	if (threadIdx.x == 0)
		atomicAdd(&groups_done, 1u);
}

int main()
{
	const int host_weight[2 * RADIUS + 1] = {1, -2, 3, -4, 3, -2, 1};
	std::vector<int> in(COUNT), out(COUNT);
	int *dev_in, *dev_out, wrong = 0;
	unsigned groups = 0;

	for (int i = 0; i < COUNT; i++)
		in[i] = (i * 7919) % 1009 - 500;
	CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weight), host_weight, sizeof(host_weight)));
	CHECK(hipMalloc(&dev_in, COUNT * sizeof(int)));
	CHECK(hipMalloc(&dev_out, COUNT * sizeof(int)));
	CHECK(hipMemcpy(dev_in, in.data(), COUNT * sizeof(int), hipMemcpyHostToDevice));
	convolve<<<COUNT / BLOCK, BLOCK, (BLOCK + 2 * RADIUS) * sizeof(int)>>>(dev_out, dev_in,
									       COUNT);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(out.data(), dev_out, COUNT * sizeof(int), hipMemcpyDeviceToHost));
	CHECK(hipMemcpyFromSymbol(&groups, HIP_SYMBOL(groups_done), sizeof(groups)));
	for (int i = 0; i < COUNT; i++) {
		int sum = 0;

		for (int k = 0; k <= 2 * RADIUS; k++)
			if (i + k - RADIUS >= 0 && i + k - RADIUS < COUNT)
				sum += host_weight[k] * in[i + k - RADIUS];
		wrong += out[i] != sum;
	}
	printf("convolution: %s, %u workgroups\n", wrong ? "WRONG" : "ok", groups);
	return wrong || groups != COUNT / BLOCK;
}
