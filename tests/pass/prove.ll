; SPDX-License-Identifier: MIT
; Which addresses are proved to be linear in the work-item's id, and with which strides. What must
; not be proved is here as well: each such kernel has lanes for which the claim would be wrong.
; RUN: env PROBE_VERBOSE=2 %probe %s -o /dev/null 2>&1 | FileCheck %s
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 16

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()

; The id itself is below 2^10: nothing wraps.
; CHECK: of id: U +8*x, wraps 0{{$}}
define amdgpu_kernel void @id(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %i = zext i32 %x to i64
  %p = getelementptr double, ptr addrspace(1) %a, i64 %i
  store double 0.0, ptr addrspace(1) %p
  ret void
}

; Bits of an id times an argument; bits that all lanes of a regular wave share are uniform.
; CHECK: of bits_of_rows: U +4*bits(+1*x)>>4&63 +1*bits(+1*x)>>0&15*(+0+4*arg64@24), wraps 0{{$}}
; CHECK: of bits_of_rows: U +4*bits(+1*x)>>0&63, wraps 0{{$}}
define amdgpu_kernel void @bits_of_rows(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %unused, i64 %pitch) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %i = zext i32 %x to i64
  %low = and i64 %i, 15
  %high = lshr i64 %i, 4
  %row = mul i64 %low, %pitch
  %at = add i64 %row, %high
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  store float 0.0, ptr addrspace(1) %p
  %lane = and i64 %i, 63
  %wave = lshr i64 %i, 6
  %start = mul i64 %wave, %pitch
  %to = add i64 %start, %lane
  %q = getelementptr float, ptr addrspace(1) %b, i64 %to
  store float 0.0, ptr addrspace(1) %q
  ret void
}

; Two indices computed as a vector, in a loop, and an id read on both sides of a branch.
; CHECK: of vectors: U +4*x, wraps 0{{$}}
; CHECK: of vectors: U +4*x, wraps 0{{$}}
; CHECK: of vectors: U +4*x, wraps 0{{$}}
define amdgpu_kernel void @vectors(ptr addrspace(1) %a, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %first = insertelement <2 x i32> poison, i32 %x, i64 0
  %both = shufflevector <2 x i32> %first, <2 x i32> poison, <2 x i32> zeroinitializer
  %start = add nuw nsw <2 x i32> %both, <i32 0, i32 64>
  br label %loop
loop:
  %v = phi <2 x i32> [ %start, %0 ], [ %next, %loop ]
  %k = phi i32 [ 0, %0 ], [ %more, %loop ]
  %wide = zext <2 x i32> %v to <2 x i64>
  %i = extractelement <2 x i64> %wide, i64 0
  %j = extractelement <2 x i64> %wide, i64 1
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j
  store volatile float 0.0, ptr addrspace(1) %p
  store volatile float 0.0, ptr addrspace(1) %q
  %next = add nuw nsw <2 x i32> %v, <i32 128, i32 128>
  %more = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %more, 4
  br i1 %again, label %loop, label %rest
rest:
  %c = icmp ult i32 %x, %n
  br i1 %c, label %one, label %other
one:
  %g1 = call i32 @llvm.amdgcn.workgroup.id.x()
  %s1 = shl i32 %g1, 4
  br label %join
other:
  %g2 = call i32 @llvm.amdgcn.workgroup.id.x()
  %s2 = shl i32 %g2, 4
  br label %join
join:
  %s = phi i32 [ %s1, %one ], [ %s2, %other ]
  %base = zext i32 %s to i64
  %id = zext i32 %x to i64
  %to = add i64 %base, %id
  %r = getelementptr float, ptr addrspace(1) %a, i64 %to
  store float 0.0, ptr addrspace(1) %r
  ret void
}

