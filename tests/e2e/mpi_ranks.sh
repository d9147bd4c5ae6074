#!/bin/sh
# SPDX-License-Identifier: MIT
# Four ranks under mpirun: a file each, named by rank, merged on reading; their exit status.
# Folder: cmds/options
. "$(dirname "$0")/lib.sh"

command -v mpirun >/dev/null || {
	echo "mpirun is not installed (package openmpi-bin)"
	exit 77
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ranks COUNT COMMAND...
ranks()
{
	_count=$1
	shift
	mpirun --oversubscribe -n "$_count" "$@"
}

ranks 4 probe-run -q --device=sim --sys-trace -d out -o rank-%rank%-of-%size% -- "$build/examples/plain_strided_copy" >printed.txt
for rank in 0 1 2 3; do
	[ -e out/rank-$rank-of-4.db ] || fail "no file of rank $rank: $(ls out)"
done
one=$(sqlite3 out/rank-0-of-4.db 'SELECT count(*) FROM rocpd_kernel_dispatch')
[ "$one" -gt 0 ] || fail "no dispatches"
probe-report stats --merge --format csv out/rank-*.db >stats.csv
all=$(python3 -c "
import csv
print(sum(int(row['calls']) for row in csv.DictReader(open('stats.csv')) if row['domain'] == 'KERNEL_DISPATCH'))")
expect "dispatches of all ranks" "$all" $((4 * one))
status=0
ranks 2 probe-run -q --device=sim -d failed -- sh -c 'exit 5' >/dev/null 2>&1 || status=$?
expect "exit status" $status 5
