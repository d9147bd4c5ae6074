; SPDX-License-Identifier: MIT
; Accesses whose line LLVM set to 0: that of the call by which they were inlined, of the computation of their address,
; of the next access to the same array, of index arithmetic, or of the stored value. Not what other accesses share.
; RUN: %probe -mcpu=gfx90a %s -o - | %llvm/llc -mcpu=gfx90a -filetype=obj -o %t
; RUN: python3 %S/lines.py %t | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK: inlined load 30:10 likely
; CHECK-NEXT: inlined store 31:1
define amdgpu_kernel void @inlined(ptr addrspace(1) %p, ptr addrspace(1) %q) !dbg !10 {
  %id = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !11
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %id, !dbg !11
  %v = load i32, ptr addrspace(1) %at, align 4, !dbg !15
  %to = getelementptr i32, ptr addrspace(1) %q, i32 %id, !dbg !11
  store i32 %v, ptr addrspace(1) %to, align 4, !dbg !12
  ret void
}

; The pointer operation of the load, and the other store to the array.
; CHECK-NEXT: unrolled load 41:1 likely
; CHECK-NEXT: unrolled store 42:1 likely
; CHECK-NEXT: unrolled store 42:1
define amdgpu_kernel void @unrolled(ptr addrspace(1) %p, ptr addrspace(1) %q) !dbg !20 {
  %id = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !21
  %first = mul i32 %id, 64, !dbg !21
  %second = or i32 %first, 32, !dbg !21
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %first, !dbg !22
  %v = load volatile i32, ptr addrspace(1) %at, align 4, !dbg !24
  %to = getelementptr i32, ptr addrspace(1) %q, i32 %first, !dbg !24
  store volatile i32 %v, ptr addrspace(1) %to, align 4, !dbg !24
  %next = getelementptr i32, ptr addrspace(1) %q, i32 %second, !dbg !24
  store volatile i32 %v, ptr addrspace(1) %next, align 4, !dbg !23
  ret void
}

; The index of the load, which nothing else uses; nothing of the store but its value is its own.
; CHECK-NEXT: values load 51:1 likely
; CHECK-NEXT: values load 52:1
; CHECK-NEXT: values store 53:1 likely
; CHECK-NEXT: values atomic 0:0
define amdgpu_kernel void @values(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, ptr addrspace(1) %s) !dbg !30 {
  %id = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !31
  %index = mul i32 %id, 3, !dbg !31
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %index, !dbg !34
  %v = load volatile i32, ptr addrspace(1) %at, align 4, !dbg !34
  %shared = mul i32 %id, 5, !dbg !32
  %from = getelementptr i32, ptr addrspace(1) %q, i32 %shared, !dbg !32
  %w = load volatile i32, ptr addrspace(1) %from, align 4, !dbg !32
  %sum = add i32 %v, %w, !dbg !33
  %to = getelementptr i32, ptr addrspace(1) %r, i32 %shared, !dbg !34
  store volatile i32 %sum, ptr addrspace(1) %to, align 4, !dbg !34
  %old = atomicrmw add ptr addrspace(1) %s, i32 1 monotonic, !dbg !34
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.hip", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = !DISubroutineType(types: !5)
!5 = !{}
!10 = distinct !DISubprogram(name: "inlined", scope: !1, file: !1, line: 29, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 29, column: 1, scope: !10)
!12 = !DILocation(line: 31, column: 1, scope: !10)
!13 = distinct !DISubprogram(name: "callee", scope: !1, file: !1, line: 9, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!14 = distinct !DILocation(line: 30, column: 10, scope: !10)
!15 = !DILocation(line: 0, scope: !13, inlinedAt: !14)
!20 = distinct !DISubprogram(name: "unrolled", scope: !1, file: !1, line: 39, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!21 = !DILocation(line: 40, column: 1, scope: !20)
!22 = !DILocation(line: 41, column: 1, scope: !20)
!23 = !DILocation(line: 42, column: 1, scope: !20)
!24 = !DILocation(line: 0, scope: !20)
!30 = distinct !DISubprogram(name: "values", scope: !1, file: !1, line: 50, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!31 = !DILocation(line: 51, column: 1, scope: !30)
!32 = !DILocation(line: 52, column: 1, scope: !30)
!33 = !DILocation(line: 53, column: 1, scope: !30)
!34 = !DILocation(line: 0, scope: !30)
