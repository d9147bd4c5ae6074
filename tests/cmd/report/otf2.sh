# SPDX-License-Identifier: MIT
# The archive as OTF2's own reader prints it: definitions, then events in the order of time. Slices that
# overlap are at locations of their own, so that Enter and Leave are nested at each.
command -v otf2-print >/dev/null || { echo "no otf2-print (Debian: otf2-tools)" >&2; exit 77; }
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
sample run.db
traced run.db
overlapping run.db
probe-report export --format otf2 -o app run.db 2>error
grep -q 'built without OTF2\|needs libopen' error && { cat error >&2; exit 77; }
cat error >&2
# Columns of one width, so that another version's spaces do not matter.
otf2-print -G app/traces.otf2 | grep -v '^===\|^$\|Content' | tr -s ' '
otf2-print app/traces.otf2 | grep -v '^===\|^$\|^Event' | tr -s ' '
echo "== Enter and Leave are nested, at times that never decrease"
otf2-print app/traces.otf2 | awk '
	$1 == "ENTER" || $1 == "LEAVE" {
		match($0, /Region: .* <[0-9]+>/)
		region = substr($0, RSTART, RLENGTH)
		if ($3 < last[$2])
			print "earlier:", $0
		last[$2] = $3
		if ($1 == "ENTER")
			open[$2, ++depth[$2]] = region
		else if (!depth[$2] || open[$2, depth[$2]--] != region)
			print "not nested:", $0
		count++
	}
	END { for (at in depth) if (depth[at]) print "open:", at; print count, "events" }'
echo "== one kernel"
probe-report export --format otf2 -k copy -o copy run.db
otf2-print copy/traces.otf2 | grep -c "ENTER.*copy(int"
echo "== nothing is overwritten unless requested, and nothing but an archive"
probe-report export --format otf2 -o app run.db 2>&1
probe-report export --format otf2 -o app --force run.db && otf2-print app/traces.otf2 | grep -c ENTER
mkdir other && touch other/mine
probe-report export --format otf2 -o other --force run.db 2>&1
ls other
probe-report export --format otf2 -o no/where run.db 2>&1
probe-report export --format otf2 run.db 2>&1 | head -1
echo "== a run without events"
database none.db
probe-report export --format otf2 -o none none.db 2>&1
test -e none && echo "half an archive is left"
probe-report export --format otf2 -k nosuch -o copies run.db && otf2-print copies/traces.otf2 | grep -c ENTER
echo "== files cannot be written"
# In the sanitized build: the library does not free its writers when it cannot write.
echo leak:libopen-trace-format2 >leaks
(
	export LSAN_OPTIONS=suppressions=leaks:print_suppressions=0
	trap '' XFSZ
	ulimit -f 0
	probe-report export --format otf2 -o full run.db 2>&1
) | cat
test -e full && echo "half an archive is left"
echo "== two processes"
cp run.db two.db
sql two.db <<'END'
UPDATE rocpd_info_process_t SET pid = 2;
END
for table in $(sqlite3 two.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rocpd_%'"); do
	sqlite3 two.db "UPDATE $table SET guid = 'u'" 2>/dev/null || true
done
probe-report export --merge --format otf2 -o both run.db two.db
otf2-print -G both/traces.otf2 | grep "LOCATION_GROUP" | tr -s ' '
otf2-print both/traces.otf2 | grep -c ENTER
