# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Usage errors exit with 2, others with 1; each message is one sentence.
sample run.db
try()
{
	"$@"
	echo "$? $*"
}
try probe-report
try probe-report --nonsense run.db
try probe-report lines -f nothing run.db
try probe-report lines -s line,wrong run.db
try probe-report lines -n many run.db
try probe-report lines -k '(' run.db
try probe-report lines --format xml run.db
try probe-report lines -t ab run.db
try probe-report --color sometimes run.db
try probe-report lines --sort '' run.db
try probe-report lines -f '' run.db
try probe-report lines -k '' run.db
try probe-report lines -s , run.db
try probe-report lines --start 5us --end 2us run.db
try probe-report lines -f line,,file run.db
try probe-report lines ''
try probe-report ''
try probe-report lines none.db
try probe-report .
try probe-report info .
: >empty
try probe-report info empty
echo text >text
try probe-report info text
try probe-report lines text
try probe-report lines -- --color
try probe-report info /bin/true
probe-report lines run.db >/dev/full
echo "$? full"
# More than a buffer, so that it is not the last part that cannot be written.
probe-report info run.db run.db run.db run.db run.db run.db >/dev/full
echo "$? full"
# Every value of --by, with every verb that has the option: an error of usage, or rows.
for verb in lines samples mix; do
	for by in line kernel instruction dispatch launch-shape; do
		try probe-report $verb --by $by --format csv run.db | tail -1
	done
done
