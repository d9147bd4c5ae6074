#!/bin/sh
# SPDX-License-Identifier: MIT
# PROBE_SITES_MEASURED: executions and lanes are exact, what is estimated is within its bound, and each
# format says that it is estimated.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"

app=$source/tests/e2e/sites_measured.hip
at()
{
	grep -n "// $1\$" "$app" | cut -d: -f1
}
# row FILE LINE: of an access
row()
{
	jq -c "[.[] | select(.line == $2)] | if length == 1 then .[0] else empty end" "$1"
}

PROBE_KINDS=memory PROBE_SITES_MEASURED=1-in-16 compile "$app" sampled
PROBE_KINDS=memory compile "$app" exact
for name in sampled exact; do
	record $name.db -q -- ./$name
	balanced $name.db
	probe-report lines --all --format json $name.db >$name.json
done

# 65536 executions; the mean of a gather is 33 lines and 33 passes.
for place in GLOBAL LDS FAR; do
	line=$(at $place)
	row sampled.json "$line" >sampled.row
	row exact.json "$line" >exact.row
	expect "$place: exact executions, lanes, no estimate" \
		"$(jq -c '[.executions, .lanes, .basis, .measured, .error]' exact.row)" '[65536,4194304,"measured",null,null]'
	expect "$place: executions, lanes" "$(jq -c '[.executions, .lanes, .basis]' sampled.row)" \
		'[65536,4194304,"sampled 1-in-16"]'
	# Three standard deviations of a binomial distribution.
	expect "$place: measured" "$(jq -c '.measured > 4096 - 190 and .measured < 4096 + 190' sampled.row)" true
	expect "$place: error" "$(jq -c '.error > 0 and .error < 5' sampled.row)" true
	jq -s '(.[0].lines128_used + .[0].passes) as $guess | (.[1].lines128_used + .[1].passes) as $exact |
		($guess - $exact) / $exact * 100 | fabs < 5' sampled.row exact.row >within
	expect "$place: within the bound" "$(cat within)" true
done
expect "lines of the alternating gather" "$(row exact.json "$(at GLOBAL)" | jq .lines128_used)" $((65536 * 33))
# Whose executions all cost the same is estimated exactly.
expect "lines of the far gather" "$(row sampled.json "$(at FAR)" | jq .lines128_used)" \
	"$(row exact.json "$(at FAR)" | jq .lines128_used)"

# The same program chooses the same executions again.
record again.db -q -- ./sampled
probe-report lines --all --format json again.db >again.json
expect "again" "$(row again.json "$(at GLOBAL)" | jq .lines128_used)" "$(row sampled.json "$(at GLOBAL)" | jq .lines128_used)"

# Labels.
probe-report lines --all sampled.db >sampled.txt
grep -q "counts: estimated from 4[0-9]* executions, measured 1-in-16: cache lines and passes within [0-9.]* %" sampled.txt ||
	fail "$(cat sampled.txt)"
for verb in summary lines kernels; do
	probe-report $verb sampled.db | grep -q "accesses are sampled" || fail "$verb does not say so"
done
probe-report lines --all --format csv -f line,basis,measured,error sampled.db | grep -q "^$(at GLOBAL),sampled 1-in-16,[0-9]*,[0-9.]*\$" ||
	fail "csv"
probe-report export --format html -o page.html sampled.db
