# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
sample one.db
traced one.db
sample two.db
traced two.db
# The second rank: another process on another machine, with its own numbers for the same things.
sql two.db <<'END'
UPDATE rocpd_info_process_t SET pid = 2;
UPDATE rocpd_string_t SET string = 'other' WHERE id = 22;
UPDATE rocpd_region_t SET start = start + 1000, "end" = "end" + 1000;
END
for table in $(sqlite3 two.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rocpd_%'"); do
	sqlite3 two.db "UPDATE $table SET guid = 'u'" 2>/dev/null || true
done
echo "== statistics of both"
probe-report stats --merge --format csv -f domain,name,calls,total_ns one.db two.db
echo "== as text: the counts below are of both"
probe-report stats --merge one.db two.db | sed -n "1,2p; /^host/,\$p"
echo "== process names"
probe-report timeline --merge --format csv -f domain,where one.db two.db | sort | uniq -c | sed 's/^ *//'
probe-report copies --merge --format csv -f copy,function,process one.db two.db
probe-report copies --merge one.db two.db | sed -n '/^copy/,/^$/p'
echo "== Chrome: the numbers of two processes are separate"
probe-report export --merge --format chrome one.db two.db >both.json
probe-report export --format chrome one.db >one.json
jq -c '[.traceEvents[] | select(.ph == "M" and .name == "process_name") | [.pid, .args.name]] | unique[]' both.json
for file in one both; do
	jq -c '[([.traceEvents[] | select(.ph == "X")] | length), ([.traceEvents[] | select(.ph == "s").id] | unique | length)]' $file.json
done
echo "== rocprofv3's files"
probe-report export --merge --format rocprofv3 -o out one.db two.db
cut -d, -f6,8,9 out_kernel_trace.csv
echo "== a single file, and rejected files"
probe-report stats --merge --format csv one.db | wc -l
probe-report stats --merge one.db one.db
probe-report lines --merge one.db two.db
probe-report export --merge --format html one.db two.db 2>&1 | head -1
