#!/bin/sh
# SPDX-License-Identifier: MIT
# Folder: cmds
# A program with a library that exports rocprofiler_configure, as PyTorch's does: linked, opened by
# the program, or preloaded. Under every ROCr the tool is called, and all kernels are recorded.
. "$(dirname "$0")/lib.sh"

gcc -shared -fPIC "$source/tests/cmd/run/stand_in_profiler.c" -o libprofiler.so
cat >program.hip <<'END'
#include <dlfcn.h>
#include <hip/hip_runtime.h>
__global__ void twice(int *data) { data[threadIdx.x] *= 2; }
int main(int argc, char **argv)
{
	int *data;

	if (argc > 1 && !dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL))
		return 1;
	if (hipMalloc(&data, 256) || hipMemset(data, 0, 256))
		return 2;
	twice<<<1, 64>>>(data);
	return hipDeviceSynchronize();
}
END
compile program.hip plain
compile program.hip linked -Wl,--no-as-needed -L. -lprofiler "-Wl,-rpath,$work" -Wl,--export-dynamic

# recorded NAME COMMAND...: the program's kernel is in the database
recorded()
{
	_name=$1
	shift
	record "$_name.db" -- "$@" || fail "$_name: status $?"
	probe-report kernels --format csv "$_name.db" | grep -q 'twice' ||
		fail "$_name: the kernel was not recorded"
}
recorded linked ./linked
recorded opened ./plain "$work/libprofiler.so"
LD_PRELOAD="$work/libprofiler.so"
export LD_PRELOAD
recorded preloaded ./plain
