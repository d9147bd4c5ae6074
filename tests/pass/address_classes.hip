// SPDX-License-Identifier: MIT
// How addresses depend on the lane, as the site table says it.
//
// RUN: %hip_probe -O3 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
#include <hip/hip_runtime.h>

// Each step of an unrolled chase, also the first one, is a chase.
// CHECK-NOT: {{^}}unrolled {{[0-9]+}} load gather
// CHECK: {{^}}unrolled {{[0-9]+}} load chase
// CHECK-NOT: {{^}}unrolled {{[0-9]+}} load gather
extern "C" __global__ void unrolled(int *out, const int *next)
{
	int at = next[threadIdx.x];

	for (int i = 0; i < 8; i++)
		at = next[at];
	out[threadIdx.x] = at;
}

// Two arrays in one buffer are two arrays.
// CHECK: {{^}}workspace [[@LINE+5]] load gather
extern "C" __global__ void workspace(float *out, const int *buffer, int n)
{
	const int *columns = buffer, *values = buffer + n;

	out[threadIdx.x] = values[columns[threadIdx.x]];
}

// An index that the kernel puts into LDS itself, and a place in a queue.
// CHECK: {{^}}queue {{.*}} variable [[STACK:[0-9]+]] elements of 4 stack
// CHECK: {{^}}queue {{.*}} variable [[OTHER:[0-9]+]] elements of 4 other
// CHECK: {{^}}queue {{.*}} variable [[STACK]] elements of 4 stack
// CHECK: {{^}}queue [[@LINE+11]] load gather staged in
// CHECK: {{^}}queue {{.*}} variable [[OTHER]] elements of 4 other
// CHECK: {{^}}queue [[@LINE+10]] store gather staged out
extern "C" __global__ void queue(float *out, const float *in, int *tail, int n)
{
	__shared__ int stack[64];
	__shared__ float other[64];

	stack[threadIdx.x] = (int)threadIdx.x * n;
	other[threadIdx.x] = (float)n;
	__syncthreads();
	float v = in[stack[threadIdx.x ^ 1]];
	out[atomicAdd(tail, (int)threadIdx.x)] = v + other[63 - threadIdx.x];
}

// The low bits of an index are not the index.
// CHECK: {{^}}low_bits {{[0-9]+}} load {{.*}} in + 4*(threadIdx.x % 4) + 256*(threadIdx.x / 4)
extern "C" __global__ void low_bits(float *out, const float *in)
{
	unsigned t = threadIdx.x;

	out[t] = in[t / 4 * 64 + t % 4];
}

// Operations that were made narrow wrap.
// CHECK: {{^}}narrow [[@LINE+7]] load {{.*}} in + 4*(((threadIdx.x / 8) + 16*threadIdx.x) % 128){{$}}
// CHECK: {{^}}narrow [[@LINE+7]] load {{.*}} in + 4*(threadIdx.x % 5){{$}}
// CHECK: {{^}}narrow [[@LINE+7]] load {{.*}} in + 4*uint8(threadIdx.x - 100){{$}}
// CHECK: {{^}}narrow [[@LINE+7]] load {{.*}} in + 4*((blockDim.x*blockIdx.x + threadIdx.x) / 3){{$}}
extern "C" __global__ void narrow(float *out, const float *in)
{
	unsigned t = threadIdx.x;
	out[t] = in[(t * 16 + t / 8) & 127];
	out[t] += in[t % 5];
	out[t] += in[(unsigned char)(t - 100)];
	out[t] += in[(blockIdx.x * blockDim.x + t) / 3];
}

// Offsets that are data: an argument, a loaded value. A pitch is none, nor are whole cache lines.
// CHECK: {{^}}diagonals [[@LINE+7]] load affine shifts
// CHECK: {{^}}diagonals [[@LINE+6]] load affine shifts
// CHECK: {{^}}diagonals [[@LINE+8]] load affine in
// CHECK: {{^}}diagonals [[@LINE+7]] load affine in
extern "C" __global__ void diagonals(float *out, const float *in, const int *offset, int n, int pitch)
{
	int t = (int)threadIdx.x;
	float x = in[n - t], y = in[t + offset[blockIdx.x]];

	out[t] = x + y +
		 in[t + n * pitch] + in[t + 32 * n];
}

