// SPDX-License-Identifier: MIT
// Several host threads, each with streams of its own that come and go, copies both ways between
// kernels, allocations in between.
#include "hip_test.h"

#include <thread>

__global__ void step(uint32_t *cells, int n, uint32_t seed)
{
	__shared__ uint32_t tile[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	tile[threadIdx.x] = i < n ? cells[i] : 0;
	__syncthreads();
	if (i < n)
		cells[i] = hash32(tile[threadIdx.x] + seed) + tile[threadIdx.x ^ 1];
}

static void host_step(std::vector<uint32_t> &cells, uint32_t seed)
{
	std::vector<uint32_t> old = cells;

	old.resize((cells.size() + 255) / 256 * 256, 0);
	for (size_t i = 0; i < cells.size(); i++)
		cells[i] = hash32(old[i] + seed) + old[i ^ 1];
}

static void worker(uint32_t id)
{
	for (uint32_t round = 0; round < 6; round++) {
		const int n = 500 + 777 * (int)id + 31 * (int)round;
		std::vector<uint32_t> want(n);
		uint32_t *host, *device;
		hipStream_t stream;

		HIP(hipStreamCreateWithFlags(&stream, round % 2 ? hipStreamNonBlocking : 0));
		HIP(hipHostMalloc((void **)&host, n * 4, hipHostMallocDefault));
		HIP(hipMalloc((void **)&device, n * 4));
		for (int i = 0; i < n; i++)
			host[i] = want[i] = hash32(id * 1000003 + i);
		for (uint32_t hop = 0; hop < 5; hop++) {
			HIP(hipMemcpyAsync(device, host, n * 4, hipMemcpyHostToDevice, stream));
			for (uint32_t k = 0; k < 4; k++) {
				step<<<(n + 255) / 256, 256, 0, stream>>>(device, n, hop + k);
				host_step(want, hop + k);
			}
			HIP(hipMemcpyAsync(host, device, n * 4, hipMemcpyDeviceToHost, stream));
			HIP(hipStreamSynchronize(stream));
			EXPECT(!memcmp(host, want.data(), n * 4));
		}
		HIP(hipStreamDestroy(stream));
		HIP(hipFree(device));
		HIP(hipHostFree(host));
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (uint32_t id = 0; id < 6; id++)
		threads.emplace_back(worker, id);
	for (std::thread &thread : threads)
		thread.join();
	return 0;
}
