#!/bin/sh
# SPDX-License-Identifier: MIT
# page.sh PROBE_REPORT: creates a page from a database with hostile names and opens each of its
# pages in headless Chromium. Checks what is shown, the console, and what the policy blocked.
set -eu
report=$1
tests=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$tests/../report/database.inc"
. "$tests/page_database.inc"
cd "$dir"
page_database run.db
"$report" export --format html -o page.html run.db

if "$report" export --format html -o page.html run.db 2>again; then
	echo "an existing page was overwritten"
	exit 1
fi
grep -q 'page.html exists; overwrite it with --force' again
grep -q "default-src 'none'" page.html
# Text of the run is in the list for readers without JavaScript, as text.
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' page.html
if grep -q '<script>alert(1)' page.html; then
	echo "a kernel's name is markup"
	exit 1
fi

# open PAGE TEXT...: the page shows these texts, and the console is empty.
open()
{
	python3 -B "$tests/browser.py" chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$dir/profile" \
		--virtual-time-budget=4000 --enable-logging=stderr --dump-dom \
		"file://$dir/page.html#page=$1" >dom 2>log
	if grep CONSOLE log; then
		echo "page $1: the console is not empty"
		exit 1
	fi
	# The output of the script follows the list in noscript.
	sed -n '/<div id="app">/,/id="data"/p' dom >app
	page=$1
	shift
	for text; do
		grep -qF "$text" app || {
			echo "page $page does not show: $text"
			head -c 3000 app
			exit 1
		}
	done
	if grep -q '<script>alert' app; then
		echo "page $page: a name became markup"
		exit 1
	fi
}
open overview './app 32' 'simulated gfx90a' 'pad the row' 'a.hip:12' '&lt;script&gt;alert(1)&lt;/script&gt;'
open findings '2 findings of 2' 'swap the loops' '4-way' 'figcaption'
open 'findings&kind=bank+conflicts' '1 finding of 2'
open 'kernels' 'copy(int*)' 'time ns'
open 'kernels&query=copy' '1 row.' 'search: copy'
open 'source&file=a.hip&line=13' 'Line 13' 'out[x * n + y] = in[i];' 'swap the loops'
open samples 'PC samples were not recorded' 'probe-run --pc-sampling-method'
open timeline 'dispatch' 'original'
open run 'Account of records' 'emitted' './app 32'
open glossary '128-byte cache lines requested' 'probe-report lines'
open compare 'Not compared with another run' 'html --baseline OLDER.db'
open nosuch 'Findings'

cp run.db older.db
sampled_page_database run.db
sql run.db <<'END'
UPDATE probe_memory_site SET executions = executions + 1 WHERE site = 0;
ALTER TABLE probe_memory_site ADD COLUMN lane_offsets TEXT;
UPDATE probe_memory_site SET lane_offsets = '0,64,128,192,4,68,,196' WHERE site = 1;
END
"$report" export --format html --force --baseline older.db -o page.html run.db
open findings '7 lanes 64 B apart in rows of 4, 4 B each' '2 cache lines of 128 B (256 B) for 28 B used'
open compare 'Before: <code>older.db</code>' 'executions' '>new<' 'a.hip:12'
open samples 'Flame graph' 'own samples' '100.0 % (110 of 110)'
open 'samples&frame=waitcnt' 'frame: waitcnt'
open kernels 'Occupancy' 'waves/CU' 'share' '70.0 %'
open run 'Options and environment' 'PROBE_KIND' '&lt;b&gt;'
# Of all files, the one with the most heat; lines are also found by their instructions.
open source 'out[x * n + y] = in[i];'
open 'source&metric=samples&query=s_waitcnt' '>29<'
open 'timeline&event=1&area=0-5000' 'Totals from 0 ns to 5.00 us' 'the chosen event' 'Findings of this kernel'
open 'kernels&hide=kernels.calls' 'hidden columns: kernels.calls' 'The SQL of this table'
# A part that is missing is said to be, on every page.
sql run.db <<'END'
UPDATE probe_code SET bytes = substr(bytes, 1, 400);
CREATE TABLE probe_time_line (dispatch, name, group_x, group_y, group_z, wave, se, cu, depth, "begin", "end", wave_time);
INSERT INTO probe_time_line SELECT min(dispatch_id), 'my ' || char(8238) || 'region', 0, 0, 0, 0, 3, 7, 1, 7000, 7100, 50 FROM rocpd_kernel_dispatch;
END
"$report" -q export --format html --force -o page.html run.db
open kernels 'This page lacks something.' 'code object 1: its instructions, source lines and sites are missing:'
open timeline 'my \u202eregion' 'waves of SE 3 CU 7' 'kind-region'
if "$report" export --format chrome --baseline older.db -o trace.json run.db 2>again; then
	echo "--baseline was accepted for a format that does not compare"
	exit 1
fi
grep -q -- '--baseline is for --format html' again
