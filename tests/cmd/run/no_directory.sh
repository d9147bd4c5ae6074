# SPDX-License-Identifier: MIT
# Where no database can be made, the program is not started. An absolute path in -o is used unchanged; its directory
# must exist; others are made.
probe-run -q -a count -o "$PWD/a.b" "$FAKE_APP" connect announce=x memory=1 exit-record
ls
probe-run -q -a count -d . -o new/er/x "$FAKE_APP" connect announce=x memory=1 exit-record
ls new/er
echo text >file
long=$(printf '%0246d' 0)
refused() {
	probe-run -a count "$@" "$FAKE_APP" out=started connect
	echo " $?"
}
refused -o /nonexistent/a/b.db
refused -d file
refused -d file/below
refused -d . -o file/x.db
refused -d . -o "$long"
refused -o "$PWD/$long"
ls | sed "s/$long/LONG/"
mkdir disk
mount -t tmpfs -o size=1m,nr_inodes=1 none disk 2>/dev/null || exit 77 # needs root rights
trap "umount disk" EXIT
refused -d disk
refused -d . -o disk/x.db
refused -o "$PWD/disk/x.db"
mount -o remount,ro disk
refused -d disk
refused -d . -o disk/x.db
refused -d . -o disk/new/x.db
