// SPDX-License-Identifier: MIT
// Gathers whose costs are known: cache lines per execution alternate between 2 and 64, in a loop with a period that
// divides any power of two, or are always 64; executions of LDS accesses take 2 or 64 passes.
#include <hip/hip_runtime.h>

enum { WAVES = 64, STEPS = 1024 };

__global__ void alternating(const int *index, const float *data, float *out)
{
	__shared__ float lds[2048];
	const int lane = threadIdx.x;
	float sum = 0;

	for (int i = lane; i < 2048; i += 64)
		lds[i] = i;
	__syncthreads();
#pragma unroll 1 // one site for both costs
	for (int i = 0; i < STEPS; i++) {
		int at = index[i * 64 + lane], far = index[lane + 64];

		sum += data[at]; // GLOBAL
		sum += lds[at]; // LDS
		sum += data[far + at % 32 * 2048]; // FAR
	}
	out[blockIdx.x * 64 + lane] = sum;
}

int main()
{
	static int host[STEPS * 64];
	int *index;
	float *data, *out;

	// Even steps: neighbours. Odd steps: 128 bytes apart, one bank.
	for (int i = 0; i < STEPS * 64; i++)
		host[i] = i % 64 * (i / 64 % 2 ? 32 : 1);
	if (hipMalloc((void **)&index, sizeof(host)) || hipMalloc((void **)&data, 4 * 70000) ||
	    hipMalloc((void **)&out, WAVES * 256) || hipMemset(data, 0, 4 * 70000) ||
	    hipMemcpy(index, host, sizeof(host), hipMemcpyHostToDevice))
		return 1;
	alternating<<<WAVES, 64>>>(index, data, out);
	return hipDeviceSynchronize();
}
