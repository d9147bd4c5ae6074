#!/bin/sh
# SPDX-License-Identifier: MIT
# A program with a timer at 1 kHz, and a handler of each of 16 kinds, has the results and the signals that it has without
# Probe while its records stream, and no record is lost.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/signal_handlers.hip" signal_handlers

for bits in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	simulated ./signal_handlers "$bits" >plain.out || fail "$bits: the program itself ends with $?"
	probe-run --device=sim -q -d . -o "$bits.db" --kind trace -a divergence -- ./signal_handlers "$bits" >run.out ||
		fail "$bits: status $?"
	cmp plain.out run.out || fail "$bits: stdout differs: $(diff plain.out run.out)"
	grep -q 'sum .*, interrupted' run.out || fail "$bits: $(tail -n 1 run.out)"
	balanced "$bits.db"
	expect "$bits: launches" "$(sqlite3 "$bits.db" "SELECT count(*) FROM kernels WHERE name LIKE 'add%'")" 100
	expect "$bits: accesses" "$(sqlite3 "$bits.db" "SELECT sum(executions) FROM probe_divergence_site")" 1200
	expect "$bits: lost" "$(sqlite3 "$bits.db" "SELECT coalesce(sum(value), 0) FROM probe_account
		WHERE name LIKE 'dropped.%' OR name = 'unknown'")" 0
done
