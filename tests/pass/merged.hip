// SPDX-License-Identifier: MIT
// Accesses that the back end merges are one site.
//
// RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory %hip_probe -O2 -g %s -o %t 2>&1 | FileCheck %s
// RUN: %hip_plain -O2 %s -S -o - | FileCheck %s -check-prefix MACHINE
// RUN: python3 %S/address_classes.py %t | FileCheck %s -check-prefix LINES
// CHECK: probe: {{.*}}: 4 kernels, 11 sites
#include <hip/hip_runtime.h>

// Loads of 8 and 4 bytes, of which SILoadStoreOptimizer makes one.
// MACHINE-LABEL: three:
// MACHINE: global_load_dwordx3
// MACHINE-NOT: global_load
// MACHINE: global_store_dwordx3
// MACHINE-NOT: global_store
// MACHINE: s_endpgm
extern "C" __global__ void three(float3 *out, const float3 *in)
{
	float3 v = in[threadIdx.x];

	out[threadIdx.x] = make_float3(v.x + v.y, v.y + v.z, v.z + v.x);
}

// Of three bytes, the vectoriser makes one store at the end of the function, and instruction selection two of it,
// which have the lines of what they store.
// LINES: {{^}}bytes [[@LINE+11]] store affine out + 3*threadIdx.x{{$}}
// LINES: {{^}}bytes [[@LINE+12]] store affine out + 3*threadIdx.x + 2{{$}}
// MACHINE-LABEL: bytes:
// MACHINE-DAG: global_store_short
// MACHINE-DAG: global_store_byte
// MACHINE-NOT: global_store
// MACHINE: s_endpgm
extern "C" __global__ void bytes(unsigned char *out, int n, unsigned char c)
{
	if ((int)threadIdx.x >= n)
		return;
	out[threadIdx.x * 3 + 0] = c;
	out[threadIdx.x * 3 + 1] = c / 2;
	out[threadIdx.x * 3 + 2] = c + 1;
}

// A store between the loads may change what the second one reads.
extern "C" __global__ void between(float *out, const float *in)
{
	float2 v = *(const float2 *)(in + 4 * threadIdx.x);

	out[threadIdx.x] = v.x + v.y;
	out[threadIdx.x + 64] = in[4 * threadIdx.x + 2];
}

// Parts of a load that was merged and divided have the lines of what they load.
// LINES: {{^}}rgb [[@LINE+9]] load affine in + 3*threadIdx.x{{$}}
// LINES: {{^}}rgb [[@LINE+10]] load affine in + 3*threadIdx.x + 2{{$}}
// MACHINE-LABEL: rgb:
// MACHINE: global_load_ushort
// MACHINE: global_load_ubyte
// MACHINE-NOT: global_load
// MACHINE: s_endpgm
extern "C" __global__ void rgb(unsigned char *out, const unsigned char *in)
{
	int r = in[3 * threadIdx.x];
	int g = in[3 * threadIdx.x + 1];
	int b = in[3 * threadIdx.x + 2];

	out[threadIdx.x] = (unsigned char)((r * 77 + g * 151 + b * 28) >> 8);
}
