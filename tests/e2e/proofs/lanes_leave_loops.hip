// SPDX-License-Identifier: MIT
// Loops that lanes leave one after the other, at strides that a kernel argument makes wide or
// narrow: the counts per lane are compared with the addresses.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "lanes_leave_loops: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { WORDS = 1 << 20, MIDDLE = WORDS / 2 };

// The last lane leaves first, the first lane leaves first, or any: each in a loop of its own.
__global__ void leave(int *a, int n, int rounds)
{
	int x = threadIdx.x, size = blockDim.x, sum = 0;

#pragma unroll 1
	for (int i = x; i < size; i++)
		sum += a[MIDDLE + x * n + i];
#pragma unroll 1
	for (int i = 0; i < x; i++)
		sum += a[MIDDLE - x * n + i];
#pragma unroll 1
	for (int i = 0; i < (x * 37 & 15) + rounds; i++)
		a[MIDDLE + x * (n + 3) + i] = sum;
}

// Steps known at compile time, wide and narrow, and words of several sizes.
__global__ void known(int *a, double *b, int4 *c, int rounds)
{
	int x = threadIdx.x;

#pragma unroll 1
	for (int i = x; i < rounds; i++) {
		a[x * 32 + i] = i;
		b[x * 17 + i] += 1;
		c[x * -8 + 8192 + i].y = i;
	}
#pragma unroll 1
	for (int i = x; i < rounds; i++)
		a[x * 31 + i] = i;
}

// LDS together with uniform values, and conditions in the loop.
__global__ void shared(const int *a, int *out, long n, int rounds)
{
	__shared__ int tile[1024];
	int x = threadIdx.x, sum = 0;

#pragma unroll 1
	for (int i = 0; i < rounds; i++) {
		if (x < (rounds - i) * 5)
			tile[x * 3 + threadIdx.y] = a[i];
		__syncthreads();
		if (x & 1)
			sum += tile[x * 2];
	}
#pragma unroll 1
	for (int i = x; i < rounds; i++)
		sum += a[x * n + i] + tile[x * 4];
	out[x] = sum;
}

// A nested loop, and a loop that a wave may not reach at all.
__global__ void nested(int *a, unsigned n, int rounds)
{
	int x = threadIdx.x;

	for (int i = 0; i < rounds; i++) {
#pragma unroll 1
		for (int k = x; k < 3 * i; k++)
			a[x * n + k] += i;
		if (i & 1)
			continue;
#pragma unroll 1
		for (int k = 0; k < 70 - x - i; k++)
			a[x * n + k] += i;
	}
}

int main()
{
	static const int numbers[] = {0,  1,   8,   31,	 32,  33,   63,
				      -1, -32, -33, -40, 500, 5000, 1 << 20};
	int *a, *out;
	double *b;

	check(hipMalloc(&a, 4 * WORDS));
	check(hipMalloc(&b, 8 * WORDS));
	check(hipMalloc(&out, 4 * WORDS));
	check(hipMemset(a, 0, 4 * WORDS));
	for (int n : numbers) {
		// Wide steps: only lane 0 is active.
		bool far = n > 40000;
		int lanes = n > 4000 ? far ? 1 : 64 : 100;

		leave<<<2, lanes == 100 ? 192 : lanes>>>(a, n, 3);
		if (n < 0)
			continue;
		leave<<<1, lanes>>>(a, n, 0);
		shared<<<2, dim3(16, far ? 1 : 4)>>>(a + MIDDLE, out, far ? 0 : n, 20);
		nested<<<3, far ? 1 : 64>>>(a, n, 9);
	}
	known<<<2, 64>>>(a, b, (int4 *)out, 50);
	known<<<1, dim3(32, 4)>>>(a, b, (int4 *)out, 70);
	known<<<1, 40>>>(a, b, (int4 *)out, 33);
	check(hipDeviceSynchronize());
	printf("lanes_leave_loops: done\n");
	return 0;
}
