# SPDX-License-Identifier: MIT
# Folded stacks and rocprofv3's CSV, for both methods; the message of each if single samples were
# not stored.
. "$(dirname "$0")/database.inc"
run()
{
	name=$1
	method=$2
	shift 2
	probe-run -q -o "$name" "$@" "$FAKE_APP" connect "code=$data/codeobj/inline-dwarf5.co" \
		announce=x "sampler=$method" at=2108 samples=800 at=2268 samples=16 exit-record
}
run sums.db 1
run raw.db 1 --pc-sampling-raw
run trap.db 0 --pc-sampling-raw
echo "== stacks: all, those of the second dispatch, those of one kernel"
probe-report flame probe-out/sums.db
probe-report flame probe-out/sums.db | awk '{ n += $NF } END { print n }'
probe-report flame -d 2 probe-out/sums.db
probe-report flame -k '^caller$' probe-out/sums.db
echo "== all sources agree"
probe-report flame probe-out/sums.db >all
for db in raw sums; do
	for choice in "" "-d 1-2" "--start 0 --end 9s" "--end 8s"; do
		probe-report flame $choice probe-out/$db.db | cmp all -
	done
done
echo "== host trap"
probe-report flame probe-out/trap.db | head -2
probe-report flame -d 2 probe-out/trap.db | awk '{ n += $NF } END { print n }'
echo "== rocprofv3, stochastic"
probe-report samples --format rocprofv3 probe-out/raw.db >csv
wc -l <csv
head -5 csv
sed -n '802,804p;$p' csv
probe-report samples --format rocprofv3 -d 2 --no-header probe-out/raw.db | wc -l
echo "== rocprofv3, host trap"
probe-report samples --format rocprofv3 probe-out/trap.db | head -2
echo "== two methods do not go into one file"
probe-report samples --format rocprofv3 probe-out/raw.db probe-out/trap.db 2>&1 | sed -n '822,$p'
echo "== without raw samples"
probe-report samples --format rocprofv3 probe-out/sums.db 2>&1
probe-report lines --format rocprofv3 probe-out/sums.db 2>&1
