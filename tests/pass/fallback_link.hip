// SPDX-License-Identifier: MIT
// The same as fallback.hip where the linker generates the code, in a process with several threads.
//
// RUN: %hip_plain -fgpu-rdc -emit-llvm %s -O2 -o %t.bc
// RUN: env PROBE_KINDS=trace,count %llvm/lld -flavor gnu -shared -plugin-opt=mcpu=gfx90a --load-pass-plugin=%plugin %t.bc -o %t.so 2>%t.err
// RUN: FileCheck %s --check-prefix=WARN <%t.err
// RUN: %llvm/llvm-nm %t.so | FileCheck %s --check-prefix=CLONES
// RUN: env PROBE_FALLBACK=0 PROBE_KINDS=trace not %llvm/lld -flavor gnu -shared -plugin-opt=mcpu=gfx90a --load-pass-plugin=%plugin %t.bc -o %t.so 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %hip_plain -fgpu-rdc -emit-llvm %s -O2 -DWRONG -o %t.bc
// RUN: env PROBE_KINDS=trace not %llvm/lld -flavor gnu -shared -plugin-opt=mcpu=gfx90a --load-pass-plugin=%plugin %t.bc -o %t.so 2>&1 | FileCheck %s --check-prefix=WRONG
// WARN: warning: kernel hungry is compiled without probes of kind trace: inline assembly requires more registers
// WARN-NOT: error
// CLONES-NOT: __probe_trace_hungry
// CLONES: __probe_count_hungry
// CLONES-NOT: __probe_trace_hungry
// CLONES: __probe_trace_usual
// ERROR: error: inline assembly requires more registers
// WRONG: error: {{.*}}invalid instruction
// WRONG-NOT: PLEASE submit
#include "fallback.hip"
