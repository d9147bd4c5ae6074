// SPDX-License-Identifier: MIT
// LDS, static and dynamic, barriers, groups of every size up to 1024.
#include "hip_test.h"

// Reverses each block through LDS, then sums it by a tree.
__global__ void reverse_and_sum(const uint32_t *in, uint32_t *out, uint32_t *sums)
{
	__shared__ uint32_t tile[1024];
	__shared__ uint32_t tree[1024];
	uint32_t lane = threadIdx.x, size = blockDim.x, at = blockIdx.x * size;

	tile[lane] = in[at + lane];
	tree[lane] = in[at + lane];
	__syncthreads();
	out[at + lane] = tile[size - 1 - lane];
	for (uint32_t n = 512; n; n /= 2) {
		uint32_t other = lane < n && lane + n < size ? tree[lane + n] : 0;

		__syncthreads();
		if (lane < n)
			tree[lane] += other;
		__syncthreads();
	}
	if (!lane)
		sums[blockIdx.x] = tree[0];
}

extern __shared__ uint32_t dynamic[];

// Only part of the waves reach the later barriers: the rest have returned.
__global__ void leave_early(uint32_t *out, uint32_t words)
{
	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		dynamic[i] = hash32(i + blockIdx.x);
	__syncthreads();
	if (threadIdx.x >= 64)
		return;
	for (uint32_t round = 1; round < 4; round++) {
		uint32_t value = dynamic[(threadIdx.x * round + 1) % words];

		__syncthreads();
		dynamic[threadIdx.x] = value;
		__syncthreads();
	}
	out[blockIdx.x * 64 + threadIdx.x] = dynamic[threadIdx.x];
}

static void blocks_of(uint32_t size)
{
	const uint32_t blocks = 9;
	std::vector<uint32_t> in(blocks * size), reversed(blocks * size), sums(blocks, 0);

	for (uint32_t i = 0; i < in.size(); i++)
		in[i] = hash32(i);
	for (uint32_t b = 0; b < blocks; b++)
		for (uint32_t i = 0; i < size; i++) {
			reversed[b * size + i] = in[b * size + size - 1 - i];
			sums[b] += in[b * size + i];
		}
	device_array<uint32_t> din(in), dout(in.size()), dsums((size_t)blocks);

	reverse_and_sum<<<blocks, size>>>(din.data, dout.data, dsums.data);
	HIP(hipGetLastError());
	expect_equal("reversed", dout.host(), reversed);
	expect_equal("sums", dsums.host(), sums);
}

static void dynamic_of(uint32_t words)
{
	const uint32_t blocks = 5;
	std::vector<uint32_t> want;
	device_array<uint32_t> out((size_t)blocks * 64);

	for (uint32_t b = 0; b < blocks; b++) {
		std::vector<uint32_t> lds(words), next(64);

		for (uint32_t i = 0; i < words; i++)
			lds[i] = hash32(i + b);
		for (uint32_t round = 1; round < 4; round++) {
			for (uint32_t lane = 0; lane < 64; lane++)
				next[lane] = lds[(lane * round + 1) % words];
			for (uint32_t lane = 0; lane < 64; lane++)
				lds[lane] = next[lane];
		}
		want.insert(want.end(), lds.begin(), lds.begin() + 64);
	}
	leave_early<<<blocks, 256, words * 4>>>(out.data, words);
	HIP(hipGetLastError());
	expect_equal("dynamic LDS", out.host(), want);
}

int main()
{
	for (uint32_t size : {1, 32, 63, 64, 65, 127, 256, 600, 1024})
		blocks_of(size);
	for (uint32_t words : {64, 100, 4096, 16384})
		dynamic_of(words);
	return 0;
}
