# SPDX-License-Identifier: MIT
# Where another file stands in the place of a recording's database, --recover leaves both, and makes the database when the
# file was moved away. A spool that lacks what the database has does not replace it.
mkfifo go ready

# kill_all DIR: a recording with its spool, as a kill of all its processes leaves it.
kill_all()
{
	probe-run -q -d "$1" -o x.db "$FAKE_APP" connect announce=x memory=500 wait=ready wait=go &
	run=$!
	: >ready
	app=$(pgrep -P "$run" -x fake-app)
	recorder=$(pgrep -P "$run" -x probe-recorder)
	until [ "$(sqlite3 "$1/x.db" 'SELECT count(*) FROM probe_counter' 2>&1)" = 1500 ]; do
		kill -0 "$run" || exit 1
	done
	kill -KILL "$run" "$recorder" "$app"
	wait "$run" 2>death
	for process in "$app" "$recorder"; do
		while cut -d ' ' -f 3 "/proc/$process"/task/*/stat 2>/dev/null | grep -q '[^ZX]'; do :; done
	done
	segment=$(grep -a -o -m1 "/dev/shm/probe-[0-9a-f]*" "$1/x.db-spool")
}
state()
{
	ls "$1"
	cksum "$1/x.db" "$1/x.db-wal" "$1/x.db-spool" "$segment"
}
# refused DIR: --recover fails and changes nothing.
refused()
{
	state "$1" >before 2>&1
	probe-run --recover "$1" 2>&1
	echo "status $?"
	state "$1" >after 2>&1
	diff before after
}
recovered()
{
	probe-run -q --recover "$1" 2>&1
	echo "status $?"
	sqlite3 "$1/x.db" "PRAGMA integrity_check; SELECT 'rows', count(*) FROM probe_counter"
	ls "$1"
	[ ! -e "$segment" ] && echo "no segment is left"
}
probe-run -q -d other -o x.db "$FAKE_APP" connect announce=x memory=7 exit-record
sqlite3 notes.db 'CREATE TABLE notes (text)'
echo text >text.db

kill_all rec
mv rec/x.db own.db
mv rec/x.db-wal own.db-wal
for log in no old; do
	[ $log = no ] || cp own.db-wal rec/x.db-wal
	for file in notes.db text.db other/x.db; do
		echo "$file, $log log"
		cp $file rec/x.db
		refused rec
	done
done
rm rec/x.db
recovered rec

kill_all cut
cp cut/x.db-spool whole
truncate -s 4096 cut/x.db-spool
refused cut
# The same length, but the contents are missing.
truncate -s "$(stat -c %s whole)" cut/x.db-spool
refused cut
cp whole cut/x.db-spool
recovered cut

kill_all kept
truncate -s 4096 kept/x.db-spool
mv kept/x.db-spool spool
recovered kept
rm "$segment"
