# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
dispatch run.db 4 1 1
echo "== Chrome's trace events"
probe-report export --format chrome run.db | jq -c '.displayTimeUnit, .traceEvents[]'
probe-report export --format chrome -k copy run.db | jq -c '.traceEvents | map(select(.ph == "X")) | length'
echo "== rocprofv3's files of kernels; clones are separate"
probe-report export --format rocprofv3 -o out run.db
cat out_kernel_trace.csv out_kernel_stats.csv out_domain_stats.csv out_agent_info.csv; ls out_*
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("out_kernel_stats.csv")))
assert abs(sum(float(row["Percentage"]) for row in rows) - 100) < 0.1
trace = list(csv.DictReader(open("out_kernel_trace.csv")))
for row in rows:
    times = [int(t["End_Timestamp"]) - int(t["Start_Timestamp"]) for t in trace if t["Kernel_Name"] == row["Name"]]
    assert (sum(times), len(times)) == (int(row["TotalDurationNs"]), int(row["Calls"])), row
END
echo "== speedscope: stacks and weights equal those of flame"
cp run.db samples.db
sql samples.db <<END
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
INSERT INTO probe_code VALUES (1, 'same', readfile('$data/codeobj/tile-dwarf5.co'));
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
INSERT INTO probe_sample VALUES (1, 0x80c, 10, 640, 80, 0), (1, 0x818, 100, 6400, 800, 0);
INSERT INTO probe_state VALUES (1, 0x80c, 0, 3, 10), (1, 0x818, 0, 3, 90), (1, 0x818, 1, 7, 10);
INSERT INTO probe_sampled VALUES (1, 110);
END
probe-report export --format speedscope samples.db >profile
jq -r '.shared.frames as $f | .profiles[0] | [.samples, .weights] | transpose[] |
	([.[0][] | $f[.].name] | join(";")) + " " + (.[1] | tostring)' profile | sort >stacks
probe-report flame samples.db >stacks.flame
sort stacks.flame | diff - stacks && jq -c '.profiles[0].endValue' profile
echo "== folded: as flame; json: all data of the page; csv: rocprofv3's files"
probe-report export --format folded samples.db | diff - stacks.flame
probe-report export --format folded -o - samples.db | diff - stacks.flame
test -e ./- && echo "- is standard output, not a file"
probe-report export --format json samples.db | jq -c '.schema, (.tables | keys), (.dispatches | length)'
probe-report export --format csv -o csv run.db && cmp csv_kernel_trace.csv out_kernel_trace.csv
echo "== rejected"
probe-report export run.db 2>&1 | head -1
probe-report export --format sarif run.db 2>&1 | head -1
probe-report export --format csv run.db 2>&1 | head -1
probe-report export --format rocprofv3 run.db 2>&1 | head -1
probe-report export --format rocprofv3 -o out run.db 2>&1
probe-report export --format chrome -o nosuch/x run.db 2>&1
probe-report export --format speedscope -o x run.db 2>&1
test -e x && echo "half a file is left"
ln -s /dev/full device
probe-report export --format html --force -o device run.db 2>&1
test -L device && echo "a device is not removed"
probe-report export --format html run.db samples.db 2>&1 | head -1
probe-report lines -o x run.db 2>&1 | head -1
