; SPDX-License-Identifier: MIT
; Sizes of workgroups as hidden arguments (code object 5 and later). Before version 5 other values
; were at these offsets, which says nothing about the launch.
; RUN: env PROBE_VERBOSE=2 %probe %s -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck --check-prefix=TEXT %s < %t.ll
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

; CHECK: of rows: U +4*x +0+4*launch16@4*y, wraps 0{{$}}
; TEXT: a + 4*(blockDim.x*threadIdx.y + threadIdx.x)
define amdgpu_kernel void @rows(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %at = getelementptr i8, ptr addrspace(4) %hidden, i64 12
  %size = load i16, ptr addrspace(4) %at
  %pitch = zext i16 %size to i32
  %row = mul i32 %y, %pitch
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; The part of the grid after its last complete workgroup is no size of all workgroups.
; CHECK: of remainder: measured
define amdgpu_kernel void @remainder(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %at = getelementptr i8, ptr addrspace(4) %hidden, i64 18
  %size = load i16, ptr addrspace(4) %at
  %pitch = zext i16 %size to i32
  %row = mul i32 %y, %pitch
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; CHECK: of before: measured
define amdgpu_kernel void @before(ptr addrspace(1) %a) #1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %at = getelementptr i8, ptr addrspace(4) %hidden, i64 12
  %size = load i16, ptr addrspace(4) %at
  %pitch = zext i16 %size to i32
  %row = mul i32 %y, %pitch
  %i = add i32 %row, %x
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; The number of workgroups: the address in each lane follows from the launch.
; CHECK: (1 with proved strides, 2 counted by them)
; TEXT: a + 4*(gridDim.x*threadIdx.x + blockIdx.x)
define amdgpu_kernel void @columns(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %groups = load i32, ptr addrspace(4) %hidden
  %column = mul i32 %x, %groups
  %i = add i32 %column, %group
  %wide = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %wide
  store float 0.0, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-implicitarg-num-bytes"="256" "uniform-work-group-size"="true" }
attributes #1 = { "target-cpu"="gfx90a" "amdgpu-implicitarg-num-bytes"="56" "uniform-work-group-size"="true" }
!0 = !{i32 0, i32 1024}
