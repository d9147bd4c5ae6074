#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists the mnemonics that execute but that no directed test runs.
#   simgpu_isa_untested.sh DIRECTORY-OF-TEST-PROGRAMS
set -eu
bin=${1:?usage: $0 DIRECTORY-OF-TEST-PROGRAMS}
log=$(mktemp)
trap 'rm -f "$log" "$log.run"' EXIT
for test in salu valu float memory atomic lds mfma mods wave; do
	SIMGPU_ISA_LOG=$log "$bin/simgpu_isa_$test" >/dev/null 2>&1
done
sort -u "$log" >"$log.run"
"$bin/simgpu_isa_coverage" list | sed -n 's/^executes //p' | sort | comm -23 - "$log.run"
