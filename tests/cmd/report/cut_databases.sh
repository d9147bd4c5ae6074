# SPDX-License-Identifier: MIT
# A database that is cut off at each STEP-th byte: one message, no signal. One whose log is cut, as a kill or a full disk
# leaves it: what was committed before, or one message.
. "$(dirname "$0")/database.inc"
step=${STEP:-4999}
sample run.db
report() {
	status=0
	probe-report kernels --format csv -f kernel cut.db >out 2>err || status=$?
}
# failed: in one message
failed() {
	[ $status = 1 ] && [ ! -s out ] && [ "$(grep -c "error: " err)" = 1 ] && [ "$(wc -l <err)" = 1 ]
}
cuts() {
	at=0 bad=0 size=$(wc -c <"$1")
	while [ "$at" -lt "$size" ]; do
		head -c "$at" "$1" >"$2"
		report
		"$3" || { bad=$((bad + 1)); echo "the first $at bytes of $1: status $status: $(head -c 300 err)"; }
		at=$((at + step))
	done
	echo "$1: $bad problems"
}
cuts run.db cut.db failed

# Three commits, in a log that no checkpoint has emptied.
sqlite3 run.db >/dev/null <<'END'
PRAGMA journal_mode = WAL;
PRAGMA wal_autocheckpoint = 0;
UPDATE rocpd_info_kernel_symbol_t SET display_name = display_name || ' once';
CREATE TABLE more AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i, hex(randomblob(200)) AS text FROM n;
UPDATE rocpd_info_kernel_symbol_t SET display_name = display_name || ' more';
.shell cp run.db live.db; cp run.db-wal log
END
cp live.db cut.db
cp log cut.db-wal
report
cat out
cp out third
sed 's/ more//' third >second
sed 's/ once more//' third >first
committed() {
	failed || { [ $status = 0 ] && { cmp -s out first || cmp -s out second || cmp -s out third; }; }
}
cuts log cut.db-wal committed
