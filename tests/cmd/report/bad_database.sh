# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Databases that are foreign, older, newer, or truncated.
sqlite3 foreign.db 'CREATE TABLE t (x)'
probe-report lines foreign.db
sample new.db
sqlite3 new.db 'PRAGMA user_version = 9'
probe-report lines new.db
sample whole.db
head -c 20000 whole.db >short.db
probe-report lines short.db 2>err
echo "$?"
sed 's/ of [0-9]*;/ of MORE;/' err >&2
# A missing table gives one sentence and no crash.
sqlite3 whole.db 'DROP TABLE probe_site'
probe-report lines whole.db >/dev/null
echo "$?"
