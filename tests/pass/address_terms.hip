// SPDX-License-Identifier: MIT
// The terms of addresses, for advice.
//
// RUN: %hip_probe -O3 -g %s -o %t
// RUN: python3 %S/address_terms.py %t | FileCheck %s
#include <hip/hip_runtime.h>

// A product of two arguments.
// CHECK: {{^}}volume [[@LINE+5]] load 4*group.z*size 4*item.x*value 4*item.y*value 4*item.z{{$}}
extern "C" __global__ void volume(float *out, const float *in, int nx, int ny)
{
	int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z + blockIdx.z * blockDim.z;

	out[threadIdx.x] = in[(x * ny + y) * nx + z];
}

// A size in the code, and one of the launch; a step of a loop.
// CHECK: {{^}}literal [[@LINE+9]] store 4*group.x*size 4*item.x{{$}}
// CHECK: {{^}}literal [[@LINE+7]] load 4*item.x 4*loop*value 64*group.x{{$}}
extern "C" __global__ void literal(float *out, const float *in, int n, int ld)
{
	float sum = 0;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		sum += in[blockIdx.x * 16 + threadIdx.x + i * ld];
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Quotients and the like count elements of a step, but are not the id.
// CHECK: {{^}}parts [[@LINE+5]] load 4*item.x*value*part 512*item.x*part{{$}}
extern "C" __global__ void parts(float *out, const float *in)
{
	unsigned t = threadIdx.x;

	out[t] = in[t / 5 * 128 + (t ^ 3)];
}

// A member of a struct, by an index that was loaded; and the first one, whose own index is 0. All of a struct is none.
// CHECK: {{^}}member [[@LINE+10]] load member 24*value{{$}}
// CHECK: {{^}}member [[@LINE+10]] load member 24*item.x{{$}}
// CHECK: {{^}}member [[@LINE+9]] store 8*item.x{{$}}
struct Pair {
	double a, b;
	int c;
};
extern "C" __global__ void member(double *out, const Pair *in, const int *index)
{
	unsigned t = threadIdx.x;
	double b = in[index[t]].b;
	out[t] = b + in[t].a;
}

// CHECK: {{^}}whole [[@LINE+3]] load 4*item.x{{$}}
extern "C" __global__ void whole(HIP_vector_type<float, 1> *out, const HIP_vector_type<float, 1> *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}

// Where a pointer or an index moves in a way that is no sum, nothing is known.
// CHECK: {{^}}walk [[@LINE+7]] load 0*loop*unknown{{$}}
extern "C" __global__ void walk(float *out, const int *in, int n)
{
	int at = threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		at = in[at * 4 + (at > 3)];
	out[threadIdx.x] = (float)at;
}

// One of two pointers, which has no step.
// CHECK: {{^}}either [[@LINE+3]] load 8*item.x{{$}}
extern "C" __global__ void either(double *out, const double *a, const double *b, int n)
{
	out[threadIdx.x] = (n ? a : b)[threadIdx.x];
}

// An index of 32 bits that wraps, like a hash.
// CHECK: {{^}}hash [[@LINE+3]] load 4*item.x*part{{$}}
extern "C" __global__ void hash(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x * 2654435761u & 255];
}

// Arrays that are members of an argument: their pointers may be loaded as one vector.
// CHECK: {{^}}members [[@LINE+5]] load 4*item.x{{$}}
// CHECK: {{^}}members [[@LINE+4]] store 8*item.x{{$}}
struct Arrays { float *out; const float *in; };
extern "C" __global__ void members(Arrays arrays)
{
	arrays.out[2 * threadIdx.x] = arrays.in[threadIdx.x];
}

// The same of a size.
// CHECK: {{^}}pitched [[@LINE+8]] load 4*item.x 4*item.y*value{{$}}
// CHECK: {{^}}pitched [[@LINE+7]] store 4*item.x*value 4*item.y{{$}}
struct Matrix { float *at; int width, height; };
extern "C" __global__ void pitched(Matrix a, Matrix b)
{
	int x = threadIdx.x, y = threadIdx.y;

	if (x < a.width && y < a.height)
		b.at[x * b.width + y] = a.at[y * a.width + x];
}

// Of two iterations the compiler makes a flag; the address changes with it.
// CHECK: {{^}}twice [[@LINE+8]] load 0*loop*unknown{{$}}
extern "C" __global__ void twice(float *out, const float *in, int pitch)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

#pragma unroll 1
	for (int k = 0; k < 2; k++)
		sum += in[t * pitch + k];
	out[t] = sum;
}

// What callers hand to a function may be another value in each lane: the index, a factor of it, or the pointer.
// CHECK-DAG: {{^}}index [[@LINE+3]] store 0*unknown{{$}}
extern "C" __device__ __attribute__((noinline)) void index(float *out, int at)
{
	out[at] = 1;
}

// CHECK-DAG: {{^}}factor [[@LINE+3]] store 0*unknown{{$}}
extern "C" __device__ __attribute__((noinline)) void factor(float *out, int pitch)
{
	out[threadIdx.x * pitch] = 2;
}

// CHECK-DAG: {{^}}pointer [[@LINE+3]] store 0*unknown{{$}}
extern "C" __device__ __attribute__((noinline)) void pointer(float *out)
{
	out[threadIdx.y] = 3;
}

extern "C" __global__ void calls(float *out, int pitch)
{
	index(out, threadIdx.x * pitch + threadIdx.y);
	factor(out, threadIdx.y);
	pointer(out + threadIdx.x * pitch);
}
