// SPDX-License-Identifier: MIT
// Addresses that optimisation hides, or that bits of an id make: tiles of a workgroup with one
// dimension, in which rows are as far apart as an argument says; a row for each wave; ids read again
// behind a loop that lanes leave one by one; indices that are computed as vectors; equal expressions
// on both sides of a branch; and accesses of the lanes that data chooses.
#include <cstdio>
#include <hip/hip_runtime.h>

// Rows and columns of a tile from bits of x, times an argument of 32 bits, and of 64.
__global__ void tiles(const float *a, float *b, int pitch, size_t stride)
{
	__shared__ float tile[16][17];
	int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;

	for (int k = 0; k < 3; k++) {
		tile[ty & 15][tx] = a[(blockIdx.x * 16 + ty) * pitch + k * 16 + tx];
		__syncthreads();
		b[(size_t)tx * stride + (size_t)(k + 1) * ty] = tile[tx][ty & 15];
		__syncthreads();
	}
}

// Bits that go down, and a sum of two terms with one argument.
__global__ void corners(const float *a, float *b, int pitch)
{
	int tx = threadIdx.x & 7, ty = threadIdx.x >> 3;

	for (int k = 0; k < 2; k++)
		b[ty * pitch + tx + k] = a[(7 - tx) * pitch - ty * pitch + 64 * pitch] + a[tx * pitch + ty * (pitch + 3) + k];
}

__global__ void row_per_wave(const float4 *x, const float4 *w, float4 *y, int n)
{
	int row = blockIdx.x * (blockDim.x >> 6) + (threadIdx.x >> 6), lane = threadIdx.x & 63;

	for (int i = lane; i < n; i += 64) {
		float4 v = x[(size_t)row * n + i], s = w[i];

		y[(size_t)row * n + i] = make_float4(v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w);
	}
}

__global__ void row_sums(const float *a, float *y, int columns)
{
	__shared__ float part[256];
	float sum = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += a[blockIdx.x * columns + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (!threadIdx.x)
		y[blockIdx.x] = part[0];
}

__global__ void copies(const int *from, int *to)
{
	__shared__ int s[512];

	for (int i = threadIdx.x; i < 512; i += blockDim.x)
		s[i] = from[blockIdx.x * 512 + i];
	__syncthreads();
	for (int i = threadIdx.x; i < 512; i += blockDim.x)
		to[blockIdx.x * 512 + i] = s[511 - i];
}

__global__ void sides(const float *a, float *b, int k, size_t n)
{
	int lane = threadIdx.x & 63;
	float sum = 0;

	for (int t = 0; t < k; t += 2)
		sum += a[(size_t)(t + lane / 32) * n + lane % 32];
	for (int i = 0; i < 2; i++)
		b[(size_t)(lane / 32 * 2 + i) * n + lane % 32] = sum;
}

// Bitonic sort: data chooses the lanes that exchange.
__global__ void sort(int *a)
{
	__shared__ int s[128];
	int t = threadIdx.x;

	s[t] = a[blockIdx.x * 128 + t];
	s[t + 64] = a[blockIdx.x * 128 + t + 64];
	__syncthreads();
#pragma unroll
	for (int size = 2; size <= 128; size *= 2)
#pragma unroll
		for (int step = size / 2; step; step /= 2) {
			int i = 2 * t - (t & (step - 1)), x = s[i], y = s[i + step];

			if ((x > y) == !(i & size)) {
				s[i] = y;
				s[i + step] = x;
			}
			__syncthreads();
		}
	a[blockIdx.x * 128 + t] = s[t];
	a[blockIdx.x * 128 + t + 64] = s[t + 64];
}

__global__ void where_positive(const int *a, int *b)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (a[i] > 0)
		b[i + 3] = a[i];
}

// Few lanes, all of them, or every other one, at lines that data says, and at the same ones 128 bytes on.
__global__ void few_lanes(const int *at, const int *a, const double2 *wide, float *out)
{
	int i = threadIdx.x, sum = 0;

	for (int k = 0; k < 4; k++) {
		int place = at[blockIdx.x * 64 + i] >> (6 + 2 * k) & 1023;

		sum += a[place] + a[place + 32];
		if (!(i & 1))
			sum += (int)wide[place].x + (int)wide[place + 8].x;
	}
	out[i] = sum;
}

int main()
{
	const dim3 shapes[] = {64, 128, 256, 192, 96, 80, 33, dim3(16, 4), dim3(32, 3), dim3(8, 8, 2), dim3(5, 20)};
	float *x, *y;
	int *z;

	if (hipMalloc(&x, 4 << 20) || hipMalloc(&y, 4 << 20) || hipMemset(x, 0, 4 << 20) || hipMemset(y, 0, 4 << 20) ||
	    hipMalloc(&z, 1 << 16))
		return 1;
	int numbers[1 << 14];

	for (unsigned i = 0; i < 1 << 14; i++)
		numbers[i] = (int)(i * 2654435761u);
	if (hipMemcpy(z, numbers, sizeof(numbers), hipMemcpyHostToDevice))
		return 1;
	for (dim3 shape : shapes) {
		for (int n = 7; n < 70; n += 25) {
			tiles<<<3, shape>>>(x, y, n, (size_t)n + 9);
			corners<<<2, shape>>>(x, y, n);
			row_per_wave<<<3, shape>>>((const float4 *)x, (const float4 *)x + 7, (float4 *)y, n + 60);
			sides<<<2, shape>>>(x, y, n & 15, (size_t)n + 1);
		}
		row_sums<<<3, shape>>>(x, y, 300);
		copies<<<2, shape>>>((const int *)x, (int *)y);
		where_positive<<<2, shape>>>(z, (int *)y);
	}
	sort<<<4, 64>>>(z);
	for (unsigned lanes = 1; lanes <= 20; lanes++)
		few_lanes<<<16, lanes>>>(z, (const int *)x, (const double2 *)x, y);
	puts("done");
	return hipDeviceSynchronize() != hipSuccess;
}
