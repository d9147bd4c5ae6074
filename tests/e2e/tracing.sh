#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls of HIP and HSA, copies, marks and ranges of ROCTx: each call of the program is recorded once
# and correlated, and nothing that was not requested is recorded.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

# HIP 7.2.4 reuses a stream's DMA engine for the copy back, which ROCr refuses on a gfx90a if it is the first
# engine (of which it makes copies to the device only): HIP then copies by a kernel. Not so on gfx942.
gpu=gfx90a
if hipcc --version | grep -q '^HIP version: 7'; then
	gpu=gfx942
fi
PROBE_SIM_DEVICE=$gpu
export PROBE_SIM_DEVICE
hipcc --offload-arch=$gpu -O2 -I"$source/hsa-plugin/roctx" "$source/tests/e2e/tracing.hip" \
	-L"$build/lib/probe/roctx" -Wl,-rpath,"$build/lib/probe/roctx" -lroctx64 -lpthread -o tracing
simulated ./tracing >plain.txt
expect "the program itself" "$(cat plain.txt)" "sum 2147647488, copies timed"

sql()
{
	sqlite3 "$db" "$1"
}
calls()
{
	sql "SELECT name || ' ' || count(*) FROM regions WHERE category = '$1' AND name IN ($2) GROUP BY name" | tr '\n' ' '
}

record all.db -q --sys-trace -- ./tracing >out.txt
cmp plain.txt out.txt || fail "output differs"
db=all.db
balanced all.db

# ---- Calls of HIP, each in the program ----
expect "calls of HIP" \
	"$(calls HIP_RUNTIME_API "'hipMalloc', 'hipHostMalloc', 'hipFree', 'hipMemcpyAsync', 'hipLaunchKernel', 'hipEventCreate', 'hipStreamCreate'")" \
	"hipEventCreate 4 hipFree 1 hipHostMalloc 1 hipLaunchKernel 4 hipMalloc 1 hipMemcpyAsync 8 hipStreamCreate 1 "
expect "calls of the compiler's" "$(calls HIP_COMPILER_API "'__hipPushCallConfiguration'")" "__hipPushCallConfiguration 4 "
expect "calls of HSA in calls of HIP" \
	"$(sql "SELECT count(*) > 0 FROM regions h JOIN regions p ON p.stack_id = h.parent_stack_id WHERE h.category = 'HSA_AMD_EXT_API' AND h.name LIKE 'hsa_amd_memory_async_copy%' AND p.name = 'hipMemcpyAsync'")" 1
expect "calls that end before they begin" "$(sql "SELECT count(*) FROM regions WHERE duration < 0")" 0
expect "calls outside of those that they are made in" \
	"$(sql "SELECT count(*) FROM regions h JOIN regions p ON p.stack_id = h.parent_stack_id AND h.parent_stack_id > 0 WHERE h.start < p.start OR h.\"end\" > p.\"end\" OR h.tid <> p.tid")" 0

# ---- Copies and kernels, with the calls that requested them ----
expect "copies" \
	"$(sql "SELECT m.name || ' ' || m.src_agent_type || ' ' || m.dst_agent_type || ' ' || m.size || ' ' || r.name, count(*) FROM memory_copies m JOIN regions r ON r.stack_id = m.stack_id GROUP BY 1 ORDER BY 1" | tr '\n' ';')" \
	"MEMORY_COPY_DEVICE_TO_HOST GPU CPU 262144 hipMemcpyAsync|4;MEMORY_COPY_HOST_TO_DEVICE CPU GPU 262144 hipMemcpyAsync|4;"
expect "each copy of its own call" "$(sql "SELECT count(DISTINCT stack_id) FROM memory_copies")" 8
expect "copies with times" "$(sql "SELECT count(*) FROM memory_copies WHERE duration > 0")" 8
expect "kernels" \
	"$(sql "SELECT k.name, r.name, count(*), count(DISTINCT k.stack_id) FROM kernels k JOIN regions r ON r.stack_id = k.stack_id GROUP BY 1, 2" | tr '\n' ';')" \
	"add(int*, int)|hipLaunchKernel|3|3;void twice<int>(int*)|hipLaunchKernel|1|1;"

# ---- ROCTx ----
expect "marks and ranges" \
	"$(sql "SELECT name || ' ' || count(*) || ' ' || sum(duration > 0) FROM regions WHERE category = 'MARKER_CORE_API' GROUP BY name ORDER BY name" | tr '\n' ';')" \
	'all 1 1;before the GPU is used 1 0;end 1 0;never popped 1 1;on two threads "quoted" 1 1;roctxProfilerPause 1 0;roctxProfilerResume 1 0;round 3 3;'
