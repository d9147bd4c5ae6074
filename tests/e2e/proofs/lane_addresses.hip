// SPDX-License-Identifier: MIT
// Addresses that the host computes lane by lane: at odd strides, selected, divided, near a wrap,
// after branches and in partial waves; in launches whose counters are derived, and in one that is
// too large.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

enum { GROUP = 64, SPAN = 1 << 16 };

__device__ int item(void)
{
	return (int)(threadIdx.x + blockIdx.x * blockDim.x);
}

template <int BYTES> __global__ void odd(const unsigned char *in, unsigned char *out)
{
	memcpy(out + item() * BYTES, in + item() * BYTES, BYTES);
}

// Neighbours around an edge: branches, selects and remainders.
__global__ void around(const float *in, float *out, int width, int height)
{
	int i = item(), x = i % width, y = i / width;
	int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
	int up = y - 1 >= 0 ? y - 1 : height - 1;

	if (y < height)
		out[y * width + x] =
			in[y * width + left] + in[y * width + right] + in[up * width + x];
}

// Into LDS and out again, for some of the lanes; a two-dimensional workgroup.
__global__ void turned(const float *in, float *out, unsigned n)
{
	__shared__ float tile[32 * 33];
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < n && y < n)
		tile[x * 33 + y] = in[x * n + y];
	__syncthreads();
	if (x < n && y < n && (x ^ y) & 3)
		out[y * n + x] = tile[x * 33 + y];
}

// Inactive lanes would divide by 0, or shift too far.
__global__ void defined(const int *in, int *out, unsigned by, unsigned bits)
{
	unsigned i = item();

	if (threadIdx.x < by)
		out[i / (by - threadIdx.x) & (SPAN - 1)] = in[i];
	if (threadIdx.x >= 40)
		out[(i << (threadIdx.x < 70 ? threadIdx.x - 40 : bits)) & (SPAN - 1)] = in[i];
}

// Two paths that meet, with a branch from one to the other.
__global__ void crossed(int *out, int n)
{
	int i = item(), v;

	if (i & 1) {
		v = 4 * i;
		out[i] = v;
		if (threadIdx.x % 3 < (unsigned)n)
			goto second;
	} else {
	second:
		v = 3 * i + SPAN;
		out[v + 1] = n;
	}
	out[v] = v;
}

// One lane after the other, depending on its index.
__global__ void single(int *out)
{
	switch (threadIdx.x) {
	case 0:
		out[blockIdx.x] = 1;
		break;
	case 1:
		out[2 * blockIdx.x] = 2;
		break;
	default:
		out[3 * blockIdx.x + threadIdx.x] = 3;
	}
}

// An index that deliberately wraps in the middle of a wave: both ends of 2^32 are used.
__global__ void wrapping(int *out, unsigned start)
{
	unsigned i = item() + start;

	out[SPAN / 2 + (int)i] = 1;
	out[(unsigned long long)(i + 5) & 0x1fff] = 2;
}

// The loaded value is unknown, but not whether it is loaded.
__global__ void partly(const int *in, int *out, int n)
{
	int i = item(), p = i ^ n;

	if (p > i && i + p < 4 * n) {
		int a = in[3 * i], b = in[3 * p + 1];

		if (a < b)
			out[3 * p] = a;
	}
}

// The store's index is widened on each of the three paths that reach it.
__global__ void sunk(const double *in, double *out, int n)
{
	int x = item(), y = blockIdx.y, at = y * n + x;

	if (x >= n)
		return;
	if (x && y && x < n - 1)
		out[at] = in[at - 1] + in[at + 1] + in[at - n];
	else
		out[at] = 0;
}

int main()
{
	unsigned char *in, *out;

	if (hipMalloc(&in, 16 << 20) || hipMalloc(&out, 16 << 20) || hipMemset(in, 1, 16 << 20))
		return 1;
	odd<9><<<5, GROUP>>>(in, out);
	odd<11><<<3, 100>>>(in + 3, out);
	odd<7><<<2, 5>>>(in, out + 1);
	odd<3><<<4, 256>>>(in + 127, out + 64);
	around<<<10, 128>>>((float *)in, (float *)out, 37, 30);
	around<<<4, 70>>>((float *)in, (float *)out, 64, 4);
	turned<<<dim3(2, 2), dim3(16, 16)>>>((float *)in, (float *)out, 31);
	turned<<<dim3(3, 1), dim3(10, 9)>>>((float *)in + 5, (float *)out, 23);
	turned<<<dim3(1, 3), dim3(24, 11)>>>((float *)in, (float *)out, 32);
	defined<<<3, 128>>>((int *)in, (int *)out, 33, 9);
	defined<<<3, 96>>>((int *)in, (int *)out, 0, 3);
	single<<<6, 66>>>((int *)out);
	single<<<3, 1>>>((int *)out);
	crossed<<<3, 100>>>((int *)out, 1);
	wrapping<<<4, 64>>>((int *)out + SPAN / 2, 0u - 100);
	partly<<<4, 128>>>((int *)in, (int *)out, 16);
	partly<<<4, 72>>>((int *)in, (int *)out, 100);
	sunk<<<dim3(2, 5), 32>>>((double *)in, (double *)out, 40);
	sunk<<<dim3(1, 3), 100>>>((double *)in + 1, (double *)out, 70);
	// More waves than are evaluated individually.
	odd<5><<<2048 * 9, 32>>>(in, out);
	if (hipDeviceSynchronize())
		return 1;
	puts("done");
	return 0;
}
