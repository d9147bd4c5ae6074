#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists the mnemonics that execute but that no directed test runs; fails if there are any. The
# class is "alu" or "memory"; without one it lists both.
#   untested_opcodes.sh DIRECTORY-OF-TEST-PROGRAMS [CLASS]
set -eu
bin=${1:?usage: $0 DIRECTORY-OF-TEST-PROGRAMS [CLASS]}
class=${2:-[a-z]*}
log=$(mktemp)
trap 'rm -f "$log" "$log.run" "$log.untested"' EXIT
for test in "$bin"/simgpu_isa_*; do
	case $test in
	*_coverage | *_decode) ;;
	*)
		SIMGPU_ISA_LOG=$log SIMGPU_ISA_LOG_ONLY=1 "$test" >/dev/null 2>&1 || {
			echo "$test cannot assemble its snippets" >&2
			exit 1
		}
		;;
	esac
done
sort -u "$log" >"$log.run"
"$bin/simgpu_isa_coverage" list | sed -n "s/^executes $class //p" | sort |
	comm -23 - "$log.run" >"$log.untested"
cat "$log.untested"
! [ -s "$log.untested" ]