; Nor a few groups of 256.
; CHECK: of signed_sum: U -4*x, wraps 0{{$}}
define amdgpu_kernel void @signed_sum(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = shl i32 %g, 8
  %n = sub i32 %base, %x
  %i = sext i32 %n to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; %c lies behind 8 + 4 + 4 bytes, aligned to 8: arguments are found at 16 and 24.
; CHECK: of arguments: U +4*x +0+4*arg32@16*y +0-8*arg64@24*z, wraps 1{{$}}
define amdgpu_kernel void @arguments(ptr addrspace(1) %a, i8 %odd, i32 %b, i32 %n, i64 %m) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %z = call i32 @llvm.amdgcn.workitem.id.z(), !range !0
  %row = mul i32 %y, %n
  %xy = add i32 %row, %x
  %i = sext i32 %xy to i64
  %z64 = zext i32 %z to i64
  %slab = mul i64 %m, %z64
  %half = mul i64 %slab, -2
  %both = add i64 %half, %i
  %p = getelementptr float, ptr addrspace(1) %a, i64 %both
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; CHECK: of lds: U +4*x +132*y, wraps 0{{$}}
; CHECK: of lds: U +132*x, wraps 0{{$}}
define amdgpu_kernel void @lds() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %p = getelementptr [32 x [33 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  store float 0.0, ptr addrspace(3) %p
  %q = getelementptr [32 x [33 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 7
  store float 0.0, ptr addrspace(3) %q
  ret void
}

; A loop that lanes leave one by one: inside, all are in the same round; behind it, they are not.
; CHECK: of counter: U +4*x, wraps 1{{$}}
; CHECK: of counter: measured
define amdgpu_kernel void @counter(ptr addrspace(1) %a, i32 %n, i32 %step) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %loop ]
  %i64 = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  store float 0.0, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %last = sext i32 %i to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %last
  store float 1.0, ptr addrspace(1) %q
  ret void
}

; Steps that differ from lane to lane.
; CHECK: of uneven: measured
define amdgpu_kernel void @uneven(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  br label %loop
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %loop ]
  %i64 = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  store float 0.0, ptr addrspace(1) %p
  %twice = shl i32 %x, 1
  %next = add i32 %i, %twice
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A value that lanes got on different paths.
; CHECK: of joined: measured
define amdgpu_kernel void @joined(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %low = icmp slt i32 %x, 7
  br i1 %low, label %then, label %join
then:
  %far = add i32 %x, 100
  br label %join
join:
  %i = phi i32 [ %x, %entry ], [ %far, %then ]
  %i64 = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; Squares are not linear, nor is what was read; remainders by powers of two are bits of the id.
; CHECK: of crooked: measured
; CHECK: of crooked: U +4*bits(+1*x)>>0&7, wraps 0{{$}}
; CHECK: of crooked: U +4*x, wraps 0
; CHECK: of crooked: measured
define amdgpu_kernel void @crooked(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %square = mul i32 %x, %x
  %i = zext i32 %square to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %p
  %low = and i32 %x, 7
  %j = zext i32 %low to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j
  store float 0.0, ptr addrspace(1) %q
  %x64 = zext i32 %x to i64
  %r = getelementptr i32, ptr addrspace(1) %b, i64 %x64
  %index = load i32, ptr addrspace(1) %r
  %k = sext i32 %index to i64
  %s = getelementptr float, ptr addrspace(1) %a, i64 %k
  store float 0.0, ptr addrspace(1) %s
  ret void
}

; Bits of the id are bit fields, those that an exchange takes with the partner. Bits of a sum are, where the
; other summand is a multiple of 64. Minima are not.
; CHECK: of digits: U +8*bits(+1*x)>>3&127, wraps 0{{$}}
; CHECK: of digits: U +4*bits(+1*x)>>0&15, wraps 0, aligned 1
; CHECK: of digits: U +4*x -8*and(+1*x)>>0&1023, wraps 0{{$}}
; CHECK: of digits: measured
; CHECK: of digits: measured
define amdgpu_kernel void @digits(ptr addrspace(1) %a, ptr addrspace(3) %l, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %high = lshr i32 %x, 3
  %high64 = zext i32 %high to i64
  %p = getelementptr double, ptr addrspace(1) %a, i64 %high64
  store double 0.0, ptr addrspace(1) %p
  %sum = add i32 %x, %n
  %low = and i32 %sum, 15
  %q = getelementptr float, ptr addrspace(3) %l, i32 %low
  store float 0.0, ptr addrspace(3) %q
  %partner = xor i32 %x, %n
  %r = getelementptr float, ptr addrspace(3) %l, i32 %partner
  store float 0.0, ptr addrspace(3) %r
  %clamped = call i32 @llvm.smin.i32(i32 %x, i32 %n)
  %s = getelementptr float, ptr addrspace(3) %l, i32 %clamped
  store float 0.0, ptr addrspace(3) %s
  %third = urem i32 %x, 3
  %t = getelementptr float, ptr addrspace(3) %l, i32 %third
  store float 0.0, ptr addrspace(3) %t
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)

; Bits of a global id, where the workgroup's start is a multiple of 64, which is checked: a quotient of a
; number that may be negative, a remainder, bits under a mask of the launch. Not of the item before, whose
; lowest bits are never those of the id, nor of twice the id.
; CHECK: of global_bits: U +4*bits(+1*x)>>5&31, wraps 1, aligned 1{{$}}
; CHECK: of global_bits: U +4*bits(+1*x)>>0&31, wraps 0, aligned 1{{$}}
; CHECK: of global_bits: U +4*and(+1*x)>>0&1023, wraps 1, aligned 1{{$}}
; CHECK: of global_bits: measured
; CHECK: of global_bits: measured
define amdgpu_kernel void @global_bits(ptr addrspace(1) %a, i32 %size, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %start = mul i32 %g, %size
  %id = add i32 %start, %x
  %warp = sdiv i32 %id, 32
  %warp64 = sext i32 %warp to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %warp64
  store float 0.0, ptr addrspace(1) %p
  %lane = and i32 %id, 31
  %lane64 = zext i32 %lane to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %lane64
  store float 0.0, ptr addrspace(1) %q
  %low = and i32 %id, %n
  %low64 = sext i32 %low to i64
  %r = getelementptr float, ptr addrspace(1) %a, i64 %low64
  store float 0.0, ptr addrspace(1) %r
  %before = sub i32 %id, 1
  %other = and i32 %before, 31
  %other64 = zext i32 %other to i64
  %s = getelementptr float, ptr addrspace(1) %a, i64 %other64
  store float 0.0, ptr addrspace(1) %s
  %twice = add i32 %id, %x
  %even = and i32 %twice, 31
  %even64 = zext i32 %even to i64
  %t = getelementptr float, ptr addrspace(1) %a, i64 %even64
  store float 0.0, ptr addrspace(1) %t
  ret void
}

; Sign extension in 64 bits; sizes of the launch, as HIP reads them.
; CHECK: of launch: U +4*x +0+4*launch16@6*y, wraps 0{{$}}
; CHECK: of launch: U +0+8*launch32@12*y, wraps 1{{$}}
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare i32 @llvm.umin.i32(i32, i32)
define amdgpu_kernel void @launch(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %grid_at = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %grid_at
  %size_at = getelementptr i16, ptr addrspace(4) %packet, i64 3
  %size16 = load i16, ptr addrspace(4) %size_at
  %size = zext i16 %size16 to i32
  %before = mul i32 %g, %size
  %left = sub i32 %grid, %before
  %dim = call i32 @llvm.umin.i32(i32 %left, i32 %size)
  %row = mul i32 %y, %dim
  %i = add i32 %row, %x
  %i64 = zext i32 %i to i64
  %wide = add i64 %i64, 0
  %up = shl i64 %wide, 32
  %down = ashr exact i64 %up, 32
  %p = getelementptr float, ptr addrspace(1) %a, i64 %down
  store float 0.0, ptr addrspace(1) %p
  %n = mul i32 %grid, %y
  %n64 = sext i32 %n to i64
  %q = getelementptr double, ptr addrspace(1) %a, i64 %n64
  store double 0.0, ptr addrspace(1) %q
  ret void
}

; All lanes at one address, whatever it is. A number that was read is no constant of the launch.
; CHECK: of pitch: U, wraps 0{{$}}
; CHECK: of pitch: measured
define amdgpu_kernel void @pitch(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %g64 = sext i32 %g to i64
  %p = getelementptr i32, ptr addrspace(1) %b, i64 %g64
  %n = load i32, ptr addrspace(1) %p
  %row = mul i32 %x, %n
  %i = sext i32 %row to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %q
  ret void
}

; Multiples of a quotient by an argument.
; CHECK: of multiples: measured
; CHECK: of multiples: measured
; CHECK: of multiples: measured
; CHECK: of multiples: measured
define amdgpu_kernel void @multiples(ptr addrspace(1) %a, i32 %n, i32 %m) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %i = add i32 %g, %x
  %quotient = udiv i32 %i, %n
  %start = mul i32 %quotient, %n
  %start64 = zext i32 %start to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %start64
  store float 0.0, ptr addrspace(1) %p
  %rest = sub i32 %i, %start
  %rest64 = sext i32 %rest to i64
  %q = getelementptr double, ptr addrspace(1) %a, i64 %rest64
  store double 0.0, ptr addrspace(1) %q
  %half = lshr i32 %i, %m
  %size = shl i32 2, %m
  %block = mul i32 %half, %size
  %one = shl i32 1, %m
  %mask = add i32 %one, -1
  %low = and i32 %i, %mask
  %pair = add i32 %block, %low
  %pair64 = sext i32 %pair to i64
  %r = getelementptr float, ptr addrspace(1) %a, i64 %pair64
  store float 0.0, ptr addrspace(1) %r
  %other = mul i32 %half, %n
  %other64 = zext i32 %other to i64
  %s = getelementptr float, ptr addrspace(1) %a, i64 %other64
  store float 0.0, ptr addrspace(1) %s
  ret void
}

; Arguments of a function may differ from lane to lane.
; CHECK: of function: measured
define void @function(ptr addrspace(1) %a) noinline #0 {
  store float 0.0, ptr addrspace(1) %a
  ret void
}
define amdgpu_kernel void @caller(ptr addrspace(1) %a) #0 {
  call void @function(ptr addrspace(1) %a)
  ret void
}

