# SPDX-License-Identifier: MIT
# --dispatches, --start and --end on a hand-written stream of samples; dispatch N runs from 1000 N
# to 1000 N + 500 ns. The counts are those that the fake application sends.
. "$(dirname "$0")/database.inc"
run()
{
	probe-run -q "$@" "$FAKE_APP" connect "code=$data/codeobj/tile-dwarf5.co" announce=x sampler=1 \
		at=2064 samples=800 at=3400 samples=80 samples=8 exit-record
}
run -o sums
run -o raw --pc-sampling-raw
view()
{
	db=$1
	shift
	probe-report samples --format csv -f "$@" "probe-out/$db.db" 2>&1
}
echo "== dispatches"
view sums dispatch,start_ns,duration_ns,samples,share,issued,stalled,lanes --by dispatch
python3 "$here/../json_schema.py" "$PROBE_BIN" "$here/../../../docs/schema" samples --by dispatch probe-out/sums.db
echo "== dispatches 2 and 3; only 1; from 3 on; none"
view sums position,samples,share,issued,waitcnt -d 2,3
view sums kernel,samples,share --by kernel -d 1
view sums kernel,samples,share --by kernel -d 3-
view sums kernel,samples -d 17-20
echo "== all dispatches give the sums of the run"
fields=kernel,samples,issued,stalled,waitcnt,barrier,alu,arbiter,internal,fetch,sleep,other,lanes
for by in line instruction; do
	view sums $fields --by $by >all
	for db in sums raw; do
		for choice in "-d 1-3" "--start 0ns --end 2500ns"; do
			view $db $fields --by $by $choice | cmp all -
		done
	done
done
echo "== a time window: whole dispatches without raw samples, half of one with them"
view sums dispatch,samples --by dispatch --start 250ns --end 1us
view raw dispatch,samples --by dispatch --start 250ns --end 1us
probe-report samples --start 1.5us probe-out/sums.db | grep -e '^note: --start' -e '^sampled'
echo "== nothing selected: the reason"
for choice in "-k nosuch" "-d 17-20" "--start 1s"; do
	probe-report samples $choice probe-out/sums.db | grep '^no samples'
	probe-report flame $choice probe-out/sums.db 2>&1 || echo "status $?"
done
view sums %,kernel -n 1
echo "== usage"
view sums position --source-dir /nonexist
probe-report flame --by kernel probe-out/sums.db 2>&1
probe-report flame --format json probe-out/sums.db 2>&1
view sums position -d 3-2
view sums position -d 1,x
view sums position --start soon
probe-report kernels -d 1 probe-out/sums.db 2>&1
echo "== damaged bytes"
cp probe-out/sums.db negative.db
sqlite3 negative.db 'UPDATE probe_sample SET samples = -5'
probe-report samples negative.db 2>&1
sql probe-out/sums.db <<'END'
UPDATE probe_profile SET bytes = x'0101ff7f00';
END
view sums kernel -d 1
sql probe-out/raw.db <<'END'
UPDATE probe_rawsample SET bytes = substr(bytes, 2);
END
view raw kernel --start 1ns
echo "== an older database"
sql probe-out/sums.db <<'END'
DROP TABLE probe_profile;
END
view sums kernel -d 1
view sums kernel,samples --by kernel
