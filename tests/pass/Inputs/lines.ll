; SPDX-License-Identifier: MIT
; A kernel with four stores on four lines.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @k(ptr addrspace(1) %p) !dbg !5 {
  store volatile i32 1, ptr addrspace(1) %p, !dbg !8
  store volatile i32 2, ptr addrspace(1) %p, !dbg !9
  store volatile i32 3, ptr addrspace(1) %p, !dbg !10
  store volatile i32 4, ptr addrspace(1) %p, !dbg !11
  ret void, !dbg !11
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "./ab.hip", directory: "/src/dir")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!5 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !1, file: !1, line: 9, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 10, column: 1, scope: !5)
!9 = !DILocation(line: 20, column: 2, scope: !5)
!10 = !DILocation(line: 30, column: 3, scope: !5)
!11 = !DILocation(line: 40, column: 4, scope: !5)