; A field of a struct: %s is at offset 8, its last field at 16, and %n at 24. One more than an
; argument is as good as the argument, but not where it may have wrapped before it was widened.
; CHECK: of fields: U +4+4*arg32@24*x +0-12*arg64@16*y, wraps 1{{$}}
; CHECK: of fields: measured
define amdgpu_kernel void @fields(ptr addrspace(1) %a, ptr addrspace(4) byref({i16, i64}) align 8 %s, i32 %n) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %field = getelementptr i8, ptr addrspace(4) %s, i64 8
  %pitch = load i64, ptr addrspace(4) %field
  %y64 = zext i32 %y to i64
  %row = mul i64 %y64, %pitch
  %back = mul i64 %row, -3
  %more = add i32 %n, 1
  %col = mul i32 %x, %more
  %col64 = sext i32 %col to i64
  %i = add i64 %back, %col64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %p
  %more64 = zext i32 %more to i64
  %x64 = zext i32 %x to i64
  %far = mul i64 %x64, %more64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %far
  store float 0.0, ptr addrspace(1) %q
  ret void
}

; A stride is one argument, not a product of two, nor a quotient, nor what was read.
; CHECK: of products: measured
; CHECK: of products: measured
; CHECK: of products: measured
define amdgpu_kernel void @products(ptr addrspace(1) %a, i32 %n, i64 %m, ptr addrspace(1) %read) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %x64 = zext i32 %x to i64
  %n64 = sext i32 %n to i64
  %row = mul i64 %x64, %n64
  %plane = mul i64 %row, %m
  %p = getelementptr float, ptr addrspace(1) %a, i64 %plane
  store float 0.0, ptr addrspace(1) %p
  %quarter = lshr i32 %n, 2
  %y3 = mul i32 %y, 3
  %far = mul i32 %y3, %quarter
  %far64 = sext i32 %far to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %far64
  store float 0.0, ptr addrspace(1) %q
  %k = load i64, ptr addrspace(1) %read
  %other = mul i64 %row, %k
  %r = getelementptr float, ptr addrspace(1) %a, i64 %other
  store float 0.0, ptr addrspace(1) %r
  ret void
}

