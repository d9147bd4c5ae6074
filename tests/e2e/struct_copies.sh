#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies of structures, which the back end divides: the sums of each kernel are those of the machine.
# Folder: llvm-plugin/clone
. "$(dirname "$0")/lib.sh"

# One kernel per kind, alignment and size. Kinds: from and to g(lobal), l(ds), f(lat), s(et).
awk 'BEGIN {
	print "#include <hip/hip_runtime.h>"
	split("gg gl lg fg sl sg", kinds)
	split("4 8 12 13 16 20 24 28 31 32 36 40 44 48 52 56 60 64", sizes)
	for (align = 4; align <= 16; align *= 2)
		for (i = 1; i in sizes; i++)
			for (k = 1; k in kinds; k++)
				kernel(kinds[k], align, sizes[i])
	print "int main() { char *a, *b; if (hipMalloc(&a, 1 << 16) || hipMalloc(&b, 1 << 16)) return 1;"
	printf "%s", launches
	print "return hipDeviceSynchronize(); }"
}
function at(place, align, apart) { return "(char *)__builtin_assume_aligned(" place " * " apart ", " align ")" }
function kernel(kind, align, size, name, apart, body, lds) {
	# Left out: reads of 8 bytes that two overlapping ones of 16 share, and flat accesses across words.
	if ((kind == "lg" && align == 4 && size > 16 && size % 16 == 8) || (kind == "fg" && size % 4))
		return
	name = kind align "_" size
	apart = int((size + align - 1) / align) * align
	lds = "__shared__ __align__(16) char s[64 * " apart "]; "
	if (kind == "gg") body = "__builtin_memcpy(" at("b + t", align, apart) ", " at("a + t", align, apart) ", " size ");"
	if (kind == "sg") body = "__builtin_memset(" at("b + t", align, apart) ", 0, " size ");"
	if (kind == "gl") body = lds "__builtin_memcpy(" at("s + i", align, apart) ", " at("a + t", align, apart) ", " size "); "
	if (kind == "sl") body = lds "__builtin_memset(" at("s + i", align, apart) ", 3, " size "); "
	if (kind == "gl" || kind == "sl") body = body "__syncthreads(); b[t] = s[(63 - i) * " apart "];"
	if (kind == "lg") body = lds "s[i * " apart "] = a[t]; __syncthreads(); __builtin_memcpy(" \
		at("b + t", align, apart) ", " at("s + (63 - i)", align, apart) ", " size ");"
	if (kind == "fg") {
		print "static __device__ __attribute__((noinline)) void copy" align "_" size "(char *to, const char *from) { __builtin_memcpy(" \
			"__builtin_assume_aligned(to, " align "), __builtin_assume_aligned(from, " align "), " size "); }"
		body = "copy" align "_" size "(b + t * " apart ", a + t * " apart ");"
	}
	print "extern \"C\" __global__ void " name "(char *a, char *b) { int i = threadIdx.x, t = blockIdx.x * 64 + i; " body " }"
	launches = launches name "<<<2, 64>>>(a, b);\n"
}' >copies.hip
compile copies.hip copies
hipcc -g -O2 --offload-arch=gfx90a copies.hip -o plain
machine_sums ./plain "^[a-z]+[0-9]+_" lds_passes lds_conflicts lines64 lines128 >machine
[ "$(wc -l <machine)" -gt 300 ] || fail "only $(wc -l <machine) kernels"
for kind in memory trace; do
	record $kind.db -q --kind $kind -- ./copies
	# Flat accesses are in functions.
	probe-report lines --all --unfold -n 0 --format json $kind.db | jq -r '
		def total(f): map(f // 0) | add;
		map(.kernel |= (sub(".*copy"; "fg") | sub("\\(.*"; ""))) | group_by(.kernel)[] |
		[.[0].kernel, total(.passes), total(.conflicts), total(.lines64_used), total(.lines128_used)] | @csv' |
		sort >probed
	diff machine probed >differences || fail "$kind: $(head differences)"
done
