#!/bin/sh
# SPDX-License-Identifier: MIT
# Numbers that can be computed by hand: LDS conflicts of a 32x32 transpose, cache lines of strided loads,
# for both kinds.
# Folder: devlib
. "$(dirname "$0")/lib.sh"

for kind in memory trace; do
	record "$kind.db" --kind "$kind" -q -- "$build/examples/transpose" 32 >/dev/null
	probe-report lines --all --format json "$kind.db" >"$kind.json"
	balanced "$kind.db"

	# The tile read of transpose_tile<32>: 16 waves of 62 conflicts; of transpose_tile<33>: none.
	expect "$kind: unpadded tile read" \
		"$(jq -c '[.[] | select(.kernel | test("transpose_lds")) | select(.access == "load" and .space == "lds")
			| [.executions, .conflicts]]' "$kind.json")" '[[16,992]]'
	expect "$kind: unpadded tile write" \
		"$(jq -c '[.[] | select(.kernel | test("transpose_lds")) | select(.access == "store" and .space == "lds")
			| [.executions, .conflicts]]' "$kind.json")" '[[16,0]]'
	expect "$kind: padded tile" \
		"$(jq -c '[.[] | select(.kernel | test("transpose_padded")) | select(.space == "lds")
			| [.executions, .conflicts]]' "$kind.json")" '[[16,0],[16,0]]'
	# A wave holds two rows of 32 floats: 2 lines of 128 B read, 32 columns x 2... written at 128 B.
	expect "$kind: naive write" \
		"$(jq -c '[.[] | select(.kernel | test("transpose_naive")) | select(.access == "store")
			| [.executions, .lines128_used, .lines128_needed]]' "$kind.json")" '[[16,512,32]]'

	record "$kind-stride.db" --kind "$kind" -q -- "$build/examples/strided_copy" >/dev/null
	probe-report lines --all --format json "$kind-stride.db" >"$kind-stride.json"
	balanced "$kind-stride.db"
	for stride in 1 2 4 8 16 32; do
		used=$((2 * stride < 64 ? 2 * stride : 64))
		# 4096 elements in 64 waves
		expect "$kind: stride $stride" \
			"$(jq -c "[.[] | select(.kernel | test(\"copy_stride<$stride>\")) | select(.access == \"load\")
				| [.executions, .lines128_used, .lines128_needed]]" "$kind-stride.json")" \
			"[[64,$((64 * used)),128]]"
	done
done
