# SPDX-License-Identifier: MIT
# From too few descriptors for anything to enough: the run ends, a database that is there has its tables, and one that
# is not there is spoken of. What could not be stored is complete with --recover.
complete=0
for limit in $(seq 7 30); do
	rm -rf out
	(
		ulimit -n "$limit"
		exec probe-run -d out -o x.db "$FAKE_APP" connect announce=x memory=2 exit-record
	) 2>said
	status=$?
	if [ -e out/x.db-spool ]; then
		[ ! -e out/x.db ] || echo "$limit: a database beside its spool"
		probe-run -q --recover out/x.db-spool 2>&1
	elif [ ! -e out/x.db ]; then
		grep -q -e "nothing could be stored" -e "error: cannot" said || echo "$limit: not said"
		[ -z "$(ls out 2>/dev/null)" ] || echo "$limit: left $(ls out)"
		case $status in 3 | 99 | 125) continue ;; esac
		echo "$limit: status $status without a database"
	fi
	rows=$(sqlite3 out/x.db "SELECT count(*) FROM probe_counter" 2>&1)
	[ "$rows" = 6 ] || echo "$limit: $rows rows"
	complete=$((complete + 1))
done
[ $complete -ge 4 ] || echo "only $complete runs were recorded"
