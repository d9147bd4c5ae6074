#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/tutorial.md does what it says: its program and its commands, in their order.
# Folder: docs
. "$(dirname "$0")/lib.sh"

# The block of the program; then each block of commands as a script.
awk '/^```c\+\+ tiles.hip$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/docs/tutorial.md" >tiles.hip
awk '/^```sh$/ { on = 1; n++; next } /^```$/ { on = 0 } on { print >("step" n ".sh") }' "$source/docs/tutorial.md"
PROBE_DEVICE=sim
export PROBE_DEVICE
for n in 1 2 3 4 5 6; do
	sh -eu "step$n.sh" >"step$n.out" 2>"step$n.err" || fail "step $n: $(cat "step$n.err")"
done

expect "steps" "$(ls step*.sh | wc -l)" 6
expect "the program" "$(cat step1.out)" right
# Lines that the tutorial shows are in the report.
awk '/^```$/ && !on && !sh { on = 1; next } /^```/ { if (on || sh) { on = sh = 0 } else { sh = 1 } next } on' \
	"$source/docs/tutorial.md" | sed 's/^ *//' >shown.txt
expect "lines shown" "$(wc -l <shown.txt)" 5
while IFS= read -r line; do
	grep -qF "$line" step2.out || fail "the report has no line '$line'"
done <shown.txt
grep -q "[1-9][0-9]* bank conflicts" step3.out && fail "conflicts after the fix"
grep -q "tiles.hip  *14 .* conflicts  *63488  *0  *-63488  *-100.0" step4.out || fail "diff does not show the conflicts: $(cat step4.out)"
grep -q "KERNEL_DISPATCH.*transpose(float\*, float const\*)" step5.out || fail "no times in step 5"
status=0
probe-report check --fail-on 'line.conflicts > 0' before.db >gate.txt 2>&1 || status=$?
expect "the gate" "$status" 1
grep -q 'tiles.hip  *14 ' gate.txt || fail "the gate does not name the line"
