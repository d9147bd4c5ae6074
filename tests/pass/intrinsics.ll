; SPDX-License-Identifier: MIT
; Intrinsics that access memory: each is a site, or two where it moves from memory to LDS. No marker
; stays, and the intrinsics do.
;
; RUN: env PROBE_VERBOSE=1 PROBE_KINDS=trace %probe -mcpu=gfx90a %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=COUNT %s < %t.err
; COUNT: 4 kernels, 20 sites{{.*}}, 2 accesses not covered
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK-NOT: __probe_access_
define amdgpu_kernel void @buffers(<4 x i32> %r, i32 %i, i32 %o, i32 %s) {
  %a = call <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32> %r, i32 %o, i32 %s, i32 0)
  call void @llvm.amdgcn.raw.buffer.store.v4f32(<4 x float> %a, <4 x i32> %r, i32 %o, i32 %s, i32 0)
  %b = call i32 @llvm.amdgcn.struct.buffer.load.i32(<4 x i32> %r, i32 %i, i32 %o, i32 %s, i32 0)
  call void @llvm.amdgcn.struct.buffer.store.i32(i32 %b, <4 x i32> %r, i32 %i, i32 %o, i32 %s, i32 0)
  %c = call i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32 %b, <4 x i32> %r, i32 %o, i32 %s, i32 0)
  %d = call i32 @llvm.amdgcn.struct.buffer.atomic.cmpswap.i32(i32 %b, i32 %c, <4 x i32> %r, i32 %i, i32 %o, i32 %s, i32 0)
  ret void
}

define amdgpu_kernel void @to_lds(ptr addrspace(1) %g, ptr addrspace(3) %l, <4 x i32> %r, i32 %i) {
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, ptr addrspace(3) %l, i32 4, i32 16, i32 0)
  call void @llvm.amdgcn.raw.buffer.load.lds(<4 x i32> %r, ptr addrspace(3) %l, i32 4, i32 %i, i32 0, i32 8, i32 0)
  call void @llvm.amdgcn.struct.buffer.load.lds(<4 x i32> %r, ptr addrspace(3) %l, i32 2, i32 %i, i32 0, i32 0, i32 8, i32 0)
  ret void
}

; CHECK-LABEL: define {{.*}}@__probe_trace_copies(
; CHECK: loop-memcpy-expansion:
; CHECK: store i8
define amdgpu_kernel void @copies(ptr addrspace(1) %a, ptr addrspace(3) %b, i64 %n) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 16 %b, ptr addrspace(1) align 16 %a, i64 8, i1 false)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 16 %a, ptr addrspace(1) align 16 %a, i64 %n, i1 false)
  call void @llvm.memset.p3.i64(ptr addrspace(3) %b, i8 0, i64 1, i1 false)
  ret void
}

; Neither the width of a typed access nor the place of ds_append is in the instruction.
define amdgpu_kernel void @unknown(<4 x i32> %r, i32 %o, ptr addrspace(3) %l) {
  %a = call float @llvm.amdgcn.raw.buffer.load.format.f32(<4 x i32> %r, i32 %o, i32 0, i32 0)
  %b = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) %l, i1 false)
  %c = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) %l, float %a, i32 0, i32 0, i1 false)
  ret void
}

declare <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.store.v4f32(<4 x float>, <4 x i32>, i32, i32, i32)
declare i32 @llvm.amdgcn.struct.buffer.load.i32(<4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.struct.buffer.store.i32(i32, <4 x i32>, i32, i32, i32, i32)
declare i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32, <4 x i32>, i32, i32, i32)
declare i32 @llvm.amdgcn.struct.buffer.atomic.cmpswap.i32(i32, i32, <4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.load.lds(<4 x i32>, ptr addrspace(3), i32, i32, i32, i32, i32)
declare void @llvm.amdgcn.struct.buffer.load.lds(<4 x i32>, ptr addrspace(3), i32, i32, i32, i32, i32, i32)
declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p3.i64(ptr addrspace(3), i8, i64, i1)
declare float @llvm.amdgcn.raw.buffer.load.format.f32(<4 x i32>, i32, i32, i32)
declare i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3), i1)
declare float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3), float, i32, i32, i1)
