#!/bin/sh
# SPDX-License-Identifier: MIT
# What follows from the launch is no loaded index, wherever the compiler computes it; and lanes
# without a stride are not said to have one.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"

program=$source/tests/e2e/launch_values.hip
cp "$program" program.hip
compile program.hip launch_values
record run.db -q -- ./launch_values
balanced run.db
probe-report lines --all --format json run.db >lines.json

# at MARK ACCESS JQ: of the line with this mark. The order of factors is the compiler's.
at()
{
	jq -r --argjson line "$(grep -n "// $1\$" "$program" | cut -d: -f1)" --arg access "$2" \
		".[] | select(.line == \$line and .access == \$access) | $3" lines.json |
		sed 's/blockDim.x\*gridDim.x/gridDim.x*blockDim.x/'
}
expect "struct" "$(at struct load '"\(.address_class): \(.address)"')" \
	"affine: p + 24*(blockDim.x*blockIdx.x + threadIdx.x + gridDim.x*blockDim.x*iteration) + 20"
expect "cause" "$(at struct load .cause)" \
	"lanes are 24 B apart and 4 B are read: on average 21.33 of 128 B of each cache line are used by this access"
expect "rows" "$(at rows store .address_class)" rows
case "$(at rows store .cause)" in
"rows of 16 work-items are contiguous,"*) ;;
*) fail "rows: $(at rows store .cause)" ;;
esac
case "$(at exchanged store .cause)" in
*"one word"* | "") fail "exchanged: $(at exchanged store .cause)" ;;
esac
expect "chase" "$(at chase load .address_class)" chase
expect "wrapped" "$(at wrapped load .address)" "in + 4*((blockDim.x*blockIdx.x + threadIdx.x + 1) % n)"
expect "march" "$(at march load .address_class)" wrapped
expect "banks" "$(at banks store .address)" "out + 4*threadIdx.x + 4*((2*threadIdx.x + 1) / 3)"
expect "groups" "$(at groups store .address)" "out + 4*(gridDim.x*threadIdx.x + blockIdx.x)"
# Instruction selection makes two stores of the three bytes.
expect "colours" "$(at colours store .size)" 2
expect "third colour" "$(at third store .size)" 1
# The three floats of a float3: LLVM 15 makes one access of them, LLVM 21 two. They are counted so.
for access in load store; do
	mark=vectors
	[ $access = store ] || mark=loaded
	case "$(at $mark $access '"\(.size) \(.lines128_excess) \(.machine)"')" in
	"12 0 global_${access}_dwordx3" | "8 "*" global_${access}_dwordx2"*) ;;
	*) fail "$mark: $(at $mark $access '"\(.size) \(.lines128_excess) \(.machine)"')" ;;
	esac
done
expect "members" "$(at members load .address)" "a.data + 4*a.tile.rows + 4*threadIdx.x*a.pitch"
expect "never" "$(at never store .lanes)" ""
for line in "all 64 4" "three 3 1" "chosen 64 4" "two 2 1"; do
	set -- $line
	expect "$1" "$(at "$1" store '"\(.lanes) \(.lines64_used)"')" "$2 $3"
done
