# SPDX-License-Identifier: MIT
# A handler that fills the disk loses its own rows: those of the others and all records are stored. Mounting a small file
# system needs root rights.
counts=$PROBE/lib/probe/handlers/count.so
probe-run -q -d . -o x.db -a count "$FAKE_APP" connect announce=x memory=2 exit-record
mkdir disk
mount -t tmpfs -o size=2m none disk 2>/dev/null || exit 77
trap "umount disk" EXIT
cp x.db disk
probe-report replay -a "$counts:fail=rows,$counts" --in-place disk/x.db
echo "$?"
sqlite3 disk/x.db "PRAGMA integrity_check; SELECT count(*) FROM probe_counter; SELECT begun, ended, executions FROM probe_count_total"
probe-run -q -d disk -o y.db -a "count:fail=rows,count" "$FAKE_APP" connect announce=x memory=2 exit-record exit=7 2>err
echo "$?"
grep "handler count" err # whether its log can be emptied is a matter of bytes
sqlite3 disk/y.db "PRAGMA integrity_check; SELECT count(*) FROM probe_counter; SELECT begun, ended, executions, bad FROM probe_count_total"
