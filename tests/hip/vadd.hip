// SPDX-License-Identifier: MIT
#include "hip_test.h"

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	for (int n : {1, 63, 64, 65, 1000, 100003}) {
		std::vector<float> a(n), b(n), c(n);

		for (int i = 0; i < n; i++) {
			a[i] = 0.5f * i;
			b[i] = (float)hash32(i);
			c[i] = a[i] + b[i];
		}
		device_array<float> da(a), db(b), dc((size_t)n);

		vadd<<<(n + 255) / 256, 256>>>(da.data, db.data, dc.data, n);
		HIP(hipGetLastError());
		HIP(hipDeviceSynchronize());
		expect_equal("vadd", dc.host(), c);
	}
	return 0;
}
