# SPDX-License-Identifier: MIT
# Statements of the user's, with names and values of all kinds; what is refused, and verbs with nothing to show.
. "$(dirname "$0")/database.inc"
database run.db
echo "== verbs without rows"
for verb in kernels dispatches occupancy stats api copies markers launches timeline; do
	probe-report "$verb" run.db | sed -n 4p
done
sample run.db
echo "== table, csv, json"
probe-report sql 'SELECT file, count(*) AS "how many", 1.5 AS real, NULL AS none FROM probe_site GROUP BY file' run.db
probe-report sql "SELECT 'a,b' AS \"a \"\"quoted\"\" name\", 7" --format csv run.db
probe-report sql "SELECT 'x' || char(10) || char(27) AS text, 9007199254740993 AS i, 0.1 AS r, NULL AS n, 1 AS i;" --format json run.db
probe-report sql 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n ORDER BY i DESC' --no-header run.db
echo "== no rows, two files"
probe-report sql 'SELECT 1 AS one WHERE 0' --format json run.db
cp run.db second.db
probe-report sql 'SELECT count(*) AS n FROM probe_site' --format csv run.db second.db
echo "== what is refused"
cksum <run.db >before
for statement in 'DELETE FROM probe_site' 'CREATE TABLE x (y)' "ATTACH 'other.db' AS o" 'PRAGMA user_version = 9' \
	'SELECT 1; SELECT 2' 'SELECT nonsense' '' 'VACUUM' 'BEGIN' "SELECT writefile('x', 'y')" "SELECT load_extension('x')"; do
	probe-report sql "$statement" run.db 2>&1
	echo "status $?"
done
probe-report sql 2>&1 | head -1
probe-report sql 'SELECT 1' -f one run.db 2>&1 | head -1
cksum <run.db | cmp - before && ls
echo "== bytes"
for format in table csv json; do
	probe-report sql "SELECT x'00ff' AS bytes, x'' AS none" --format $format run.db
done
