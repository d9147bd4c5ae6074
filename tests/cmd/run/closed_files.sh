# SPDX-License-Identifier: MIT
# Started without some of the descriptors 0 to 2: the program has the same ones as without probe-run, and is recorded.
list='ls -C "/proc/$$/fd" >&3; exec "$@"'
n=0
for closed in "<&-" ">&-" "2>&-" "<&- >&-" "<&- >&- 2>&-"; do
	n=$((n + 1))
	eval "sh -c '$list' sh true 3>alone $closed"
	eval "probe-run -q -d out -o $n.db sh -c '$list' sh \"\$FAKE_APP\" connect announce=x memory=2 exit-record exit=7 3>recorded $closed"
	echo "$closed: status $?, $(sqlite3 out/$n.db "SELECT count(*), (SELECT ended FROM probe_count_total) FROM probe_counter")"
	cmp alone recorded
done
