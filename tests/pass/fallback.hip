// SPDX-License-Identifier: MIT
// A kernel whose clone the compiler makes no code for is compiled without it, and everything else with probes.
//
// RUN: env PROBE_KINDS=trace,count %hip_probe %s -O2 -o %t.o 2>%t.err
// RUN: FileCheck %s --check-prefix=WARN <%t.err
// RUN: %llvm/llvm-nm %t.o | FileCheck %s --check-prefix=CLONES
// Output is written once, whatever failed before.
// RUN: env PROBE_KINDS=trace %hip_asm %s -O2 -o - 2>/dev/null >%t.s
// RUN: FileCheck %s --check-prefix=TEXT <%t.s
// RUN: env PROBE_FALLBACK=0 PROBE_KINDS=trace not %hip_probe %s -O2 -o %t.o 2>&1 | FileCheck %s --check-prefix=ERROR
// Nothing of this changes what is an error of the program.
// RUN: env PROBE_KINDS=trace not %hip_probe %s -O2 -DWRONG -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// WARN: warning: kernel hungry is compiled without probes of kind trace: inline assembly requires more registers
// WARN-NOT: error
// CLONES-NOT: __probe_trace_hungry
// CLONES: __probe_trace_usual
// TEXT-COUNT-3: .amdhsa_kernel {{(usual|hungry|__probe_trace_usual)}}
// TEXT-NOT: .amdhsa_kernel
// ERROR: error: inline assembly requires more registers
// WRONG: error: invalid instruction
// WRONG-NOT: PLEASE submit
#include <hip/hip_runtime.h>

typedef const int __attribute__((address_space(4))) *constant_int;

#define TEN(i) "s"(in[i]), "s"(in[i + 1]), "s"(in[i + 2]), "s"(in[i + 3]), "s"(in[i + 4]), "s"(in[i + 5]), \
	"s"(in[i + 6]), "s"(in[i + 7]), "s"(in[i + 8]), "s"(in[i + 9])

extern "C" __global__ void usual(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x];
#ifdef WRONG
	asm volatile("no_such_instruction");
#endif
}

// Eighty scalar registers at once, of 102. Those of a wave that is traced are 16 fewer.
extern "C" __global__ void hungry(int *out, constant_int in)
{
	asm volatile("s_nop 0" : : TEN(0), TEN(10), TEN(20), TEN(30), TEN(40), TEN(50), TEN(60), TEN(70));
	out[threadIdx.x] = 0;
}
