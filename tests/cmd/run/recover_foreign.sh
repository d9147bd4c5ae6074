# SPDX-License-Identifier: MIT
# Recovery touches no database of another program, and no empty file without a spool.
mkdir rec
sqlite3 rec/blank.db 'PRAGMA user_version = 7; VACUUM'
sqlite3 rec/notes.db 'CREATE TABLE notes (text)'
: >rec/zero.db
echo text >rec/text.db
# With a log, as it is while its program runs.
sqlite3 live.db >/dev/null <<'END'
PRAGMA journal_mode = WAL;
CREATE TABLE notes (text);
.shell cp live.db rec/live.db; cp live.db-wal rec/live.db-wal
END
state()
{
	ls rec
	cksum rec/*
}
state >before
probe-run --recover rec 2>&1
echo "status $?"
state >after
cmp before after && cat after | grep -c .
