# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/traced.inc"
sample run.db
traced run.db
echo "== timeline: all events, sorted by start"
probe-report timeline --format csv run.db
echo "== stats: by domain"
probe-report stats --format csv -f domain,name,calls,total_ns,mean_ns,percent,min_ns,max_ns,deviation_ns run.db
echo "== api: only calls; with -s and -n"
probe-report api -s +name -n 2 run.db
echo "== copies"
probe-report copies run.db
probe-report copies --format json -f copy,thread,correlation,failed run.db | jq -c '.[]'
echo "== markers"
probe-report markers run.db
probe-report markers --format csv -f name,thread_name run.db
echo "== ranges of one name have the kernels that were launched in them, by the time of the call"
cp run.db ranges.db
sql ranges.db <<'END'
INSERT INTO rocpd_event_t (id, category_id, stack_id, parent_stack_id, correlation_id) VALUES
	(2, 2, 5, 0, 1), (3, 2, 6, 0, 1), (110, 10, 5, 0, 0), (111, 10, 6, 0, 0), (112, 12, 0, 0, 0), (113, 12, 0, 0, 0);
INSERT INTO rocpd_region_t (id, nid, pid, tid, start, "end", name_id, event_id, extdata) VALUES
	(6, 1, 1, 1, 3100, 3200, 22, 110, '{}'), (7, 1, 1, 1, 3300, 3400, 22, 111, '{}'),
	(8, 1, 1, 1, 3000, 4000, 30, 112, '{}'), (9, 1, 1, 1, 5000, 6000, 30, 113, '{}');
UPDATE rocpd_kernel_dispatch_t SET event_id = dispatch_id, region_name_id = 30;
END
probe-report markers --format csv -f name,start_ns,kernels,kernels_ns ranges.db
echo "== without calls, a range is known only if it is the only one of its name"
sql ranges.db <<'END'
DELETE FROM rocpd_region_t WHERE name_id = 22;
END
probe-report markers --format csv -f name,start_ns,kernels,kernels_ns ranges.db
sql ranges.db <<'END'
DELETE FROM rocpd_region_t WHERE id > 7;
END
probe-report markers --format csv -f name,start_ns,kernels,kernels_ns ranges.db
echo "== dispatches by range"
probe-report dispatches --format csv -f dispatch,range run.db
echo "== without a trace"
sample none.db
probe-report copies --format csv none.db
probe-report api --format json none.db | jq -c .
echo "== rocprofv3's files"
probe-report export --format rocprofv3 -o out run.db
head out_memory_copy_*.csv out_hip_api_*.csv out_hsa_api_*.csv out_marker_api_*.csv out_domain_stats.csv
echo "== Chrome: events, and arrows from calls to their kernels and copies"
sql run.db <<'END'
INSERT INTO probe_allocation VALUES (1, 4096, 1000, 1, '', 1, NULL), (2, 8192, 64, 2, '', 2, 2);
END
probe-report export --format chrome run.db >chrome.json
jq -c '.traceEvents[] | select(.ph == "M") | [.pid, .tid, .name, .args.name]' chrome.json
jq -c '.traceEvents[] | select(.ph == "X" or .ph == "i") | [.cat, .name, .pid, .tid, .ts, .dur]' chrome.json
jq -c '.traceEvents[] | select(.ph == "C") | [.name, .pid, .ts, .args]' chrome.json
jq -c '.traceEvents[] | select(.cat == "launch") | [.ph, .id, .pid, .tid, .ts]' chrome.json
echo "== each end of an arrow is inside of a slice"
jq -r '[.traceEvents[] | select(.ph == "X")] as $s | .traceEvents[] | select(.cat == "launch") | . as $e |
	any($s[]; .pid == $e.pid and .tid == $e.tid and .ts <= $e.ts and $e.ts <= .ts + .dur)' chrome.json | sort | uniq -c
