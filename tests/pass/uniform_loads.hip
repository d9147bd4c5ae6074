// SPDX-License-Identifier: MIT
// What all lanes load from one address is like an argument, and not the index of a gather. These
// functions are handed the other part of the index, so nothing is known of it as a whole.
//
// RUN: %hip_probe -O2 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
#include <hip/hip_runtime.h>

#define NOINLINE __device__ __attribute__((noinline))

// A pitch, and a pointer, that are members of a kernel's argument.
struct image {
	float *p;
	int w;

	// CHECK-DAG: {{^}}_ZN5image3putEiif [[@LINE+1]] store unknown {{.*}}(load at
	NOINLINE void put(int x, int y, float v) { p[y * w + x] = v; }
	// CHECK-DAG: {{^}}_ZNK5image3getEii [[@LINE+1]] load unknown {{.*}}(load at
	NOINLINE float get(int x, int y) const { return p[y * w + x]; }
};

extern "C" __global__ void members(image a, image b)
{
	int x = threadIdx.x, y = threadIdx.y;

	b.put(y, x, a.get(x, y));
}

// A pitch in memory of the device, by address and as one of several.
// CHECK-DAG: {{^}}_ZL7pitchedPKfPKii [[@LINE+1]] load unknown {{.*}}(load at
NOINLINE static float pitched(const float *in, const int *pitch, int x) { return in[*pitch * x]; }
// CHECK-DAG: {{^}}_ZL6levelsPKfPKiii [[@LINE+1]] load unknown {{.*}}(load at
NOINLINE static float levels(const float *in, const int *pitch, int level, int x) { return in[pitch[level + 1] * x]; }
// CHECK-DAG: {{^}}_ZL5nestsPPK5imagei [[@LINE+1]] load unknown {{.*}}(load at
NOINLINE static float nests(const image **a, int x) { return a[2]->p[x * a[1]->w]; }

extern "C" __global__ void pitches(const float *in, float *out, const int *pitch, const image **a)
{
	int x = threadIdx.x;

	out[x] = pitched(in, pitch + blockIdx.x, x) + levels(in, pitch, blockIdx.x, x) + nests(a, x);
}

// An index of each lane's own is a gather, also if a caller makes it one.
// CHECK-DAG: {{^}}_ZL8gatheredPKfPKi [[@LINE+1]] load gather {{.*}} from
NOINLINE static float gathered(const float *in, const int *index) { return in[*index]; }
// CHECK-DAG: {{^}}_ZL7indexedPKfPKii [[@LINE+1]] load gather {{.*}} from
NOINLINE static float indexed(const float *in, const int *index, int x) { return in[index[x]]; }

extern "C" __global__ void gathers(const float *in, float *out, const int *index)
{
	int x = threadIdx.x;

	out[x] = gathered(in, index + x) + indexed(in, index, x);
}

// Links are followed by each lane on its own.
struct node { node *next; int at; };
// CHECK-DAG: {{^}}_ZL5chasePK4nodei [[@LINE+4]] load chase {{.*}} from
NOINLINE static int chase(const node *from, int n)
{
	for (int i = 0; i < n; i++)
		from = from->next;
	return from->at;
}

extern "C" __global__ void chases(const node *nodes, int *out, int n) { out[threadIdx.x] = chase(nodes + threadIdx.x, n); }

// It depends on the contents of each lane's private memory, or on calls that are not known.
struct ray {
	int at, w;
	float *p;

	// CHECK-DAG: {{^}}_ZNK3ray4castEi [[@LINE+1]] load unknown {{.*}}(load at
	NOINLINE float cast(int x) const { return p[at * w + x]; }
};

extern "C" __global__ void rays(float *out, float *in, int w)
{
	ray own = {(int)(threadIdx.x * threadIdx.x), w, in};

	out[threadIdx.x] = own.cast(blockIdx.x);
}

// CHECK-DAG: {{^}}_Z9elsewherePKfPKii [[@LINE+1]] load unknown {{.*}}(load at
NOINLINE float elsewhere(const float *in, const int *pitch, int x) { return in[*pitch * x]; }

__device__ float (*pointer)(const float *in, const int *pitch, int x) = elsewhere;

extern "C" __global__ void calls(const float *in, float *out, const int *pitch)
{
	out[threadIdx.x] = elsewhere(in, pitch, threadIdx.x);
}