; Elements of vectors: sums, shuffles and products with constants.
; CHECK: of pair: U +4*x +4*y, wraps 1{{$}}
; CHECK: of pair: U +12*y, wraps 1{{$}}
define amdgpu_kernel void @pair(ptr addrspace(1) %a, <2 x i32> %start) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %one = insertelement <2 x i32> poison, i32 %x, i64 0
  %both = insertelement <2 x i32> %one, i32 %y, i64 1
  %sum = add <2 x i32> %start, %both
  %swap = shufflevector <2 x i32> %sum, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %times = mul <2 x i32> %swap, <i32 3, i32 1>
  %i = extractelement <2 x i32> %sum, i64 0
  %j = extractelement <2 x i32> %sum, i64 1
  %k = extractelement <2 x i32> %times, i64 0
  %ij = add i32 %i, %j
  %ij64 = sext i32 %ij to i64
  %k64 = sext i32 %k to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %ij64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %k64
  store float 0.0, ptr addrspace(1) %p
  store float 0.0, ptr addrspace(1) %q
  ret void
}

; What holds in most waves only is measured.
; CHECK: of mostly: measured
; CHECK: of mostly: measured
; CHECK: of mostly: measured
; CHECK: of mostly: measured
; CHECK: of mostly: measured
define amdgpu_kernel void @mostly(ptr addrspace(1) %a, ptr addrspace(1) %table, i64 %n, i32 %m) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %x64 = zext i32 %x to i64
  %rest = urem i64 %x64, %n
  %p = getelementptr double, ptr addrspace(1) %a, i64 %rest
  store double 0.0, ptr addrspace(1) %p
  %row = udiv i64 %x64, %n
  %q = getelementptr double, ptr addrspace(1) %a, i64 %row
  store double 0.0, ptr addrspace(1) %q
  %down = sub i32 %m, %x
  %edge = icmp slt i32 %down, 5
  %cut = select i1 %edge, i32 7, i32 %down
  %cut64 = sext i32 %cut to i64
  %r = getelementptr float, ptr addrspace(1) %a, i64 %cut64
  store float 0.0, ptr addrspace(1) %r
  %one = sext i1 %edge to i64
  %s = getelementptr float, ptr addrspace(1) %a, i64 %one
  store float 0.0, ptr addrspace(1) %s
  %hash = mul i64 %rest, %cut64
  %t = getelementptr float, ptr addrspace(1) %a, i64 %hash
  store float 0.0, ptr addrspace(1) %t
  ret void
}