// The same within a remainder or a mask. A mask itself is no offset, nor the limit of a clamp.
// CHECK: {{^}}rings [[@LINE+10]] load rows shifts
// CHECK: {{^}}rings [[@LINE+10]] load rows shifts
// CHECK: {{^}}rings [[@LINE+10]] load wrapped shifts
// CHECK: {{^}}rings [[@LINE+10]] load wrapped shifts
// CHECK: {{^}}rings [[@LINE+10]] load rows in
// CHECK: {{^}}rings [[@LINE+10]] load wrapped in
extern "C" __global__ void rings(float *out, const float *in, int head, unsigned mask, int n)
{
	int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	out[0 * n + t] = in[(unsigned)(head + t) & mask];
	out[1 * n + t] = in[(head + t) & 1023];
	out[2 * n + t] = in[(unsigned)(head + t) % (unsigned)n];
	out[3 * n + t] = in[min(head + t, n - 1)];
	out[4 * n + t] = in[(unsigned)t & mask];
	out[5 * n + t] = in[min(t, n - 1)];
}

// Increments up to a limit do not add up.
// CHECK: {{^}}wrapping {{[0-9]+}} atomic affine exchange a
// CHECK: {{^}}wrapping {{[0-9]+}} atomic affine exchange a
extern "C" __global__ void wrapping(unsigned *a)
{
	atomicInc(&a[threadIdx.x], 7);
	atomicDec(&a[threadIdx.x], 7);
}

