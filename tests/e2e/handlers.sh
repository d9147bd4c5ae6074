#!/bin/sh
# SPDX-License-Identifier: MIT
# Handlers of accesses, for kernels whose results can be computed by hand.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

compile "$source/tests/e2e/handlers.hip" program -I "$source/examples"
record run.db -q -a divergence,heatmap,cache,log:addresses=each:file=accesses.csv -- ./program
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

# Read twice: 64 lines of 64 B stay in L1, 1024 do not. L2 keeps 512 lines of 128 B, whichever of
# the launches is delivered first.
record cache.db -q --kernel-include-regex twice -a cache -- ./program
expect "cache model" "$(probe-report tables --table cache_model_site --format json cache.db |
	jq -c 'map(select(.access == "load")) |
	[map(.l1_accesses), map(.l1_hits), map(.l2_accesses), map(.l2_hits), map(.first_touches)] | map(add)')" \
	"[$((2 * 64 + 2 * 1024)),64,$((32 + 2 * 512)),$((32 + 512)),512]"
# The lines that are looked up are those that `memory` counts.
record memory.db -q -a memory -- ./program
expect "lines as memory counts them" "$(sqlite3 run.db 'SELECT sum(l1_accesses) FROM probe_cache_model_site')" \
	"$(sqlite3 memory.db 'SELECT sum(m.lines64) FROM probe_memory_site m JOIN probe_site s
		ON s.code_object_id = m.code_object AND s.site = m.site WHERE s.access = 1')"

# One line per execution, one address per lane, in both formats.
record jsonl.db -q -a log:format=jsonl:addresses=each:file=accesses.jsonl,divergence -- ./program
for db in run.db jsonl.db; do
	expect "$db: lines" "$(sqlite3 $db 'SELECT lines FROM probe_log_file')" \
		"$(sqlite3 $db 'SELECT sum(executions) FROM probe_divergence_site')"
done
lanes=$(sqlite3 run.db 'SELECT sum(lanes) FROM probe_divergence_site')
expect "addresses in JSON" "$(jq -s 'map(.addresses | length) | add' accesses.jsonl)" "$lanes"
expect "addresses in CSV" "$(sed 1d accesses.csv | sed 's/,,$//; s/.*,//' | tr ' ' '\n' | grep -c '^0x[0-9a-f]*$')" "$lanes"
expect "stores of a branch" "$(jq -c 'select(.kernel | startswith("every_fourth")) |
	[.group[0], .wave, .exec, .wave_exec, .lanes, .line]' accesses.jsonl | sort | head -n 1)" \
	"[0,0,\"0x2222222222222222\",\"0xffffffffffffffff\",16,$(line 'out[i] = i;')]"
# A neighbour's value without a barrier: each of 4 waves loads what another stored.
record race.db -q -a race -- ./program
balanced race.db
expect "races" "$(probe-report tables --table race_pair --format json race.db |
	jq -c '[.[] | [.kernel_name, .access, .line, .other_access, .other_line, .words]]')" \
	"[[\"shift_racing(unsigned int*)\",\"store\",$(grep -n 'tile\[t\] = t;' "$source/tests/e2e/handlers.hip" |
		sed -n '2s/:.*//p'),\"load\",$(grep -n 'tile\[(t + 64)' "$source/tests/e2e/handlers.hip" |
		sed -n '2s/:.*//p'),$((8 * 256))]]"

# Waves that share words but no bytes; and waves that share bytes: 64 and 128 words of 8 groups.
record parts.db -q -a race -- ./program parts
balanced parts.db
expect "races in parts of words" "$(probe-report tables --table race_pair --format json parts.db |
	jq -c '[.[] | [.kernel_name, .access, .other_access, .words]] | sort')" \
	'[["void parts_racing<char>(unsigned int*)","store","load",512],["void parts_racing<short>(unsigned int*)","store","load",1024]]'

# A second run that would write the same file does not start, and the file is unchanged.
cp accesses.csv before.csv
status=0
probe-run --device=sim -q -d again -a log:file=accesses.csv,divergence -- ./program 2>again.err ||
	status=$?
expect "refused" "$status" 125
grep -q 'log.*it exists' again.err || fail "no sentence: $(cat again.err)"
cmp before.csv accesses.csv || fail "the log was overwritten"
