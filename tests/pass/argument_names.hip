// SPDX-License-Identifier: MIT
// Expressions name arguments as the source does, also where optimisations and the ABI changed which there are.
//
// RUN: %hip_probe -O2 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
// RUN: %hip_probe -O2 %s -o %t.plain
// RUN: python3 %S/address_classes.py %t.plain | FileCheck %s --check-prefix=PLAIN
#include <hip/hip_runtime.h>

#define NOINLINE __device__ __attribute__((noinline))

// Arguments that are not used are removed.
// CHECK-DAG: {{^}}_Z5storePfiiii [[@LINE+2]] store {{.*}}o + 4*col + 4*{{pitch\*row|row\*pitch}}{{$}}
// PLAIN-DAG: {{^}}_Z5storePfiiii {{.*}} (an argument) + 4*(an argument) + 4*(an argument)*(an argument){{$}}
NOINLINE void store(float *o, int unused, int pitch, int col, int row) { o[row * pitch + col] = 1; }

// Another argument is assigned to one, which was removed.
// CHECK-DAG: {{^}}_Z8assignedPfiiii [[@LINE+1]] store {{.*}}o + 4*z + 4*{{y\*w|w\*y}}{{$}}
NOINLINE void assigned(float *o, int x, int y, int z, int w) { x = y; o[x * w + z] = 1; }

// What a reference refers to is loaded.
// CHECK-DAG: {{^}}_ZL8referredPfiRKiii [[@LINE+1]] store {{.*}}o + 4*col + 4*row*(load at
NOINLINE static void referred(float *o, int unused, const int &pitch, int col, int row) { o[row * pitch + col] = 1; }

// A struct that is returned is the first argument, and `this` the next one.
struct large { float v[40]; };
struct image {
	float *p;
	int w, h;

	// CHECK-DAG: {{^}}_ZNK5image4areaEiii [[@LINE+5]] store {{.*}} ret
	// CHECK-DAG: {{^}}_ZNK5image4areaEiii [[@LINE+6]] load {{.*}} this
	// CHECK-DAG: {{^}}_ZNK5image4areaEiii [[@LINE+5]] load {{.*}} + 4*(100*y + x)
	NOINLINE large area(int unused, int x, int y) const
	{
		large ret = {};

		ret.v[x & 31] = p[y * 100 + x];
		return ret;
	}
};

// A struct that is passed in parts.
// CHECK-DAG: {{^}}_Z5parts5imageii [[@LINE+1]] store {{.*}}(an argument) + 4*col + 4*(an argument)*row{{$}}
NOINLINE void parts(image i, int col, int row) { i.p[i.w * row + col] = 1; }

// A kernel's arguments keep their positions.
struct empty {};
// CHECK-DAG: {{^}}kernel [[@LINE+8]] store {{.*}}o + 4*{{n\*threadIdx.x|threadIdx.x\*n}}{{$}}
extern "C" __global__ void kernel(empty e, float *unused, float *o, int n, image i)
{
	int x = threadIdx.x, y = threadIdx.y;

	store(o, 7, n, y, x);
	assigned(o, n, x, y, n + 1);
	referred(o, 7, n, y, x);
	o[n * x] = i.area(n, x, y).v[n & 31];
	parts(i, x, y);
}
