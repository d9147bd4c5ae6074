// SPDX-License-Identifier: MIT
// Sorting and counting: bitonic in global memory, odd-even in LDS, radix with histogram and scan.
#include "hip_test.h"

#include <algorithm>

__global__ void bitonic_step(uint32_t *keys, uint32_t distance, uint32_t length)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, other = at ^ distance;

	if (other > at && (keys[at] > keys[other]) == !(at & length)) {
		uint32_t key = keys[at];

		keys[at] = keys[other];
		keys[other] = key;
	}
}

__global__ void odd_even(uint32_t *keys)
{
	__shared__ uint32_t tile[256];
	uint32_t lane = threadIdx.x, from = blockIdx.x * 256;

	tile[lane] = keys[from + lane];
	for (uint32_t round = 0; round < 256; round++) {
		__syncthreads();
		if (lane % 2 == round % 2 && lane < 255 && tile[lane] > tile[lane + 1]) {
			uint32_t key = tile[lane];

			tile[lane] = tile[lane + 1];
			tile[lane + 1] = key;
		}
	}
	__syncthreads();
	keys[from + lane] = tile[lane];
}

// Keys of each group by 4 bits, in LDS.
__global__ void radix_count(const uint32_t *keys, uint32_t *counts, uint32_t shift)
{
	__shared__ uint32_t bins[16];

	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[keys[blockIdx.x * blockDim.x + threadIdx.x] >> shift & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// Exclusive, one group, any length.
__global__ void scan(uint32_t *cells, uint32_t n)
{
	__shared__ uint32_t tile[256];
	__shared__ uint32_t carry;
	uint32_t lane = threadIdx.x;

	if (!lane)
		carry = 0;
	for (uint32_t from = 0; from < n; from += 256) {
		uint32_t value = from + lane < n ? cells[from + lane] : 0, sum;

		tile[lane] = value;
		__syncthreads();
		for (uint32_t step = 1; step < 256; step *= 2) {
			uint32_t other = lane >= step ? tile[lane - step] : 0;

			__syncthreads();
			tile[lane] += other;
			__syncthreads();
		}
		sum = tile[lane] + carry;
		if (from + lane < n)
			cells[from + lane] = sum - value;
		__syncthreads();
		if (lane == 255)
			carry = sum;
		__syncthreads();
	}
}

// Stable: a key's rank among equal digits of its group, by ballots of one wave.
__global__ void radix_move(const uint32_t *keys, uint32_t *out, const uint32_t *starts,
			   uint32_t shift)
{
	uint32_t key = keys[blockIdx.x * 64 + threadIdx.x], digit = key >> shift & 15;
	uint64_t same = ~0ull;

	for (uint32_t bit = 0; bit < 4; bit++) {
		uint64_t set = __ballot(digit >> bit & 1);

		same &= digit >> bit & 1 ? set : ~set;
	}
	same &= ((uint64_t)1 << threadIdx.x) - 1;
	out[starts[digit * gridDim.x + blockIdx.x] + __popcll(same)] = key;
}

__global__ void histogram(const uint32_t *keys, uint32_t n, uint32_t *bins)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[keys[i] % 100], 1u);
}

int main()
{
	const uint32_t n = 4096;
	std::vector<uint32_t> keys(n), sorted, bins(100, 0), tiles;

	for (uint32_t i = 0; i < n; i++) {
		keys[i] = hash32(i) >> (i % 3 * 8);
		bins[keys[i] % 100]++;
	}
	sorted = tiles = keys;
	std::sort(sorted.begin(), sorted.end());

	device_array<uint32_t> a(keys), b((size_t)n), counts((size_t)16 * n / 64);
	for (uint32_t length = 2; length <= n; length *= 2)
		for (uint32_t distance = length / 2; distance; distance /= 2)
			bitonic_step<<<n / 256, 256>>>(a.data, distance, length);
	expect_equal("bitonic", a.host(), sorted);

	device_array<uint32_t> c(keys);
	odd_even<<<n / 256, 256>>>(c.data);
	for (uint32_t from = 0; from < n; from += 256)
		std::sort(tiles.begin() + from, tiles.begin() + from + 256);
	expect_equal("odd-even", c.host(), tiles);

	device_array<uint32_t> d(keys);
	uint32_t *from = d.data, *to = b.data;
	for (uint32_t shift = 0; shift < 32; shift += 4) {
		radix_count<<<n / 64, 64>>>(from, counts.data, shift);
		scan<<<1, 256>>>(counts.data, 16 * n / 64);
		radix_move<<<n / 64, 64>>>(from, to, counts.data, shift);
		std::swap(from, to);
	}
	expect_equal("radix", d.host(), sorted);

	device_array<uint32_t> dbins((size_t)100);
	histogram<<<5, 192>>>(d.data, n, dbins.data);
	expect_equal("histogram", dbins.host(), bins);
	return 0;
}
