# SPDX-License-Identifier: MIT
# Sourced behind lib.sh by the tests that compare probes with the machine.
# shellcheck shell=sh disable=SC2154
# same PROGRAM NUMBERS [ARGS...]: places that are equal, paired, merged, scalar, unprobed, scratch and
# original, in both kinds; none that differ without one of these reasons
same()
{
	_program=$1
	_numbers=$2
	shift 2
	sh "$source/tests/e2e/isa/compare.sh" "$build" "$(basename "$_program")-rows" memory,trace -- "$_program" "$@" \
		>rows.txt || fail "$_program: comparison failed"
	# SQLite ends lines of CSV with CR and LF in some releases.
	expect "$_program" "$(tr -d '\r' <rows.txt)" "memory,$_numbers
trace,$_numbers"
}
