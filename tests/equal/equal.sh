#!/bin/sh
# SPDX-License-Identifier: MIT
# equal.sh BUILD SOURCE PROGRAM KIND: the program's kernels leave the same memory with and without
# probes, and only the expected kernels ran uninstrumented.
program=$3
kind=$4
test=$(basename "$program").$kind
. "$(dirname "$0")/../e2e/lib.sh"

simulated "$program.plain" >plain.txt || fail "without probes: status $?"
record run.db --kind "$kind" -q -- "$program.probed" >probed.txt || fail "with probes: status $?"
cmp plain.txt probed.txt || fail "$(diff plain.txt probed.txt | head -10)"
balanced run.db
sqlite3 -separator ' ' run.db "
	SELECT DISTINCT d.verdict, k.kernel_name FROM probe_dispatch d
	LEFT JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id
	WHERE d.verdict <> 0" >refused.txt
# The frames of a recursion cannot be bounded: verdict 14 (wire_segment.h). Names of generated
# kernels with recursion say so.
while read -r verdict kernel; do
	case "$verdict $kernel" in
	"3 __amd_rocclr_"*) ;; # the runtime's own
	"14 _Z9recursionPiPKi"| 14\ _Z*g[0-9]*_[0-9]*r*) ;;
	# The runtime's own kernel, before a cooperative launch.
	"3 __amd_rocclr_gwsInit") ;;
	*) fail "kernel $kernel did not run probed: verdict $verdict" ;;
	esac
done <refused.txt
expect "dispatches that completed" "$(sqlite3 run.db 'SELECT count(*) FROM probe_dispatch WHERE NOT completed')" 0
