# SPDX-License-Identifier: MIT
# The crash is of probe-run itself: it names the handler, and the database can be read.
{ (probe-run -q -a count:fail=crash "$FAKE_APP" connect announce=x memory=2 exit-record); } 2>err.txt
echo $?
grep -a "^probe:" err.txt
sqlite3 probe-out/*/*.db "PRAGMA integrity_check; SELECT value FROM probe_run WHERE key = 'partial'"
