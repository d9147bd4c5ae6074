#!/bin/sh
# SPDX-License-Identifier: MIT
# What the handlers of accesses say of kernels whose accesses can be worked out by hand.
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/handlers.hip" program -I "$source/examples"
record run.db -q -a divergence,heatmap -- ./program
balanced run.db

# rows TABLE KERNEL FILTER: JSON rows of a handler's table for one kernel
rows()
{
	probe-report tables --table "$1" -k "$2" --format json run.db | jq -c "$3"
}

# line TEXT: number of the program's line that has it
line()
{
	grep -nF "$1" "$source/tests/e2e/handlers.hip" | head -n 1 | cut -d: -f1
}

# 3 workgroups of a wave of 64 and one of 36.
expect "partial workgroups" "$(rows divergence_site '^partial' \
	'.[] | [.executions, .lanes, .lanes_64, .lanes_32_63, .idle_branch, .idle_partial, .lanes_1]' | uniq)" \
	"[6,300,3,3,0,84,0]"
expect "a branch" "$(rows divergence_site '^every_fourth' \
	'[.[] | [.line, .access, .executions, .lanes, .lanes_16_31, .whole, .idle_branch, .idle_partial, .idle_share]]')" \
	"[[$(line 'out[i] = i;'),\"store\",4,64,4,0,192,0,0.75]]"

# 300 of the words of `in`, then 16 rounds of 64 twice, then 256 rounds twice.
expect "words read" "$(sqlite3 run.db 'SELECT sum(reads), sum(read_bytes) FROM probe_heatmap_region')" \
	"$((300 + 2 * 1024 + 2 * 16384))|$((4 * (300 + 2 * 1024 + 2 * 16384)))"
expect "lines of the array read" "$(sqlite3 run.db \
	'SELECT sum(lines64), count(*) FROM probe_heatmap_page WHERE reads > 0')" "1024|16"
expect "words written" "$(sqlite3 run.db 'SELECT sum(writes), sum(atomics) FROM probe_heatmap_region')" \
	"$((300 + 64 + 2 * 64 + 2 * 2048 + 8))|0"
expect "pages and regions agree" "$(sqlite3 run.db \
	'SELECT (SELECT sum(written_bytes) FROM probe_heatmap_page) - sum(written_bytes) FROM probe_heatmap_region')" 0
# 8 groups store 256 words over 32 banks and load them again.
expect "LDS banks" "$(rows heatmap_lds '^shift\(' '[.[] | [.reads, .writes, .atomics]] | unique')" "[[64,64,0]]"
expect "banks" "$(rows heatmap_lds '^shift\(' length)" 32
