#!/bin/sh
# SPDX-License-Identifier: MIT
# Sampled and probed: the lines with the highest cost come first, each with its samples and its
# counters. Sums of samples agree in every grouping; two files give the same report as one file.
# Folder: cmds/report
. "$(dirname "$0")/lib.sh"

record twice.db -q --twice -- "$build/examples/transpose" 256 >out
[ "$(grep -c ok out)" = 3 ] || fail "output of one run expected: $(cat out)"
balanced twice.db
probe-report lines --all --format json twice.db >join.json

# The two expensive lines, sorted by the time that a fix would save; other lines would save none.
expect "what costs" "$(jq -c '[.[] | select(.cycles > 0) | [(.kernel | sub("\\(.*"; "")), .memory]]' join.json)" \
	'[["transpose_naive","global"],["transpose_lds","lds"]]'
expect "order" "$(jq -c 'map(.cycles // 0) | . == (sort | reverse)' join.json)" true
expect "basis" "$(jq -c '[.[] | select(.cycles > 0) | [.cycles_basis, .time_of]] | unique' join.json)" '[["sampled","original"]]'
# Without samples the model estimates equal costs; with samples the store costs almost twice as much.
# Which level it computes with follows from the bytes that are allocated: HIP 6 allocates 10 MiB for itself,
# more than the L2 has.
cp twice.db modelled.db
sqlite3 modelled.db 'DELETE FROM probe_sampled'
expect "ranked by the model" "$(probe-report lines --format json -f kernel,cycles_basis modelled.db |
	jq -c '[.[] | [(.kernel | sub("\\(.*"; "")), (.cycles_basis | sub("L2|memory"; "level"))]]')" \
	'[["transpose_naive","modelled: level"],["transpose_lds","modelled: LDS"]]'
