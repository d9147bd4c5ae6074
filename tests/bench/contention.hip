// SPDX-License-Identifier: MIT
// Kernels whose waves contend for one address or wait for each other, for `make bench`:
//   contention NAME WAVES
// Each run checks its result; the text that kernels print goes to stdout.

#include "../../examples/check.h"

#include <cstring>

extern "C" __device__ void __ockl_grid_sync(void);

constexpr int ROUNDS = 4;

/* One line per wave. */
__global__ void print_once(int *)
{
	if (!threadIdx.x)
		printf("wave %d\n", (int)blockIdx.x);
}

/* One line per lane, with a text and a floating-point number. */
__global__ void print_lanes(int *)
{
	int id = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	printf("item %d of %s: %.2f\n", id, "contention", id * 0.5);
}

__global__ void ticket_lock(int *cell)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		int mine = atomicAdd(&cell[32], 1);

		while (__hip_atomic_load(&cell[64], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine)
			;
		cell[0] = *(volatile int *)&cell[0] + 1;
		__hip_atomic_store(&cell[64], mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
	}
}

/* Waits by trying to take the lock, as most spin locks of applications do. */
__global__ void spin_lock(int *cell)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		while (atomicCAS(&cell[32], 0, 1))
			;
		__threadfence();
		cell[0] = *(volatile int *)&cell[0] + 1;
		__threadfence();
		atomicExch(&cell[32], 0);
	}
}

/* The usual sum of a type that has no atomic: read, compute, compare and swap. */
__global__ void swap_sum(int *cell)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		int seen = *(volatile int *)cell, assumed;

		do {
			assumed = seen;
			seen = atomicCAS(cell, assumed, assumed + 1);
		} while (seen != assumed);
	}
}

/* A barrier of all workgroups, made of atomics. */
__global__ void grid_barrier(int *cell)
{
	for (int i = 1; i <= ROUNDS; i++) {
		__syncthreads();
		if (!threadIdx.x) {
			atomicAdd(cell, 1);
			while (__hip_atomic_load(cell, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) <
			       i * (int)gridDim.x)
				;
		}
		__syncthreads();
	}
}

/* The same by global wave sync, which cooperative groups use. */
__global__ void grid_sync(int *cell)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!threadIdx.x)
			atomicAdd(cell, 1);
		__ockl_grid_sync();
	}
}

__global__ void allocate(int *cell)
{
	int *mine = (int *)malloc(4 * sizeof(int));

	if (!mine)
		return;
	mine[threadIdx.x & 3] = 1;
	if (!threadIdx.x)
		atomicAdd(cell, ROUNDS * mine[0]);
	free(mine);
}

/* 5 ms of the 100 MHz clock. */
__global__ void spin_clock(int *cell)
{
	long long start = (long long)__builtin_amdgcn_s_memrealtime();

	while ((long long)__builtin_amdgcn_s_memrealtime() - start < 500000)
		;
	if (!threadIdx.x)
		atomicAdd(cell, ROUNDS);
}

int main(int argc, char **argv)
{
	struct {
		const char *name;
		void (*kernel)(int *);
		bool counts;
	} runs[] = {{"print_once", print_once, false},	{"print_lanes", print_lanes, false},
		    {"ticket_lock", ticket_lock, true}, {"spin_lock", spin_lock, true},
		    {"swap_sum", swap_sum, true},	{"grid_barrier", grid_barrier, true},
		    {"grid_sync", grid_sync, true},	{"allocate", allocate, true},
		    {"spin_clock", spin_clock, true}};
	int *cell, sum, waves = argc == 3 ? atoi(argv[2]) : 0;

	for (auto &it : runs) {
		void *args[] = {&cell};

		if (!waves || strcmp(argv[1], it.name))
			continue;
		CHECK(hipMalloc(&cell, 4096));
		CHECK(hipMemset(cell, 0, 4096));
		if (it.kernel == grid_sync)
			CHECK(hipLaunchCooperativeKernel((void *)it.kernel, dim3((unsigned)waves), dim3(64),
							 args, 0, 0));
		else
			it.kernel<<<waves, 64>>>(cell);
		CHECK(hipDeviceSynchronize());
		CHECK(hipMemcpy(&sum, cell, sizeof(sum), hipMemcpyDeviceToHost));
		if (sum == (it.counts ? waves * ROUNDS : 0))
			return 0;
		fprintf(stderr, "contention %s: %d instead of %d\n", it.name, sum, waves * ROUNDS);
		return 1;
	}
	fprintf(stderr, "usage: contention NAME WAVES\n");
	return 2;
}
