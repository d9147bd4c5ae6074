#!/bin/sh
# SPDX-License-Identifier: MIT
# Accesses by allocation: size, call site of the allocation, and which of two allocations at the
# same address.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

cat >owners.hip <<'END'
#include <hip/hip_runtime.h>
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }
__device__ int table[64];
__global__ void fill() { table[threadIdx.x] = threadIdx.x; }
static void *get(size_t bytes)
{
	void *p = nullptr;
	return hipMalloc(&p, bytes) == hipSuccess ? p : nullptr; // here
}
int main()
{
	int *a = (int *)get(5000); // first
	int *b = (int *)get(1 << 22); // second
	copy<<<1, 64>>>(a, b);
	if (hipDeviceSynchronize() != hipSuccess || hipFree(a) != hipSuccess) return 1;
	int *c;
	if (hipMalloc(&c, 5000) != hipSuccess) return 1; // third
	for (int i = 0; i < 3; i++) copy<<<1, 64>>>(c, b);
	fill<<<1, 64>>>();
	return hipDeviceSynchronize() != hipSuccess;
}
END
# line TEXT: number of the line with it
line()
{
	grep -nF "// $1" owners.hip | cut -d: -f1
}

hipcc --offload-arch=gfx90a -g -O2 "-fpass-plugin=$(probe-config --pass-plugin)" -fno-optimize-sibling-calls owners.hip -o owners
record run.db -q -a heatmap -- ./owners
balanced run.db
rows()
{
	sqlite3 "$1" "SELECT size, reads, writes, pages, replace(replace(call_site, '$work/', ''), char(10), ' ') FROM probe_heatmap_allocation ORDER BY allocation > 0, allocation"
}
rows run.db >got.txt

# Inlined into main, so that the caller's line follows. HIP makes one runtime request per hipMalloc,
# of the requested size.
here=$(line here)
cut -d'|' -f1-4 got.txt >numbers.txt
expect "accesses" "$(tr '\n' ' ' <numbers.txt)" "0|0|64|1 5000|0|64|1 4194304|256|0|1 5000|0|192|1 "
sites=$(cut -d'|' -f5 got.txt | sed 's/ <- owners+0x[0-9a-f]*$//')
expect "call sites" "$sites" "
owners.hip:$here <- owners.hip:$(line first)
owners.hip:$here <- owners.hip:$(line second)
owners.hip:$(line third)"
expect "freed" "$(sqlite3 run.db 'SELECT size, first_dispatch, last_dispatch FROM probe_allocation WHERE last_dispatch')" \
	"5000|1|1"
expect "one address" "$(sqlite3 run.db "SELECT count(DISTINCT address) FROM probe_allocation WHERE size = 5000")" 1
# The same from stored records.
probe-report replay run.db -a heatmap -o again.db >/dev/null
rows again.db | cmp - got.txt || fail "replay differs"
