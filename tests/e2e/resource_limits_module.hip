// SPDX-License-Identifier: MIT
// Kernels at the limits of a workgroup or a lane; resource_limits.hip launches them. Each writes
// out[i] = in[i] + 1 in a different way.
#include <hip/hip_runtime.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// All LDS, and the maximum number of work-items.
extern "C" __global__ void __launch_bounds__(1024) all_lds(int *out, const int *in, int)
{
	__shared__ int tile[16384];

	for (int k = 0; k < 16; k++)
		tile[k * 1024 + threadIdx.x] = in[INDEX] + k;
	__syncthreads();
	out[INDEX] = tile[(threadIdx.x ^ 64) + 1024 * 15] - 14 - in[INDEX ^ 64] + in[INDEX];
}

// More values than the registers of 1024 work-items can hold.
template <int VALUES> __device__ void many(int *out, const int *in, int n)
{
	int v[VALUES], sum = 0;

#pragma unroll
	for (int k = 0; k < VALUES; k++)
		v[k] = in[(INDEX + k * n) % 2048];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < VALUES; k++)
		sum += v[k] * (v[VALUES - 1 - k] + k);
	out[INDEX] = in[INDEX] + 1 + (sum == 12345);
}

extern "C" __global__ void __launch_bounds__(1024) all_registers(int *out, const int *in, int n)
{
	many<230>(out, in, n);
}

extern "C" __global__ void __launch_bounds__(256)
	__attribute__((amdgpu_waves_per_eu(8, 8))) eight_waves(int *out, const int *in, int n)
{
	many<70>(out, in, n);
}

// 80 KB of scratch a lane.
extern "C" __global__ void __launch_bounds__(64) much_scratch(int *out, const int *in, int n)
{
	int own[20000];

	for (int k = 0; k < 100; k++)
		own[(k * n + threadIdx.x) % 20000] = in[(INDEX + k) % 2048];
	out[INDEX] = own[threadIdx.x] + 1;
}

// Some of each, for metadata that claims more.
extern "C" __global__ void ordinary(int *out, const int *in, int n)
{
	extern __shared__ int more[];
	__shared__ int tile[256];

	tile[threadIdx.x % 256] = in[INDEX];
	__syncthreads();
	if (n < 0)
		more[0] = tile[threadIdx.x ^ 1];
	out[INDEX] = tile[threadIdx.x % 256] + 1;
}
