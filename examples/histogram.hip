// SPDX-License-Identifier: MIT
// Histogram of bytes: atomics on LDS bins per workgroup, then on global bins.

#include "check.h"

#include <cstdio>
#include <vector>

constexpr int BINS = 256;
constexpr int BLOCK = 256;
constexpr int COUNT = 32 * 1024;

__global__ void histogram(unsigned *bins, const unsigned char *data, int count)
{
	__shared__ unsigned local[BINS];

	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += blockDim.x)
		if (local[i])
			atomicAdd(&bins[i], local[i]);
}

int main()
{
	std::vector<unsigned char> data(COUNT);
	std::vector<unsigned> want(BINS), got(BINS);
	unsigned char *dev_data;
	unsigned *dev_bins, state = 1;

	for (auto &byte : data) {
		state = state * 1664525u + 1013904223u;
		byte = state >> 24;
		want[byte]++;
	}
	CHECK(hipMalloc(&dev_data, COUNT));
	CHECK(hipMalloc(&dev_bins, BINS * sizeof(unsigned)));
	CHECK(hipMemcpy(dev_data, data.data(), COUNT, hipMemcpyHostToDevice));
	CHECK(hipMemset(dev_bins, 0, BINS * sizeof(unsigned)));
	histogram<<<8, BLOCK>>>(dev_bins, dev_data, COUNT);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(got.data(), dev_bins, BINS * sizeof(unsigned), hipMemcpyDeviceToHost));
	printf("histogram of %d bytes: %s\n", COUNT, got == want ? "ok" : "WRONG");
	return got != want;
}
