#!/bin/sh
# SPDX-License-Identifier: MIT
# Clones keep the launch bounds of their originals, and run where those use all LDS, all registers
# or much scratch. If a clone needs more than the hardware has, the original runs, and the
# accounting says why.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
PROBE_SIM_MODEL=0
export PROBE_SIM_MODEL
hipcc --offload-arch=gfx90a -O2 "$source/tests/e2e/resource_limits.hip" -o limits
PROBE_KINDS=memory,trace,time,count compile "$source/tests/e2e/resource_limits_module.hip" limits.co --genco
simulated ./limits limits.co >expected.txt
[ "$(grep -c ': 0 wrong$' expected.txt)" -eq 5 ] || fail "without Probe: $(cat expected.txt)"

# reasons DB: of the module's kernels, those that did not run as a clone
reasons()
{
	sqlite3 -separator ' ' "$1" "SELECT k.kernel_name, d.verdict FROM probe_dispatch d
		JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
		WHERE d.verdict <> 0 AND k.kernel_name NOT LIKE '\_\_amd%' ESCAPE '\'"
}

# From LLVM 21 on, clones of kind trace take four accumulation registers, too.
beyond=
[ "$(hip_llvm)" -lt 21 ] || beyond=all_registers
for kind in memory trace time count; do
	record $kind.db --kind $kind -q -- ./limits limits.co >printed.txt
	cmp expected.txt printed.txt || fail "$kind: $(cat printed.txt)"
	want=
	[ $kind != trace ] || want="$beyond${beyond:+ 13}"
	expect "$kind: kernels that did not run probed" "$(reasons $kind.db)" "$want"
done
# Four waves of a SIMD share 512 registers of a lane, in units of 8 (MI200 ISA, "VGPRs"): a workgroup of
# 1,024 needs them. That eight fit is a wish of eight_waves for speed; its clone may take more registers.
expect "registers beyond the launch bounds" "$(sqlite3 memory.db "
	SELECT kernel_name, arch_vgpr_count, accum_vgpr_count FROM rocpd_info_kernel_symbol
	WHERE kernel_name GLOB '*all_*' AND (arch_vgpr_count + 3) / 4 * 4 + accum_vgpr_count > 128
		AND kernel_name <> '__probe_trace_$beyond'")" ""
expect "registers beyond what four waves share" "$(sqlite3 memory.db "
	SELECT kernel_name, arch_vgpr_count, accum_vgpr_count FROM rocpd_info_kernel_symbol
	WHERE kernel_name GLOB '*eight_waves' AND (arch_vgpr_count + 3) / 4 * 4 + accum_vgpr_count > 128")" ""
expect "kernels at these bounds" "$(sqlite3 memory.db "SELECT count(*) FROM rocpd_info_kernel_symbol
	WHERE (kernel_name = 'all_registers' AND arch_vgpr_count > 120) OR (kernel_name = 'eight_waves' AND arch_vgpr_count > 60)")" 2

# refused KERNEL KEY VALUE VERDICT TEXT: metadata of its clone that says so
refused()
{
	python3 "$source/tests/e2e/resource_limits_patch.py" limits.co patched.co "__probe_memory_$1" "$2" "$3" ||
		fail "$1: no such metadata"
	record refused.db -- ./limits patched.co >printed.txt 2>account.txt
	cmp expected.txt printed.txt || fail "$1: $(cat printed.txt)"
	expect "$1 with $2 $3" "$(reasons refused.db)" "$1 $4"
	grep -q "1 uninstrumented: clone $5" account.txt || fail "$1: the account says: $(cat account.txt)"
	probe-report lines refused.db | grep -q "1 uninstrumented: clone $5" ||
		fail "$1: the report says: $(probe-report lines refused.db | grep dispatches)"
}

refused ordinary .group_segment_fixed_size 65535 6 "needs more LDS than a workgroup can have"
refused much_scratch .private_segment_fixed_size 131057 12 "needs more scratch than a wave can have"
refused ordinary .max_flat_workgroup_size 127 13 "has too few registers for workgroups of this size"
