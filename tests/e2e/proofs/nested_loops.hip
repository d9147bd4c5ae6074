// SPDX-License-Identifier: MIT
// Loops in loops, and loops of few iterations: tiles with a border, indices that are divided, rows
// and columns of triangles, bits in reverse, and narrow integers that overflow.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "nested_loops: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { WORDS = 1 << 20, MIDDLE = WORDS / 2 };

// As a convolution stages its tile: several rows with a border, one plane after the other.
__global__ void staged(const int *in, int *out, int planes, int height, int width)
{
	__shared__ int tile[10 * 34];
	int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, id = threadIdx.y * 32 + threadIdx.x, sum = 0;

	for (int plane = 0; plane < planes; plane++) {
#pragma unroll 1
		for (int i = id; i < 10 * 34; i += 256) {
			int y = y0 + i / 34 - 1, x = x0 + i % 34 - 1;
			bool inside = y >= 0 && y < height && x >= 0 && x < width;

			tile[i] = inside ? in[(plane * height + y) * width + x] : 0;
		}
		__syncthreads();
#pragma unroll 1
		for (int dy = 0; dy < 3; dy++)
			sum += tile[(threadIdx.y + dy) * 34 + threadIdx.x + 1];
		__syncthreads();
	}
	out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + id] = sum;
}

// A condition on the iteration, an inner loop that depends on the outer one, and one that some lanes
// do not enter.
__global__ void triangle(int *a, int pitch, int rounds)
{
	int x = threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < 7; i++) {
		if ((i + x) % 3 == 0)
			a[MIDDLE + i * pitch + x * 2]++;
#pragma unroll 1
		for (int k = 0; k < i; k++)
			a[i * pitch + k * x]++;
	}
#pragma unroll 1
	for (int i = 0; i < 5; i++)
#pragma unroll 1
		for (int k = x & 15; k < 12; k += 5)
			a[MIDDLE + (i * 12 + k) * pitch + x] = k;
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
#pragma unroll 1
		for (int k = 0; k < 4; k++)
			if (k != (x >> 4))
				a[MIDDLE - i * pitch + k * 7 - x] += i;
}

// The inner loop has as many iterations as an argument says, the outer one few.
__global__ void inner(int *a, int pitch, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < 6; i++)
#pragma unroll 1
		for (int k = threadIdx.x; k < rounds; k += 64)
			a[i * pitch + k * (i + 1)] += i;
}

// Three loops, and values that leave a loop.
__global__ void deep(int *a, int pitch, int rounds)
{
	int x = threadIdx.x, last = 0;

#pragma unroll 1
	for (int i = 0; i < 3; i++)
#pragma unroll 1
		for (int j = 0; j < rounds; j++)
#pragma unroll 1
			for (int k = 0; k < 5; k++)
				a[((i * 3 + j) * 5 + k) * pitch + (x ^ (k * 2 + i))]++;
#pragma unroll 1
	for (int i = 0; i < 4; i++) {
#pragma unroll 1
		for (last = 0; last < (x & 3) + i; last++)
			a[last * 64 + x]++;
		a[MIDDLE + last * 64 + i * x]++;
	}
	a[MIDDLE + last * pitch + x] = last;
}

__global__ void reversed(const int *in, int *out, int bits)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long wide = __brevll((unsigned long)threadIdx.x) >> (64 - bits);

	out[__brev(x) >> (32 - bits)] = in[wide];
}

__global__ void narrow(int *a, int rounds)
{
	unsigned char small = (unsigned char)(threadIdx.x * 5 + 200);
	unsigned short middle = (unsigned short)(threadIdx.x * 1021 + blockIdx.x);
	signed char negative = (signed char)(threadIdx.x * 3);

	a[small] = 1;
	a[middle / 3 + middle % 7] = 2;
	a[MIDDLE + negative] = 3;
	a[(unsigned char)(small - 77) >> 1] = 4;
#pragma unroll 1
	for (unsigned short i = (unsigned short)threadIdx.x; i < 300; i += 100)
		a[MIDDLE + (unsigned short)(i * 250) % 91] = i;
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
		a[MIDDLE + (unsigned short)(i * 4099 + threadIdx.x)] = i;
}

