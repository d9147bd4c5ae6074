; SPDX-License-Identifier: MIT
; An index of a vector that is added to a constant expression gets a scalar definition. Such a vector has no
; elements that are constants themselves, only expressions.
; RUN: env PROBE_KINDS=memory %probe -mcpu=gfx90a %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@table = addrspace(1) global [4 x i32] zeroinitializer

; CHECK-LABEL: define {{.*}}@__probe_memory_shifted(
; CHECK-NOT: add <2 x i32>
; CHECK: add i32 {{.*}}extractelement (<2 x i32>
; CHECK-NOT: add <2 x i32>
; CHECK: store i32
define amdgpu_kernel void @shifted(ptr addrspace(1) %out, <2 x i32> %index) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %both = insertelement <2 x i32> %index, i32 %lane, i64 0
  %sum = add <2 x i32> %both, bitcast (i64 ptrtoint (ptr addrspace(1) @table to i64) to <2 x i32>)
  %first = extractelement <2 x i32> %sum, i64 0
  %second = extractelement <2 x i32> %sum, i64 1
  %wide = zext i32 %first to i64
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  store i32 %second, ptr addrspace(1) %at, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
