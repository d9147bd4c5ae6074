#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs at every vector level, and translated to machine code where the library can,
# and compares the bits of all their results.
#   vector_levels.sh DIRECTORY-OF-TEST-PROGRAMS TEST...
set -eu
bin=${1:?usage: $0 DIRECTORY-OF-TEST-PROGRAMS TEST...}
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
for test; do
	for level in base avx2 avx512; do
		SIMGPU_ISA_DIGEST=$out/$test.$level PROBE_SIM_ISA=$level PROBE_SIM_JIT=0 \
			"$bin/simgpu_isa_$test" >/dev/null 2>&1
		[ -s "$out/$test.$level" ]
	done
	SIMGPU_ISA_DIGEST=$out/$test.translated PROBE_SIM_JIT=2 "$bin/simgpu_isa_$test" >/dev/null 2>&1
	for level in avx2 avx512 translated; do
		diff "$out/$test.base" "$out/$test.$level" >"$out/diff" && continue
		echo "$test: snippets that differ between base and $level:"
		sed -n 's/^< \([0-9]*\) .*/\1/p' "$out/diff" | tr '\n' ' '
		echo
		status=1
	done
done
exit $status
