#!/bin/sh
# SPDX-License-Identifier: MIT
# How many bytes of a cache line causes say are used, by hand: of neighbouring lanes, of lanes that
# are idle, and of iterations.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

program=$source/tests/e2e/line_use.hip
cp "$program" program.hip
compile program.hip line_use
used="of 128 B of each cache line are used by this access"

# at MARK COLUMN: of the line with this mark
at()
{
	jq -r --argjson line "$(grep -n "// $1\$" "$program" | cut -d: -f1)" \
		".[] | select(.line == \$line) | .$2" $kind.json
}
for kind in memory trace; do
	record $kind.db -q --kind $kind -- ./line_use
	probe-report lines --all --format json $kind.db >$kind.json
	case "$(at filter cause)" in
	*": 64 $used, 128 with the 1 access next to it"*) ;;
	*) fail "$kind: $(at filter cause)" ;;
	esac
	expect "$kind: apart" "$(at apart cause)" \
		"lanes are 16 B apart and 4 B are read: 32 $used, 64 with the 1 access next to it (line 15)"
	expect "$kind: far" "$(at far cause)" "lanes are 16 B apart and 8 B are read: 64 $used"
	# A trace knows all accesses to the buffer.
	expect "$kind: idle" "$(at idle cause | sed 's/; a structure of arrays may cost .*//')" \
		"lanes are 12 B apart and 4 B are written: on average 28.33 $used"
	expect "$kind: twice" "$(at twice cause)" \
		"lanes are 1200 B apart and 4 B are read: 4 $used at a time; other iterations may use other bytes of these cache lines, and request them again"
	case "$(at twice fix)" in
	*"if neighbouring elements are 4 B apart and at least 64 consecutive ones are accessed"*) ;;
	*) fail "$kind: $(at twice fix)" ;;
	esac
done
