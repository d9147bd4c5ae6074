# SPDX-License-Identifier: MIT
# Soft limits are the program's: the recorder goes beyond them, and the program has them as without probe-run.
for limit in "-f 100" "-v 100000" "-n 16"; do
	(
		# shellcheck disable=SC2086
		ulimit -S $limit
		exec probe-run -q -d out --force -o x.db sh -c 'ulimit -S '"${limit% *}"'; exec "$@"' sh "$FAKE_APP" connect announce=x memory=2 exit-record
	) 2>&1
	echo "$limit: status $?, $(sqlite3 out/x.db "SELECT count(*) FROM probe_counter") rows"
done
