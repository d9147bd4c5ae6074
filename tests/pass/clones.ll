; SPDX-License-Identifier: MIT
; A kernel gets a clone per kind with one more pointer argument; the original has no probe; the
; site table is emitted; the module verifies.
; RUN: %probe -mcpu=gfx90a %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK: @__probe_sites = {{.*}}section ".probe_sites"
; CHECK-LABEL: define {{.*}}@copy(
; CHECK-NEXT: load i32
; CHECK-NEXT: store i32
; CHECK-NEXT: ret void
; CHECK-DAG: define {{.*}}@__probe_memory_copy({{.*}}, ptr addrspace(4)
; CHECK-DAG: define {{.*}}@__probe_trace_copy({{.*}}, ptr addrspace(4)
define amdgpu_kernel void @copy(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %v = load i32, ptr addrspace(1) %in, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
