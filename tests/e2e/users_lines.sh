#!/bin/sh
# SPDX-License-Identifier: MIT
# Accesses and samples are shown at the user's line, whatever header or compiler-generated function
# contains their instructions.
# Folder: cmds/report
. "$(dirname "$0")/lib.sh"

program=$source/tests/e2e/users_lines.hip
line()
{
	grep -n "// $1\$" "$program" | cut -d: -f1
}
cp "$program" program.hip
compile program.hip users_lines
record run.db -q --twice -- ./users_lines
balanced run.db

probe-report lines --all --format json run.db >lines.json
expect "accesses of the copy" "$(jq -c '[.[] | select(.kernel | test("copies")) | select(.access) | .line] | unique' lines.json)" \
	"[$(line copy)]"
expect "accesses of the sum" "$(jq -c '[.[] | select(.kernel | test("computes")) | select(.access) | [.access, .line]] | unique' lines.json)" \
	"[[\"load\",$(line sum)],[\"store\",$(line result)]]"
probe-report samples --format json run.db >samples.json
expect "positions of samples outside of the program" "$(jq -c '[.[] | select(.kernel | test("^(copies|computes)")) |
	select(.position | (test("/program.hip:[1-9]") | not)) | .position] | unique' samples.json)" '[]'
# Its loads, its stores and the waits for them; how much the kernel's arguments take depends on the compiler.
probe-report samples --by instruction --format json run.db >instructions.json
expect "where the copy's instructions are" "$(jq -c '[.[] | select(.kernel | test("copies")) |
	select(.instruction | test("^(global_|flat_|s_waitcnt vmcnt)")) | .position | sub(".*:"; "")] | unique' instructions.json)" \
	"[\"$(line copy)\"]"

# Every line of the source is stored, with the file's hash; changed files are named.
stored()
{
	sqlite3 "$1" "SELECT (SELECT count(*) FROM probe_source s WHERE s.file = f.file), hash, newer
		FROM probe_sourcefile f"
}
hash=$(sha256sum program.hip | cut -d ' ' -f 1)
expect "source" "$(stored run.db)" "$(grep -c '' program.hip)|$hash|0"
expect "an unchanged source" "$(probe-report run.db | grep -c '^source:' || :)" 0
touch -d tomorrow program.hip
record newer.db -q -- ./users_lines
expect "newer than the program" "$(stored newer.db | cut -d '|' -f 3)" 1
expect "newer, in words" "$(probe-report newer.db | sed -n 's/^source: .*program.hip //p')" \
	"was modified after the program was built: its lines may not be those that ran"
echo "// changed" >>program.hip
expect "changed" "$(probe-report run.db | sed -n 's/^source: .*program.hip //p')" \
	"has changed since the run: lines are shown as they were then"

# Debug information may name any file, but only sources are stored: those below the directory of the compilation, of
# the file that was compiled, or of --source-dir.
mkdir source include project
cat >include/fill.h <<'END'
__global__ void fill(int *p) { p[threadIdx.x * 3] = 1; }
END
cat >source/program.hip <<'END'
#include <hip/hip_runtime.h>
#include "../include/fill.h"
__global__ void fill_too(int *p) { p[threadIdx.x * 5] = 1; }
int main()
{
	int *p;
	if (hipMalloc(&p, 65536) != hipSuccess) return 99;
	fill<<<1, 64>>>(p);
	fill_too<<<1, 64>>>(p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
echo "not to be seen" >secret
{ echo "#line 1 \"$work/secret\""; cat include/fill.h; } >project/names_secret.h
sed "s,../include/fill.h,names_secret.h," source/program.hip >project/names_secret.hip
cd project
compile "$work/source/program.hip" elsewhere
compile names_secret.hip names_secret
files()
{
	sqlite3 "$1" "SELECT group_concat(replace(file, '$work/', ''), ' ') FROM (SELECT * FROM probe_sourcefile ORDER BY file)"
}
# Newer compilers record the content of each file: this one is then no longer what was compiled.
echo "// changed" >>"$work/include/fill.h"
record elsewhere.db -q -- ./elsewhere
expect "sources elsewhere" "$(files elsewhere.db)" "source/program.hip"
record allowed.db -q --source-dir "$work" -- ./elsewhere
expect "with --source-dir" "$(files allowed.db)" "source/../include/fill.h source/program.hip"
record secret.db -q -- ./names_secret
sqlite3 secret.db "SELECT DISTINCT file FROM probe_site" | grep -q "$work/secret" || fail "no access in the file named"
expect "a file that is no source" "$(files secret.db)" "project/names_secret.hip"
# A header next to a source that is named without its directory: the compiler's names of it have a "." more in debug
# information than in the pass.
mkdir detail
cat >detail/gather.h <<'END'
__device__ inline int gather_sum(const int *a, int i)
{
	int s = 0;
	for (int k = 0; k < 40; k++)
		s += a[(i * 97 + k * 1031) & 65535]; // gathered
	return s;
}
END
cat >beside.hip <<'END'
#include <hip/hip_runtime.h>
#include "detail/gather.h"
__global__ void gathers(int *out, const int *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = gather_sum(in, i);
}
int main()
{
	int *p;
	if (hipMalloc(&p, 1 << 20) != hipSuccess) return 99;
	gathers<<<64, 256>>>(p, p);
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile beside.hip beside
record beside.db -q --twice --pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256 -- ./beside
probe-report lines --all --format json beside.db >beside.json
expect "samples of a header's line" "$(jq -c '[.[] | select(.position | endswith("gather.h:5")) |
	[.file, .access, .cycles > 0, .waiting > 0]]' beside.json)" "[[\"$PWD/detail/gather.h\",\"load\",true,true]]"
expect "names of the header" "$(files beside.db)" "project/beside.hip project/detail/gather.h"
for verb in lines annotate; do
	probe-report $verb --all secret.db 2>/dev/null | grep "not to be seen" && fail "$verb shows a file that is no source"
done
true
