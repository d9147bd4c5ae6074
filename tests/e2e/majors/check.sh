# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# check MAJOR: programs compiled by that clang run with every kind as without. Counters equal those
# computed from their addresses, those that the programs compute themselves, and the simulator's.
PROBE_SIM_MODEL=0
PROBE_KINDS=memory,trace,time,count
export PROBE_SIM_MODEL PROBE_KINDS

# hipcc's LLVM: its bundler, because not every LLVM package has one, and its device libraries.
hip_llvm=$(hip_llvm)
bitcode=/usr/lib/llvm-$hip_llvm/lib/clang/$hip_llvm/amdgcn/bitcode
[ -e "$bitcode" ] || bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
# HIP 5.2.3 loads code objects of version 4.
version=
[ "$hip_llvm" != 15 ] || version=-mcode-object-version=4

compile_by()
{
	_major=$1
	_source=$2
	_output=$3
	shift 3
	# LLVM 22 no longer defines what HIP 6.4.3's headers use.
	[ "$_major" -lt 22 ] || set -- -D__AMDGCN_WAVEFRONT_SIZE=64 "$@"
	mkdir -p bin
	ln -sf "/usr/lib/llvm-$hip_llvm/bin/clang-offload-bundler" bin/
	# shellcheck disable=SC2086
	PATH="$PATH:/usr/lib/llvm-$hip_llvm/bin" "/usr/lib/llvm-$_major/bin/clang++" -Bbin -x hip $version --rocm-path=/usr \
		"--rocm-device-lib-path=$bitcode" --offload-arch=gfx90a -w -g "$@" \
		"-fpass-plugin=$build/lib/probe/llvm-$_major/libprobe.so" "$_source" -o "$_output" -lamdhip64
}

counters()
{
	sqlite3 "$1" "SELECT s.owner, s.line, s.column, s.access, m.kernel, m.executions, m.lanes, m.quads,
			m.lines64, m.needed64, m.excess64, m.lines128, m.needed128, m.excess128, m.passes,
			m.ideal_passes, m.conflicts, m.max_way, m.affine, m.stride_lo, m.stride_hi, m.site
		FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		ORDER BY m.kernel, m.site" >"$2"
	[ -s "$2" ] || fail "$1 has no rows"
}

