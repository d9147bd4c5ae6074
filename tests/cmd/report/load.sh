# SPDX-License-Identifier: MIT
# A server of our own, in this directory and without a network: what a file has is in PostgreSQL, too, with
# the same result of each view; several processes of a run; several runs.
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort | tail -1)
[ -x "$bin/initdb" ] || { echo "no PostgreSQL (Debian: postgresql)" >&2; exit 77; }
command -v psql >/dev/null || { echo "no psql" >&2; exit 77; }

# PostgreSQL refuses to run as root.
as_user()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
	else
		"$@"
	fi
}
socket=$(mktemp -d /tmp/probe-pg-XXXXXX) # the path of a socket has at most 107 bytes
trap 'as_user "$bin/pg_ctl" -D "$socket/data" -m immediate stop >/dev/null 2>&1; rm -rf "$socket"' EXIT
[ "$(id -u)" != 0 ] || chown nobody "$socket"
(
	cd "$socket" || exit 1
	as_user "$bin/initdb" -D "$socket/data" -A trust -U probe -E UTF8 --locale=C --no-sync &&
		as_user "$bin/pg_ctl" -D "$socket/data" -w -t 60 -l "$socket/log" \
			-o "-c listen_addresses='' -k $socket -F" start
) >server 2>&1 || { cat server "$socket/log" >&2; exit 1; }
address="postgresql:///postgres?host=$socket&user=probe"
pg()
{
	psql -X -q -A -t -F '|' -v ON_ERROR_STOP=1 "$address" "$@"
}

sample run.db
traced run.db
# Names that must be escaped, and bytes that are not UTF-8 or are 0.
sql run.db <<'END'
UPDATE rocpd_info_kernel_symbol_t SET display_name = 'a\b' || char(9) || 'c' || char(10) || '''"\.' WHERE id = 1;
UPDATE rocpd_info_kernel_symbol_t SET display_name = CAST(X'61ff00c3a9' AS TEXT) WHERE id = 2;
INSERT INTO probe_code VALUES (1, 'x', X'00ff5c0a');
CREATE TABLE probe_own (id INTEGER PRIMARY KEY, "end" REAL, text TEXT);
INSERT INTO probe_own VALUES (1, 0.1, NULL), (2, 1e300, '');
END
echo "== load"
probe-report load "$address" --run-name first run.db 2>&1

# counts: of each table or view that is named on stdin
counts()
{
	sed "s/.*/SELECT '&', count(*) FROM (SELECT * FROM &) x;/"
}
echo "== each table has the rows of the file, and each view can be read and has as many"
sqlite3 run.db "SELECT name FROM sqlite_schema WHERE type = 'view' OR (type = 'table' AND name LIKE 'probe_%') ORDER BY 1" |
	counts >counts.sql
sqlite3 run.db <counts.sql >in_file
PGOPTIONS='-c search_path=first' pg <counts.sql >in_server
diff in_file in_server && [ "$(wc -l <in_server)" -gt 60 ] && echo same
echo "== and the same contents"
for query in "SELECT id, tid, start, \"end\", duration, queue, lds_size FROM kernels ORDER BY id" \
	"SELECT id, pid, tid, apiName, domain, args FROM api ORDER BY id" \
	"SELECT id, kind, dst, src, size, apiName FROM copyop ORDER BY id" \
	"SELECT total_calls, total_duration * 1000, percentage > 30 FROM top ORDER BY 1, 2" \
	"SELECT agent_id, type, GpuTime, WallTime FROM busy" \
	"SELECT id, code_object, executions, cause FROM probe_memory_site ORDER BY id"; do
	sqlite3 run.db "$query" | sed 's/\.0*|/|/g' >in_file
	PGOPTIONS='-c search_path=first' pg -c "$query" |
		sed -e 's/\.0*|/|/g' -e 's/|t$/|1/' -e 's/|f$/|0/' >in_server
	diff in_file in_server && wc -l <in_server
done
pg -c "SELECT string_agg(word, ' ' ORDER BY number) FROM first.probe_words WHERE domain = 'kind'"
pg -c "SELECT id, encode(convert_to(display_name, 'UTF8'), 'escape') FROM first.rocpd_info_kernel_symbol ORDER BY id"
pg -c "SELECT encode(bytes, 'hex') FROM first.probe_code; SELECT id, \"end\", text IS NULL FROM first.probe_own ORDER BY id"

echo "== another process of the run, and another run, with a table that has one more column"
cp run.db two.db
sql two.db <<'END'
UPDATE rocpd_metadata_t SET value = 'u' WHERE tag = 'guid';
ALTER TABLE probe_own ADD COLUMN more INTEGER;
END
for table in $(sqlite3 two.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rocpd_%'"); do
	sqlite3 two.db "UPDATE $table SET guid = 'u'" 2>/dev/null || true
done
cp two.db three.db
sql three.db <<'END'
UPDATE rocpd_metadata_t SET value = 'v' WHERE tag = 'guid';
END
probe-report load "$address" --run-name first two.db 2>&1
probe-report load "$address" three.db 2>&1
pg -c "SELECT run, guid, count(*), count(more) FROM probe.probe_own GROUP BY 1, 2 ORDER BY 1, 2"
pg -c "SELECT guid, count(*) FROM first.kernels GROUP BY 1 ORDER BY 1"
pg -c "EXPLAIN (COSTS OFF) SELECT * FROM probe.rocpd_kernel_dispatch WHERE run = 'v'"
echo "== the same file again; a part is never loaded"
probe-report load "$address" --run-name other run.db 2>&1
pg -c "SELECT count(*) FROM other.rocpd_string"
cp run.db wrong.db
sql wrong.db <<'END'
UPDATE rocpd_metadata_t SET value = 'w' WHERE tag = 'guid';
UPDATE rocpd_region_t SET start = 'noon' WHERE id = 5;
END
probe-report load "$address" --run-name wrong wrong.db 2>&1 | head -1
pg -c "SELECT count(*) FROM wrong.rocpd_string"
echo "== a run is removed"
pg -c "DROP SCHEMA first CASCADE" 2>/dev/null
pg -c "SELECT DISTINCT run FROM probe.rocpd_string"
probe-report load "$address" --run-name first run.db 2>&1
echo "== rejected"
probe-report load run.db 2>&1 | head -1
probe-report load "$address" --run-name 'a b' run.db 2>&1 | head -1
probe-report load "postgresql:///postgres?host=/nonexistent&password=secret" run.db 2>&1 | head -1
probe-report load "$address" missing.db 2>&1 | head -1
probe-report lines --run-name x run.db 2>&1 | head -1
