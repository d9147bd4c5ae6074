; SPDX-License-Identifier: MIT
; PROBE_SPACES: what is a site only on request. Neither the context nor what the runtime hands
; to a kernel is.
;
; RUN: env PROBE_VERBOSE=1 %probe %s -o /dev/null 2>&1 | FileCheck %s -check-prefix NONE
; Loads of constant memory are not covered if their addresses differ between lanes.
; NONE: 2 kernels, 2 sites{{.*}}, 1 accesses not covered
; RUN: env PROBE_VERBOSE=1 PROBE_SPACES=constant %probe %s -o /dev/null 2>&1 | FileCheck %s -check-prefix CONSTANT
; CONSTANT: 2 kernels, 4 sites{{.*}}, 0 accesses not covered
; 12 bytes of scratch are three dwords, aligned to 2 they are shorts.
; RUN: env PROBE_VERBOSE=1 PROBE_SPACES=scratch %probe %s -o /dev/null 2>&1 | FileCheck %s -check-prefix SCRATCH
; SCRATCH: 2 kernels, 7 sites
; RUN: env PROBE_VERBOSE=1 PROBE_KINDS=memory,trace,time,count PROBE_SPACES=scratch,constant %probe %s -o /dev/null 2>&1 | FileCheck %s -check-prefix BOTH
; BOTH: 2 kernels, 9 sites
; RUN: not env PROBE_SPACES=stack %probe %s 2>&1 | FileCheck %s -check-prefix WORD
; WORD: error: probe: invalid value 'stack' for PROBE_SPACES; expected constant or scratch, separated by commas
; RUN: not env PROBE_SPACES=scratch, %probe %s 2>&1 | FileCheck %s -check-prefix EMPTY
; EMPTY: invalid value '' for PROBE_SPACES
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16

define amdgpu_kernel void @constants(ptr addrspace(1) %out, i32 %n) #0 {
	%id = call i32 @llvm.amdgcn.workitem.id.x()
	%same = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %n
	%own = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %id
	%packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
	%size = getelementptr i8, ptr addrspace(4) %packet, i32 4
	%a = load i32, ptr addrspace(4) %same, align 4
	%b = load i32, ptr addrspace(4) %own, align 4
	%c = load i32, ptr addrspace(4) %size, align 4
	%ab = add i32 %a, %b
	%abc = add i32 %ab, %c
	store i32 %abc, ptr addrspace(1) %out, align 4
	ret void
}

define amdgpu_kernel void @scratch(ptr addrspace(1) %out, i32 %n) #0 {
	%own = alloca [32 x i32], align 4, addrspace(5)
	%at = getelementptr [32 x i32], ptr addrspace(5) %own, i32 0, i32 %n
	%odd = getelementptr i8, ptr addrspace(5) %at, i32 2
	store <3 x i32> zeroinitializer, ptr addrspace(5) %at, align 4
	%v = load i32, ptr addrspace(5) %odd, align 2
	store i32 %v, ptr addrspace(1) %out, align 4
	ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()

attributes #0 = { "target-cpu"="gfx90a" }
