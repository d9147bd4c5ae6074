#!/bin/sh
# SPDX-License-Identifier: MIT
# Buffer accesses and copies: executions, lanes and cache lines computed by hand, and equal in both
# kinds. Lanes outside of the descriptor's range touch nothing; the scalar offset affects only the
# address.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
PROBE_SIM_MODEL=0
export PROBE_SIM_MODEL

cat >buffers.hip <<'END'
#include <hip/hip_runtime.h>
typedef int words __attribute__((ext_vector_type(4)));
__device__ int raw_load(words, int, int, int) __asm__("llvm.amdgcn.raw.buffer.load.i32");
__device__ void raw_store(int, words, int, int, int) __asm__("llvm.amdgcn.raw.buffer.store.i32");
__device__ int struct_load(words, int, int, int, int) __asm__("llvm.amdgcn.struct.buffer.load.i32");
__device__ static words resource(const void *base, unsigned stride, unsigned records)
{
	unsigned long at = (unsigned long)base;
	return words{(int)at, (int)(at >> 32 | stride << 16), (int)records, 0x00027000};
}
struct block { int word[5]; };
__global__ void buffers(int *out, const int *in, int n)
{
	int t = threadIdx.x;
	words to = resource(out, 0, 4096), from = resource(in, 0, 300), rows = resource(in, 128, 40);
	int v = raw_load(from, t * 4, 0, 0);
	v += raw_load(from, t * 4, 2048, 0);
	v += struct_load(rows, t, 4, 64, 0);
	raw_store(v, to, t * 4, 32, 0);
}
__global__ void copies(block *out, const block *in, char *bytes, int n)
{
	out[threadIdx.x] = in[threadIdx.x];
	__builtin_memset(bytes + threadIdx.x * 64, n, 64);
}
int main()
{
	int *in, *out;
	if (hipMalloc((void **)&in, 16384) || hipMalloc((void **)&out, 16384) || hipMemset(in, 0, 16384))
		return 1;
	buffers<<<1, 100>>>(out, in, 3);
	copies<<<1, 64>>>((block *)out, (const block *)in, (char *)out + 8192, 1);
	return hipDeviceSynchronize();
}
END
compile buffers.hip buffers -w
for kind in memory trace; do
	record $kind.db -q --kind $kind -- ./buffers
	balanced $kind.db
	sqlite3 $kind.db "SELECT s.line, s.space, s.access, s.size, s.unit, m.executions, m.lanes, m.lines128, m.needed128,
		m.lines64 FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object
		AND s.site = m.site ORDER BY s.line, s.site" >$kind.txt
done
cmp memory.txt trace.txt || fail "memory and trace differ: $(diff memory.txt trace.txt)"
# Line, space (7 buffer, 1 global), access, size, unit, waves, lanes, lines of 128 B, fewest, of 64 B.
# 300 bytes are 75 lanes; 40 records of 128 bytes are 40 lanes, each on a line of its own; a store of 100
# lanes 32 bytes into a line takes 2 + 0.25 lines for the first wave, then the rest.
cat >want.txt <<'END'
16|7|1|4|4|2|75|3|3|5
17|7|1|4|4|2|75|3|3|5
18|7|1|4|4|1|40|40|2|40
19|7|2|4|4|2|100|5|4|8
END
grep '|7|' memory.txt >got.txt
cmp got.txt want.txt || fail "buffers: $(diff got.txt want.txt)"
# 20 bytes are copied as 16 and 4; 64 are set as four times 16.
expect "copies" "$(grep -v '|7|' memory.txt | cut -d'|' -f1-7 | tr '\n' ' ')" \
	"23|1|1|16|16|1|64 23|1|2|16|16|1|64 23|1|1|4|4|1|64 23|1|2|4|4|1|64 24|1|2|16|16|1|64 24|1|2|16|16|1|64 24|1|2|16|16|1|64 24|1|2|16|16|1|64 "

# The report names the machine instructions, with the same widths.
probe-report lines --all --format csv -f line,access,unit,machine -s line,+access,-unit memory.db | tail -n +2 >machine.txt
cat >want.txt <<'END'
16,load,4,buffer_load_dword
17,load,4,buffer_load_dword
18,load,4,buffer_load_dword
19,store,4,buffer_store_dword
23,load,16,"global_load_dwordx4,global_load_dword"
23,load,4,"global_load_dwordx4,global_load_dword"
23,store,16,"global_store_dwordx4,global_store_dword"
23,store,4,"global_store_dwordx4,global_store_dword"
24,store,16,global_store_dwordx4
END
sort machine.txt >got.txt
sort want.txt | tr -d '\r' >wanted.txt
tr -d '\r' <got.txt | cmp - wanted.txt || fail "machine: $(diff got.txt wanted.txt)"
