// SPDX-License-Identifier: MIT
// Where the pass itself crashes, everything else is compiled with probes, too. Signals 6 and 11 are those of an abort and of a
// segmentation fault; 9 leaves no word of where it was.
//
// RUN: cc -shared -fPIC -O0 -w -I%llvm/../include %S/Inputs/crash.c -o %t.so -ldl
// RUN: rm -f %t.o
// RUN: env LD_PRELOAD=%t.so CRASH_AT=__probe_trace_one CRASH_BY=overflow PROBE_KINDS=trace,count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=KIND --implicit-check-not=warning --implicit-check-not=error <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=ONE
// RUN: rm -f %t.o
// RUN: env LD_PRELOAD=%t.so CRASH_AT=__probe_base_one CRASH_BY=6 PROBE_KINDS=trace,count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=BASE --implicit-check-not=warning --implicit-check-not=error <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=NONE
// RUN: rm -f %t.o
// RUN: env LD_PRELOAD=%t.so CRASH_AT=__probe_count_one CRASH_BY=9 PROBE_KINDS=count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=KILL --implicit-check-not=warning --implicit-check-not=error <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=PLAIN
// The same where the linker generates the code.
// RUN: %hip_plain -fgpu-rdc -emit-llvm %s -O2 -o %t.bc
// RUN: env LD_PRELOAD=%t.so CRASH_AT=__probe_trace_one CRASH_BY=11 PROBE_KINDS=trace,count %llvm/lld -flavor gnu -shared -plugin-opt=mcpu=gfx90a --load-pass-plugin=%plugin %t.bc -o %t.out 2>%t.err
// RUN: FileCheck %s --check-prefix=KIND <%t.err
// RUN: %llvm/llvm-nm %t.out | FileCheck %s --check-prefix=ONE
// KIND: probe: warning: kernel one is compiled without probes of kind trace: Probe's pass crashed (signal 11); please report this
// ONE-NOT: __probe_trace_one
// ONE: __probe_count_one
// ONE-NOT: __probe_trace_one
// ONE: __probe_trace_two
// BASE: probe: warning: kernel one is compiled without probes of kind trace: Probe's pass crashed (signal 6); please report this
// BASE: probe: warning: kernel one is compiled without probes of kind count: Probe's pass crashed (signal 6); please report this
// NONE-NOT: __probe_{{.*}}_one
// NONE: __probe_count_two
// NONE: __probe_trace_two
// NONE: one
// KILL: probe: warning: all kernels are compiled without probes: the compiler ended by signal 9
// PLAIN-NOT: __probe_count
// PLAIN: one
#include <hip/hip_runtime.h>

extern "C" __global__ void one(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void two(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x] * 2;
}
