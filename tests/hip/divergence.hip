// SPDX-License-Identifier: MIT
// Control flow in which the lanes of a wave diverge: down to one, in nested loops of different
// lengths, through early returns, and through code that no lane executes.
#include "hip_test.h"

// Each lane takes its own path through a tree of branches, one lane at each leaf.
__host__ __device__ static uint32_t tree(uint32_t lane, uint32_t seed)
{
	uint32_t value = seed;

	for (uint32_t bit = 0; bit < 6; bit++) {
		if (lane >> bit & 1) {
			value = value * 3 + bit;
			if (value & 4)
				value ^= lane;
			else
				value += 7;
		} else {
			value = hash32(value);
		}
	}
	return value;
}

// Trip counts that differ by lane, in two levels, with break, continue and a switch.
__host__ __device__ static uint32_t loops(uint32_t lane)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < lane % 17; i++) {
		if (i == 11)
			break;
		for (uint32_t j = lane; j; j /= 2) {
			if ((i + j) % 5 == 2)
				continue;
			switch ((i ^ j) % 4) {
			case 0:
				sum += 1;
				break;
			case 1:
				sum += i;
				/* fallthrough */
			case 2:
				sum ^= j;
				break;
			default:
				sum *= 3;
			}
		}
	}
	return sum;
}

// How long a lane continues depends on its values.
__host__ __device__ static uint32_t collatz(uint32_t n)
{
	uint32_t steps = 0;

	while (n > 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

__global__ void branches(uint32_t *out, uint32_t seed)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;

	out[at] = tree(threadIdx.x % 64, seed + at) + loops(at) + collatz(at + 1);
}

// One lane at a time: 64 passes through the same code with one bit of EXEC each.
__global__ void one_by_one(uint32_t *out)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, order = 0;

	for (uint32_t turn = 0; turn < 64; turn++)
		if (turn == (threadIdx.x * 37 + 5) % 64) {
			order = __popcll(__ballot(1)) << 8 | turn;
			out[at] = order;
		}
}

// Lanes leave a few at a time; the remaining ones still vote.
__global__ void leave(uint32_t *out)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;

	for (uint32_t round = 0;; round++) {
		out[at] = __popcll(__ballot(1));
		if (threadIdx.x % 64 <= round * 2)
			return;
	}
}

// A wave that skips the body completely, and one of which half executes it; the body uses memory
// and LDS.
__global__ void skipped(uint32_t *out, const uint32_t *none, uint32_t from)
{
	__shared__ uint32_t cells[256];

	cells[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x >= from) {
		cells[threadIdx.x] = threadIdx.x - from + 1;
		/* Never executed: a load from an invalid address. */
		if (from == 1000)
			cells[threadIdx.x] = none[threadIdx.x];
	}
	__syncthreads();
	if (threadIdx.x > 1000000)
		out[~0u] = 1;
	out[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x];
}

typedef uint32_t (*step)(uint32_t);
__device__ uint32_t step_a(uint32_t x)
{
	return x * 5 + 1;
}
__device__ uint32_t step_b(uint32_t x)
{
	return x ^ 0x1234;
}
__device__ uint32_t step_c(uint32_t x)
{
	return x < 10 ? x : step_b(x / 2) + 1;
}

// Lanes call different functions through a pointer: a waterfall loop.
__global__ void calls(uint32_t *out)
{
	static __constant__ const step steps[] = {step_a, step_b, step_c};
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;

	out[at] = steps[at % 3](at);
}

static void each_as_host(const char *what, const device_array<uint32_t> &got,
			 uint32_t (*want)(uint32_t at))
{
	std::vector<uint32_t> expected(got.count);

	for (uint32_t i = 0; i < got.count; i++)
		expected[i] = want(i);
	expect_equal(what, got.host(), expected);
}

int main()
{
	device_array<uint32_t> out((size_t)1024);

	branches<<<4, 256>>>(out.data, 99);
	each_as_host("branches", out, [](uint32_t at) {
		return tree(at % 64, 99 + at) + loops(at) + collatz(at + 1);
	});
	one_by_one<<<16, 64>>>(out.data);
	each_as_host("one by one", out,
		     [](uint32_t at) { return 1u << 8 | (at % 64 * 37 + 5) % 64; });
	leave<<<8, 128>>>(out.data);
	/* Lane l goes in round ceil(l / 2), when 64 - (2 * round - 1) lanes are left. */
	each_as_host("leave", out, [](uint32_t at) {
		uint32_t round = (at % 64 + 1) / 2;

		return round ? 65 - 2 * round : 64;
	});
	skipped<<<4, 256>>>(out.data, nullptr, 100);
	each_as_host("skipped", out, [](uint32_t at) {
		uint32_t lane = at % 256;
		return lane < 100 ? lane : lane - 100 + 1;
	});
	calls<<<4, 256>>>(out.data);
	each_as_host("calls", out, [](uint32_t at) {
		uint32_t half = at / 2 ^ 0x1234;

		return at % 3 == 0   ? at * 5 + 1
		       : at % 3 == 1 ? (at ^ 0x1234)
		       : at < 10     ? at
				     : half + 1;
	});
	return 0;
}