expect "how much more the store costs" "$(jq -c '[.[] | select(.cycles > 0) | .cycles] | .[0] / .[1] > 1.5' join.json)" true
expect "places in headers" "$(jq "[.[] | select(.position | startswith(\"/usr/include\"))] | length" join.json)" 0
expect "the tile's column read" \
	"$(jq -c '[.[] | select(.kernel | test("transpose_lds")) | select(.conflicts > 0) | [.executions, .conflicts]]' join.json)" \
	'[[1024,63488]]'
expect "a saving of less than the kernel" "$(jq -c 'all(.[]; (.time_share // 0) < 100)' join.json)" true
# Clones have no samples: originals were sampled.
expect "clones" "$(probe-report samples --by kernel --format csv --no-header -f kernel twice.db | grep -c __probe_ || :)" 0

# Every grouping has all samples, and its shares add up to 100 %.
total=$(sqlite3 twice.db "SELECT value FROM probe_account WHERE stream = 'samples' AND name = 'stored'")
[ "$total" -gt 1000 ] || fail "only $total samples"
for by in line kernel instruction dispatch; do
	probe-report samples --by $by --format json twice.db >by.json
	expect "samples by $by" "$(jq 'map(.samples) | add' by.json)" "$total"
	# Each share is rounded to 0.01 %.
	expect "shares by $by" "$(jq '([.[].share] | add - 100 | fabs) < 0.005 * length + 0.001' by.json)" true
done
expect "stacks" "$(probe-report flame twice.db | awk '{ n += $NF } END { print n }')" "$total"
# Of one kernel: its lines, its instructions and its dispatches.
probe-report samples --by kernel -k transpose_lds --format json -f samples twice.db >by.json
one=$(jq '.[0].samples' by.json)
for by in line instruction dispatch; do
	expect "transpose_lds by $by" \
		"$(probe-report samples --by $by -k transpose_lds --format json twice.db | jq 'map(.samples) | add')" "$one"
done

# Two files.
record sampled.db -q --pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256 \
	-- "$build/examples/transpose" 256 >/dev/null
record probed.db -q -- "$build/examples/transpose" 256 >/dev/null
probe-report lines --all --format json --runs sampled.db probed.db >runs.json
cmp join.json runs.json || fail "--runs says something else than --twice"

# Two more programs: sums agree there, too, and the report marks lines for which a fix is not
# worthwhile.
for name in convolution histogram; do
	record "$name.db" -q --twice -- "$build/examples/$name" >/dev/null
	balanced "$name.db"
	total=$(sqlite3 "$name.db" "SELECT value FROM probe_account WHERE stream = 'samples' AND name = 'stored'")
	for by in line kernel; do
		expect "$name by $by" "$(probe-report samples --by $by --format json "$name.db" | jq 'map(.samples) | add')" \
			"$total"
	done
	probe-report lines --all --format json "$name.db" >"$name.json"
	# All waits are part of the kernel's samples.
	expect "$name: waiting" "$(jq -c 'group_by(.kernel) | all(.[]; (map(.waiting_share // 0) | add) <= 100.1)' "$name.json")" true
	expect "$name: nothing saved where nothing is wrong" \
		"$(jq -c 'all(.[]; .finding == 1 or (.cycles // 0) == 0)' "$name.json")" true
done
expect "convolution: no conflicts" "$(jq -c 'map(.conflicts // 0) | add' convolution.json)" 0
# The histogram's LDS atomics conflict, but its waves wait for global memory.
expect "histogram" "$(jq -c '[(map(select(.memory == "lds" and .conflicts > 0) | .waiting_share) | add) <
	(map(select(.memory == "global") | .waiting_share // 0) | add)]' histogram.json)" '[true]'

# A function that is not inlined belongs to each kernel that calls it, with the samples of its dispatches: line by line,
# kernels have as many as their dispatches.
cat >called.hip <<'END'
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) float walk(const float *a, int pitch)
{
	float s = 0;
	for (int k = 0; k < 16; k++)
		s += a[threadIdx.x * pitch + k]; // walked
	return s;
}
__global__ void rows(float *o, const float *a) { o[threadIdx.x] = walk(a, 32); }
__global__ void columns(float *o, const float *a) { o[threadIdx.x] = walk(a, 1); }
int main()
{
	float *a;
	if (hipMalloc(&a, 16 << 20) != hipSuccess) return 99;
	for (int i = 0; i < 3; i++) {
		rows<<<128, 256>>>(a + 65536, a);
		columns<<<64, 256>>>(a + 65536, a);
	}
	return hipDeviceSynchronize() != hipSuccess;
}
END
compile called.hip called
record called.db -q --twice --pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256 -- ./called
probe-report lines --all --format json called.db >called.json
expect "a function's line in both kernels" "$(jq -c '[.[] | select(.line == 6 and .waiting != null) | [(.kernel | sub("\\(.*"; "")),
	.waiting_share > 10]] | unique' called.json)" '[["columns",true],["rows",true]]'
expect "what it costs" "$(jq -c '[.[] | select(.line == 6 and .cycles > 0) | select(.kernel | startswith("rows")) | [.cycles_basis, .time_share > 40]]' called.json)" \
	'[["sampled",true]]'
for kernel in rows columns; do
	expect "samples of $kernel" "$(jq "[.[] | select(.kernel | startswith(\"$kernel(\"))] | group_by(.line) | map(map(.samples // 0) | max) | add" called.json)" \
		"$(sqlite3 called.db "SELECT sum(samples) FROM probe_sampled JOIN probe_dispatch USING (dispatch_id)
			JOIN rocpd_info_kernel_symbol k ON k.id = kernel_id WHERE display_name LIKE '$kernel(%'")"
done

# Costs of some dispatches, or by launch shape, are modelled, which the report says: as a line of it, or as a warning.
said="samples are not used: with --dispatches, --start, --end and --by launch-shape costs are modelled, from the counters of the selected dispatches"
for options in "-d 1-" "--start 0 --end 1s" "--by launch-shape"; do
	# shellcheck disable=SC2086
	expect "lines $options" "$(probe-report lines $options called.db | grep -c "^$said\$")" 1
	# shellcheck disable=SC2086
	expect "lines $options, basis" "$(probe-report lines $options --format json called.db 2>warnings.txt |
		jq -c '[.[].cycles_basis | select(. == "sampled")]')" '[]'
	expect "lines $options, warning" "$(cat warnings.txt)" "probe: warning: $said"
done
expect "without them" "$(probe-report lines called.db | grep -c "samples are not used" || :)" 0
expect "annotate" "$(probe-report annotate -d 1- called.db 2>&1 | grep -c "samples are not used" || :)" 0