// More than the host evaluates: loops, conditions, and what the conditions are made of.
__global__ void too_deep(int *a, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < 3; i++)
#pragma unroll 1
		for (int j = 0; j < (rounds & 3); j++)
#pragma unroll 1
			for (int k = 0; k < (rounds >> 2 & 1) + 1; k++)
#pragma unroll 1
				for (int l = 0; l < (rounds & 1) + 1; l++)
#pragma unroll 1
					for (int m = 0; m < rounds; m++)
						atomicAdd(&a[m * 64 + threadIdx.x], 1);
}

#define OTHER(k) ((((threadIdx.x + k * n) ^ (n * k + 5)) * (threadIdx.x ^ 77 * k)) & 1023)
#define LONG(k) (OTHER(k) + OTHER(k + 20) * OTHER(k + 40) - (OTHER(k + 60) ^ OTHER(k + 80)))
#define IF(k, number) if (number(k) != k) { atomicAdd(&a[k * 64], 1);
#define TEN(k, number) IF(k + 1, number) IF(k + 2, number) IF(k + 3, number) IF(k + 4, number) \
	IF(k + 5, number) IF(k + 6, number) IF(k + 7, number) IF(k + 8, number) IF(k + 9, number) IF(k + 10, number)
#define END }}}}}}}}}}

__global__ void too_many(int *a, int n)
{
	TEN(0, OTHER)
#pragma unroll 1
	for (int i = 0; i < 5; i++) {
		TEN(10, OTHER)
			atomicAdd(&a[threadIdx.x + i * 64], 1);
		END
	}
	END
}

__global__ void too_long(int *a, int n)
{
	TEN(0, LONG)
	a[threadIdx.x] = n;
#pragma unroll 1
	for (int i = 0; i < 5; i++) {
		IF(11, LONG) IF(12, LONG) IF(13, LONG) IF(14, LONG)
			atomicAdd(&a[threadIdx.x + i * 64], 1);
		}}}}
	}
	END
}

// Products of equal values.
__global__ void squares(int *a, int n)
{
#pragma unroll 1
	for (int i = 0; i < n * n; i++)
		a[threadIdx.x + i * 64] = i;
#pragma unroll 1
	for (int i = 0; i < 4; i++)
		a[MIDDLE + threadIdx.x * 2 + n * n * n + i * n] = i;
}

int main()
{
	static const int pitches[] = {0, 1, 31, 32, 33, 257, 1000, -64};
	int *a, *out;

	check(hipMalloc(&a, 4 * WORDS));
	check(hipMalloc(&out, 4 * WORDS));
	check(hipMemset(a, 0, 4 * WORDS));
	for (int planes = 0; planes < 4; planes++)
		staged<<<dim3(3, 3), dim3(32, 8)>>>(a, out, planes, 19, 70 + planes);
	for (int pitch : pitches) {
		triangle<<<2, 192>>>(pitch < 0 ? a + MIDDLE / 2 : a, pitch, 5);
		triangle<<<1, 40>>>(pitch < 0 ? a + MIDDLE / 2 : a, pitch, 0);
		inner<<<2, 100>>>(a + MIDDLE, pitch, 150);
		deep<<<2, 64>>>(a + MIDDLE / 2, pitch, 4);
	}
	for (int bits = 7; bits < 12; bits++)
		reversed<<<1 << (bits - 7), 128>>>(a, out, bits);
	narrow<<<3, 256>>>(a, 6);
	for (int n = 5; n < 8; n++)
		too_deep<<<2, 100>>>(a, n);
	for (int n = 0; n < 8; n++)
		squares<<<2, 100>>>(a, n);
	too_many<<<2, 100>>>(a, 20);
	too_long<<<2, 100>>>(a, 20);
	check(hipDeviceSynchronize());
	printf("nested_loops: done\n");
	return 0;
}
