#!/bin/sh
# SPDX-License-Identifier: MIT
# PC sampling by ROCr's own functions (6.2 and later): what the simulated driver stores arrives in
# the database, is attributed, and nothing is lost, however often the tool flushes.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

[ -e /usr/include/hsa/hsa_ven_amd_pc_sampling.h ] || {
	echo "this ROCr has no PC sampling (6.2 and later have)"
	exit 77
}
PROBE_SIM_DRIVER_SAMPLING=1
export PROBE_SIM_DRIVER_SAMPLING
trap="--pc-sampling-method=host_trap --pc-sampling-unit=time --pc-sampling-interval=1"
hipcc --offload-arch=gfx90a -std=c++17 -g -O2 "$source/tests/e2e/sampled.hip" -o sampled

sql()
{
	sqlite3 "$1" "$2"
}

# by_rocr DB LEAST: accounted, with samples of ROCr
by_rocr()
{
	accounted "$@"
	expect "$1: provider" "$(sql "$1" "SELECT group_concat(DISTINCT provider) FROM probe_sampler")" ROCr
}

record queues.db $trap -q -- ./sampled queues 1
by_rocr queues.db 1000
expect "sampled kernels" "$(sql queues.db "
	SELECT count(DISTINCT k.kernel_name) FROM probe_sampled s
	JOIN rocpd_kernel_dispatch d ON d.dispatch_id = s.dispatch_id
	JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id WHERE k.kernel_name LIKE '%work%'")" 4
# More dispatches than the hardware queue has packets: the tool flushes while the program runs.
ROC_AQL_QUEUE_SIZE=1024 record burst.db $trap -q -- ./sampled burst 2500
by_rocr burst.db 2000

probe-run --device=sim --list 2>/dev/null | grep -q 'host_trap' || fail "--list does not name host_trap"
if probe-run --device=sim --pc-sampling-method=stochastic --pc-sampling-unit=cycles \
	--pc-sampling-interval=256 -o none.db -- ./sampled queues 1 2>err.txt; then
	fail "stochastic sampling is not offered by the driver, but was accepted"
fi
grep -q 'host_trap' err.txt || fail "the refusal does not say what is offered: $(cat err.txt)"

# The MI300X samples stochastically, too: through ROCr 7.0 and later. 6.4 would crash, so it is refused.
hipcc --offload-arch=gfx942 -std=c++17 -g -O2 "$source/tests/e2e/sampled.hip" -o sampled_gfx942
stochastic="--pc-sampling-method=stochastic --pc-sampling-unit=cycles --pc-sampling-interval=256"
record stochastic.db --device=sim:gfx942 $stochastic -q -- ./sampled_gfx942 queues 1
if grep -q hsa_amd_portable_export_dmabuf_v2 /usr/include/hsa/hsa_ext_amd.h; then
	by_rocr stochastic.db 1000
	expect "its method: stochastic" "$(sql stochastic.db "SELECT group_concat(DISTINCT method) FROM probe_sampler")" 1
else
	expect "the refusal" "$(sql stochastic.db "SELECT count(*) > 0 FROM probe_log WHERE text LIKE '%ROCr 6.4 crashes%'")" 1
fi
