// SPDX-License-Identifier: MIT
// Private memory: arrays indexed at run time, growing per kernel, and real calls with a stack.
#include "hip_test.h"

template <int N> __global__ void permute(uint32_t *out, uint32_t seed)
{
	uint32_t id = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	uint32_t cells[N];

	for (int i = 0; i < N; i++)
		cells[i] = hash32(id + i * seed);
	for (int i = 0; i < 3 * N; i++) {
		uint32_t from = cells[i % N] % N, to = (cells[(i + 1) % N] ^ seed) % N;
		uint32_t held = cells[from];

		cells[from] = cells[to] + 1;
		cells[to] = held;
	}
	for (int i = 0; i < N; i++)
		sum = sum * 31 + cells[i];
	out[id] = sum;
}

template <int N> static uint32_t permute_on_host(uint32_t id, uint32_t seed)
{
	uint32_t cells[N], sum = 0;

	for (int i = 0; i < N; i++)
		cells[i] = hash32(id + i * seed);
	for (int i = 0; i < 3 * N; i++) {
		uint32_t from = cells[i % N] % N, to = (cells[(i + 1) % N] ^ seed) % N;
		uint32_t held = cells[from];

		cells[from] = cells[to] + 1;
		cells[to] = held;
	}
	for (int i = 0; i < N; i++)
		sum = sum * 31 + cells[i];
	return sum;
}

template <int N> static void check(uint32_t blocks, uint32_t size)
{
	device_array<uint32_t> out((size_t)blocks * size);
	std::vector<uint32_t> want(blocks * size);

	for (uint32_t id = 0; id < blocks * size; id++)
		want[id] = permute_on_host<N>(id, 77);
	permute<N><<<blocks, size>>>(out.data, 77);
	HIP(hipGetLastError());
	expect_equal("private array", out.host(), want);
}

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

// The stack of a lane: recursion of different depth in each.
__global__ void recurse(uint32_t *out)
{
	out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 5);
}

static void recursion()
{
	device_array<uint32_t> out((size_t)128);
	std::vector<uint32_t> want(128);

	for (uint32_t i = 0; i < 128; i++) {
		uint32_t n = i % 5;

		want[i] = i % 3 == 0 ? n + 1 : i % 3 == 1 ? n + 2 : 2 * n + 3;
	}
	recurse<<<1, 128>>>(out.data);
	HIP(hipGetLastError());
	expect_equal("recursion", out.host(), want);
}

int main()
{
	check<5>(3, 64);
	check<33>(20, 256);
	check<400>(7, 192);
	check<9>(50, 1024);
	recursion();
	return 0;
}
