#!/bin/sh
# SPDX-License-Identifier: MIT
# probe-report spills: as many stores and loads as the compiler's own comments in its assembly say, of the one kernel that
# spills, at lines of the kernel.
# Folder: cmds/report
. "$(dirname "$0")/lib.sh"

hipcc --offload-arch=gfx90a -g -O2 "$source/tests/e2e/spills.hip" -o spills
hipcc --offload-arch=gfx90a -g -O2 -S --cuda-device-only "$source/tests/e2e/spills.hip" -o spills.s 2>/dev/null
record spills.db -q -- ./spills >/dev/null
total()
{
	probe-report spills --format csv --no-header -f "$1" spills.db | awk '{ sum += $1 } END { print sum + 0 }'
}
[ "$(grep -c 'Folded Spill' spills.s)" -gt 50 ] || fail "the compiler spilled nothing"
expect stores "$(total stores)" "$(grep -c 'Folded Spill' spills.s)"
expect loads "$(total loads)" "$(grep -c 'Folded Reload' spills.s)"
expect kernels "$(probe-report spills --format csv --no-header -f kernel spills.db | sort -u)" '"crowded(float*, float const*)"'
expect registers "$(probe-report spills --format csv --no-header -f vgpr_spills spills.db | sort -u)" \
	"$(sed -n 's/ *\.vgpr_spill_count: *//p' spills.s | sort -n | tail -n 1)"
probe-report spills --format csv --no-header -f position spills.db | while read -r position; do
	line=${position##*:}
	[ "${position%:*}" = "$source/tests/e2e/spills.hip" ] && [ "$line" -ge 9 ] && [ "$line" -le 24 ] ||
		fail "a spill at $position"
done
python3 "$source/tests/cmd/json_schema.py" "$build/bin" "$source/docs/schema" spills spills.db
expect "no spills" "$(probe-report spills -k roomy spills.db | grep -c 'no spills')" 1
