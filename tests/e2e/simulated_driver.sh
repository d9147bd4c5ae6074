#!/bin/sh
# SPDX-License-Identifier: MIT
# The simulated GPU below the real thunk counts the same as in place of the thunk: equal reports.
# Folder: simgpu
. "$(dirname "$0")/lib.sh"

[ -e "$build/lib/probe/sim/libhsakmt.so.1" ] || exit 77
for example in transpose reduction; do
	for interface in thunk driver; do
		PROBE_SIM_INTERFACE=$interface record $interface.db -q -- "$build/examples/$example" >/dev/null
		probe-report lines --all --format csv $interface.db >$example.$interface
	done
	cmp $example.thunk $example.driver || fail "$example: other counters below the thunk"
	[ "$(wc -l <$example.driver)" -gt 5 ] || fail "$example: no counters"
done
