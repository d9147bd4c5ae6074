// SPDX-License-Identifier: MIT
// Between the lanes of a wave: shuffles of all kinds and widths, votes, reductions and scans;
// cooperative groups with tiles; several ways to one sum.
#include "hip_test.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void shuffles(const uint32_t *in, uint32_t *out)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];

	out[8 * at] = __shfl(x, 5);
	out[8 * at + 1] = __shfl(x, (threadIdx.x * 7 + 3) % 64);
	out[8 * at + 2] = __shfl_up(x, 3);
	out[8 * at + 3] = __shfl_down(x, 9);
	out[8 * at + 4] = __shfl_xor(x, 21);
	out[8 * at + 5] = __shfl(x, 2, 16);
	out[8 * at + 6] = __shfl_up(x, 1, 8);
	out[8 * at + 7] = __shfl_xor(x, 4, 32);
}

static uint32_t host_shuffle(const std::vector<uint32_t> &in, uint32_t at, uint32_t k)
{
	uint32_t lane = at % 64, wave = at - lane;

	switch (k) {
	case 0:
		return in[wave + 5];
	case 1:
		return in[wave + (lane * 7 + 3) % 64];
	case 2:
		return in[wave + (lane < 3 ? lane : lane - 3)];
	case 3:
		return in[wave + (lane + 9 > 63 ? lane : lane + 9)];
	case 4:
		return in[wave + (lane ^ 21)];
	case 5:
		return in[wave + lane / 16 * 16 + 2];
	case 6:
		return in[wave + (lane % 8 ? lane - 1 : lane)];
	default:
		return in[wave + (lane ^ 4)];
	}
}

__global__ void votes(const uint32_t *in, uint64_t *out)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, x = in[at];

	out[4 * at] = __ballot(x % 3 == 1);
	out[4 * at + 1] = __any(x % 1000 == 7) + 2 * __all(x % 64 < 64) + 4 * __all(x & 1);
	out[4 * at + 2] = __popcll(__ballot(x & 4) & ((1ull << threadIdx.x % 64) - 1));
	/* Within a branch only its lanes vote. */
	out[4 * at + 3] = 0;
	if (x & 8)
		out[4 * at + 3] = __ballot(x & 16);
}

__global__ void sums(const double *in, double *out, unsigned long long *atomics)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
	double sum = in[at];
	__shared__ double parts[64];

	for (int step = 8; step; step /= 2)
		sum += tile.shfl_down(sum, step);
	if (!tile.thread_rank())
		parts[block.thread_rank() / 16] = sum;
	block.sync();
	if (!block.thread_rank()) {
		sum = 0;
		for (uint32_t i = 0; i < block.size() / 16; i++)
			sum += parts[i];
		out[blockIdx.x] = sum;
		atomicAdd(atomics, (unsigned long long)sum);
	}
}

// Inclusive maximum over the lanes below, across the waves of a group.
__global__ void maxima(const uint32_t *in, uint32_t *out)
{
	__shared__ uint32_t best[16];
	uint32_t lane = threadIdx.x % 64, wave = threadIdx.x / 64;
	uint32_t x = in[blockIdx.x * blockDim.x + threadIdx.x];

	for (uint32_t step = 1; step < 64; step *= 2) {
		uint32_t other = __shfl_up(x, step);

		if (lane >= step)
			x = max(x, other);
	}
	if (lane == 63)
		best[wave] = x;
	__syncthreads();
	for (uint32_t i = 0; i < wave; i++)
		x = max(x, best[i]);
	out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main()
{
	const uint32_t n = 1024;
	std::vector<uint32_t> in(n), moved(8 * n), running(n);
	std::vector<uint64_t> voted(4 * n);
	std::vector<double> numbers(n), parts(n / 256, 0);
	uint64_t total = 0;

	for (uint32_t i = 0; i < n; i++) {
		in[i] = hash32(i);
		numbers[i] = in[i] % 1000;
		parts[i / 256] += numbers[i];
		total += in[i] % 1000;
		running[i] = i % 512 ? std::max(running[i - 1], in[i]) : in[i];
	}
	for (uint32_t i = 0; i < 8 * n; i++)
		moved[i] = host_shuffle(in, i / 8, i % 8);
	for (uint32_t at = 0; at < n; at++) {
		uint64_t *out = &voted[4 * at], any = 0, odd = 1;

		for (uint32_t l = 0; l < 64; l++) {
			uint32_t x = in[at - at % 64 + l];

			out[0] |= (uint64_t)(x % 3 == 1) << l;
			any |= x % 1000 == 7;
			odd &= x;
			out[2] += l < at % 64 && x & 4;
			if (in[at] & 8 && x & 8)
				out[3] |= (uint64_t)(x >> 4 & 1) << l;
		}
		out[1] = any + 2 + 4 * (odd & 1);
	}
	device_array<uint32_t> din(in), dmoved(moved.size()), drunning((size_t)n);
	device_array<uint64_t> dvoted(voted.size());
	device_array<double> dnumbers(numbers), dparts(parts.size());
	device_array<unsigned long long> dtotal((size_t)1);

	shuffles<<<4, 256>>>(din.data, dmoved.data);
	expect_equal("shuffles", dmoved.host(), moved);
	votes<<<8, 128>>>(din.data, dvoted.data);
	expect_equal("votes", dvoted.host(), voted);
	sums<<<4, 256>>>(dnumbers.data, dparts.data, dtotal.data);
	expect_equal("sums", dparts.host(), parts);
	EXPECT(dtotal.host()[0] == total);
	maxima<<<2, 512>>>(din.data, drunning.data);
	expect_equal("maxima", drunning.host(), running);
	return 0;
}
