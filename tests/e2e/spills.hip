// SPDX-License-Identifier: MIT
// Two kernels with 256 values that are needed at the same time, of which one has workgroups of 1,024 work-items and therefore
// at most 128 registers per lane. For tests/e2e/spills.sh.
#include <hip/hip_runtime.h>
#include <cstdio>

template <int N> __device__ __forceinline__ void mix(float *out, const float *in)
{
	float v[N];

#pragma unroll
	for (int i = 0; i < N; i++)
		v[i] = in[i * 1024 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < N; i++)
		out[i * 1024 + threadIdx.x] = v[i] * v[(i * 101 + 7) % N];
}

__global__ void __launch_bounds__(1024) crowded(float *out, const float *in)
{
	mix<256>(out, in);
}

__global__ void __launch_bounds__(64) roomy(float *out, const float *in)
{
	mix<64>(out, in);
}

int main()
{
	float *in, *out;

	hipMalloc(&in, 1 << 20);
	hipMalloc(&out, 1 << 20);
	crowded<<<1, 1024>>>(out, in);
	roomy<<<1, 64>>>(out, in);
	printf("%d\n", (int)hipDeviceSynchronize());
}
