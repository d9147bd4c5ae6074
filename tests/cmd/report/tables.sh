# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
sql run.db <<'END'
CREATE TABLE probe_lanes_site (id INTEGER PRIMARY KEY, "code_object" INTEGER, "kernel" INTEGER, "site" INTEGER,
	"lanes" INTEGER, "share" REAL, "note" TEXT);
INSERT INTO probe_lanes_site VALUES (1, 1, 1, 0, 640, 0.25, 'a "b", c'), (2, 1, 1, 1, 7, NULL, NULL);
CREATE TABLE probe_lanes_total (id INTEGER PRIMARY KEY, "lanes" INTEGER);
CREATE TABLE "probe_x; drop" (id INTEGER PRIMARY KEY, "a" INTEGER);
CREATE TABLE probe_lanes_odd (id INTEGER PRIMARY KEY, "a"" FROM x --" INTEGER, b INTEGER);
CREATE TABLE probe_lanes_place (id INTEGER PRIMARY KEY, "address" INTEGER, "address_of" INTEGER);
INSERT INTO probe_lanes_place VALUES (1, 140435805700096, 16), (2, -1, 17);
CREATE TABLE probe_lanes_alone (a INTEGER);
INSERT INTO probe_site VALUES (1, 9, 'a.hip', 7, 2, 'copy(int*)', 5, 0, 0, 0, 0, '_Z4copyPi', 2, '[]');
CREATE TABLE probe_lanes_region (id INTEGER PRIMARY KEY, "code_object" INTEGER, "site" INTEGER);
INSERT INTO probe_lanes_region VALUES (1, 1, 9), (2, 1, 0);
END
probe-report tables run.db | sed -n 3,10p
echo "== csv"
probe-report tables --table lanes_site --format csv run.db
probe-report tables --table probe_lanes_site -f site,share,note -s share --format csv run.db
probe-report tables --table lanes_odd --format csv run.db
echo "== a region has no address space"
probe-report tables --table lanes_region --format csv -f line,access,space run.db
echo "== addresses"
probe-report tables --table lanes_place run.db | sed -n 4,6p
probe-report tables --table lanes_place --format csv run.db
echo "== json"
probe-report tables --table lanes_site --format json run.db | jq -c '.[] | [.site, .lanes, .share, .note]'
probe-report tables --table lanes_site --format json run.db run.db | jq length
probe-report tables --format json run.db | jq -c '.[] | select(.table | startswith("probe_lanes"))'
echo "== errors"
for table in none run lanes_alone 'x; drop' '"'; do
	probe-report tables --table "$table" run.db 2>&1 >/dev/null && echo "$table: accepted"
done
probe-report lines --table lanes_site run.db 2>&1 || echo "status $?"
probe-report tables --table lanes_site -f nothing run.db 2>&1 >/dev/null || echo "status $?"
probe-report tables --table lanes_region -k x run.db 2>&1 >/dev/null || echo "status $?"
