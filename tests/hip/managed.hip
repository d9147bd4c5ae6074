// SPDX-License-Identifier: MIT
#include "hip_test.h"

__global__ void increment(int *cells, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		cells[i] += i;
}

int main()
{
	const int n = 300000;

	for (int round = 0; round < 3; round++) {
		int *cells;

		HIP(hipMallocManaged((void **)&cells, n * sizeof(int), hipMemAttachGlobal));
		for (int i = 0; i < n; i++)
			cells[i] = round;
		increment<<<(n + 255) / 256, 256>>>(cells, n);
		HIP(hipDeviceSynchronize());
		for (int i = 0; i < n; i++)
			EXPECT(cells[i] == round + i);
		HIP(hipFree(cells));
	}
	return 0;
}
