// SPDX-License-Identifier: MIT
// Regions whose number and time are known: the kernel reads the clock itself inside of them.
#include <hip/hip_runtime.h>

#include <cstdio>

#include <probe/device.h>

enum { GROUPS = 6, LANES = 192, WAVES = LANES / 64, TURNS = 5 };

static __device__ __attribute__((noinline)) void spin(int turns)
{
	probe_region_begin("spin");
	for (int i = 0; i < turns; i++)
		__builtin_amdgcn_s_sleep(8);
	probe_region_end("spin");
}

// clocks[wave] = cycles of the first "known" region, measured inside of it; turns[wave] = of the
// loop that is "outer", measured around it.
__global__ void regions(unsigned long long *clocks, unsigned long long *turns)
{
	unsigned wave = blockIdx.x * WAVES + threadIdx.x / 64;

	probe_region_begin("known");
	unsigned long long start = clock64();
	for (int i = 0; i < 20; i++)
		__builtin_amdgcn_s_sleep(10);
	unsigned long long stop = clock64();
	probe_region_end("known");
	unsigned long long before = clock64();
	probe_region_begin("outer");
#pragma unroll 1
	for (int i = 0; i < TURNS; i++) {
		probe_region_begin("inner");
		__builtin_amdgcn_s_sleep(2);
		probe_region_end("inner");
	}
	probe_region_end("outer");
	unsigned long long after = clock64();
	probe_region_begin("around");
	probe_region_begin("empty");
	probe_region_end("empty");
	probe_region_end("around");
	// Divergent waves: half of the lanes enter the region, in odd groups none.
	if (threadIdx.x % 2 && blockIdx.x % 2 == 0) {
		probe_region_begin("branch");
		__builtin_amdgcn_s_sleep(1);
		probe_region_end("branch");
	}
	spin(3);
	// Left open by the waves of group 0, which end inside of it.
	probe_region_begin("left");
	if (blockIdx.x == 0)
		return;
	probe_region_end("left");
	if (threadIdx.x % 64 == 0)
		clocks[wave] = stop - start, turns[wave] = after - before;
}

// Two regions that a wave enters at most once: the first waves of the groups never enter "some".
__global__ void once(unsigned long long *clocks)
{
	unsigned wave = blockIdx.x * WAVES + threadIdx.x / 64;
	unsigned long long start = 0, stop = 0;

	if (threadIdx.x >= 64) {
		probe_region_begin("some");
		start = clock64();
		for (unsigned i = 0; i < 7 + threadIdx.x / 64; i++)
			__builtin_amdgcn_s_sleep(10);
		stop = clock64();
		probe_region_end("some");
	}
	probe_region_begin("half");
	if (threadIdx.x % 2)
		__builtin_amdgcn_s_sleep(1);
	probe_region_end("half");
	if (threadIdx.x % 64 == 0)
		clocks[wave] = stop - start;
}

// Lanes diverge in a region and end it separately: it takes 30 times 64 cycles.
template <bool HELD> __global__ void apart(unsigned long long *out, unsigned few)
{
	if (HELD)
		probe_region_begin("holds");
	probe_region_begin("apart");
	if (threadIdx.x % 64 < few) {
		__builtin_amdgcn_s_sleep(10);
		out[threadIdx.x] = 1;
		probe_region_end("apart");
		if (HELD)
			probe_region_end("holds");
		return;
	}
	__builtin_amdgcn_s_sleep(20);
	out[threadIdx.x] = 2;
	probe_region_end("apart");
	if (HELD)
		probe_region_end("holds");
}

__global__ void none(unsigned long long *out)
{
	out[threadIdx.x] = 1;
}

int main()
{
	unsigned long long *clocks, *turns, least = ~0ull, most = 0;

	if (hipMallocManaged(&clocks, 2 * GROUPS * WAVES * sizeof(*clocks)) != hipSuccess)
		return 1;
	turns = clocks + GROUPS * WAVES;
	regions<<<GROUPS, LANES>>>(clocks, turns);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	for (int i = WAVES; i < GROUPS * WAVES; i++) {
		least = clocks[i] < least ? clocks[i] : least;
		most = clocks[i] > most ? clocks[i] : most;
	}
	printf("%llu %llu %llu\n", least, most, turns[WAVES]);
	apart<false><<<GROUPS, LANES>>>(turns, 8);
	apart<true><<<GROUPS, LANES>>>(turns, 8);
	none<<<1, 64>>>(clocks);
	once<<<GROUPS, LANES>>>(clocks);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	printf("%llu %llu\n", clocks[1], clocks[GROUPS * WAVES - 1]);
	return 0;
}
