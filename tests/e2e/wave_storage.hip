// SPDX-License-Identifier: MIT
// Kernels whose waves write all time stamps at their end, in launches of many shapes. Each wave
// reads the clock in each region, in all lanes; the program prints launch, workgroup, wave, region
// and clock.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <probe/device.h>

enum { REGIONS = 4, WAVES = 2048 };

template <int COUNT> __global__ void spans(unsigned long long *clocks)
{
	unsigned item = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	unsigned group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	unsigned waves = (blockDim.x * blockDim.y * blockDim.z + 63) / 64, wave = item / 64;
	unsigned long long *out = clocks + (size_t)(group * waves + wave) * REGIONS;

	if (COUNT > 0) {
		probe_region_begin("a");
		out[0] = clock64();
		probe_region_end("a");
	}
	if (COUNT > 1) {
		probe_region_begin("b");
		__builtin_amdgcn_s_sleep(1);
		out[1] = clock64();
		probe_region_end("b");
	}
	if (COUNT > 2 && (wave + group) % 2) {
		probe_region_begin("c");
		out[2] = clock64();
		probe_region_end("c");
	}
	if (COUNT > 3 && (wave + group) % 3 == 0) {
		probe_region_begin("d");
		__builtin_amdgcn_s_sleep(2);
		out[3] = clock64();
		probe_region_end("d");
	}
}

static unsigned launches;

template <int COUNT> static void launch(unsigned long long *clocks, dim3 grid, dim3 block)
{
	unsigned waves = (block.x * block.y * block.z + 63) / 64;
	unsigned groups = grid.x * grid.y * grid.z;

	for (int i = 0; i < WAVES * REGIONS; i++)
		clocks[i] = 0;
	spans<COUNT><<<grid, block>>>(clocks);
	launches++;
	if (hipDeviceSynchronize() != hipSuccess)
		return;
	for (unsigned i = 0; i < groups * waves * REGIONS; i++) {
		unsigned group = i / REGIONS / waves;

		if (clocks[i])
			printf("%u,%u,%u,%u,%u,%c,%llu\n", launches, group % grid.x,
			       group / grid.x % grid.y, group / grid.x / grid.y,
			       i / REGIONS % waves, "abcd"[i % REGIONS], clocks[i]);
	}
}

int main()
{
	unsigned long long *clocks;

	if (hipMallocManaged(&clocks, WAVES * REGIONS * sizeof(*clocks)) != hipSuccess)
		return 1;
	// Each wave has its own slot.
	launch<4>(clocks, dim3(2, 3, 2), dim3(5, 7, 3));
	launch<3>(clocks, dim3(3), dim3(1));
	launch<2>(clocks, dim3(2), dim3(1024));
	launch<1>(clocks, dim3(3, 2), dim3(33, 2));
	launch<0>(clocks, dim3(2), dim3(100));
	launch<4>(clocks, dim3(256), dim3(4, 64));
	// More waves than have slots: they write into rings.
	launch<4>(clocks, dim3(1200), dim3(64));
	launch<3>(clocks, dim3(5, 8, 7), dim3(4, 64));
	launch<2>(clocks, dim3(30, 20), dim3(8, 16));
	launch<1>(clocks, dim3(1, 1100), dim3(64));
	return 0;
}
