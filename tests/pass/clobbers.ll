; SPDX-License-Identifier: MIT
; Clobber lists are short, because LLVM looks up each name: tuples of four registers, in kernels one for the scalar
; registers of calls, which has s32 in it (it is reserved, and takes no time), and vcc and scc as outputs that
; nothing reads. A result that other blocks may read is extracted at once. All asm blocks share one user of a function. The back end accepts them, and moves the work-item id out of their way.
; RUN: env PROBE_KINDS=memory %probe -mcpu=gfx90a %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %llvm/llc -mcpu=gfx90a -O3 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefix=CODE %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: define {{.*}}@__probe_memory_gather(
; CHECK-NOT: ~{{[{](vcc|scc)[}]}}
; CHECK: [[ALL:%.*]] = call { i64, i1 } asm sideeffect "s_getpc_b64 {{.*}}"{{ *}}, "={s[28:29]},=&{scc},i"(i64 ptrtoint (ptr @__probe_dev_memory_first_20104 to i64))
; CHECK-NEXT: [[ADDRESS:%.*]] = extractvalue { i64, i1 } [[ALL]], 0
; CHECK-NEXT: call i64 asm "", "=s,0"(i64 [[ADDRESS]])
; CHECK-NOT: ~{{[{](vcc|scc)[}]}}
; CHECK: call { i1, i1 } asm sideeffect "{{.*}}"{{ *}}, "=&{vcc},=&{scc},v,s,s,~{s[4:35]},~{v0},~{v1},{{.*}}~{v19}"(
; CHECK-NOT: ~{{[{](vcc|scc)[}]}}
; CHECK: ret void
; CODE-LABEL: __probe_memory_gather:
; CODE: v_mov_b32_e32 v{{2[0-9]|3[0-9]}}, v0
; CODE: s_swappc_b64 s[30:31]
define amdgpu_kernel void @gather(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(1) %index, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %less = icmp slt i32 %id, %n
  %at = getelementptr i32, ptr addrspace(1) %index, i32 %id
  %i = load i32, ptr addrspace(1) %at, align 4
  %from = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %value = load i32, ptr addrspace(1) %from, align 4
  %which = select i1 %less, i32 %value, i32 7
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %id
  store i32 %which, ptr addrspace(1) %to, align 4
  ret void
}
