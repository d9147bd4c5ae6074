#!/bin/sh
# SPDX-License-Identifier: MIT
# The conflicts and cache lines that a finding predicts after its fix equal those measured with the
# fix. An LDS access in a file without other accesses is found in that file.
# Folder: handlers
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
*"from 64 to 65 elements of 4 B (260 B), or store column c (of 4 B) of row r in column c ^ (r % 64); verified: 0 conflicts after"*) ;;
*) fail "another fix: $fix" ;;
esac
expect "before" "$(lds bad 'before = conflicts * 1.0 / executions')" 1
for better in padded swizzled; do
	expect "$better" "$(lds $better 'conflicts * 1.0 / executions')" "$(lds bad after)"
done
expect "lines before" "$(lines bad 'before = lines128 * 1.0 / executions')" 1
expect "lines after" "$(lines padded 'lines128 * 1.0 / executions')" "$(lines bad after)"
probe-report lines bad.db | grep -q '^.*tile.h:[0-9]*:[0-9]*: load from LDS' || fail "the finding does not name its file"

# A tile that is filled four floats at a time and read by columns: the layout proposed for both
# leaves the predicted conflicts. A swizzle of four floats would, too, but is not proposed: accesses
# to neighbouring floats that the compiler merges are apart in it.
cat >shared.hip <<'END'
#include <hip/hip_runtime.h>
__device__ __forceinline__ int at(int r, int c)
{
	return r * (32 + PAD) + c;
}
__global__ void both(float *out, const float *in)
{
	__shared__ __attribute__((aligned(16))) float tile[32 * (32 + PAD)];
	int t = threadIdx.x;
	for (int k = 0; k < 4; k++) {
		int i = t + 64 * k;
		*(float4 *)&tile[at(i / 8, i % 8 * 4)] = ((const float4 *)in)[i];
	}
	__syncthreads();
	for (int k = 0; k < 16; k++)
		out[64 * k + t] = tile[at(t % 32, 2 * k + t / 32)];
}
int main()
{
	float *p;
	if (hipMalloc(&p, 1 << 16) != hipSuccess) return 1;
	both<<<1, 64>>>(p + 4096, p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
# shared NAME PAD
shared()
{
	compile shared.hip "$1" -DPAD="$2"
	PROBE_SIM_MODEL=0 record "$1.db" -q --kind trace -a memory -- "./$1"
}
# conflicts NAME: of all accesses to LDS
conflicts()
{
	sqlite3 "$1.db" "SELECT sum(conflicts) FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object
		AND s.site = m.site WHERE s.space = 3"
}
shared plain 0
fix=$(sqlite3 plain.db "SELECT fix FROM probe_memory_site WHERE conflicts > 0 LIMIT 1")
case "$fix" in
"pad each row of 128 B by 16 B (from 32 to 36 elements of 4 B); verified: "*) ;;
*) fail "another fix for both: $fix" ;;
esac
expect "of the array before" "${fix##*, }" "$(conflicts plain) before (in all)"
shared made 4
expect "of the array padded" "$(echo "$fix" | sed 's/.*together: \([0-9]*\) after.*/\1/')" "$(conflicts made)"

# An atomic update without a machine instruction becomes a compare-and-swap loop, which the report
# names. It names neither the source's own compare-and-swap, nor updates that have an instruction, also
# those of LDS at the same position of a header.
cat >swap.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void update(float *f, int *i, unsigned *u)
{
	atomicAdd(f, 1.0f);
	atomicAdd(i, 1);
	for (unsigned was = *u, old; (old = atomicCAS(u, was, was + threadIdx.x)) != was;)
		was = old;
	__shared__ float sum;
	atomicAdd(&sum, f[threadIdx.x]);
	__syncthreads();
	f[threadIdx.x] = sum;
}
int main()
{
	char *p;
	if (hipMalloc(&p, 1 << 16) != hipSuccess) return 1;
	update<<<1, 64>>>((float *)p, (int *)p + 64, (unsigned *)p + 128);
	return hipDeviceSynchronize() != hipSuccess;
}
END
# swaps NAME OPTION...: source lines that are such loops
swaps()
{
	_name=$1
	shift
	compile swap.hip "$_name" "$@"
	PROBE_SIM_MODEL=0 record "$_name.db" -q -a memory -- "./$_name"
	probe-report lines --all "$_name.db" | sed -n 's/^.*swap.hip:\([0-9]*\):.*/\1/p;/this is a compare-and-swap loop/s/.*/loop/p' |
		grep -B1 loop | grep -v loop | sort -u | xargs
}
expect "updates that are loops" "$(swaps swap -mno-unsafe-fp-atomics)" 4
# Other waves make a lane try more often than the lanes of its wave do.
expect "the tries of a loop" "$(probe-report lines --all swap.db | grep -o 'compare-and-swap loop: .* try again whenever another wave.*')" \
	"compare-and-swap loop: lanes with the same word succeed one after the other, and try again whenever another wave changed it (executions count the loop once, not each try)"
expect "loops where the machine adds floats" "$(swaps unsafe -munsafe-fp-atomics)" ""
for name in swap unsafe; do
	expect "updates of $name that compare and swap" "$(probe-report lines --all --format csv --no-header -f machine \
		-s -machine $name.db | grep -c cmpswap)" "$([ $name = swap ] && echo 2 || echo 1)"
done
# Each try of the source's own is an execution, and a round trip to the L2.
expect "what limits line 6" "$(probe-report lines --all --format csv --no-header -f line,cycles_basis swap.db | sed -n '/^6,modelled/p')" \
	"6,modelled: swap loop"

# Stores of two branches that the optimiser merged have no line: the report names the instruction
# and the line before it.
cat >merged.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void merged(float *p, const float *q)
{
	int i = threadIdx.x;
	if (q[i] > 0.5f)
		p[i * 33] = q[i] * 2;
	else
		p[i * 33] = q[i] * q[i] + 1;
}
int main()
{
	float *p;
	if (hipMalloc(&p, 1 << 16) != hipSuccess) return 1;
	merged<<<1, 64>>>(p, p + 4096);
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile merged.hip merged
PROBE_SIM_MODEL=0 record merged.db -q -a memory -- ./merged
expect "what has no line" "$(probe-report lines merged.db | sed -n 's/^ *instruction: \([a-z_]*\) .*(0x.*, after .*\//\1 after /p')" \
	"global_store_dword after merged.hip:5"
