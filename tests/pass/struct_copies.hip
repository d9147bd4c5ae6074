// SPDX-License-Identifier: MIT
// The rest of a struct that is copied as a whole is part of 16 bytes that overlap the ones before.
//
// RUN: %hip_probe -O2 -g %s -o %t
// RUN: python3 %S/address_classes.py %t | FileCheck %s
// RUN: %hip_plain -O2 %s -S -o - | FileCheck %s -check-prefix MACHINE
#include <hip/hip_runtime.h>

template <int words> struct words_of {
	int word[words];
};

// CHECK: {{^}}twenty [[@LINE+11]] load affine in + 20*threadIdx.x{{$}}
// CHECK-NEXT: twenty [[@LINE+10]] store affine out + 20*threadIdx.x{{$}}
// CHECK-NEXT: twenty [[@LINE+9]] load affine in + 20*threadIdx.x + 16{{$}}
// CHECK-NEXT: twenty [[@LINE+8]] store affine out + 20*threadIdx.x + 16{{$}}
// MACHINE-LABEL: twenty:
// MACHINE-DAG: global_load_dwordx4
// MACHINE-DAG: global_load_dword {{.*}}offset:16
// MACHINE-NOT: global_load
// MACHINE: s_endpgm
extern "C" __global__ void twenty(words_of<5> *out, const words_of<5> *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}

// CHECK: {{^}}twenty_four [[@LINE+11]] load affine in + 24*threadIdx.x{{$}}
// CHECK-NEXT: twenty_four [[@LINE+10]] store affine out + 24*threadIdx.x{{$}}
// CHECK-NEXT: twenty_four [[@LINE+9]] load affine in + 24*threadIdx.x + 8{{$}}
// CHECK-NEXT: twenty_four [[@LINE+8]] store affine out + 24*threadIdx.x + 8{{$}}
// MACHINE-LABEL: twenty_four:
// MACHINE-DAG: global_load_dwordx4 {{.*}}off{{ *$}}
// MACHINE-DAG: global_load_dwordx4 {{.*}}offset:8
// MACHINE-NOT: global_load
// MACHINE: s_endpgm
extern "C" __global__ void twenty_four(words_of<6> *out, const words_of<6> *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}

// CHECK: {{^}}twenty_eight [[@LINE+11]] load affine in + 28*threadIdx.x{{$}}
// CHECK-NEXT: twenty_eight [[@LINE+10]] store affine out + 28*threadIdx.x{{$}}
// CHECK-NEXT: twenty_eight [[@LINE+9]] load affine in + 28*threadIdx.x + 12{{$}}
// CHECK-NEXT: twenty_eight [[@LINE+8]] store affine out + 28*threadIdx.x + 12{{$}}
// MACHINE-LABEL: twenty_eight:
// MACHINE-DAG: global_load_dwordx4 {{.*}}off{{ *$}}
// MACHINE-DAG: global_load_dwordx4 {{.*}}offset:12
// MACHINE-NOT: global_load
// MACHINE: s_endpgm
extern "C" __global__ void twenty_eight(words_of<7> *out, const words_of<7> *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}
