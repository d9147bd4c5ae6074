#!/bin/sh
# SPDX-License-Identifier: MIT
# Run a program built with the plugin on the simulated GPU, its originals and then its clones of each
# kind, and compare what the probes counted with what the machine counted, place by place.
#   compare.sh BUILD WORK KIND[,KIND] -- PROGRAM [ARGS...]
# Leaves databases in WORK. For each kind it prints how many places are equal, paired, merged, scalar,
# unprobed, scratch and original (compare.sql says what that is), then those that nothing explains.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
kinds=$3
here=$(cd "$(dirname "$0")" && pwd)
shift 4

run()
{
	_to=$1
	shift
	rm -rf "$work/$_to" "$work/$_to.db"
	PROBE_SIM_MODEL=0 "$build/bin/probe-run" --device=sim -q -d "$work/$_to" "$@" >"$work/$_to.out" 2>"$work/$_to.err"
	mv "$work/$_to/$(hostname)"/*.db "$work/$_to.db"
	rm -rf "${work:?}/$_to"
}

PROBE_SIM_PCS="$work/pcs.csv" run plain --no-instrumented -- "$@"
"$build/tests/isa_lines" "$work/plain.db" "$work/pcs.csv" >"$work/isa.csv"
for kind in $(echo "$kinds" | tr , ' '); do
	run "$kind" -a memory --kind "$kind" -- "$@"
	rm -f "$work/compare-$kind.db"
	sqlite3 -bail "$work/compare-$kind.db" <<END
.mode csv
.import "$work/isa.csv" isa
ATTACH '$work/$kind.db' AS probed;
.read "$here/compare.sql"
SELECT '$kind', sum(verdict = 'equal'), sum(verdict = 'paired'), sum(verdict = 'merged'), sum(verdict = 'scalar'),
	sum(verdict = 'unprobed'), sum(verdict = 'scratch'), sum(verdict = 'original') FROM result;
.headers on
SELECT * FROM result WHERE verdict = '' ORDER BY owner, file, line, col;
END
done
