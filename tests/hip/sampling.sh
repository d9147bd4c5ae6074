#!/bin/sh
# SPDX-License-Identifier: MIT
# sampling.sh PROGRAM OUTPUT CASE LEAST: the same samples in every run, for any number of threads,
# and more than LEAST.
set -eu
for threads in 1 2 3 3; do
	PROBE_SIM_THREADS=$threads "$1" "$3" >"$2.$threads"
	[ "$(wc -l <"$2.$threads")" -gt "$4" ] || exit 1
	cmp "$2.1" "$2.$threads"
done
