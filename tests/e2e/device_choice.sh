#!/bin/sh
# SPDX-License-Identifier: MIT
# The program's kernels decide which GPU is simulated, unless the user does. If it has none for that
# GPU, or the runtime does not know it, a sentence says so; and the account, the summary and doctor
# give that as the reason why nothing was recorded.
# Folder: cmds/run
. "$(dirname "$0")/lib.sh"

cat >program.hip <<'END'
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>
__global__ void twice(int *data) { data[threadIdx.x] *= 2; }
int main()
{
	hipDeviceProp_t properties;
	int *data;

	if (hipGetDeviceProperties(&properties, 0) || hipMalloc(&data, 256))
		return 2;
	twice<<<1, 64>>>(data);
	if (hipGetLastError() || hipDeviceSynchronize())
		return 3;
	printf("ran on %.6s\n", properties.gcnArchName);
	return 0;
}
END

# program NAME TARGET...
program()
{
	_output=$1
	shift
	_targets=
	for _target; do
		_targets="$_targets --offload-arch=$_target"
	done
	# shellcheck disable=SC2086
	hipcc $_targets program.hip -o "$_output"
}

# ran PROGRAM TARGET [OPTION...]
ran()
{
	_program=$1
	_target=$2
	shift 2
	probe-run --force -d out "$@" -- "./$_program" >out.txt 2>err.txt || fail "$_program $*: $(cat err.txt)"
	expect "$_program $*" "$(cat out.txt)" "ran on $_target"
	grep -q "device: simulated $_target" err.txt || fail "$_program $*: $(cat err.txt)"
	! grep "kernels for" err.txt || fail "$_program $*: a warning"
}

# refused PATTERN PROGRAM OPTION...: the program does not run, and one sentence has the pattern
refused()
{
	_pattern=$1
	_program=$2
	shift 2
	! probe-run --force -d out "$@" -- "./$_program" >out.txt 2>err.txt || fail "$_program $*: it ran"
	expect "$_program $*: sentences in $(cat err.txt)" "$(grep -c "$_pattern" err.txt)" 1
}

# explained TARGETS GPU: what is printed and stored of the run before
explained()
{
	_why="none of its kernels could run: .* has kernels for $1, and the GPU is $2:sramecc+:xnack-; compile it with --offload-arch=$2"
	expect "account of $1 on $2: $(cat err.txt)" "$(grep -c "$_why" err.txt)" 1
	! grep -e "instrumented clone" -e cflags err.txt || fail "$1 on $2: another reason"
	_database=$(sed -n 's/^probe: database: //p' err.txt)
	probe-report "$_database" >report.txt
	expect "summary of $1 on $2: $(cat report.txt)" "$(grep -c "$_why" report.txt)" 1
	probe-report doctor --format csv -f check,status,remedy "$_database" >report.txt
	grep -q "^device,problem,.*$_why" report.txt || fail "doctor: $(cat report.txt)"
}

program mi200 gfx90a
program mi100 gfx908
ran mi200 gfx90a --device=sim
refused 'mi100 has kernels for gfx908, but none for the simulated gfx90a: compile it with --offload-arch=gfx90a' \
	mi100 --device=sim
explained gfx908 gfx90a
if [ "$(hip_llvm)" -lt 17 ]; then
	refused 'HSA runtime does not know gfx942, .*; use gfx90a' mi200 --device=sim:gfx942
	exit 0
fi
program mi300 gfx942
program both gfx90a gfx942
ran mi300 gfx942 --device=sim
ran both gfx942 --device=sim
ran both gfx90a --device=sim:gfx90a
PROBE_SIM_DEVICE=gfx90a ran both gfx90a --device=sim
refused 'mi200 has no kernels for the simulated gfx942, but for the other simulated GPU: use --device=sim:gfx90a' \
	mi200 --device=sim:gfx942
explained gfx90a gfx942
refused 'mi300 has no kernels for the simulated gfx90a, .*: use --device=sim:gfx942' mi300 --device=sim:gfx90a
explained gfx942 gfx90a
