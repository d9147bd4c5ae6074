/* SPDX-License-Identifier: MIT */
/*
 * Accesses after branches whose conditions can be derived from the launch: bounds, quotients and
 * remainders of ids, both sides, nested, in workgroups with partial waves.
 */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

enum { N = 1 << 16 };

static void check(hipError_t error)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "launch_branches: %s\n", hipGetErrorString(error));
	exit(1);
}

__global__ void bounded(const int *in, int *out, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	out[i + 3] = in[i];
	if (i > m || (i & 7) == 3)
		out[i + N / 2 + 1] = in[i + 5] + in[2 * i];
	else if (i % 5 < 3)
		out[i + N / 2] = in[N - i - 1];
	if (in[i] != 7 && threadIdx.x > 40)
		out[i] = 1;
}

__global__ void reduced(const int *in, int *out)
{
	__shared__ int sum[256];
	unsigned t = threadIdx.x;

	sum[t] = in[blockIdx.x * blockDim.x + t];
	__syncthreads();
	if (t < 100)
		sum[t] += sum[t + 100];
	__syncthreads();
	if (t < 64)
		sum[t] += sum[2 * t];
	__syncthreads();
	if (t / 3 % 2 == blockIdx.x % 2 && t != 5)
		sum[t] += sum[t ^ 1];
	__syncthreads();
	if (t == 0)
		out[blockIdx.x * 3] = sum[0] + in[blockIdx.x];
}

__global__ void tiled(const int *in, int *out, unsigned width, int edge)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

	if (threadIdx.x == 0)
		out[y] = in[y * width];
	if (x < width && y > (unsigned)edge)
		out[y * width + x + N / 2] = in[x * width + y];
	if (edge > 2) {
		if ((x ^ y) & 2)
			out[x + 7] = in[y * 64 + x];
		else
			((char *)out)[x + 4 * N] = ((const char *)in)[y * 33 + x];
	}
	if (blockIdx.x == 1 ? threadIdx.y > 1 : threadIdx.x >= 5)
		out[y * 32 + x + 4] = 1;
}

int main()
{
	const dim3 groups[] = {dim3(16, 16), dim3(8, 4), dim3(32, 3), dim3(5, 7), dim3(64, 2)};
	const int sizes[] = {64, 256, 96, 30, 200};
	int *in, *out;

	check(hipMalloc((void **)&in, 4 * N * sizeof(int)));
	check(hipMalloc((void **)&out, 4 * N * sizeof(int)));
	check(hipMemset(in, 1, 4 * N * sizeof(int)));
	check(hipMemset(out, 0, 4 * N * sizeof(int)));
	for (int i = 0; i < 5; i++) {
		bounded<<<7, sizes[i]>>>(in + i, out, 6 * sizes[i] + 13 * i, 100 * i - 90);
		bounded<<<3, sizes[i]>>>(in, out + 1, -1, 4);
		reduced<<<5, 256>>>(in + 9 * i, out);
		tiled<<<dim3(4, 3), groups[i]>>>(in + 2, out + i, 2 * groups[i].x + 3 * i, i);
	}
	check(hipDeviceSynchronize());
	return 0;
}
