# SPDX-License-Identifier: MIT
probe-run -q -d . -o x.db "$FAKE_APP" connect announce=x exit-record && ls
probe-run -d . -o x.db "$FAKE_APP" connect exit-record
echo $?
probe-run -q -d . -o x.db --force "$FAKE_APP" connect announce=x memory=1 exit-record
sqlite3 x.db "SELECT count(*) FROM kernels"
# Others' files are not replaced, and their owners not told that they could be.
echo text >text.db
sqlite3 sql.db "CREATE TABLE mine (a)"
mkdir directory.db
for name in text sql directory; do
	for force in --strict --force; do
		probe-run -d . -o $name.db $force "$FAKE_APP" out=started connect exit-record
		echo " $?"
	done
done
probe-report replay -q -a "$PROBE/lib/probe/handlers/count.so" x.db -o sql.db --force
echo $?
sqlite3 sql.db .tables
: >empty.db
probe-run -q -d . -o empty.db --force "$FAKE_APP" connect announce=x exit-record
echo $?
