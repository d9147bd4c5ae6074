#!/bin/sh
# SPDX-License-Identifier: MIT
# The instruction trace and the fidelity report of a HIP program on the simulated GPU.
#   trace.sh PROGRAM KERNEL
set -eu
program=$1
kernel=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "$1" >&2
	exit 1
}

PROBE_SIM_TRACE=$work/trace PROBE_SIM_TRACE_WAVE=$kernel:0:0 PROBE_SIM_FIDELITY=$work/fidelity \
	"$program" >"$work/out"
grep -q '^0x[0-9a-f]* s_load_dword.* s\[.*exec=[0-9a-f]* .*s[0-9]*=' "$work/trace" ||
	fail "no scalar load in the trace"
grep -q ' v_.* v[0-9]*={' "$work/trace" || fail "no vector result in the trace"
[ "$(tail -1 "$work/trace" | awk '{print $2}')" = s_endpgm ] || fail "the trace has no end"
[ "$(grep -c s_endpgm "$work/trace")" = 1 ] || fail "more than one wave is in the trace"
grep -q '^s_endpgm .* exact: ' "$work/fidelity" || fail "s_endpgm is not in the report"
grep -q ', 0 of them without a directed test$' "$work/fidelity" ||
	fail "instructions without a test: $(grep untested "$work/fidelity")"

PROBE_SIM_TRACE=$work/no PROBE_SIM_TRACE_WAVE=0:0 "$program" >"$work/out" 2>"$work/err"
grep -q "^probe-sim: invalid value '0:0' for PROBE_SIM_TRACE_WAVE; expected DISPATCH:WORKGROUP:WAVE" "$work/err" ||
	fail "a bad choice is not refused"
[ ! -e "$work/no" ] || fail "a bad choice is traced"
