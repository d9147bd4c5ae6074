#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler built outside the tree with find_package(probe) sees every access.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

cmake -B handler -S "$source/examples/handler" "-Dprobe_DIR=$(probe-config --cmake-dir)" >cmake.log ||
	fail "configure: $(cat cmake.log)"
cmake --build handler >build.log || fail "build: $(cat build.log)"
record lanes.db -q -a "$work/handler/lanes.so" -- "$build/examples/reduction" >/dev/null
balanced lanes.db

# Built against the first complete header of the ABI: it loads and sees the same.
cc -shared -fPIC -I"$source/tests/data/abi1" "$source/tests/data/abi1/lanes.c" -o abi1.so
probe-report replay lanes.db -a ./abi1.so -o abi1.db >/dev/null || fail "the plugin of the first header does not run"
for db in lanes abi1; do
	sqlite3 $db.db 'SELECT * FROM probe_lanes_site' >$db.txt
done
[ -s lanes.txt ] || fail "no rows"
cmp lanes.txt abi1.txt || fail "the plugin of the first header sees something else"

# Two kernels of 64 workgroups of 4 waves: each wave announces itself in one record and passes 8
# barriers, which are one each; each execution of a site is one more.
waves=$((2 * 64 * 4))
barriers=$((waves * 8))
stored=$(sqlite3 lanes.db "SELECT value FROM probe_account WHERE stream = 'trace' AND name = 'stored'")
expect "executions" "$(sqlite3 lanes.db 'SELECT sum(executions) FROM probe_lanes_site')" "$((stored - waves - barriers))"

# The first step of sum_interleaved adds with half of the 256 work-items: two full waves of four.
line=$(grep -n 'part\[i\] += part\[i + s\]' "$source/examples/reduction.hip" | cut -d: -f1)
expect "full waves at the first adding load" \
	"$(sqlite3 lanes.db "SELECT max(full_waves) FROM probe_lanes_site WHERE line = $line")" "$((64 * 2))"
expect "sites out of bounds" \
	"$(sqlite3 lanes.db 'SELECT count(*) FROM probe_lanes_site WHERE mean_lanes > 64 OR mean_lanes < 1')" 0
