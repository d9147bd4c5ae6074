// SPDX-License-Identifier: MIT
// Kernels whose authors left few registers: probes need some that the original does not.
//
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O2 -o /dev/null
// RUN: env PROBE_KINDS=memory,trace,time,count %hip_probe %s -O3 --no-offload-arch=gfx90a --offload-arch=gfx908 -o /dev/null
#include <hip/hip_runtime.h>

template <int N> __device__ void sort(int *at)
{
#pragma unroll
	for (int k = 2; k <= N; k *= 2)
#pragma unroll
		for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
			for (int i = 0; i < N; i++)
				if ((i ^ j) > i && (at[i] > at[i ^ j]) == !(i & k)) {
					int old = at[i];

					at[i] = at[i ^ j];
					at[i ^ j] = old;
				}
}

#define BODY                                                                                                          \
	{                                                                                                             \
		int *in = where[blockIdx.x];                                                                          \
		float sum = 0;                                                                                        \
		sort<16>(in + threadIdx.x * 16);                                                                      \
		for (int i = 0; i < n; i++)                                                                           \
			sum += out[i * n + threadIdx.x] * out[in[i]] + out[threadIdx.x * 8 + i] + out[m / n * i];     \
		out[threadIdx.x] = sum;                                                                               \
	}

__global__ void unlimited(float *out, int **where, int n, long m) BODY
__global__ __attribute__((amdgpu_num_vgpr(24))) void few_vgprs(float *out, int **where, int n, long m) BODY
__global__ __attribute__((amdgpu_num_sgpr(40))) void few_sgprs(float *out, int **where, int n, long m) BODY
__global__ __attribute__((amdgpu_waves_per_eu(8, 8))) void many_waves(float *out, int **where, int n, long m) BODY
__global__ __launch_bounds__(1024, 8) void large_groups(float *out, int **where, int n, long m) BODY
__global__ __attribute__((amdgpu_waves_per_eu(2), amdgpu_num_vgpr(32))) void
both(float *out, int **where, int n, long m) BODY
