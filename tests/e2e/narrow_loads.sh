#!/bin/sh
# SPDX-License-Identifier: MIT
# Of 8 bytes a kernel may use 4, which is all that the machine loads: the LDS conflicts are the machine's.
# Folder: llvm-plugin/analysis
. "$(dirname "$0")/lib.sh"

cat >narrow.hip <<'END'
#include <hip/hip_runtime.h>
// What a lane uses of the element that another one stored.
#define CASE(name, type, value)                                                                    \
	extern "C" __global__ void use_##name(const type *in, long long *out)                      \
	{                                                                                          \
		__shared__ type s[256];                                                            \
		s[threadIdx.x] = in[threadIdx.x];                                                  \
		__syncthreads();                                                                   \
		type v = s[255 - threadIdx.x];                                                     \
		out[threadIdx.x] = (value);                                                        \
	}
typedef unsigned long long u64;
#define CASES                                                                                      \
	CASE(high, u64, (unsigned)(v >> 32))                                                       \
	CASE(low, u64, (unsigned)v)                                                                \
	CASE(shifted, u64, (unsigned)(v >> 40))                                                    \
	CASE(wide, u64, v >> 33)                                                                   \
	CASE(word, u64, v & 0xffffffff)                                                            \
	CASE(masked, u64, v & 0xfff)                                                               \
	CASE(byte, u64, (unsigned char)v)                                                          \
	CASE(sign, long long, v >> 32)                                                             \
	CASE(number, double, __double2hiint(v))                                                    \
	CASE(both, u64, (unsigned)v + (unsigned)(v >> 32))                                         \
	CASE(all, double, (long long)v)                                                            \
	CASE(narrow, unsigned, v >> 16)                                                            \
	CASE(member, float2, (long long)v.y)                                                       \
	CASE(members, float4, (long long)(v.x + v.z))
CASES
template <class T> void run(void (*kernel)(const T *, long long *), void *in, void *out)
{
	kernel<<<1, 256>>>((const T *)in, (long long *)out);
}
#undef CASE
#define CASE(name, type, value) run(use_##name, a, b);
int main()
{
	void *a, *b;
	if (hipMalloc(&a, 1 << 12) || hipMalloc(&b, 1 << 12) || hipMemset(a, 0, 1 << 12))
		return 1;
	CASES
	return hipDeviceSynchronize();
}
END

for level in 1 2 3; do
	compile narrow.hip narrow -O$level
	hipcc -g -O$level --offload-arch=gfx90a narrow.hip -o plain
	machine_sums ./plain "^use_" lds_passes lds_conflicts >machine
	expect "kernels" "$(wc -l <machine)" 14
	record memory.db -q -- ./narrow
	probed_sums memory.db passes conflicts >probed
	diff machine probed >differences || fail "-O$level: $(head differences)"
done
