// SPDX-License-Identifier: MIT
// Kernels whose accesses can be computed by hand, for tests/e2e/handlers.sh.

#include "check.h"

constexpr int GROUP = 256, GROUPS = 8;

// 100 work-items in waves of 64: the second wave of a workgroup has 36.
__global__ void partial(unsigned *out, const unsigned *in)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i] + 1;
}

// Of 64 lanes 16 store.
__global__ void every_fourth(unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x % 4 == 1)
		out[i] = i;
}

// One wave at a time reads the same array, twice.
__global__ void twice(unsigned *out, const unsigned *in, unsigned count)
{
	unsigned sum = 0;

	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = threadIdx.x; i < count; i += 64)
			sum += __builtin_nontemporal_load(in + i) + round;
	out[threadIdx.x] = sum;
}

// A neighbour's value, after a barrier and without one.
__global__ void shift(unsigned *out)
{
	__shared__ unsigned tile[GROUP];
	unsigned t = threadIdx.x;

	tile[t] = t;
	__syncthreads();
	out[blockIdx.x * GROUP + t] = tile[(t + 64) % GROUP];
}

__global__ void shift_racing(unsigned *out)
{
	__shared__ volatile unsigned tile[GROUP];
	unsigned t = threadIdx.x;

	tile[t] = t;
	out[blockIdx.x * GROUP + t] = tile[(t + 64) % GROUP];
}

// Atomic operations of several waves on one word are no race.
__global__ void count(unsigned *out)
{
	__shared__ unsigned sum;

	if (threadIdx.x == 0)
		sum = 0;
	asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory"); // a barrier, too
	atomicAdd(&sum, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

// The four waves use the same words in rotation: each has elements of its own.
template <typename T> __global__ void parts(unsigned *out)
{
	__shared__ volatile T tile[GROUP];
	unsigned t = threadIdx.x, own = t % 64 * 4 + t / 64;

	tile[own] = t;
	out[blockIdx.x * GROUP + t] = tile[own];
}

// The same, plus the next wave's element.
template <typename T> __global__ void parts_racing(unsigned *out)
{
	__shared__ volatile T tile[GROUP];
	unsigned t = threadIdx.x, next = (t / 64 + 1) % 4;

	tile[t % 64 * 4 + t / 64] = t;
	out[blockIdx.x * GROUP + t] = tile[t % 64 * 4 + next];
}

static int launch_parts(unsigned *out)
{
	parts<char><<<GROUPS, GROUP>>>(out);
	parts<short><<<GROUPS, GROUP>>>(out);
	parts_racing<char><<<GROUPS, GROUP>>>(out);
	parts_racing<short><<<GROUPS, GROUP>>>(out);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	return 0;
}

int main(int argc, char **)
{
	constexpr size_t COUNT = 64 * 1024;
	unsigned *in, *out;

	CHECK(hipMalloc(&in, COUNT * sizeof(*in)));
	CHECK(hipMalloc(&out, COUNT * sizeof(*out)));
	CHECK(hipMemset(in, 0, COUNT * sizeof(*in)));
	if (argc > 1)
		return launch_parts(out);
	partial<<<3, 100>>>(out, in);
	every_fourth<<<2, 128>>>(out);
	twice<<<1, 64>>>(out, in, 1024);  // 4 KiB: stays in L1
	twice<<<1, 64>>>(out, in, 16384); // 64 KiB: stays in L2
	shift<<<GROUPS, GROUP>>>(out);
	shift_racing<<<GROUPS, GROUP>>>(out);
	count<<<GROUPS, GROUP>>>(out);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
	return 0;
}
