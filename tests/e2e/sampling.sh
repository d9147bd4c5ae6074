#!/bin/sh
# SPDX-License-Identifier: MIT
# PC sampling from the command line to the report: every sample belongs to loaded code and to a
# dispatch of the run, whatever the program does.
# Folder: pcsample
. "$(dirname "$0")/lib.sh"

stochastic="--pc-sampling-method=stochastic --pc-sampling-unit=cycles --pc-sampling-interval=256"
trap="--pc-sampling-method=host_trap --pc-sampling-unit=time --pc-sampling-interval=1"

hipcc --offload-arch=gfx90a -std=c++17 -g -O2 "$source/tests/e2e/sampled.hip" -o sampled
hipcc --genco --offload-arch=gfx90a -g -O2 "$source/tests/e2e/sampled_module.hip" -o module.co

sql()
{
	sqlite3 "$1" "$2"
}

# Dispatch and address of samples agree: work<N> on one queue each, with one GPU and with two.
for gpus in 1 2; do
	PROBE_SIM_GPUS=$gpus record queues.db $stochastic -q -- ./sampled queues "$gpus"
	accounted queues.db 4000
	expect "provider" "$(sql queues.db "SELECT group_concat(DISTINCT provider) FROM probe_sampler")" simulated
	expect "$gpus GPUs: sampled dispatches of work" "$(sql queues.db "
		SELECT count(*) FROM probe_sampled s JOIN rocpd_kernel_dispatch d ON d.dispatch_id = s.dispatch_id
		JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id WHERE k.kernel_name LIKE '%work%'")" 20
	# By dispatch and by instruction: two ways to the kernels' sums.
	probe-report samples --by kernel --format json queues.db |
		jq -r '.[] | select(.kernel | test("work")) | "\(.kernel) \(.samples)"' | sort >by_place
	sql queues.db "SELECT k.display_name || ' ' || sum(s.samples)
		FROM probe_sampled s JOIN rocpd_kernel_dispatch d ON d.dispatch_id = s.dispatch_id
		JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
		WHERE k.kernel_name LIKE '%work%' GROUP BY k.display_name" | sort >by_dispatch
	expect "$gpus GPUs: kernels" "$(wc -l <by_place)" 4
	cmp by_place by_dispatch || fail "$gpus GPUs: samples by place and by dispatch differ"
	expect "$gpus GPUs: samplers" "$(sql queues.db "SELECT count(*) FROM probe_sampler")" "$gpus"
done

# Different code at the same address: each load has its own samples, twice as many each time.
record modules.db $stochastic -q -- ./sampled modules module.co
accounted modules.db 4000
sql modules.db "SELECT p.samples FROM (SELECT code_object_id, sum(samples) samples FROM probe_sample
	GROUP BY code_object_id) p JOIN (SELECT DISTINCT code_object_id FROM rocpd_info_kernel_symbol
	WHERE kernel_name LIKE 'spin%') k USING (code_object_id) ORDER BY code_object_id" >loads
expect "loads with samples" "$(wc -l <loads)" 4
expect "each longer than the one before" "$(sort -n loads | tr '\n' ' ')" "$(tr '\n' ' ' <loads)"

# More dispatches than the hardware queue has packets, none of which fills a buffer.
ROC_AQL_QUEUE_SIZE=1024 record burst.db $trap -q -- ./sampled burst 3500
accounted burst.db 4000
expect "dispatches" "$(sql burst.db "SELECT count(*) >= 3500 FROM rocpd_kernel_dispatch")" 1

# The same samples in every run.
for threads in 1 3; do
	PROBE_SIM_THREADS=$threads record "lanes$threads.db" $stochastic --pc-sampling-raw -q -- ./sampled lanes
	accounted "lanes$threads.db" 1000
	sql "lanes$threads.db" "SELECT s.*, t.issued, t.code, t.samples FROM probe_sample s
		JOIN probe_state t USING (code_object_id, offset) ORDER BY 1, 2, 8, 9" >"lanes$threads"
done
cmp lanes1 lanes3 || fail "samples depend on the number of threads"

# An instruction's lanes, and its line.
probe-report samples --by instruction --format json lanes1.db >lanes.json
for width in 32 64; do
	expect "v_rcp_f$width" "$(jq -c "[.[] | select(.instruction | test(\"v_rcp_f$width\")) |
		[.lanes, (.position | sub(\".*/\"; \"\"))]] | unique" lanes.json)" \
		"[[32,\"sampled.hip:$(grep -n "v_rcp_f$width" "$source/tests/e2e/sampled.hip" | cut -d: -f1)\"]]"
done

# Clones are sampled only on request, which the output states.
compile "$source/tests/e2e/sampled.hip" probed -std=c++17
record original.db $stochastic -q -- ./probed lanes
expect "instrumented by itself" "$(sql original.db "SELECT count(*) FROM probe_dispatch WHERE kind <> 0")" 0
record clones.db $stochastic --pc-sampling-clones -- ./probed lanes 2>clones.txt
grep -q "PC sampling of instrumented kernels: the times are the clones" clones.txt || fail "clones are sampled silently"
[ "$(sql clones.db "SELECT count(*) FROM probe_dispatch WHERE kind <> 0")" -gt 0 ] || fail "no clones ran"
accounted clones.db 1000
probe-report samples --by kernel --format json clones.db >clones.json
expect "a clone's name" "$(jq -r '[.[].kernel | select(test("^parted.* \\[memory clone\\]$"))] | length > 0' clones.json)" true
expect "nothing without a name" "$(jq -r '[.[].kernel | select(test("^__probe|^\\[function|unknown"))] | length' clones.json)" 0

# Unsupported requests are rejected before the program starts.
refused()
{
	_want=$1
	shift
	_status=0
	probe-run --device=sim -d refused "$@" -- touch started 2>refused.txt || _status=$?
	expect "refusal: $*" "$_status" 125
	grep -q "$_want" refused.txt || fail "refusal: $*: $(cat refused.txt)"
	[ ! -e started ] || fail "started in spite of: $*"
}
refused "is missing" --pc-sampling-method=stochastic
refused "is not a power of two" --pc-sampling-method=stochastic --pc-sampling-unit=cycles --pc-sampling-interval=300
refused "cannot be used with" --pc-sampling-method=host_trap --pc-sampling-unit=cycles --pc-sampling-interval=256
PROBE_SIM_MODEL=0 refused "samples in simulated time only" $stochastic
probe-run --device=sim --list >list.txt
grep -q "stochastic, cycles, 256 to 2147483648, powers of two" list.txt || fail "--list: $(cat list.txt)"
grep -q "host_trap, time, 1 or more" list.txt || fail "--list: $(cat list.txt)"
