// SPDX-License-Identifier: MIT
// Workgroups of 1 to 1024 lanes and odd shapes, grids long in each dimension, and sizes that must
// be refused. Each work-item counts itself.
#include "hip_test.h"

__global__ void count(uint32_t *cells, uint32_t n)
{
	uint64_t group =
		blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
	uint32_t item = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	uint32_t items = blockDim.x * blockDim.y * blockDim.z;

	atomicAdd(&cells[(group * items + item) % n], 1u);
}

static void all_run_once(dim3 groups, dim3 items)
{
	const uint64_t total =
		(uint64_t)groups.x * groups.y * groups.z * items.x * items.y * items.z;
	const uint32_t n = total < 5000 ? (uint32_t)total : 5000;
	device_array<uint32_t> cells((size_t)n);
	std::vector<uint32_t> want(n);

	count<<<groups, items>>>(cells.data, n);
	HIP(hipGetLastError());
	for (uint32_t i = 0; i < n; i++)
		want[i] = (uint32_t)(total / n + (i < total % n));
	expect_equal("count", cells.host(), want);
}

// Kernels that ask for fewer ids than the workgroup has dimensions: the code takes the rest of the
// register for zero.
__global__ void columns(uint32_t *cells)
{
	atomicAdd(&cells[threadIdx.x], 1u);
}

__global__ void rows(uint32_t *cells)
{
	atomicAdd(&cells[threadIdx.x * 8 + threadIdx.y], 1u);
}

static void some_ids()
{
	device_array<uint32_t> by_column((size_t)16), by_row((size_t)16 * 8);

	columns<<<3, dim3(16, 8, 2)>>>(by_column.data);
	rows<<<3, dim3(16, 8, 2)>>>(by_row.data);
	HIP(hipGetLastError());
	expect_equal("columns", by_column.host(), std::vector<uint32_t>(16, 3 * 8 * 2));
	expect_equal("rows", by_row.host(), std::vector<uint32_t>(16 * 8, 3 * 2));
}

static void refused(dim3 groups, dim3 items, size_t lds)
{
	device_array<uint32_t> cells((size_t)1);

	count<<<groups, items, lds>>>(cells.data, 1);
	EXPECT(hipGetLastError() != hipSuccess);
	HIP(hipDeviceSynchronize());
	EXPECT(cells.host()[0] == 0);
}

int main()
{
	static const dim3 shapes[] = {
		dim3(1),	 dim3(2),	  dim3(63),	dim3(64),	  dim3(65),
		dim3(127),	 dim3(1000),	  dim3(1023),	dim3(1024),	  dim3(1, 1, 64),
		dim3(1, 1024),	 dim3(3, 5, 7),	  dim3(31, 33), dim3(10, 10, 10), dim3(1, 7, 13),
		dim3(2, 256, 2), dim3(16, 1, 64),
	};

	for (const dim3 &shape : shapes)
		all_run_once(dim3(3, 2, 2), shape);
	some_ids();
	// Beyond 16 bits in each dimension.
	all_run_once(dim3(65536), dim3(1));
	all_run_once(dim3(1, 65537), dim3(2));
	all_run_once(dim3(1, 1, 65537), dim3(1));
	// What a launch cannot be.
	refused(dim3(1), dim3(1025), 0);
	refused(dim3(1), dim3(32, 33), 0);
	refused(dim3(1), dim3(64), 65537);
	refused(dim3(0), dim3(64), 0);
	refused(dim3(1), dim3(0), 0);
	refused(dim3(1u << 24), dim3(1024), 0); // 2^34 work-items in one dimension
	// Afterwards everything works as before.
	all_run_once(dim3(5), dim3(100));
	return 0;
}
