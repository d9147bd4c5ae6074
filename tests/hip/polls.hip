// SPDX-License-Identifier: MIT
// Kernels that poll: the clock, a flag of another workgroup, and loops that only look like it; and
// kernels whose waves contend for one place: by compare-and-swap, for a lock, for their turn.
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

/* Every wave adds three times; the old value is known from the swap that failed. */
__global__ void swap_sum(long long, int *out)
{
	int *sum = out + gridDim.x;

	for (int i = 0; i < 3 && !threadIdx.x; i++) {
		int seen = *(volatile int *)sum, assumed;

		do {
			assumed = seen;
			seen = atomicCAS(sum, assumed, assumed + 1);
		} while (seen != assumed);
	}
	out[blockIdx.x] = 1;
}

/* The lock is set free by a store, with which no other unit needs to wait. */
__global__ void swap_lock(long long, int *out)
{
	int *sum = out + gridDim.x, *lock = sum + 64;

	for (int i = 0; i < 3 && !threadIdx.x; i++) {
		while (atomicCAS(lock, 0, 1))
			;
		*(volatile int *)sum += 1;
		__threadfence();
		*(volatile int *)lock = 0;
	}
	out[blockIdx.x] = 1;
}

__global__ void ticket_lock(long long, int *out)
{
	int *sum = out + gridDim.x, *next = sum + 64, *turn = sum + 128;

	for (int i = 0; i < 3 && !threadIdx.x; i++) {
		int mine = atomicAdd(next, 1);

		while (*(volatile int *)turn != mine)
			;
		*(volatile int *)sum += 1;
		__threadfence();
		*(volatile int *)turn = mine + 1;
	}
	out[blockIdx.x] = 1;
}

/* A barrier of all workgroups, at which the first one arrives late. */
__global__ void grid_barrier(long long wait, int *out)
{
	int *sum = out + gridDim.x;

	for (int i = 1; i <= 3 && !threadIdx.x; i++) {
		long long start = ticks();

		while (!blockIdx.x && ticks() - start < wait)
			;
		atomicAdd(sum, 1);
		while (__hip_atomic_load(sum, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) <
		       i * (int)gridDim.x)
			;
	}
	out[blockIdx.x] = 1;
}

static __device__ int poll(int *cell)
{
	return *(volatile int *)cell;
}

/*
 * Every workgroup waits in a loop of one of eight kinds, until the last one has stored a value with
 * which the loop ends. That stores random numbers, positive and negative.
 */
__global__ void watch_values(long long wait, int *out)
{
	const int last = (int)gridDim.x - 1, kind = (int)blockIdx.x % 8, lane = (int)threadIdx.x;
	int *left = out + gridDim.x, *cell = left + 64;
	const int mine = (int)(blockIdx.x * 0x9e3779b1u) >> 28;
	unsigned random = 1;

	if ((int)blockIdx.x == last) {
		for (int i = 0; atomicAdd(left, 0) != 3 * last; i++) {
			long long start = ticks();

			random = random * 1664525u + 1013904223u;
			/* For those that read 64 bits. */
			cell[1] = i & 3;
			*(volatile int *)cell = (int)random >> 28;
			while (ticks() - start < wait)
				;
		}
	} else if (kind == 0) {
		while (poll(cell) != mine)
			;
	} else if (kind == 1) {
		while (poll(cell) == mine || poll(cell) == 0)
			;
	} else if (kind == 2) {
		while (poll(cell) <= mine / 2)
			;
	} else if (kind == 3) {
		while ((unsigned)poll(cell) <= (unsigned)mine / 2)
			;
	} else if (kind == 4) {
		while (!(poll(cell) & (1 << (mine & 3))))
			;
	} else if (kind == 5) {
		while ((*(volatile long long *)cell >> 32 & 3) != (mine & 3))
			;
	} else if (kind == 6) {
		while (*(volatile long long *)cell !=
		       ((long long)(mine & 3) << 32 | (unsigned)mine))
			;
	} else {
		while (poll(cell) < mine / 2 + lane % 4)
			;
	}
	if (!threadIdx.x)
		atomicAdd(left, 3);
	out[blockIdx.x] = 1;
}

/* Each waits for its turn with a swap whose value only the wave of the next workgroup makes. */
__global__ void swap_turns(long long, int *out)
{
	int *sum = out + gridDim.x, mine = 3 * (int)(gridDim.x - 1 - blockIdx.x);

	if (!threadIdx.x)
		while (atomicCAS(sum, mine, mine + 3) != mine)
			;
	out[blockIdx.x] = 1;
}

/* A wave leaves the loop without a change when another one has stored a larger number. */
__global__ void swap_largest(long long, int *out)
{
	int *largest = out + gridDim.x, mine = 3 * (int)((blockIdx.x * 37 % gridDim.x) + 1);

	if (!threadIdx.x) {
		int seen = *(volatile int *)largest;

		while (seen < mine) {
			int assumed = seen;

			seen = atomicCAS(largest, assumed, mine);
			if (seen == assumed)
				break;
		}
	}
	out[blockIdx.x] = 1;
}

/* Every lane of a wave contends, too. */
__global__ void swap_lanes(long long, int *out)
{
	int *sum = out + gridDim.x;

	if (threadIdx.x < 3) {
		int seen = *(volatile int *)sum, assumed;

		do {
			assumed = seen;
			seen = atomicCAS(sum, assumed, assumed + 1);
		} while (seen != assumed);
	}
	out[blockIdx.x] = 1;
}

/* The kernel's result next to the workgroups' own is thrice their number, for those that contend.
 */
static void contend(void (*kernel)(long long, int *), unsigned groups)
{
	device_array<int> out((size_t)groups + 256);
	int sum;

	kernel<<<groups, 64>>>(200, out.data);
	HIP(hipMemcpy(&sum, out.data + groups, sizeof(sum), hipMemcpyDeviceToHost));
	EXPECT(sum == 3 * (int)groups);
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
	contend(swap_sum, 208);
	contend(swap_lock, 208);
	contend(ticket_lock, 208);
	contend(grid_barrier, 208);
	contend(watch_values, 208);
	contend(swap_turns, 208);
	contend(swap_largest, 208);
	contend(swap_lanes, 208);
	return 0;
}
