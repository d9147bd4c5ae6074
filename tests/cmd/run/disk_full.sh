# SPDX-License-Identifier: MIT
# A file system of one megabyte; mounting it needs root rights. The first records are in the database before it is full.
mkdir disk
mount -t tmpfs -o size=1m none disk 2>/dev/null || exit 77
trap "umount disk" EXIT
mkfifo go
(until [ "$(sqlite3 -readonly disk/full.db "SELECT count(*) FROM probe_counter" 2>/dev/null)" = 30 ]; do :; done; : >go) &
probe-run -d disk -o full.db "$FAKE_APP" connect announce=x memory=10 wait=go memory=8990 exit-record out=done exit=5 2>err
echo " $?"
sed "s/[0-9][0-9]*/N/g" err >&2 # how much was stored before is a matter of time
sqlite3 disk/full.db "PRAGMA integrity_check; SELECT value FROM probe_run WHERE key LIKE 'partial%' ORDER BY key;
	SELECT value > 0 FROM probe_account WHERE stream = 'counters' AND name = 'dropped.store';
	SELECT (SELECT value FROM probe_account WHERE stream = 'counters' AND name = 'emitted') = 27000,
	(SELECT value FROM probe_account WHERE stream = 'counters' AND name = 'stored') =
		(SELECT count(*) FROM probe_counter)"
