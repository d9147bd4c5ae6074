#!/bin/sh
# SPDX-License-Identifier: MIT
# A kernel launched in several shapes has a cause for each: the wide launches store columns, the
# narrow one loads them. Counters and a trace agree.
# Folder: handlers
. "$(dirname "$0")/lib.sh"

cp "$source/tests/e2e/launch_shapes.hip" program.hip
compile program.hip launch_shapes
wide='8x8x1 groups of 32x8x1'
narrow='1x4x1 groups of 1x64x1'
for kind in memory trace; do
	record $kind.db -q --kind $kind -- ./launch_shapes
	balanced $kind.db
	probe-report lines --by launch-shape --all --format json $kind.db >$kind.json
	expect "$kind: accesses with a cause" "$(jq -r '.[] | select(.cause != "") |
		"\(.launch_shape): \(.access), \(.cause_shape)"' $kind.json)" "$wide: store, $wide
$narrow: load, $narrow"
	expect "$kind: executions" "$(jq -r '[.[] | "\(.access) \(.executions)"] | sort | join(", ")' $kind.json)" \
		"load 4, load 512, store 4, store 512"
	probe-report lines $kind.db >$kind.txt
	expect "$kind: the shape is named" "$(grep -o 'cause (launches of [^)]*)' $kind.txt)" \
		"cause (launches of $wide)
cause (launches of $narrow)"
done
