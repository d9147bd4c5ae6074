// SPDX-License-Identifier: MIT
// Workgroups of a launch: all of them or, with an argument, only those of x 2 to 4, y 1 to 2, z 1,
// as a launch of their own.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3, LANES = 160, COUNT = WIDTH * HEIGHT * DEPTH * LANES };

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "groups: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

__device__ __attribute__((noinline)) int reached(const int *in, int at, int part)
{
	if (at % 5 < part)
		at += in[at];
	return at;
}

__host__ __device__ int number(int x, int y, int z)
{
	return ((z * HEIGHT + y) * WIDTH + x) * LANES;
}

// Executes once per wave, or is not reached by all of it.
__global__ void guarded(int *out, const int *in, int n, int3 base)
{
	int first = number(blockIdx.x + base.x, blockIdx.y + base.y, blockIdx.z + base.z);
	int i = first + threadIdx.x;

	if (i < n) {
		int v = in[i];

		if (v & 1)
			v += in[i ^ 1];
		out[i] = v;
	}
}

// A misaligned row, which depends on the group, and loops of its own length.
__global__ void looped(int *out, const int *in, int n, int3 base)
{
	__shared__ int sum[LANES];
	int x = blockIdx.x + base.x, first = number(x, blockIdx.y + base.y, blockIdx.z + base.z);
	int total = 0;

	for (int k = 0; k < x; k++)
		total += in[first + x + threadIdx.x + k];
	for (int k = threadIdx.x % 7; k < x; k++)
		total ^= in[first + 3 * k];
	sum[LANES - 1 - threadIdx.x] = total;
	__syncthreads();
	if (first + (int)threadIdx.x < n)
		out[first + threadIdx.x] = reached(in, sum[threadIdx.x ^ 16] & 1023, x);
}

int main(int argc, char **)
{
	std::vector<int> in(COUNT + 1024);
	dim3 grid = argc > 1 ? dim3(3, 2, 1) : dim3(WIDTH, HEIGHT, DEPTH);
	int3 base = argc > 1 ? int3{2, 1, 1} : int3{0, 0, 0};
	int *from, *to;

	for (size_t i = 0; i < in.size(); i++)
		in[i] = int(i * 37 % 101);
	check(hipMalloc(&from, in.size() * sizeof(int)));
	check(hipMalloc(&to, in.size() * sizeof(int)));
	check(hipMemcpy(from, in.data(), in.size() * sizeof(int), hipMemcpyHostToDevice));
	guarded<<<grid, LANES>>>(to, from, number(3, 2, 1) + 100, base);
	looped<<<grid, LANES>>>(to, from, COUNT, base);
	guarded<<<grid, dim3(16, 10)>>>(to, from, COUNT, base);
	check(hipDeviceSynchronize());
	return 0;
}
