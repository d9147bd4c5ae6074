#!/bin/sh
# SPDX-License-Identifier: MIT
# Cooperative launches, whose workgroups wait for each other, are instrumented, unless the clone's
# registers keep some workgroups from being resident. The others would wait for them forever.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"
PROBE_SIM_MODEL=0
export PROBE_SIM_MODEL

# Three launches of 60 workgroups of 3 waves, 5 rounds, a load and a store in each.
compile "$source/tests/hip/cooperative.hip" rotate -I"$source/tests/hip"
for kind in memory trace; do
	record $kind.db -a memory --kind $kind -q -- ./rotate >/dev/null
	balanced $kind.db
	expect "$kind" "$(sqlite3 $kind.db "SELECT s.access, sum(m.executions), sum(m.lanes) FROM probe_memory_site m
		JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site GROUP BY 1")" "1|2700|172800
2|2700|172800"
done

# As many workgroups as a GPU holds, with all the registers available to eight waves.
cat >full.hip <<'END'
#include <hip/hip_runtime.h>
extern "C" __device__ void __ockl_grid_sync(void);
__global__ __launch_bounds__(256) void full(float *p)
{
	float v[48];
	for (int i = 0; i < 48; i++) v[i] = p[(threadIdx.x * 7 + i * 97) % 1024];
	__ockl_grid_sync();
	for (int i = 0; i < 48; i++) p[(threadIdx.x * 5 + i * 89) % 1024] = v[i] * v[47 - i];
	asm volatile("" ::: "v63");
}
int main()
{
	hipDeviceProp_t properties;
	float *p;
	if (hipGetDeviceProperties(&properties, 0) || hipMalloc(&p, 4096) || hipMemset(p, 0, 4096))
		return 1;
	void *arguments[] = {&p};
	if (hipLaunchCooperativeKernel((void *)full, dim3(properties.multiProcessorCount * 8), dim3(256),
			arguments, 0, 0))
		return 2;
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile full.hip full -w
record full.db -q -- ./full >/dev/null
expect "registers" "$(sqlite3 full.db "SELECT min(arch_vgpr_count) <= 64, max(arch_vgpr_count) > 64
	FROM rocpd_info_kernel_symbol WHERE kernel_name LIKE '%full%'")" "1|1"
expect "refused" "$(sqlite3 full.db "SELECT d.verdict FROM probe_dispatch d JOIN rocpd_info_kernel_symbol k
	ON k.id = d.kernel_id WHERE k.kernel_name LIKE '%full%'")" "15"
"$build/bin/probe-report" full.db | grep -q "not all workgroups of the clone would be resident" || fail "no reason given"
