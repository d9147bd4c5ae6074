// SPDX-License-Identifier: MIT
// A wave that writes more records than its ring holds.
#include <hip/hip_runtime.h>
#include <probe/device.h>

__global__ void many(unsigned *out, int n)
{
	unsigned value = threadIdx.x;

	for (int i = 0; i < n; i++) {
		probe_region_begin("step");
		value = value * 5 + 1;
		probe_region_end("step");
	}
	out[threadIdx.x] = value;
}

int main()
{
	unsigned *out;

	if (hipMalloc(&out, 64 * sizeof(*out)) != hipSuccess)
		return 1;
	many<<<1, 64>>>(out, 4000);
	return hipDeviceSynchronize() != hipSuccess;
}