# all_kinds PROGRAM: leaves a database per kind
all_kinds()
{
	simulated "$1" >expected.txt || fail "$1 without Probe: status $?"
	for kind in memory trace time count; do
		record $kind.db --kind $kind -q -- "$1" >printed.txt || fail "$1, $kind: status $?"
		cmp expected.txt printed.txt || fail "$1 prints something else with kind $kind"
		balanced $kind.db
		expect "$1, $kind: kernels that ran uninstrumented" "$(sqlite3 $kind.db "SELECT count(*) FROM probe_dispatch d
			JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
			WHERE d.verdict <> 0 AND k.kernel_name NOT LIKE '\_\_amd%' ESCAPE '\'")" 0
	done
	counters memory.db memory.txt
	counters trace.db trace.txt
	cmp memory.txt trace.txt || fail "$1: counters and addresses differ"
	expect "$1: kernels whose times are not of all their waves" "$(sqlite3 time.db "
		WITH waves AS (SELECT k.display_name AS name, sum(d.grid_size_x / d.workgroup_size_x *
				(d.grid_size_y / d.workgroup_size_y) * (d.grid_size_z / d.workgroup_size_z) *
				((d.workgroup_size_x * d.workgroup_size_y * d.workgroup_size_z + 63) / 64)) AS n
			FROM rocpd_kernel_dispatch d JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
			WHERE k.kernel_name NOT LIKE '\_\_amd%' ESCAPE '\' GROUP BY 1)
		SELECT w.name, w.n, t.executions FROM waves w LEFT JOIN probe_time_span t ON t.name = w.name
		WHERE t.executions IS NOT w.n OR t.cycles <= 0")" ""
}

# machine PROGRAM: after all_kinds
machine()
{
	rm -f both.db
	PROBE_SIM_PCS=pcs.csv record plain.db --no-instrumented -q -- "$1" >/dev/null
	"$build/tests/isa_lines" plain.db pcs.csv >isa.csv
	sqlite3 -bail both.db >places.txt <<-END
		.mode csv
		.import isa.csv isa
		.mode list
		ATTACH 'memory.db' AS probed;
		.read $source/tests/e2e/isa/compare.sql
		SELECT sum(verdict = 'equal') > 2 FROM result;
		SELECT * FROM result WHERE verdict = '';
	END
	expect "$1: places that the machine counts otherwise" "$(cat places.txt)" 1
}

# gfx950 MAJOR: compiled, not run; every kind, but no probes of LDS, which is said
gfx950()
{
	"/usr/lib/llvm-$1/bin/clang++" --offload-arch=gfx950 -w -O2 --cuda-device-only --no-gpu-bundle-output -c \
		-mllvm -verify-machineinstrs "-fpass-plugin=$build/lib/probe/llvm-$1/libprobe.so" -nogpulib -nogpuinc \
		-x hip "$source/tests/pass/Inputs/every_kind.hip" -o gfx950.o 2>gfx950.txt || fail "gfx950: $(cat gfx950.txt)"
	for kind in memory trace time count; do
		grep -q "__probe_${kind}__Z5every" gfx950.o || fail "gfx950: no clone of kind $kind"
	done
	expect "gfx950" "$(cat gfx950.txt)" \
		"probe: warning: accesses to LDS have no probes on this target: its 64 banks are not known to the device library"
}

check()
{
	[ -e "$build/lib/probe/llvm-$1/libprobe.so" ] || {
		echo "the build has no plugin for LLVM $1 (PROBE_LLVM_MAJORS)"
		exit 77
	}
	[ -x "/usr/lib/llvm-$1/bin/clang++" ] || {
		echo "there is no clang $1"
		exit 77
	}
	[ "$1" -lt 20 ] || gfx950 "$1"
	for _program in tests/e2e/workgroup_filters examples/reduction; do
		compile_by "$1" "$source/$_program.hip" program -O2
		all_kinds ./program
		machine ./program
	done
	# Not executed: HIP 5.2.3 does not launch LLVM 19's code for it at -O0, with or without the
	# plugin.
	compile_by "$1" "$source/tests/e2e/workgroup_filters.hip" plain.o -O0 --cuda-device-only -c -mllvm -verify-machineinstrs
	for kind in memory trace time count; do
		grep -q "__probe_${kind}__Z7guarded" plain.o || fail "-O0: no clone of kind $kind"
	done
	compile_by "$1" "$source/tests/e2e/block_counts.hip" known -O2 -fno-unroll-loops
	record known.db --kind count -q -- ./known >expected.txt
	sqlite3 -separator ' ' known.db "
		SELECT CASE s.owner WHEN '_Z5plainPi' THEN 1006 ELSE s.line END AS at, sum(c.executions), sum(c.lanes)
		FROM probe_count_site c JOIN probe_site s ON s.code_object_id = c.code_object AND s.site = c.site
		WHERE at >= 1000 GROUP BY at" >counted.txt
	cmp expected.txt counted.txt || fail "blocks: $(diff expected.txt counted.txt)"
	PROBE_SPACES=constant,scratch compile_by "$1" "$source/tests/e2e/address_spaces.hip" spaces -O2
	for kind in memory trace; do
		record spaces.db --kind $kind -q -- ./spaces >expected.txt
		sqlite3 -separator ' ' spaces.db "SELECT s.line, sum(m.executions), sum(m.lanes), sum(m.lines64), sum(m.lines128)
			FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
			WHERE s.line > 1000 AND s.space IN (4, 5) GROUP BY s.line" >counted.txt
		cmp expected.txt counted.txt || fail "spaces, $kind: $(diff expected.txt counted.txt)"
	done
}
