#!/bin/sh
# SPDX-License-Identifier: MIT
# The functions that probes call have no stack, and use only registers that their callers leave to them: with
# hipcc's compiler, whichever it is, for MI200 and MI300.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"

inputs="$source/tests/pass/Inputs"
mi300=gfx942
# LLVM 15 and 16 know its engineering samples.
[ "$(hip_llvm)" -gt 16 ] || mi300=gfx940
# Vector registers (PASS_SHARED_VGPRS).
most=28
[ "$(hip_llvm)" -ne 15 ] || most=20

# check GPU INPUT ENVIRONMENT...
check()
{
	_gpu=$1
	_input=$2
	shift 2
	env "$@" hipcc "--offload-arch=$_gpu" -w -O2 --cuda-device-only -S "-fpass-plugin=$(probe-config --pass-plugin)" \
		-nogpulib -nogpuinc -x hip "$inputs/$_input.hip" -o "$_gpu.$_input.s"
	python3 "$source/tests/pass/shared.py" $most <"$_gpu.$_input.s" >found.txt || fail "$_gpu, $_input: $(cat found.txt)"
}

for gpu in gfx90a "$mi300"; do
	check "$gpu" every_kind PROBE_KINDS=memory,trace,time,count
	check "$gpu" loops PROBE_KINDS=memory PROBE_PROVE=0
done
