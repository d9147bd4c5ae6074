#!/bin/sh
# SPDX-License-Identifier: MIT
# same.sh BUILD CODE_OBJECT CASE memory|trace|off: output and exit status of a case are the same
# with and without the tool, every dispatch is recorded and completed, and nothing is lost. With
# NEWER_RUNTIME=LIBRARY, under that stand-in for a newer runtime.
set -u
build=$1
code=$2
name=$3
way=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "$name $way: $*" >&2
	cat "$work"/*.err >&2
	exit 1
}

simulator="LD_PRELOAD=$build/lib/probe/sim/libprobe-sim.so"
export NEWER_RUNTIME="${NEWER_RUNTIME:-}"
newer=$NEWER_RUNTIME
env "$simulator" ${newer:+"HSA_TOOLS_LIB=$newer"} "$build/bin/hsa_cases" "$code" "$name" \
	>"$work/plain.out" 2>"$work/plain.err"
plain=$?
case "$way" in
off) set -- --no-instrumented ;;
*) set -- --kind "$way" ;;
esac
"$build/bin/probe-run" --device=sim --strict -d "$work" -o run.db "$@" -- \
	sh -c '[ -z "$NEWER_RUNTIME" ] || export NEWER_RUNTIME_TOOL="$HSA_TOOLS_LIB" HSA_TOOLS_LIB="$NEWER_RUNTIME"
		exec "$@"' sh "$build/bin/hsa_cases" "$code" "$name" >"$work/tool.out" 2>"$work/tool.err"
status=$?
[ "$status" != 77 ] || [ "$plain" != 77 ] || {
	cat "$work/plain.err"
	exit 77
}
[ "$status" = "$plain" ] || fail "exit status $status, $plain without the tool"
[ "$plain" = 0 ] || fail "exit status $plain"
cmp "$work/plain.out" "$work/tool.out" || fail "output differs"

value()
{
	sqlite3 "$work/run.db" "$1"
}

seen=$(value 'SELECT count(*) FROM probe_dispatch')
own=$(sed -n 's/^own count: \([0-9]*\) dispatches$/\1/p' "$work/tool.err")
[ -z "$own" ] || [ "$own" = "$seen" ] || fail "$seen dispatches are recorded of $own"
[ "$(find "$work" -name '*.db' | wc -l)" = 1 ] || fail "children have databases of their own"
case "$way" in
off) want=1 ;;
*) want=0 ;;
esac
others=$(value "SELECT count(*) FROM probe_dispatch WHERE verdict != $want")
[ "$others" = 0 ] || fail "$others of $seen dispatches have another verdict than $want"
grep -q "dispatches: $seen seen, $seen completed" "$work/tool.err" || fail "not all of $seen completed"
