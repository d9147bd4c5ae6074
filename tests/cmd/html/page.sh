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
# lacks TEXT...: the page that was opened last does not show these texts.
lacks()
{
	for text; do
		if grep -qF "$text" app; then
			echo "page $page shows: $text"
			exit 1
		fi
	done
}
open overview './app 32' 'simulated gfx90a' 'pad the row' 'a.hip:12' '&lt;script&gt;alert(1)&lt;/script&gt;'
open findings '2 findings of 2' 'swap the loops' '4-way' 'figcaption'
open 'findings&kind=bank+conflicts' '1 finding of 2'
open 'kernels' 'copy(int*)' 'time ns'
open 'kernels&query=copy' '1 row.' 'search: copy'
open 'source&file=a.hip&line=13' 'Line 13' 'out[x * n + y] = in[i];' 'swap the loops'
open samples 'PC samples were not recorded' \
	'probe-run --pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256 -- ./app'
open timeline 'dispatch' 'original'
open run 'Account of records' 'emitted' './app 32'
open glossary '128-byte cache lines requested' 'probe-report lines'
open compare 'Not compared with another run' 'html --baseline OLDER.db'
open nosuch 'Findings'
# The search filters the first page, too.
open 'overview&query=loops' 'search: loops' 'a.hip:13'
lacks 'a.hip:12' 'copy(int*)'
open 'overview&query=zzzz' 'None of 2 findings matches.'
lacks 'a.hip:13'

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
open kernels 'Occupancy' 'waves/CU' '% of time' '>70<'
open run 'Options and environment' 'PROBE_KIND' '&lt;b&gt;'
# Of all files, the one with the most heat; lines are also found by their instructions.
open source 'out[x * n + y] = in[i];'
open 'source&metric=samples&query=s_waitcnt' '>29<'
open 'timeline&event=1&area=0-5000' 'Totals from 0 ns to 5.00 us' 'the chosen event' 'Findings of this kernel'
open 'kernels&hide=kernels.calls' 'hidden columns: kernels.calls' 'The SQL of this table'
# The findings are the same on the page, without JavaScript, on the command line that the page names, and
# for assistants, though the line of a copy has many samples.
open findings '2 findings of 2' '2 rows.' 'probe-report lines --findings --format csv'
"$report" lines --findings --format csv --no-header run.db >rows
echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"findings","arguments":{"file":"run.db"}}}' |
	"$report" mcp | jq -r '.result.content[0].text' >answer
[ "$(grep -c '^<li>' page.html) $(wc -l <rows) $(jq length answer)" = "2 2 2" ] || {
	echo "the findings of the list, the command and the tool differ"
	exit 1
}
# Of kernels that ran only as clones, times of clones are shown. The runtime's kernels do not lead.
cp run.db clones.db
sql clones.db <<'END'
DELETE FROM probe_dispatch WHERE dispatch_id IN (3, 7);
DELETE FROM rocpd_kernel_dispatch_t WHERE id IN (3, 7);
INSERT INTO probe_site VALUES (1, 9, '', 0, 0, 'copy(int*)', 1, 1, 4, 4, 4, '_Z4copyPi', 2, '[]');
INSERT INTO probe_memory_site (code_object, kernel, site, executions, lanes, excess128, cause) VALUES (1, 2, 9, 4, 256, 9, 'no line');
END
kernel clones.db 8 __amd_rocclr_fillBufferAligned __amd_rocclr_fillBufferAligned
dispatch clones.db 8 8 3
"$report" export --format html --force -o page.html clones.db
open overview 'ran as instrumented clones' '% of time' '>66.7<' '>33.3<' 'title="its share of' \
	'(no line: moved or generated by the compiler)'
grep -q 'kernels by time.*>66.7<.*>33.3<.*fillBuffer' app || {
	echo "a kernel of the runtime comes before the clones"
	exit 1
}
# Without any metric, the source has no column for it.
sql clones.db <<'END'
DROP TABLE probe_memory_site;
DELETE FROM probe_sample;
DELETE FROM probe_state;
END
"$report" export --format html --force -o page.html clones.db
open source 'aria-label="source of' '>line</button>'
lacks 'title=""' 'aria-label="Heat"'
# A part that is missing is said to be, on every page.
sql run.db <<'END'
UPDATE probe_code SET bytes = substr(bytes, 1, 400);
CREATE TABLE probe_time_line (dispatch, name, group_x, group_y, group_z, wave, se, cu, depth, "begin", "end", wave_time);
INSERT INTO probe_time_line SELECT min(dispatch_id), 'my ' || char(8238) || 'region', 0, 0, 0, 0, 3, 7, 1, 7000, 7100, 50 FROM rocpd_kernel_dispatch;
END
"$report" -q export --format html --force -o page.html run.db
open kernels 'This page is incomplete.' 'code object 1: its instructions, source lines and sites are missing:'
open timeline 'my \u202eregion' 'waves of SE 3 CU 7' 'kind-region'
if "$report" export --format chrome --baseline older.db -o trace.json run.db 2>again; then
	echo "--baseline was accepted for a format that does not compare"
	exit 1
fi
grep -q -- '--baseline is for --format html' again
