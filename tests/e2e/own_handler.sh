#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler built outside the tree with find_package(probe) sees every access.
. "$(dirname "$0")/lib.sh"

cmake -B handler -S "$source/examples/handler" "-Dprobe_DIR=$(probe-config --cmake-dir)" >cmake.log ||
	fail "configure: $(cat cmake.log)"
cmake --build handler >build.log || fail "build: $(cat build.log)"
record lanes.db -q -a "$work/handler/lanes.so" -- "$build/examples/reduction" >/dev/null
balanced lanes.db

# sum_interleaved, 64 groups of 4 waves: every access of the tree with its lanes, against the host.
# Executions of all sites together equal the trace records stored.
expect "executions" \
	"$(sqlite3 lanes.db 'SELECT sum(executions) FROM probe_lanes_site')" \
	"$(sqlite3 lanes.db "SELECT value FROM probe_account WHERE stream = 'trace' AND name = 'stored'")"
expect "full loads of in[]" \
	"$(sqlite3 lanes.db "SELECT count(*) FROM probe_lanes_site WHERE mean_lanes > 64 OR mean_lanes < 1")" 0
