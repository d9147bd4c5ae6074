#!/bin/sh
# SPDX-License-Identifier: MIT
# Like exact_isa.sh, for kernels that were not written for counting. The code generator pairs and
# widens their accesses and moves uniform loads to the scalar unit; there are no other differences.
# Folder: devlib
. "$(dirname "$0")/lib.sh"
. "$source/tests/e2e/isa/same.sh"

# build NAME: a program of the simulator's own tests, with the plugin
build()
{
	compile "$source/tests/hip/$1.hip" "$1" -w
}

build shared
same ./shared 13,2,0,0,0,0,0 22=14,3,0,0,0,0,0
build matmul
same ./matmul 42,0,0,0,0,0,0 22=42,0,0,0,1,0,0
# ds_read2_b64
build physics
same ./physics 14,2,0,0,0,0,0 22=19,0,0,0,0,0,0
build sorting
same ./sorting 30,0,0,0,0,0,0 22=30,0,0,0,0,0,0
# blockDim again, also by the scalar unit
build stencils
same ./stencils 20,12,0,1,1,0,0 22=21,13,0,0,0,0,0
# All kernels are in a file that the main file includes: DWARF 5 then omits the file.
cat >only.inc <<'END'
__global__ void only(int *p) { p[threadIdx.x * 3] = p[threadIdx.x] + 1; }
END
cat >includes.hip <<'END'
#include <hip/hip_runtime.h>
#include "only.inc"
int main()
{
	int *p;
	if (hipMalloc(&p, 4096) != hipSuccess) return 1;
	only<<<2, 64>>>(p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile includes.hip includes
same ./includes 2,0,0,0,0,0,0 22=2,0,0,0,0,0,0
