; SPDX-License-Identifier: MIT
; The count kind: blocks that run together have one row; what every wave runs costs nothing, a block that is
; guarded once two instructions, another that runs once one, one of a uniform loop one, one where lanes part
; three. Registers beyond the
; allocator's are named to it once, and its limit is set.
; RUN: env PROBE_KINDS=count %probe -mcpu=gfx90a %s | FileCheck %s
; RUN: env PROBE_KINDS=count PROBE_DISABLE=hoisting %probe -mcpu=gfx90a %s | FileCheck %s -check-prefix STAYS

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Nothing to count on the device.
; CHECK-LABEL: define {{.*}}@__probe_count_straight(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @straight(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out, align 4
  ret void
}

; CHECK-LABEL: define {{.*}}@__probe_count_guarded(
; CHECK-NOT: "amdgpu-num-sgpr"
; CHECK: call i64 @llvm.amdgcn.ballot.i64(i1 %in)
; CHECK: asm sideeffect "s_andn2_b64 $0, exec, $3\0As_cbranch_scc0 {{.*}}global_atomic_add_x2
; CHECK-NEXT: br i1 %in
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @guarded(ptr addrspace(1) %out, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %in = icmp slt i32 %id, %n
  br i1 %in, label %do, label %end
do:
  store i32 1, ptr addrspace(1) %out, align 4
  br label %end
end:
  ret void
}

; A loop of `n` rounds, the same for all lanes, with an `if` that is not.
; CHECK-LABEL: define {{.*}}@__probe_count_loop(
; CHECK: asm sideeffect "s_mov_b{{.*}}={s93}
; CHECK: asm sideeffect "s_bcnt1_i32_b64 [[HOME:s[0-9]+]], exec
; CHECK: head:
; CHECK: asm sideeffect "s_add_u32 [[RUNS:s[0-9]+]], [[RUNS]], 1\0A", "=&{scc}"()
; CHECK: odd:
; CHECK: asm sideeffect "s_add_u32 [[ODD:s[0-9]+]], [[ODD]], 1\0As_bcnt1_i32_b64 s92, exec\0As_add_u32
; CHECK: next:
; CHECK-NOT: asm
; CHECK: end:
; CHECK: asm sideeffect "{{.*}}s_lshr_b64 exec, -1{{.*}}s_mul_i32 s12, [[RUNS]], [[HOME]]
; CHECK-NEXT: ret void
define amdgpu_kernel void @loop(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %both = and i32 %i, %id
  %is = icmp eq i32 %both, 0
  br i1 %is, label %odd, label %next
odd:
  store volatile i32 %i, ptr addrspace(1) %out, align 4
  br label %next
next:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %end
end:
  ret void
}

; A block that two blocks branch to has lanes, and runs once if it has any.
; CHECK-LABEL: define {{.*}}@__probe_count_either(
; CHECK: do:
; CHECK-NEXT: asm sideeffect "s_bcnt1_i32_b64 [[ONCE:s[0-9]+]], exec\0A", "=&{scc}"()
; CHECK: end:
; CHECK: asm sideeffect "{{.*}}v_writelane_b32 v4, [[ONCE]], 1\0A{{.*}}v_min_u32 v2, 1, v4
; CHECK-NEXT: ret void
define amdgpu_kernel void @either(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %low = icmp slt i32 %id, %n
  br i1 %low, label %do, label %more
more:
  store i32 2, ptr addrspace(1) %out, align 4
  %high = icmp sgt i32 %id, 50
  br i1 %high, label %do, label %end
do:
  store i32 1, ptr addrspace(1) %out, align 4
  br label %end
end:
  ret void
}

; If a branch leaves out lanes of most waves, lanes that do not run a block are not rare: blocks are counted
; where they run.
; CHECK-LABEL: define {{.*}}@__probe_count_single(
; CHECK-NOT: s_andn2_b64
; CHECK: asm sideeffect "s_bcnt1_i32_b64 [[FIRST:s[0-9]+]], exec\0A"
; CHECK-NOT: s_andn2_b64
; CHECK: asm sideeffect "s_bcnt1_i32_b64 {{s[0-9]+}}, exec\0A"
; CHECK-NOT: s_andn2_b64
; CHECK: asm sideeffect "{{.*}}v_writelane_b32 v4, [[FIRST]]
; CHECK-NEXT: ret void
define amdgpu_kernel void @single(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %in = icmp slt i32 %id, %n
  br i1 %in, label %do, label %then
do:
  store i32 1, ptr addrspace(1) %out, align 4
  br label %then
then:
  %zero = icmp eq i32 %id, 0
  br i1 %zero, label %one, label %end
one:
  store i32 2, ptr addrspace(1) %out, align 4
  br label %end
end:
  ret void
}

; The back end computes the address before the branch, because the block is short. It would not with a probe.
; CHECK-LABEL: define {{.*}}@__probe_count_short(
; CHECK: mul i32 %id, 12
; CHECK: br i1 %is, label %odd
; CHECK: odd:
; CHECK-NEXT: asm sideeffect "s_add_u32
; CHECK-NEXT: store volatile
; STAYS-LABEL: define {{.*}}@__probe_count_short(
; STAYS: odd:
; STAYS-NEXT: asm sideeffect "s_add_u32
; STAYS: mul i32 %id, 12
define amdgpu_kernel void @short(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %both = and i32 %i, %id
  %is = icmp eq i32 %both, 0
  br i1 %is, label %odd, label %next
odd:
  %row = mul i32 %id, 12
  %at = zext i32 %row to i64
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %at
  store volatile i32 %i, ptr addrspace(1) %to, align 4
  br label %next
next:
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %end
end:
  ret void
}
; CHECK: "amdgpu-num-sgpr"="
