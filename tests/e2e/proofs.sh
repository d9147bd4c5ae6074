#!/bin/sh
# SPDX-License-Identifier: MIT
# What the compiler proved of addresses holds in every address that ran. The programs are compiled with
# PROBE_PROVE=0: the pass says what it would prove, and measures everything. And what is worked out of
# proofs where they are used is what was measured.
. "$(dirname "$0")/lib.sh"

# log NAME PROGRAM [ARGUMENTS...]: its addresses into NAME.jsonl
log()
{
	_db=$1
	shift
	record "$_db.db" --kind trace -q -a "log:format=jsonl:addresses=each:file=$_db.jsonl" -- "$@" >/dev/null
}

# check NAME SOURCE MINIMUM [ARGUMENTS...]: at least MINIMUM proved sites must have run
check()
{
	_name=$1
	_source=$2
	_least=$3
	shift 3
	PROBE_PROVE=0 PROBE_VERBOSE=2 compile "$_source" "$_name" 2>"$_name.proofs" ||
		fail "$_name does not compile: $(cat "$_name.proofs")"
	log "$_name" "./$_name" "$@"
	sqlite3 "$_name.db" "SELECT d.dispatch_id, d.workgroup_size_x, d.workgroup_size_y, d.workgroup_size_z,
		k.kernel_name
		FROM rocpd_kernel_dispatch d JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id" >"$_name.launches"
	python3 "$source/tests/e2e/proofs/check.py" "$_name.proofs" "$_name.launches" "$_name.jsonl" "$_least" ||
		fail "$_name: a proof does not hold"
	PROBE_KINDS=trace compile "$_source" "$_name-used"
	log "$_name-used" "./$_name-used" "$@"
	python3 "$source/tests/e2e/proofs/same.py" "$_name.jsonl" "$_name-used.jsonl" ||
		fail "$_name: addresses worked out of proofs differ"
	rm "$_name.jsonl" "$_name-used.jsonl"
}

check transpose "$source/examples/transpose.hip" 10
check strided_copy "$source/examples/strided_copy.hip" 12
check reduction "$source/examples/reduction.hip" 50
check convolution "$source/examples/convolution.hip" 6
check shapes "$source/tests/e2e/proofs/shapes.hip" 14
check digits "$source/tests/e2e/proofs/digits.hip" 7
check signs "$source/tests/e2e/proofs/signs.hip" 7
