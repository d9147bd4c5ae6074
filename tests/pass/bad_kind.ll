; SPDX-License-Identifier: MIT
; An unknown kind stops the compilation and is named; a known one alone makes one clone.
; RUN: not env PROBE_KINDS=speed %probe -mcpu=gfx90a %S/clones.ll 2>&1 | FileCheck --check-prefix=BAD %s
; RUN: env PROBE_KINDS=trace %probe -mcpu=gfx90a %S/clones.ll | FileCheck --check-prefix=ONE %s
; BAD: speed
; ONE-NOT: @__probe_memory_copy
; ONE: define {{.*}}@__probe_trace_copy(
