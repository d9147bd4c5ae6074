# SPDX-License-Identifier: MIT
# A database that the user removes before the run ends is not offered for viewing. It is removed when it has its tables.
probe-run -d out -o x.db sh -c '"$FAKE_APP" connect announce=x memory=2 exit-record
	until [ "$(sqlite3 out/x.db "SELECT count(*) > 0 FROM probe_run" 2>&1)" = 1 ]; do :; done
	rm out/x.db
	exit 5'
echo $?
