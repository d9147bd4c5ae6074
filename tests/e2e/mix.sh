#!/bin/sh
# SPDX-License-Identifier: MIT
# probe-report mix: floating-point operations and bytes equal closed forms, per kernel and line, and those that the
# simulator executed of the original kernels, by the names of the machine's instructions.
# Folder: llvm-plugin
. "$(dirname "$0")/lib.sh"
PROBE_KINDS=count
export PROBE_KINDS

compile "$source/tests/e2e/mix.hip" mix
record mix.db -a count -q -- ./mix >probed.txt
PROBE_SIM_PCS=pcs.csv record plain.db --no-instrumented -q -- ./mix >plain.txt
# A process without kernels does not write the file, as timeout(1) would when the program has ended.
PROBE_SIM_PCS=pcs.csv simulated true
cmp plain.txt probed.txt || fail "other output with probes"
balanced mix.db

# ask KERNEL COLUMNS
ask()
{
	probe-report mix --format csv --no-header -k "^$1\\(|$1P" -f "$2" mix.db
}

# Two operations per lane of saxpy; 12 bytes.
expect saxpy "$(ask saxpy flops,bytes,intensity,limit)" "50702,304212,0.167,memory"
expect tiles "$(ask tiles flops,bytes,lds_bytes,global_read,barrier)" \
	"$((2 * 128 * 128 * 128)),$(((2 * 8 + 1) * 4 * 128 * 128)),$((8 * 4 * 128 * 128 * (2 + 32))),$((2 * 8 * 256)),$((2 * 8 * 256))"
# 128 floating-point operations per cycle and compute unit are the most for doubles.
probe-report mix --format csv --no-header -k '^doubles' -f roof_gflops,memory_roof_gflops,roof_share mix.db |
	awk -F , '$1 > 0 && $1 < 22631 && $2 <= $1 && $3 <= 100 { ok = 1 } END { exit !ok }' || fail "roofs of doubles"
expect "limit of doubles" "$(ask doubles limit)" "memory or VALU"
# A multiplication with an addition, and another addition.
expect doubles "$(ask doubles flops,fp64)" "$((3 * 64 * 20 * 3)),$((3 * 20 * 3))"
# The last lane adds seven times; 28 additions of eight lanes each.
expect lanes "$(ask lanes flops,fp32)" "$((2 * 28 * 8)),$((2 * 7))"
expect matrices "$(ask matrices matrix_fp16,matrix_fp32,matrix_fp64,matrix_i8,flops)" \
	"5,5,5,5,$((5 * (2 * 16 * 16 * 16 + 16 * 2 * 4 * 4 + 2 * 16 * 16 * 4)))"
expect "pointers: flat addresses are in no other sum" "$(ask pointers bytes,lds_bytes,flat_bytes)" "256,256,256"
expect "limit of hash" "$(ask hash limit,flops)" "VALU,0"
probe-report mix --format csv --no-header -k '^hash' -f roof_share mix.db | awk '$1 > 10 && $1 <= 100 { ok = 1 } END { exit !ok }' ||
	fail "hash: not at a likely share of the roof"
expect updates "$(ask updates lds_atomic,global_atomic,flops)" "28,7,0"

# By line: nothing is lost, and the multiplication is where it is.
expect "sums of lines" "$(probe-report mix --by line --format csv --no-header -f operations,flops,bytes,lds_bytes mix.db |
	awk -F , '{ for (i = 1; i <= 4; i++) s[i] += $i } END { print s[1], s[2], s[3], s[4] }')" \
	"$(probe-report mix --format csv --no-header -f operations,flops,bytes,lds_bytes mix.db |
	awk -F , '{ for (i = 1; i <= 4; i++) s[i] += $i } END { print s[1], s[2], s[3], s[4] }')"
line=$(grep -n 'sum += left' "$source/tests/e2e/mix.hip" | cut -d : -f 1)
expect "line $line" "$(probe-report mix --by line --format csv --no-header -f position,flops mix.db | grep ":$line,")" \
	"$source/tests/e2e/mix.hip:$line,$((2 * 128 * 128 * 128))"

# The machine's: pc,mnemonic,execs,active,lanes,...
awk -F , '
	function add(what, times) { sum[what] += times * $5 }
	$2 ~ /^v_pk_fma_f32/ { add("fp32", 4); next }
	$2 ~ /^v_pk_(add|mul)_f32/ { add("fp32", 2); next }
	$2 ~ /^v_(fma|fmac|mac|fmaak|fmamk|madak|madmk|mad)_f32/ { add("fp32", 2); next }
	$2 ~ /^v_(add|sub|subrev|mul)_f32/ { add("fp32", 1); next }
	$2 ~ /^v_(fma|fmac)_f64/ { add("fp64", 2); next }
	$2 ~ /^v_(add|mul)_f64/ { add("fp64", 1); next }
	$2 ~ /^v_mfma/ { matrix += $3; next }
	function width() { return $2 ~ /x4$|_b128/ ? 16 : $2 ~ /x3$/ ? 12 : $2 ~ /x2$|_b64/ ? 8 : 4 }
	$2 ~ /^global_(load|store)/ { add("bytes", width()); next }
	$2 ~ /^global_atomic/ { add("bytes", 4); next }
	$2 ~ /^ds_(read|write)2(st64)?_b/ { add("lds", 2 * width()); next }
	$2 ~ /^ds_/ { add("lds", width()); next }
	END { print sum["fp32"], sum["fp64"], matrix, sum["bytes"], sum["lds"] }' pcs.csv >machine.txt
probe-report mix --format csv --no-header -f kernel,flops,bytes,lds_bytes,fp32,matrix_fp16,matrix_fp32,matrix_fp64,matrix_i8 mix.db |
	sed 's/^"\([a-z]*\)[^"]*"/\1/; s/^_Z[0-9]*\([a-z]*\)P[^,]*/\1/' >kernels.txt
awk -F , '
	{ bytes += $3; lds += $4; matrix += $6 + $7 + $8 + $9 }
	$1 == "doubles" { fp64 += $2; next }
	$1 != "matrices" { fp32 += $2 }
	END { print fp32, fp64, matrix, bytes, lds }' kernels.txt >counted.txt
cmp machine.txt counted.txt || fail "the machine has '$(cat machine.txt)', counted are '$(cat counted.txt)'"

python3 "$source/tests/cmd/json_schema.py" "$build/bin" "$source/docs/schema" mix mix.db

# Without counts, and by what it is not shown.
record memory.db -a memory -q -- ./mix >/dev/null
probe-report mix memory.db | grep -q 'record with probe-run -a count' || fail "no reason for an empty mix"
status=0
probe-report mix --by dispatch mix.db 2>error.txt || status=$?
expect "status of --by dispatch" "$status" 2
grep -q 'by kernel or by line' error.txt || fail "$(cat error.txt)"
