#!/bin/sh
# SPDX-License-Identifier: MIT
# report.sh STEP DIRECTORY: each STEP-th allocation of a verb of probe-report fails (report.py).
step=$1
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 99
base=$(dirname "$(realpath "$0")")
database_inc=$base/../report
. "$base/../report/database.inc"
sample run.db
kernel run.db 7 copy copy
dispatch run.db 7 7 1
sql run.db <<END
INSERT OR REPLACE INTO probe_code VALUES (1, 'same', readfile('$base/../../data/codeobj/tile-dwarf5.co'));
UPDATE rocpd_info_code_object_t SET load_base = 0x7f0000000000, load_delta = 0x7f0000000000 - 0x1000;
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
INSERT INTO probe_sample VALUES (1, 0x80c, 10, 640, 80, 0), (1, 0x810, 30, 960, 240, 0), (1, 0x818, 100, 6400, 800, 0);
INSERT INTO probe_state VALUES (1, 0x80c, 0, 3, 10), (1, 0x810, 1, 7, 30), (1, 0x818, 0, 3, 100);
INSERT INTO probe_sampled VALUES (7, 140);
END
cp run.db other.db
cp run.db second.db # of another process, to merge
for table in $(sqlite3 second.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'rocpd_%'"); do
	sqlite3 second.db "UPDATE $table SET guid = 'u'" 2>/dev/null || true
done
failed=0
# The first ones, which a larger step passes over: those of the options.
for n in $(seq 40); do
	FAIL_AT=$n FAIL_PROGRAM=probe-report LD_PRELOAD=$FAIL_ALLOCATION "$PROBE_BIN/probe-report" lines --all -f file,line run.db >out 2>err
	status=$?
	[ $status -le 1 ] || { echo "allocation $n: status $status: $(head -c 200 err)"; failed=1; }
done
for verb in "lines --all" "annotate copy" "samples" "kernels" "info" "doctor" "mix" "spills" "summary" \
	"tables" "export --format html"; do
	echo "== $verb"
	# shellcheck disable=SC2086
	python3 "$base/report.py" "$FAIL_ALLOCATION" "$step" . $verb run.db || failed=1
done
# One process for each: those of the sweep are forks, which share the name of the unfinished file.
echo "== export --force -o trace.json"
for n in $(seq 150); do
	echo old >trace.json
	FAIL_AT=$n FAIL_PROGRAM=probe-report LD_PRELOAD=$FAIL_ALLOCATION \
		"$PROBE_BIN/probe-report" export --format chrome --force -o trace.json run.db >out 2>err
	status=$?
	[ $status -eq 0 ] || { [ $status -eq 1 ] && [ "$(cat trace.json)" = old ]; } ||
		{ echo "allocation $n: status $status: $(head -c 200 err)"; failed=1; }
done
# In replay, the handler's process counts on, so that its allocations fail, too.
echo "== replay"
replay() {
	status=0
	rm -f replayed.db
	"$@" "$PROBE_BIN/probe-report" replay -q -a memory -o replayed.db run.db >out 2>err || status=$?
	sqlite3 -readonly replayed.db "SELECT count(*) FROM probe_counter; SELECT * FROM probe_memory_site" >"$rows" 2>&1
}
rows=wanted replay env
[ $status -eq 0 ] && [ -s wanted ] || { echo "replay: status $status: $(cat err)"; failed=1; }
rows=rows
for n in $(seq 1 "$step" 20000); do
	replay env "FAIL_AT=$n" FAIL_PROGRAM=probe-report "LD_PRELOAD=$FAIL_ALLOCATION"
	[ $status -eq 0 ] && cmp -s rows wanted && continue
	[ $status -ge 1 ] && [ $status -le 2 ] && grep -q "error: " err ||
		{ echo "allocation $n: status $status: $(head -c 200 err)"; failed=1; }
done
[ -z "$(find . -name '.probe-report.*')" ] || { echo "unfinished files are left"; failed=1; }
for verb in "diff run.db other.db" "copies --merge --format csv run.db second.db"; do
	echo "== $verb"
	# shellcheck disable=SC2086
	python3 "$base/report.py" "$FAIL_ALLOCATION" "$step" . $verb || failed=1
done
exit $failed
