// SPDX-License-Identifier: MIT
// A cooperative launch: the whole grid synchronises through global wave sync. The header of
// cooperative groups does not compile with Debian's hipcc 5.2.3, so grid.sync() is called by its
// internal name.
#include "hip_test.h"

extern "C" __device__ void __ockl_grid_sync(void);

// Each round every work-item reads what another workgroup wrote in the round before.
__global__ void rotate(uint32_t *cells, uint32_t n, uint32_t rounds)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t value = cells[(i + blockDim.x) % n] * 3 + i;

		__ockl_grid_sync();
		cells[i] = value;
		__ockl_grid_sync();
	}
}

int main()
{
	const uint32_t blocks = 60, size = 192, n = blocks * size, rounds = 5;
	std::vector<uint32_t> cells(n), next(n);
	int supported = 0;

	HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
	EXPECT(supported);
	for (uint32_t i = 0; i < n; i++)
		cells[i] = hash32(i);
	device_array<uint32_t> device(cells);
	for (int launch = 0; launch < 3; launch++) {
		uint32_t *data = device.data, count = n, r = rounds;
		void *args[] = {&data, &count, &r};

		HIP(hipLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(size), args, 0, 0));
		HIP(hipDeviceSynchronize());
		for (uint32_t round = 0; round < rounds; round++) {
			for (uint32_t i = 0; i < n; i++)
				next[i] = cells[(i + size) % n] * 3 + i;
			cells = next;
		}
		expect_equal("rotated", device.host(), cells);
	}
	return 0;
}
