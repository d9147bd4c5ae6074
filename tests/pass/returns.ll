; SPDX-License-Identifier: MIT
; Lanes that leave a kernel apart meet at one return, where the trace kind releases the wave's ring; a
; wave that ends in the middle releases it there.
;
; RUN: env PROBE_KINDS=trace %probe %s | FileCheck %s
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @two(ptr addrspace(1) %p) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %id to i1
  br i1 %odd, label %a, label %b
a:
  store i32 1, ptr addrspace(1) %p
  ret void
b:
  store i32 2, ptr addrspace(1) %p
  ret void
}

define amdgpu_kernel void @early(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  call void @llvm.amdgcn.endpgm()
  unreachable
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.endpgm()

; CHECK-LABEL: @__probe_trace_two(
; CHECK-COUNT-1: ret void
; CHECK-NOT: ret void
; CHECK-LABEL: @__probe_trace_early(
; CHECK: store i32 1, ptr addrspace(1) %p
; CHECK: s_endpgm
; CHECK: s_add_u32 vcc_lo, vcc_lo, __probe_dev_trace_exit_slow_0@rel32@lo+4
; CHECK: call void @llvm.amdgcn.endpgm()
; CHECK-LABEL: define internal void @__probe_dev_trace_exit_slow_0(
; CHECK: store atomic i64 {{.*}} syncscope("agent") release