expect "ranges that do not end" \
	"$(sql "SELECT name FROM regions WHERE name IN ('all', 'never popped') AND (SELECT extdata FROM rocpd_region r WHERE r.id = regions.id) LIKE '%unfinished%' ORDER BY 1" | tr '\n' ';')" \
	"all;never popped;"
expect "the thread's name" "$(sql "SELECT count(*) FROM threads WHERE name = 'main thread'")" 1
expect "what was not recorded is said" \
	"$(sql "SELECT text FROM probe_log WHERE text LIKE '%roctxProfilerPause'")" \
	"1 dispatches are not recorded: roctxProfilerPause"

# ---- One domain at a time ----
record hip.db -q --hip-trace -T -- ./tracing >/dev/null
db=hip.db
expect "domains of --hip-trace" \
	"$(sql "SELECT DISTINCT category FROM regions ORDER BY 1" | tr '\n' ' ')" "HIP_COMPILER_API HIP_RUNTIME_API "
expect "copies without --memory-copy-trace" "$(sql "SELECT count(*) FROM memory_copies")" 0
expect "truncated names" "$(sql "SELECT DISTINCT name FROM kernels ORDER BY 1" | tr '\n' ' ')" "add twice "
record copies.db -q --memory-copy-trace -- ./tracing >/dev/null
db=copies.db
expect "copies alone" "$(sql "SELECT count(*), (SELECT count(*) FROM regions) FROM memory_copies")" "8|0"

# ---- With probes, too ----
hipcc --offload-arch=$gpu -g -O2 "-fpass-plugin=$(probe-config --pass-plugin)" \
	-I"$source/hsa-plugin/roctx" "$source/tests/e2e/tracing.hip" -L"$build/lib/probe/roctx" \
	-Wl,-rpath,"$build/lib/probe/roctx" -lroctx64 -lpthread -o probed
record probed.db -q -a memory --runtime-trace -- ./probed >out.txt
cmp plain.txt out.txt || fail "output differs with probes"
db=probed.db
balanced probed.db
expect "counters and copies" \
	"$(sql "SELECT (SELECT count(*) > 0 FROM probe_counter), (SELECT count(*) FROM memory_copies), (SELECT count(*) FROM regions WHERE category LIKE 'HSA%')")" \
	"1|8|0"
expect "instrumented kernels" \
	"$(sql "SELECT count(*) FROM kernels k JOIN regions r ON r.stack_id = k.stack_id WHERE r.name = 'hipLaunchKernel'")" 4

# ---- HIP 5.2 hangs in this one if a tool registers callbacks: it runs, and that is reported ----
cat >callback.hip <<'END'
#include <hip/hip_runtime.h>
#include <stdio.h>
__global__ void nothing() {}
static void count(hipStream_t, hipError_t, void *calls) { ++*(volatile int *)calls; }
int main()
{
	hipStream_t stream;
	int calls = 0;
	if (hipStreamCreate(&stream) != hipSuccess) return 1;
	for (int i = 0; i < 10; i++) {
		nothing<<<1, 64, 0, stream>>>();
		if (hipStreamAddCallback(stream, count, &calls, 0) != hipSuccess) return 1;
	}
	if (hipStreamSynchronize(stream) != hipSuccess) return 1;
	return calls != 10;
}
END
hipcc --offload-arch=$gpu -O2 callback.hip -o callback
record callback.db -q --sys-trace -- timeout 100 ./callback || fail "a program with hipStreamAddCallback: status $?"
db=callback.db
sql "SELECT text FROM probe_log WHERE text LIKE '%hipStreamAddCallback%'" >warned.txt
if ! nm -D "$(ldd ./callback | awk '/libamdhip64/ { print $3 }')" | grep -q hipRegisterTracerCallback; then
	[ -s warned.txt ] || fail "no warning of hipStreamAddCallback"
	expect "a release of HIP that would hang" "$(calls HIP_RUNTIME_API "'hipStreamAddCallback'")" ""
else
	[ ! -s warned.txt ] || fail "a warning that does not apply: $(cat warned.txt)"
	expect "calls with callbacks" "$(calls HIP_RUNTIME_API "'hipStreamAddCallback'")" "hipStreamAddCallback 10 "
fi
expect "calls of HSA beside them" "$(sql "SELECT count(*) > 0 FROM regions WHERE category = 'HSA_CORE_API'")" 1