// Updates whose old value is used, and those that do not add up.
// CHECK: {{^}}updates [[@LINE+6]] atomic uniform a
// CHECK: {{^}}updates [[@LINE+6]] atomic uniform result a
// CHECK: {{^}}updates [[@LINE+6]] atomic uniform result exchange a
// CHECK: {{^}}updates [[@LINE+6]] atomic uniform result exchange a
extern "C" __global__ void updates(unsigned *a, unsigned *out, unsigned expected)
{
	__atomic_fetch_add(a, threadIdx.x, __ATOMIC_RELAXED);
	out[threadIdx.x] = __atomic_fetch_or(a + 1, threadIdx.x, __ATOMIC_RELAXED);
	out[threadIdx.x + 64] = __atomic_exchange_n(a + 2, threadIdx.x, __ATOMIC_RELAXED);
	out[threadIdx.x + 128] = __atomic_compare_exchange_n(a + 3, &expected, threadIdx.x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// The rows of an array, as declared: lanes on a diagonal are not a row apart.
// CHECK: {{^}}diagonal {{[0-9]+}} load affine variable {{[0-9]+}} rows of 260 elements of 4 table + 256*threadIdx.x
// CHECK: {{^}}diagonal {{[0-9]+}} load rows variable {{[0-9]+}} elements of 4 flat
extern "C" __global__ void diagonal(float *out, const float *in, int d)
{
	__shared__ float table[65][65];
	__shared__ float flat[128];
	unsigned t = threadIdx.x;

	table[t / 2][t] = in[t];
	flat[t] = in[t + 64];
	__syncthreads();
	out[t] = table[t][64 - t] + flat[t ^ 1];
}

// What is read chooses the next step of a search, and the best index of all, but is no index.
// CHECK: {{^}}bisect [[@LINE+7]] load wrapped
extern "C" __global__ void bisect(int *out, const int *sorted, const int *key, int n)
{
	int k = key[threadIdx.x], low = 0;

	while (low < n) {
		int middle = (low + n) / 2;
		if (sorted[middle] < k)
			low = middle + 1;
		else
			n = middle;
	}
	out[threadIdx.x] = low;
}

// CHECK: {{^}}nearest [[@LINE+12]] load wrapped
extern "C" __global__ void nearest(float *out, const float *point, const float *table, int n)
{
	int t = (int)(threadIdx.x + blockIdx.x * blockDim.x), best = 0;
	float least = 1e30f;

	for (int i = 0; i < n; i++) {
		float d = (point[t] - (float)i) * (point[t] - (float)i);

		best = d < least ? i : best;
		least = d < least ? d : least;
	}
	out[t] = table[best * 37];
}

// Indices that belong to work-items: of a row of a sparse matrix, by rows and by columns, and several next to each other. Those of a
// loop over the whole grid do not, nor does one for each work-item.
// CHECK-DAG: {{^}}lists [[@LINE+13]] load gather listed x + 4*(load
// CHECK-DAG: {{^}}lists [[@LINE+15]] load gather listed x + 4*(load
// CHECK-DAG: {{^}}lists [[@LINE+15]] load gather listed x + 4*(load
// CHECK-DAG: {{^}}lists [[@LINE+15]] load gather listed x + 4*(load
// CHECK-DAG: {{^}}lists [[@LINE+17]] load gather x + 4*(load
// CHECK-DAG: {{^}}lists [[@LINE+17]] load gather x + 4*(load
extern "C" __global__ void lists(float *out, const float *x, const int *rows, const int *columns, int n)
{
	int t = (int)(threadIdx.x + blockIdx.x * blockDim.x);
	float sum = 0;

#pragma unroll 1
	for (int k = rows[t]; k < rows[t + 1]; k++)
		sum += x[columns[k]];
#pragma unroll 1
	for (int k = 0; k < 9; k++)
		sum += x[columns[k * n + t]];
	sum += x[columns[2 * t]];
	sum *= x[columns[2 * t + 1]];
#pragma unroll 1
	for (int k = t; k < n; k += (int)(blockDim.x * gridDim.x))
		sum += x[columns[k]];
	out[t] = sum + x[columns[t]];
}

// Of one loop in another the text says which one is meant.
// CHECK: {{^}}nest [[@LINE+7]] load affine{{.*}}*(iteration of address_classes.hip:[[@LINE+5]]) + {{.*}}(iteration of address_classes.hip:[[@LINE+6]])
extern "C" __global__ void nest(float *out, const float *in, int n, int m, int pitch)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			sum += in[(i * m + j) * pitch + threadIdx.x * pitch];
	out[threadIdx.x] = sum;
}

// What is divided by is in parentheses, also a product.
// CHECK: {{^}}quotients [[@LINE+6]] load {{.*}} in + 4*(threadIdx.x / (a*b)){{$}}
// CHECK: {{^}}quotients [[@LINE+6]] load {{.*}} in + 4*(threadIdx.x / (gridDim.x*blockDim.x)){{$}}
// CHECK: {{^}}quotients [[@LINE+6]] load {{.*}} in + 4*(threadIdx.x % (a*b)){{$}}
// CHECK: {{^}}quotients [[@LINE+6]] load {{.*}} in + 4*(a*threadIdx.x / b){{$}}
extern "C" __global__ void quotients(float *out, const float *in, unsigned a, unsigned b)
{
	out[0] += in[threadIdx.x / (a * b)];
	out[1] += in[threadIdx.x / (gridDim.x * blockDim.x)];
	out[2] += in[threadIdx.x % (a * b)];
	out[3] += in[a * threadIdx.x / b];
}

// What callers hand to a function may have been loaded, except for what the function itself does with it.
// CHECK: {{^}}handed [[@LINE+6]] load unknown
// CHECK: {{^}}handed [[@LINE+6]] load unknown
// CHECK: {{^}}handed [[@LINE+6]] load wrapped
// CHECK: {{^}}handed [[@LINE+6]] load gather {{.*}} from [[@LINE+6]]
extern "C" __device__ __attribute__((noinline)) float handed(const float *in, const int *ix, int i)
{
	return in[i] +
	       in[threadIdx.x] +
	       in[i % 12] +
	       in[ix[i]];
}

extern "C" __global__ void hands(float *out, const float *in, const int *ix, const int *own)
{
	out[threadIdx.x] = handed(in, ix, own[threadIdx.x]);
}

// A vectorised loop rounds the number of its iterations down, and the rest of it begins there; the source has no remainder.
// CHECK-NOT: {{^}}vectorised {{[0-9]+}} load wrapped
// CHECK: {{^}}rounded [[@LINE+18]] load computed
// CHECK: {{^}}rounded [[@LINE+18]] load gather
// CHECK: {{^}}rounded [[@LINE+18]] load wrapped
extern "C" __global__ void vectorised(float *out, const float *in, int pitch, int n)
{
	extern __shared__ float tile[];
	unsigned x = threadIdx.x, y = threadIdx.y;

	for (unsigned r = y; r < 32; r += blockDim.y)
		tile[r * pitch + x] = in[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + x];
	__syncthreads();
	for (unsigned r = y; r < 32; r += blockDim.y)
		out[(blockIdx.x * 32 + r) * n + blockIdx.y * 32 + x] = tile[x * pitch + r];
}

extern "C" __global__ void rounded(float *out, const float *in, const int *ix, int n)
{
	int t = (int)threadIdx.x * n;
	out[0] = in[t & ~7];
	out[1] = in[ix[t] & ~7];
	out[2] = in[(t & ~7) % 12];
}

// Of several loads that may give the index, none is named.
// CHECK: {{^}}branches [[@LINE+18]] load gather in + 4*(a variable){{ *$}}
// CHECK: {{^}}branches [[@LINE+18]] load gather {{.*}} from [[@LINE+18]]
// CHECK: {{^}}branches [[@LINE+18]] load gather {{.*\) *$}}
extern "C" __global__ void branches(float *out, const float *in, const int *ix, const int *other, int n)
{
	int t = (int)(threadIdx.x + blockIdx.x * blockDim.x), at;

	switch (n) {
	case 1:
		at = ix[t];
		break;
	case 2:
		at = other[t] + 1;
		break;
	default:
		at = t;
		break;
	}
	out[t] = in[at];
	out[t] += in[ix[t] + 7];
	out[t] += in[ix[t + 9] +
		other[t - 2]];
}