; Not of a later iteration: it cannot be checked in the loop.
; CHECK: of rounds: measured
define amdgpu_kernel void @rounds(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %x64 = zext i32 %x to i64
  br label %loop
loop:
  %i = phi i64 [ %x64, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  store float 0.0, ptr addrspace(1) %p
  %far = add i64 %i, 64
  %next = urem i64 %far, %n
  %done = icmp eq i64 %next, 5
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Behind a loop that all lanes leave together, values of its last iteration are as uniform as in it. They
; are not where lanes leave one by one, be it that only some of them come to a uniform condition.
; CHECK: of behind: U +4*x, wraps 1{{$}}
; CHECK: of behind: U, wraps 0{{$}}
define amdgpu_kernel void @behind(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %some = icmp slt i32 %x, 5
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  %i = phi i32 [ %x, %entry ], [ %next, %latch ]
  br i1 %some, label %then, label %latch
then:
  fence seq_cst
  br label %latch
latch:
  %next = add i32 %i, 3
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %i64 = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  store float 0.0, ptr addrspace(1) %p
  %k64 = sext i32 %k to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %k64
  store float 0.0, ptr addrspace(1) %q
  ret void
}
; CHECK: of one_by_one: measured
define amdgpu_kernel void @one_by_one(ptr addrspace(1) %a) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %x
  br i1 %more, label %loop, label %done
done:
  %k64 = sext i32 %k to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %k64
  store float 0.0, ptr addrspace(1) %p
  ret void
}
; CHECK: of some_stop: measured
define amdgpu_kernel void @some_stop(ptr addrspace(1) %a, i32 %n, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %some = icmp slt i32 %x, 5
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  br i1 %some, label %then, label %latch
then:
  %stop = icmp eq i32 %k, %m
  br i1 %stop, label %done, label %latch
latch:
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %done
done:
  %k64 = sext i32 %k to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %k64
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; What looks like HIP's blockDim, but is the minimum with something else; the low half of an argument;
; a sum whose low half is extended.
; CHECK: of no_sizes: measured
; CHECK: of no_sizes: measured
; CHECK: of no_sizes: measured
define amdgpu_kernel void @no_sizes(ptr addrspace(1) %a, i32 %n, i32 %m) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %size_at = getelementptr i16, ptr addrspace(4) %packet, i64 3
  %size16 = load i16, ptr addrspace(4) %size_at
  %size = zext i16 %size16 to i32
  %left = sub i32 %n, %m
  %least = call i32 @llvm.umin.i32(i32 %left, i32 %size)
  %i = mul i32 %x, %least
  %i64 = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i64
  store float 0.0, ptr addrspace(1) %p
  %n16 = trunc i32 %n to i16
  %n32 = zext i16 %n16 to i32
  %j = mul i32 %x, %n32
  %j64 = zext i32 %j to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j64
  store float 0.0, ptr addrspace(1) %q
  %sum = add i32 %x, %n
  %sum16 = trunc i32 %sum to i16
  %sum64 = zext i16 %sum16 to i64
  %r = getelementptr float, ptr addrspace(1) %a, i64 %sum64
  store float 0.0, ptr addrspace(1) %r
  ret void
}

; Two sums that may wrap in some lanes each, though what they add up to is the same in all.
; CHECK: of cancelled: measured
define amdgpu_kernel void @cancelled(ptr addrspace(1) %a, i32 %n, i32 %u, i32 %v) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %row = mul i32 %x, %n
  %up = add i32 %row, %u
  %down = sub i32 %v, %row
  %up64 = sext i32 %up to i64
  %down64 = sext i32 %down to i64
  %sum = add i64 %up64, %down64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %sum
  store float 0.0, ptr addrspace(1) %p
  ret void
}

