# SPDX-License-Identifier: MIT
# Sourced behind lib.sh by the tests that compare probes with the machine.
# shellcheck shell=sh disable=SC2154

isa_llvm=$(hip_llvm)

# same PROGRAM NUMBERS [LLVM=NUMBERS...]: places that are equal, paired, merged, scalar, unprobed, scratch
# and original, in both kinds; none that differ without one of these reasons. The first numbers are those
# of LLVM 15; later ones pair other accesses. A compiler without numbers of its own only has to have
# places, and none that differ.
same()
{
	_program=$1
	_numbers=
	[ "$isa_llvm" != 15 ] || _numbers=$2
	shift 2
	for _other in "$@"; do
		[ "${_other%%=*}" != "$isa_llvm" ] || _numbers=${_other#*=}
	done
	sh "$source/tests/e2e/isa/compare.sh" "$build" "$(basename "$_program")-rows" memory,trace -- "$_program" \
		>rows.txt || fail "$_program: comparison failed"
	# SQLite ends lines of CSV with CR and LF in some releases.
	_rows=$(tr -d '\r' <rows.txt)
	if [ -z "$_numbers" ]; then
		_numbers=$(echo "$_rows" | sed -n '1s/^memory,\([1-9][0-9,]*\)$/\1/p')
		echo "$_program, LLVM $isa_llvm: $_numbers"
	fi
	expect "$_program" "$_rows" "memory,$_numbers
trace,$_numbers"
}
