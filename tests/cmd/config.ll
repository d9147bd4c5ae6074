; SPDX-License-Identifier: MIT
; A kernel for the target that config.sh puts in.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @kernel(ptr addrspace(1) %p) #0 {
  store i32 1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="TARGET" }