; Exchanges by a constant; bits that are shifted out are lost, and one may become the sign.
; CHECK: of fields_of_ids: U +4*x -8*bits(+1*x)>>0&21, wraps 0{{$}}
; CHECK: of fields_of_ids: U +4*x -4*bits(+1*x)>>0&5, wraps 0{{$}}
; CHECK: of fields_of_ids: measured
; CHECK: of fields_of_ids: U +16*bits(+1*x)>>0&15, wraps 0{{$}}
define amdgpu_kernel void @fields_of_ids(ptr addrspace(1) %a) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %xor = xor i32 %x, 21
  %xor64 = zext i32 %xor to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %xor64
  store float 0.0, ptr addrspace(1) %p
  %or = or i32 %x, 5
  %or64 = zext i32 %or to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %or64
  store float 0.0, ptr addrspace(1) %q
  %up = shl i32 %x, 29
  %signed = ashr i32 %up, 29
  %signed64 = sext i32 %signed to i64
  %r = getelementptr float, ptr addrspace(1) %a, i64 %signed64
  store float 0.0, ptr addrspace(1) %r
  %up28 = shl i32 %x, 28
  %low = lshr i32 %up28, 26
  %low64 = sext i32 %low to i64
  %s = getelementptr float, ptr addrspace(1) %a, i64 %low64
  store float 0.0, ptr addrspace(1) %s
  ret void
}

; A sum that must not wrap needs no check, since the access would be undefined. The promise must be that of
; the extension.
; CHECK: of promised: U +4*x, wraps 0{{$}}
; CHECK: of promised: U +4*x, wraps 1{{$}}
define amdgpu_kernel void @promised(ptr addrspace(1) %a, i32 %n, ptr addrspace(1) %b) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %promised = add nsw i32 %x, %n
  %promised64 = sext i32 %promised to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %promised64
  store float 0.0, ptr addrspace(1) %p
  %sum = add nuw i32 %x, %n
  %sum64 = sext i32 %sum to i64
  %q = getelementptr float, ptr addrspace(1) %b, i64 %sum64
  store float 0.0, ptr addrspace(1) %q
  ret void
}

; A padded index: the expression of %pad is t & 31, and no other instruction has it; it is computed from 32 times
; itself. Bits of an id do not need the instruction.
; CHECK: of padded: measured
; CHECK: of padded: U +132*bits(+1*x)>>0&31, wraps 0{{$}}
define amdgpu_kernel void @padded() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %y = call i32 @llvm.amdgcn.workitem.id.y(), !range !0
  %y8 = shl nuw nsw i32 %y, 3
  %t = add nuw nsw i32 %y8, %x
  %t32 = shl nuw nsw i32 %t, 5
  %row = and i32 %t32, 992
  %pad = lshr exact i32 %row, 5
  %i = add nuw nsw i32 %row, %pad
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %i
  store float 0.0, ptr addrspace(3) %p
  %x32 = shl nuw nsw i32 %x, 5
  %own = and i32 %x32, 992
  %own_pad = lshr exact i32 %own, 5
  %j = add nuw nsw i32 %own, %own_pad
  %q = getelementptr float, ptr addrspace(3) @tile, i32 %j
  store float 0.0, ptr addrspace(3) %q
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" }
!0 = !{i32 0, i32 1024}
