// SPDX-License-Identifier: MIT
// Kernels that poll: the clock, a flag of another workgroup, and loops that only look like it.
#include "hip_test.h"

static __device__ long long ticks()
{
	return (long long)__builtin_amdgcn_s_memrealtime();
}

__global__ void spin_time(long long wait, int *out)
{
	long long start = ticks();

	while (ticks() - start < wait)
		;
	out[blockIdx.x] = 1;
}

__global__ void spin_cycles(long long wait, int *out)
{
	long long start = clock64();

	while (clock64() - start < wait)
		__builtin_amdgcn_s_sleep(2);
	out[blockIdx.x] = 1;
}

/* Workgroups wait for different times, and those of one unit end one after the other. */
__global__ void spin_stairs(long long wait, int *out)
{
	long long start = ticks();

	while (ticks() - start < wait * (1 + blockIdx.x % 7))
		;
	out[blockIdx.x] = 1;
}

/* A limit on the rounds, which is reached first: every round must be executed. */
__global__ void spin_limited(long long wait, int *out)
{
	long long start = ticks();
	int rounds = 0;

	while (ticks() - start < wait && rounds < 700)
		rounds++;
	out[blockIdx.x] = rounds;
}

/* Uses what it reads, so each round differs from the one before. */
__global__ void sum_of_clocks(long long wait, int *out)
{
	long long start = ticks(), now, sum = 0;

	do {
		now = ticks();
		sum += now - start;
	} while (now - start < wait);
	out[blockIdx.x] = sum > 0;
}

__global__ void wait_for_flag(long long wait, int *out)
{
	volatile int *flag = out + gridDim.x;

	if (blockIdx.x == gridDim.x - 1) {
		long long start = ticks();

		while (ticks() - start < wait)
			;
		*flag = 1;
	} else {
		while (!*flag)
			__builtin_amdgcn_s_sleep(1);
	}
	out[blockIdx.x] = 1;
}

static void run(void (*kernel)(long long, int *), unsigned groups, long long wait)
{
	device_array<int> out((size_t)groups + 1);
	std::vector<int> host(groups + 1);

	HIP(hipMemset(out.data, 0, (groups + 1) * sizeof(int)));
	kernel<<<groups, 64>>>(wait, out.data);
	HIP(hipMemcpy(host.data(), out.data, groups * sizeof(int), hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < groups; i++)
		EXPECT(host[i] == (kernel == spin_limited ? 700 : 1));
}

int main()
{
	run(spin_time, 104, 10000);
	run(spin_time, 832, 3000);
	run(spin_cycles, 208, 100000);
	run(spin_stairs, 416, 1500);
	run(spin_limited, 104, 100000000);
	run(sum_of_clocks, 104, 3000);
	run(wait_for_flag, 208, 10000);
	return 0;
}
