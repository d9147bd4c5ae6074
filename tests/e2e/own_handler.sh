#!/bin/sh
# SPDX-License-Identifier: MIT
# Handlers built outside of the tree with find_package(probe): the examples, which see every access
# and compute its cost by Probe's rules, and the one in docs/handlers.md.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

cmake -B handler -S "$source/examples/handler" "-Dprobe_DIR=$(probe-config --cmake-dir)" >cmake.log ||
	fail "configure: $(cat cmake.log)"
cmake --build handler >build.log || fail "build: $(cat build.log)"
record lanes.db -q -a "$work/handler/lanes.so,$work/handler/lds_conflicts.so,memory" \
	-- "$build/examples/reduction" >/dev/null
balanced lanes.db

# The rules that a handler links equal those of the handler `memory`.
expect "LDS conflicts by line" \
	"$(sqlite3 lanes.db 'SELECT line, sum(executions), sum(conflicts) FROM probe_lds_conflicts_site GROUP BY line')" \
	"$(sqlite3 lanes.db "SELECT s.line, sum(m.executions), sum(m.conflicts) FROM probe_memory_site m
		JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		WHERE s.space = 3 GROUP BY s.line")"
[ "$(sqlite3 lanes.db 'SELECT sum(conflicts) FROM probe_lds_conflicts_site')" -gt 0 ] || fail "no conflicts"

# The handler of docs/handlers.md, copied from the page: its code blocks of C and of CMake.
mkdir traffic
for block in c:traffic.c cmake:CMakeLists.txt; do
	awk -v begin="\`\`\`${block%%:*}" '$0 == "```" { inside = 0 } inside; $0 == begin { inside = 1 }' \
		"$source/docs/handlers.md" >"traffic/${block#*:}"
done
cmake -B traffic/build -S traffic "-Dprobe_DIR=$(probe-config --cmake-dir)" >cmake.log ||
	fail "configure docs/handlers.md: $(cat cmake.log)"
cmake --build traffic/build >build.log || fail "build docs/handlers.md: $(cat build.log)"
probe-report replay lanes.db -a ./traffic/build/traffic.so -o traffic.db >/dev/null || fail "replay traffic"
expect "kernels" "$(sqlite3 traffic.db 'SELECT count(*) FROM probe_traffic_kernel')" 2
expect "bytes read and written" \
	"$(sqlite3 traffic.db 'SELECT sum(bytes_read), sum(bytes_written) FROM probe_traffic_kernel')" \
	"$(sqlite3 lanes.db "SELECT sum(m.lanes * s.size * (s.access != 2)), sum(m.lanes * s.size * (s.access != 1))
		FROM probe_memory_site m JOIN probe_site s ON s.code_object_id = m.code_object AND s.site = m.site
		WHERE s.space != 3")"

# Built against the first complete header of the ABI: it loads and sees the same.
cc -shared -fPIC -I"$source/tests/data/abi1" "$source/tests/data/abi1/lanes.c" -o abi1.so
probe-report replay lanes.db -a ./abi1.so -o abi1.db >/dev/null || fail "the plugin of the first header does not run"
for db in lanes abi1; do
	sqlite3 $db.db 'SELECT * FROM probe_lanes_site' >$db.txt
done
[ -s lanes.txt ] || fail "no rows"
cmp lanes.txt abi1.txt || fail "the plugin of the first header sees something else"

# Two kernels of 64 workgroups of 4 waves: each wave has one wave record and 8 barrier records, and
# each execution of a site is one record more.
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
