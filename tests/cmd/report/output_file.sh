# SPDX-License-Identifier: MIT
# A report that fails leaves the file that was there as it was, and nothing beside it.
. "$(dirname "$0")/database.inc"
sample run.db
mkdir out
# limited ARGUMENT...: a file cannot grow beyond a block
limited()
{
	(trap '' XFSZ; ulimit -f 1; probe-report export "$@" run.db 2>&1)
	echo "status $?"
}
echo "== a new file that cannot be written"
limited --format html -o out/new.html
ls -A out
echo "== one that was there"
echo old >out/page.html
limited --format html --force -o out/page.html
cat out/page.html
ls -A out
echo "== replaced: by its name, through a link, and with its permissions"
chmod 640 out/page.html
ln -s page.html out/link.html
probe-report export --format html --force -o out/link.html run.db
head -c 15 out/page.html && echo
stat -c '%N %a' out/link.html out/page.html
ls -A out
echo "== a pipe is written to directly, and stays"
mkfifo out/pipe
rm out/link.html out/page.html
(trap '' XFSZ; exec 3<>out/pipe; probe-report export --format chrome -o out/pipe run.db; head -c 1 out/pipe; echo)
ls -A out
echo "== not writable"
probe-report export --format chrome -o /dev/full run.db 2>&1
probe-report export --format chrome --force -o out run.db 2>&1
ln -s nosuch/page.html out/dangling
probe-report export --format chrome -o out/dangling run.db 2>&1
rm out/dangling
echo "== a file that the report reads: not even with --force"
for force in "" --force; do
	probe-report export --format html $force -o run.db run.db 2>&1
	echo "status $?"
done
ln -s run.db link.db
ln run.db hard.html
probe-report export --format html --force -o link.db run.db 2>&1
probe-report export --format json --force -o hard.html run.db 2>&1
cp run.db other.db
probe-report export --format html --force --baseline other.db -o other.db run.db 2>&1
probe-report export --format chrome --merge --force -o other.db run.db other.db 2>&1
cp run.db two_kernel_trace.csv
probe-report export --format rocprofv3 --force -o two two_kernel_trace.csv 2>&1
for file in run.db other.db two_kernel_trace.csv; do
	head -c 13 $file && echo
done
