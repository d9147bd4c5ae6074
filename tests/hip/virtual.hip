// SPDX-License-Identifier: MIT
// Virtual memory: addresses are reserved, memory is allocated without one and mapped, at other
// addresses again, next to each other, and at two at once. Then memory pools, which HIP makes of it.
#include "hip_test.h"

static __global__ void add(uint32_t *cells, size_t n, uint32_t step)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		cells[i] += (uint32_t)i * step;
}

static void launch(uint32_t *cells, size_t n, uint32_t step)
{
	add<<<(unsigned)((n + 255) / 256), 256>>>(cells, n, step);
	HIP(hipGetLastError());
}

static void expect_cells(const uint32_t *device, size_t n, uint32_t factor)
{
	std::vector<uint32_t> got(n), want(n);

	HIP(hipMemcpy(got.data(), device, n * sizeof(uint32_t), hipMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i++)
		want[i] = (uint32_t)i * factor;
	expect_equal("cells", got, want);
}

static hipMemAllocationProp properties()
{
	hipMemAllocationProp prop = {};

	prop.type = hipMemAllocationTypePinned;
	prop.location.type = hipMemLocationTypeDevice;
	return prop;
}

static void allow(void *address, size_t size)
{
	hipMemAccessDesc access = {};

	access.location.type = hipMemLocationTypeDevice;
	access.flags = hipMemAccessFlagsProtReadWrite;
	HIP(hipMemSetAccess(address, size, &access, 1));
}

// `again`: what the runtime allocates for itself at the first use is there already.
static void mappings(bool again)
{
	hipMemAllocationProp prop = properties();
	hipMemGenericAllocationHandle_t memory[2];
	size_t size, n, before, during, after, total;
	void *range, *other;

	HIP(hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityRecommended));
	n = size / sizeof(uint32_t);
	HIP(hipMemGetInfo(&before, &total));
	HIP(hipMemAddressReserve(&range, 4 * size, 0, nullptr, 0));
	HIP(hipMemAddressReserve(&other, size, 0, nullptr, 0));
	for (int i = 0; i < 2; i++) {
		HIP(hipMemCreate(&memory[i], size, &prop, 0));
		HIP(hipMemMap((char *)range + i * size, size, 0, memory[i], 0));
		allow((char *)range + i * size, size);
	}
	HIP(hipMemGetInfo(&during, &total));
	EXPECT(before - during >= 2 * size);
	// One array over both.
	HIP(hipMemset(range, 0, 2 * size));
	launch((uint32_t *)range, 2 * n, 3);
	expect_cells((uint32_t *)range, 2 * n, 3);
	// The first one at a second address: the same cells.
	HIP(hipMemMap(other, size, 0, memory[0], 0));
	allow(other, size);
	launch((uint32_t *)other, n, 4);
	expect_cells((uint32_t *)range, n, 7);
	expect_cells((uint32_t *)other, n, 7);
	// It keeps its content when it is mapped elsewhere.
	HIP(hipMemUnmap(range, size));
	HIP(hipMemMap((char *)range + 2 * size, size, 0, memory[0], 0));
	allow((char *)range + 2 * size, size);
	expect_cells((uint32_t *)((char *)range + 2 * size), n, 7);
	HIP(hipMemUnmap(other, size));
	HIP(hipMemUnmap((char *)range + size, size));
	HIP(hipMemUnmap((char *)range + 2 * size, size));
	for (int i = 0; i < 2; i++)
		HIP(hipMemRelease(memory[i]));
	HIP(hipMemAddressFree(other, size));
	HIP(hipMemAddressFree(range, 4 * size));
	HIP(hipMemGetInfo(&after, &total));
	EXPECT(!again || after == before);
}

static void virtual_memory()
{
	int offered = 0;

	HIP(hipDeviceGetAttribute(&offered, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
	EXPECT(offered);
	for (int i = 0; i < 3; i++)
		mappings(i > 0);
}

static void pools()
{
	hipStream_t stream;
	uint32_t *cells[16];
	const size_t n = 300000;

	HIP(hipStreamCreate(&stream));
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 16; i++) {
			HIP(hipMallocAsync((void **)&cells[i], n * sizeof(uint32_t), stream));
			HIP(hipMemsetAsync(cells[i], 0, n * sizeof(uint32_t), stream));
			add<<<(n + 255) / 256, 256, 0, stream>>>(cells[i], n, (uint32_t)i + 1);
		}
		HIP(hipStreamSynchronize(stream));
		for (int i = 0; i < 16; i++) {
			expect_cells(cells[i], n, (uint32_t)i + 1);
			HIP(hipFreeAsync(cells[i], stream));
		}
	}
	HIP(hipStreamSynchronize(stream));
	HIP(hipStreamDestroy(stream));
}

int main()
{
	virtual_memory();
	pools();
	return 0;
}
