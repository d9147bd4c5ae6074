# SPDX-License-Identifier: MIT
# A kernel whose index is an element of a vector that so many operations have changed, one after the other.
OPERATIONS = 20000

print('target triple = "amdgcn-amd-amdhsa"')
print("define amdgpu_kernel void @chain(ptr addrspace(1) %out, <2 x i32> %v) {")
print("%lane = call i32 @llvm.amdgcn.workitem.id.x()")
print("%v0 = insertelement <2 x i32> %v, i32 %lane, i64 0")
for i in range(OPERATIONS):
	print(f"%v{i + 1} = {'add' if i % 2 else 'xor'} <2 x i32> %v{i}, %v")
print(f"%index = extractelement <2 x i32> %v{OPERATIONS}, i64 0")
print("%wide = zext i32 %index to i64")
print("%at = getelementptr i32, ptr addrspace(1) %out, i64 %wide")
print("store i32 7, ptr addrspace(1) %at")
print("ret void\n}\ndeclare i32 @llvm.amdgcn.workitem.id.x()")
