#!/bin/sh
# SPDX-License-Identifier: MIT
# golden.sh CASE.sh: run a case in a fresh directory and compare stdout, stderr and exit status with
# CASE.stdout, CASE.stderr, CASE.exit in the same folder (missing = empty, 0). UPDATE=1 rewrites
# them: read the difference before committing it.
#
# A case finds: $PROBE (an installation with probe-run, test handlers and an empty tool), $FAKE_APP,
# $PWD empty. In the output the directory becomes DIR, process ids PID, the host name HOST.
set -u
case=$(realpath "$1")
base=${case%.sh}
dir=$(mktemp -d "${TMPDIR:-/tmp}/probe-golden-XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/work" "$dir/probe/bin" "$dir/probe/lib/probe/sim" "$dir/probe/lib/probe/handlers"
cp "$PROBE_BIN/probe-run" "$dir/probe/bin/" || exit 99
cp "$TEST_HANDLERS"/*.so "$dir/probe/lib/probe/handlers/" || exit 99
cp "$TEST_HANDLERS/count.so" "$dir/probe/lib/probe/handlers/memory.so" # the default
: >"$dir/probe/lib/probe/libprobe-hsa.so"
cp "$TEST_HANDLERS/preload/nothing.so" "$dir/probe/lib/probe/sim/libprobe-sim.so" || exit 99
PROBE=$dir/probe
PATH=$PROBE/bin:$PROBE_BIN:$PATH
TMPDIR=$dir
export PROBE PATH TMPDIR FAKE_APP
unset XDG_RUNTIME_DIR NO_COLOR PROBE_SOCKET PROBE_KIND PROBE_WHEN_FULL PROBE_INSTRUMENTED \
	PROBE_KERNEL_INCLUDE PROBE_KERNEL_EXCLUDE PROBE_LIBRARY_INCLUDE \
	PROBE_LIBRARY_EXCLUDE PROBE_TRACE PROBE_DISPATCHES PROBE_GROUPS_X \
	PROBE_GROUPS_Y PROBE_GROUPS_Z HSA_TOOLS_LIB
TERM=dumb
LC_ALL=C
PROBE_DEVICE=sim # the same on a machine with a GPU
export TERM LC_ALL PROBE_DEVICE
cd "$dir/work" || exit 99

sh "$case" >"$dir/stdout" 2>"$dir/stderr" </dev/null
echo $? >"$dir/exit"
if [ "$(cat "$dir/exit")" = 77 ]; then
	cat "$dir/stderr"
	exit 77
fi
normal() {
	sed -e "s|$dir|DIR|g" -e "s|/$(hostname)/|/HOST/|g" -e 's/process [0-9][0-9]*/process PID/g' \
		-e 's/[0-9][0-9]*\(-[0-9]\)\{0,1\}\.db/PID\1.db/g' "$1"
}
failed=0
for what in stdout stderr exit; do
	normal "$dir/$what" >"$dir/$what.normal"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$dir/$what.normal" "$base.$what"
		[ -s "$base.$what" ] || rm -f "$base.$what"
		[ "$(cat "$base.$what" 2>/dev/null)" = 0 ] && [ $what = exit ] && rm -f "$base.exit"
		continue
	fi
	wanted=$base.$what
	if [ ! -e "$wanted" ]; then
		wanted=$dir/wanted
		: >"$wanted"
		[ $what = exit ] && echo 0 >"$wanted"
	fi
	diff -u "$wanted" "$dir/$what.normal" || failed=1
done
exit $failed
