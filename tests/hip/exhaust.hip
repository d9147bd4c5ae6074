// SPDX-License-Identifier: MIT
// Device memory runs out: an error, and not the end of the process. It is available again after it
// was freed.
#include "hip_test.h"

__global__ void fill(uint32_t *cells, uint32_t value)
{
	cells[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static size_t take_all(std::vector<void *> &pieces, size_t size)
{
	void *piece;

	while (hipMalloc(&piece, size) == hipSuccess)
		pieces.push_back(piece);
	EXPECT(hipGetLastError() == hipErrorOutOfMemory);
	return pieces.size();
}

int main()
{
	const size_t mib = 1 << 20;
	std::vector<void *> pieces;
	size_t first, again, free_bytes, total;
	void *huge;

	// Newer runtimes load code and create their queues at the first launch: that takes memory.
	HIP(hipMalloc(&huge, mib));
	fill<<<64, 64>>>((uint32_t *)huge, 5);
	HIP(hipDeviceSynchronize());
	HIP(hipFree(huge));
	HIP(hipMemGetInfo(&free_bytes, &total));
	EXPECT(hipMalloc(&huge, total * 2) == hipErrorOutOfMemory);
	EXPECT(hipMalloc(&huge, ~(size_t)0 - 4096) != hipSuccess);
	(void)hipGetLastError();
	first = take_all(pieces, 16 * mib);
	EXPECT(first > 2 && first * 16 * mib <= total);
	for (size_t i = 0; i < first; i += 2) {
		fill<<<64, 64>>>((uint32_t *)pieces[i], 5);
		HIP(hipFree(pieces[i]));
	}
	for (size_t i = 1; i < first; i += 2)
		HIP(hipFree(pieces[i]));
	pieces.clear();
	again = take_all(pieces, 16 * mib);
	EXPECT(again == first);
	fill<<<64, 64>>>((uint32_t *)pieces[again - 1], 9);
	HIP(hipDeviceSynchronize());
	for (void *piece : pieces)
		HIP(hipFree(piece));
	return 0;
}
