#!/bin/sh
# SPDX-License-Identifier: MIT
# rdna.sh LLVM_BIN PLUGIN OUT COMPILER PROGRAM...: each program with clones of every kind, for RDNA 2 and 3 in both
# widths of waves, optimised and with the machine verifier, looked at by rdna.py.
set -eu
llvm=$1 plugin=$2 out=$3 compiler=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
bitcode=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
mkdir -p "$out"

# compile PROGRAM TARGET LANES. Debian's device library knows no gfx11: gfx1030's has the same functions. And its
# headers refuse gfx10 in waves of 64, by name.
compile()
{
	width=-mwavefrontsize64
	wide=on
	if [ "$3" = 32 ]; then
		width=-mno-wavefrontsize64
		wide=off
	fi
	set -- "$1" "$2" "$3" "$width"
	for part in hip ocml ockl oclc_daz_opt_off oclc_unsafe_math_off oclc_finite_only_off \
		oclc_correctly_rounded_sqrt_on oclc_wavefrontsize64_$wide oclc_isa_version_1030 oclc_abi_version_400; do
		set -- "$@" -Xclang -mlink-builtin-bitcode -Xclang "$bitcode/$part.bc"
	done
	file=$1 target=$2
	shift 3
	# Words of the compiler's are options of its own.
	# shellcheck disable=SC2086
	PROBE_KINDS=memory,trace,time,count $compiler -x hip "--offload-arch=$target" -Xclang "-U__${target}__" -w -O2 \
		-std=c++17 -mllvm -verify-machineinstrs --cuda-device-only --no-gpu-bundle-output -c -nogpulib \
		"-fpass-plugin=$plugin" -I"$source/include" -I"$source/tests" "$@" "$file" -o "$out/code.o"
}

for program; do
	for target in gfx1030 gfx1100; do
		for lanes in 32 64; do
			compile "$source/$program" "$target" "$lanes"
			echo "$program, $target, waves of $lanes:"
			python3 "$here/rdna.py" "$llvm" "$out/code.o" "$lanes"
		done
	done
done
