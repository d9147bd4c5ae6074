#!/bin/sh
# SPDX-License-Identifier: MIT
# proved_addresses.sh BUILD SOURCE PROGRAM MINIMUM: the compiler's proofs about addresses hold for
# every address of a run. PROGRAM (a .hip file below SOURCE) is compiled with PROBE_PROVE=0: the
# pass prints what it would prove, and measures everything. At least MINIMUM proved sites must have
# run. Compiled with proofs, the program has the same trace.
. "$(dirname "$0")/../lib.sh"
program=$3
minimum=$4

# trace NAME: the addresses of ./NAME in NAME.jsonl
trace()
{
	record "$1.db" --kind trace -q -a "log:format=jsonl:addresses=each:file=$1.jsonl" -- "./$1" >/dev/null
}

PROBE_PROVE=0 PROBE_VERBOSE=2 compile "$source/$program" measured 2>proofs.txt ||
	fail "$program does not compile: $(cat proofs.txt)"
trace measured
sqlite3 measured.db "SELECT d.dispatch_id, d.workgroup_size_x, d.workgroup_size_y, d.workgroup_size_z,
	k.kernel_name
	FROM rocpd_kernel_dispatch d JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id" >launches.txt
python3 "$source/tests/e2e/proofs/check_proofs.py" proofs.txt launches.txt measured.jsonl "$minimum" ||
	fail "$program: a proof does not hold, or fewer than $minimum proved sites ran"
PROBE_KINDS=trace compile "$source/$program" proved
trace proved
python3 "$source/tests/e2e/proofs/same_accesses.py" measured.jsonl proved.jsonl ||
	fail "$program: addresses derived from proofs differ from measured ones"
rm measured.jsonl proved.jsonl
