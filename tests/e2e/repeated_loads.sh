#!/bin/sh
# SPDX-License-Identifier: MIT
# A code object that is loaded again is the same code: one row per kernel and site in every table.
# Folder: cmds/record
. "$(dirname "$0")/lib.sh"

cat >module.hip <<'END'
#include <hip/hip_runtime.h>
extern "C" __global__ void doubled(int *p)
{
	p[threadIdx.x * 2] += 1;
}
extern "C" __global__ void other(int *p)
{
	p[threadIdx.x] = 2;
}
END
cat >loader.hip <<'END'
#include <hip/hip_runtime.h>
// Twice at a time, and once more when the first is gone: 1 + 2 + 3 launches of one kernel.
static int launch(hipModule_t module, const char *name, int *p, int times)
{
	hipFunction_t f;
	void *args[] = {&p};

	if (hipModuleGetFunction(&f, module, name))
		return 1;
	for (int i = 0; i < times; i++)
		if (hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0))
			return 1;
	return hipDeviceSynchronize();
}
int main()
{
	hipModule_t first, second, third;
	int *p, h[128];

	if (hipMalloc((void **)&p, sizeof(h)) || hipMemset(p, 0, sizeof(h)) ||
	    hipModuleLoad(&first, "module.co") || hipModuleLoad(&second, "module.co"))
		return 1;
	// The second load's kernels are numbered first.
	if (launch(second, "doubled", p, 2) || launch(first, "doubled", p, 1) ||
	    hipModuleUnload(first) || hipModuleLoad(&third, "module.co") ||
	    launch(third, "doubled", p, 3) || launch(third, "other", p + 1, 1))
		return 1;
	return hipMemcpy(h, p, sizeof(h), hipMemcpyDeviceToHost) || h[0] != 6 || h[64] != 2;
}
END
compile module.hip module.co --genco
hipcc --offload-arch=gfx90a loader.hip -o loader

# Kernel, launches, clones among them.
kernels()
{
	probe-report kernels -k "doubled|other" --format json "$1" |
		jq -c 'sort_by(.kernel)[] | [.kernel, .dispatches, .instrumented]'
}
want='["doubled",6,6]
["other",1,1]'
record memory.db -q -- ./loader
balanced memory.db
expect "kernels" "$(kernels memory.db)" "$want"
expect "loads" "$(probe-report kernels --format csv --no-header -k doubled -f loads memory.db)" 3
expect "cost" "$(probe-report kernels --format csv --no-header -k doubled -f lines128_excess memory.db)" \
	"$(probe-report lines --all --format json -k doubled -f lines128_excess memory.db | jq 'map(.lines128_excess) | add')"
expect "sites" "$(probe-report tables --table memory_site --format json memory.db |
	jq -c '[.[] | [.kernel_name, .executions]] | sort')" '[["doubled",6],["doubled",6],["other",1]]'

record trace.db -q -a memory,divergence,cache,heatmap -- ./loader
expect "kernels, traced" "$(kernels trace.db)" "$want"
for table in memory_site divergence_site cache_model_site; do
	expect "$table" "$(probe-report tables --table $table --format json trace.db |
		jq -c '[.[] | [.kernel_name, .executions]] | sort')" '[["doubled",6],["doubled",6],["other",1]]'
done
probe-report replay trace.db -a memory,divergence,cache -o replayed.db
for table in memory_site divergence_site cache_model_site; do
	probe-report tables --table $table --format csv trace.db >ran.csv
	probe-report tables --table $table --format csv replayed.db >replayed.csv
	cmp ran.csv replayed.csv || fail "$table differs when replayed"
done

# Bytes of code, from the linker's symbol table.
sqlite3 memory.db "SELECT writefile('loaded.co', bytes) FROM probe_code JOIN rocpd_info_kernel_symbol k
	USING (code_object_id) WHERE k.kernel_name = 'doubled' LIMIT 1" >/dev/null
readelf --symbols --wide loaded.co >symbols
for kernel in doubled other; do
	expect "code of $kernel" "$(probe-report kernels --format csv --no-header -k $kernel -f code,clone_code memory.db)" \
		"$(awk -v k=$kernel '$4 == "FUNC" && $8 == k { a = $3 } $4 == "FUNC" && $8 == "__probe_memory_" k { b = $3 }
			END { print a "," b }' symbols)"
done
