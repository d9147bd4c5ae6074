# SPDX-License-Identifier: MIT
# Waves and the regions in them, of handler `time`, in exports for trace viewers. Dispatch 2 begins at 100 ns; its second
# wave starts 3 steps of 10 ns after the first one. One cycle at 500 MHz is 2 ns.
. "$(dirname "$0")/database.inc"
database run.db
kernel run.db 2 'copy(int*)' copy
dispatch run.db 2 2 0
sql run.db <<'END'
UPDATE rocpd_info_agent_t SET extdata = '{"clock_mhz": 500}' WHERE id = 1;
CREATE TABLE probe_time_line (id INTEGER PRIMARY KEY, dispatch INTEGER, code_object INTEGER, kernel INTEGER, site INTEGER,
	name TEXT, group_x INTEGER, group_y INTEGER, group_z INTEGER, wave INTEGER, se INTEGER, cu INTEGER, simd INTEGER,
	slot INTEGER, depth INTEGER, "begin" INTEGER, "end" INTEGER, wave_time INTEGER);
INSERT INTO probe_time_line VALUES
	(1, 2, 1, 2, 9, NULL, 0, 0, 0, 0, 0, 5, 0, 0, 0, 7000, 7100, 50), (2, 2, 1, 2, 8, 'load', 0, 0, 0, 0, 0, 5, 0, 0, 1, 7010, 7030, 50),
	(3, 2, 1, 2, 9, NULL, 1, 0, 0, 0, 1, 2, 1, 0, 0, 9000, 9200, 53), (4, 2, 1, 2, 8, 'load', 1, 0, 0, 0, 1, 2, 1, 0, 1, 9050, 9060, 53);
END
tracks='.traceEvents[] | select(.name == "thread_name") | [.pid, .tid, .args.name]'
spans='.traceEvents[] | select(.cat == "wave" or .cat == "region") | [.cat, .name, .tid, .ts, .dur]'
probe-report export --format chrome -o trace.json run.db
jq -c "$tracks" trace.json
jq -c "$spans" trace.json
echo "== Perfetto, OTF2, the page"
probe-report export --format perfetto -o trace.pftrace run.db
for text in 'waves of SE 1 CU 2' load region; do
	grep -qaF "$text" trace.pftrace && echo "$text"
done
if command -v otf2-print >/dev/null; then
	probe-report export --format otf2 -o archive run.db
	otf2-print archive/traces.otf2 | grep -c 'ENTER .*load'
else
	echo 2
fi
probe-report export --format html -o page.html run.db
data_of page.html | jq -c '.waves[], .counts'
echo "== without the table"
sql run.db <<'END'
DROP TABLE probe_time_line;
END
probe-report export --format chrome --force -o trace.json run.db
jq -c "$spans" trace.json
