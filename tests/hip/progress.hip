// SPDX-License-Identifier: MIT
// Waiting on the device: for the host, for a kernel of another stream, for other workgroups.
#include "hip_test.h"

#include <sched.h>

// `arrived` counts workgroups that wait.
__global__ void wait_for(volatile int *flag, int value, int *then, int *arrived)
{
	if (!threadIdx.x)
		__hip_atomic_fetch_add(arrived, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
	while (*flag != value)
		;
	if (!threadIdx.x && !blockIdx.x)
		atomicAdd(then, 1);
}

__global__ void set(int *flag, int value)
{
	__hip_atomic_store(flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

// Every workgroup waits until all have arrived, three times.
__global__ void grid_barrier(uint32_t *arrived, uint32_t *out)
{
	for (uint32_t round = 1; round <= 3; round++) {
		__syncthreads();
		if (!threadIdx.x) {
			atomicAdd(arrived, 1u);
			while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE,
						 __HIP_MEMORY_SCOPE_AGENT) < round * gridDim.x)
				__builtin_amdgcn_s_sleep(1);
		}
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = *arrived;
}

// The last to start goes first: each waits for the workgroup after it.
__global__ void backwards(uint32_t *turn, uint32_t *order)
{
	if (threadIdx.x)
		return;
	while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) !=
	       gridDim.x - 1 - blockIdx.x)
		;
	order[gridDim.x - 1 - blockIdx.x] = blockIdx.x;
	__hip_atomic_store(turn, gridDim.x - blockIdx.x, __ATOMIC_RELEASE,
			   __HIP_MEMORY_SCOPE_AGENT);
}

static void wait_until(volatile int *arrived, int workgroups)
{
	while (*arrived < workgroups)
		sched_yield();
}

int main()
{
	hipStream_t waiting, setting;
	int *flags, *then;
	device_array<uint32_t> cells((size_t)1), out((size_t)40 * 64), order((size_t)20);

	HIP(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
	HIP(hipStreamCreateWithFlags(&setting, hipStreamNonBlocking));
	HIP(hipHostMalloc((void **)&flags, 4096, hipHostMallocCoherent));
	HIP(hipMalloc((void **)&then, sizeof(int)));
	HIP(hipMemset(then, 0, sizeof(int)));
	HIP(hipDeviceSynchronize());
	for (int i = 0; i < 4; i++)
		flags[i] = 0;

	// More workgroups than host threads wait for the host.
	wait_for<<<30, 128, 0, waiting>>>(&flags[0], 7, then, &flags[2]);
	wait_until(&flags[2], 30);
	EXPECT(hipStreamQuery(waiting) == hipErrorNotReady);
	*(volatile int *)&flags[0] = 7;
	HIP(hipStreamSynchronize(waiting));

	// And for a kernel on another queue.
	wait_for<<<30, 128, 0, waiting>>>(&flags[1], 9, then, &flags[3]);
	wait_until(&flags[3], 30);
	set<<<1, 1, 0, setting>>>(&flags[1], 9);
	HIP(hipDeviceSynchronize());
	int count;
	HIP(hipMemcpy(&count, then, sizeof(int), hipMemcpyDeviceToHost));
	EXPECT(count == 2);

	grid_barrier<<<40, 64>>>(cells.data, out.data);
	HIP(hipGetLastError());
	expect_equal("grid barrier", out.host(), std::vector<uint32_t>(40 * 64, 120));

	HIP(hipMemset(cells.data, 0, sizeof(uint32_t)));
	backwards<<<20, 64>>>(cells.data, order.data);
	HIP(hipGetLastError());
	std::vector<uint32_t> want(20);
	for (uint32_t i = 0; i < 20; i++)
		want[i] = 19 - i;
	expect_equal("backwards", order.host(), want);
	return 0;
}
