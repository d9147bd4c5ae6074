#!/bin/sh
# SPDX-License-Identifier: MIT
# What a finding says that its fix leaves is what is measured once the fix is made; and an LDS access
# in a file that has no other is found in that file.
. "$(dirname "$0")/lib.sh"

cat >tile.h <<'END'
__shared__ float tile[64 * 80];
template <int P, bool S> __device__ __forceinline__ int at(int r, int c) { return r * P + (S ? c ^ r % P : c); }
template <int P, bool S> __device__ __forceinline__ float turn(float x)
{
	int c = threadIdx.x % P, r = threadIdx.x / P;
	for (int k = 0; k < 16; k++)
		tile[at<P, S>(k, threadIdx.x)] = x;
	__syncthreads();
	return tile[at<P, S>(c, r)];
}
END
cat >turn.hip <<'END'
#include <hip/hip_runtime.h>
#include "tile.h"
__global__ void rows(float *p) { p[threadIdx.x] = turn<PITCH, SWIZZLE>(p[threadIdx.x]); }
__global__ void shifted(float *p) { p[threadIdx.x + SHIFT] = 1; }
int main()
{
	float *p;
	if (hipMalloc(&p, 1 << 16) != hipSuccess) return 1;
	rows<<<1, 64>>>(p);
	shifted<<<1, 64>>>(p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
# build NAME PITCH SWIZZLE SHIFT
build()
{
	compile turn.hip "$1" -DPITCH="$2" -DSWIZZLE="$3" -DSHIFT="$4"
	record "$1.db" -q -a memory -- "./$1"
}

# lds NAME COLUMN, lines NAME COLUMN: of the LDS load, of the global store
lds()
{
	sqlite3 "$1.db" "SELECT $2 FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		WHERE s.space = 3 AND s.access = 1 AND s.file LIKE '%/tile.h' ORDER BY conflicts DESC LIMIT 1"
}
lines()
{
	sqlite3 "$1.db" "SELECT $2 FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		JOIN rocpd_info_kernel_symbol k ON k.id = m.kernel WHERE k.display_name LIKE 'shifted%'"
}

build bad 64 false 3
build padded 65 false 0
build swizzled 64 true 0
fix=$(lds bad fix)
case "$fix" in
*"from 64 to 65 elements of 4 B (260 B), or store column c of row r in column c ^ (r % 64); verified: 0 conflicts after"*) ;;
*) fail "another fix: $fix" ;;
esac
expect "before" "$(lds bad 'before = conflicts * 1.0 / executions')" 1
for better in padded swizzled; do
	expect "$better" "$(lds $better 'conflicts * 1.0 / executions')" "$(lds bad after)"
done
expect "lines before" "$(lines bad 'before = lines128 * 1.0 / executions')" 1
expect "lines after" "$(lines padded 'lines128 * 1.0 / executions')" "$(lines bad after)"
probe-report lines bad.db | grep -q '^.*tile.h:[0-9]*:[0-9]*: load from LDS' || fail "the finding does not name its file"
