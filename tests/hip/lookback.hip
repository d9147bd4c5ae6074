// SPDX-License-Identifier: MIT
// More workgroups than the device can hold, in which later ones wait for earlier ones: a scan with
// look-back, a chain, and a lock.
#include "hip_test.h"

__device__ static uint32_t load(const uint32_t *at)
{
	return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}

__device__ static void store(uint32_t *at, uint32_t value)
{
	__hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

enum : uint32_t { SUM = 1u << 30, PREFIX = 2u << 30, VALUE = SUM - 1 };

// An inclusive scan in one pass: a group publishes its sum, then looks back for its prefix.
__global__ void scan(const uint32_t *in, uint32_t *out, uint32_t *state, uint32_t *ticket)
{
	__shared__ uint32_t group, before;
	__shared__ uint32_t cells[64];
	uint32_t lane = threadIdx.x, value;

	if (!lane)
		group = atomicAdd(ticket, 1u);
	__syncthreads();
	value = in[group * 64 + lane];
	for (uint32_t step = 1; step < 64; step *= 2) {
		uint32_t other = __shfl_up(value, step);

		value += lane >= step ? other : 0;
	}
	if (lane == 63)
		cells[0] = value;
	__syncthreads();
	if (!lane) {
		uint32_t sum = 0;

		store(&state[group], SUM | cells[0]);
		for (uint32_t at = group; at-- > 0;) {
			uint32_t seen;

			while (!(seen = load(&state[at])))
				;
			sum += seen & VALUE;
			if (seen & PREFIX)
				break;
		}
		store(&state[group], PREFIX | ((sum + cells[0]) & VALUE));
		before = sum;
	}
	__syncthreads();
	out[group * 64 + lane] = value + before;
}

// Each group waits for the one before it, in the order of their numbers.
__global__ void chain(uint32_t *turn, uint32_t *out)
{
	if (threadIdx.x)
		return;
	while (load(turn) != blockIdx.x)
		__builtin_amdgcn_s_sleep(2);
	out[blockIdx.x] = blockIdx.x * 7;
	store(turn, blockIdx.x + 1);
}

// A lock taken by one lane of each group.
__global__ void lock(uint32_t *taken, volatile uint32_t *count)
{
	if (threadIdx.x)
		return;
	while (atomicCAS(taken, 0u, 1u))
		;
	__threadfence();
	*count = *count + 1;
	__threadfence();
	atomicExch(taken, 0u);
}

int main()
{
	// With this much LDS, a compute unit holds one group: 104 run at a time.
	const uint32_t groups = 300, lds = 40000;
	std::vector<uint32_t> in(groups * 64), want(groups * 64), links(groups);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < in.size(); i++) {
		in[i] = hash32(i) % 100;
		want[i] = sum += in[i];
	}
	device_array<uint32_t> din(in), out(in.size()), state((size_t)groups), word((size_t)4);

	scan<<<groups, 64, lds>>>(din.data, out.data, state.data, word.data);
	expect_equal("scan", out.host(), want);

	chain<<<groups, 64, lds>>>(word.data + 1, state.data);
	for (uint32_t i = 0; i < groups; i++)
		links[i] = i * 7;
	expect_equal("chain", state.host(), links);

	lock<<<groups, 128, lds>>>(word.data + 2, word.data + 3);
	EXPECT(word.host()[3] == groups);
	return 0;
}
