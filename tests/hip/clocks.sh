#!/bin/sh
# SPDX-License-Identifier: MIT
# clocks.sh PROGRAM FOLDER: what the program prints, and the time stamps and counters of every
# dispatch, are the same in every run and for any number of host threads.
set -eu
program=$1
folder=$2
mkdir -p "$folder"

run() {
	rm -f "$folder/$1.stats"
	PROBE_SIM_THREADS=$2 PROBE_SIM_STATS="$folder/$1.stats" "$program" >"$folder/$1.out"
	# No matter: the host's time, and barriers in front of a kernel, which HIP leaves out if what
	# they would wait for is over. A barrier delays what follows: for the runtime's own copies, kernels
	# without a symbol, only what they did is compared, not when.
	sed -e 's/"host_ns":[0-9]*,//; s/"packet":[0-9]*,//' \
		-e '/"(no symbol)"/s/"start_tick":[0-9]*,"end_tick":[0-9]*,//' \
		"$folder/$1.stats" | sort >"$folder/$1.sorted"
	[ -s "$folder/$1.sorted" ]
}

run first 1
cat "$folder/first.out"
for threads in 1 2; do
	run again "$threads"
	cmp "$folder/first.out" "$folder/again.out"
	cmp "$folder/first.sorted" "$folder/again.sorted"
done
