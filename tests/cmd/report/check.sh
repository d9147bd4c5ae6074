# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/compare.inc"
two_runs
check()
{
	probe-report check "$@" 2>&1
	echo "status $?"
}
echo "== values"
check --fail-on 'line.conflicts > 1000' before.db
check --fail-on 'line.conflicts > 991' before.db
check --fail-on 'line.conflicts>=992' --fail-on 'line.lines128_excess > 0' --format csv \
	-f rule,file,line,metric,after before.db
echo "== with a baseline: less breaks no rule, a new line counts from 0"
check --baseline before.db --fail-on 'line.conflicts > +5%' --format csv \
	-f rule,file,line,before,after,percent,note after.db
check --baseline before.db --fail-on 'line.lines128_used > +25%' after.db
check --baseline before.db --fail-on 'line.lines128_used > +23.5%' --format csv -f file,line,percent after.db
check --baseline before.db --fail-on 'line.lines128_used > +127' --format csv -f file,line,change after.db
check --baseline before.db --fail-on 'kernel.vgprs > +2' --format csv -f kernel,variant,before,after after.db
check --baseline before.db -k copy --fail-on 'line.lines128_used > +0' after.db
echo "== one conflict more on one line"
cp before.db planted.db
sql planted.db <<END
UPDATE probe_memory_site SET conflicts = 993 WHERE site = 0;
END
check --baseline before.db --fail-on 'line.conflicts > +0' --format csv -f file,line,change planted.db
echo "== the accesses of a line are added up: 5 and 5; a change of 1 and -1, and of a load that became a store, is none"
sample two.db
sql two.db <<END
UPDATE probe_site SET file = 'a.hip', line = 12, space = 3 WHERE site < 2;
UPDATE probe_memory_site SET passes = 37, ideal_passes = 32, conflicts = 5 WHERE site < 2;
END
cp two.db shifted.db
sql shifted.db <<END
UPDATE probe_site SET line = 15 WHERE site < 2;
UPDATE probe_source SET line = 15 WHERE line = 12;
UPDATE probe_memory_site SET conflicts = CASE site WHEN 0 THEN 4 ELSE 6 END WHERE site < 2;
END
check --fail-on 'line.conflicts > 8' --format csv -f file,line,column,kernel,access,space,after two.db
check --fail-on 'line.conflicts > 8' two.db
check --fail-on 'line.conflicts > 10' two.db
check --baseline two.db --fail-on 'line.conflicts > +0' shifted.db
cp two.db gone.db
sql gone.db <<END
DELETE FROM probe_memory_site WHERE site = 0;
UPDATE probe_memory_site SET passes = 42, conflicts = 10 WHERE site = 1;
END
check --baseline two.db --fail-on 'line.conflicts > +0' gone.db
check --baseline gone.db --fail-on 'line.conflicts > +0' two.db
echo "== formats for other programs"
check --baseline before.db --fail-on 'line.conflicts > +5%' --fail-on 'kernel.vgprs > 8' \
	--format sarif after.db >sarif
head -n -2 sarif | jq -e '.version, .runs[0].tool.driver.rules, .runs[0].results' | sed 's/"[0-9.]*-g[^"]*"/VERSION/'
tail -2 sarif
check --baseline before.db --fail-on 'line.conflicts > +5%' --fail-on 'kernel.vgprs > 8' \
	--format github after.db
check --baseline before.db --fail-on 'line.conflicts > +5%' --fail-on 'kernel.vgprs > 8' \
	--format markdown after.db
check --baseline before.db --fail-on 'line.conflicts > +5%' --fail-on 'line.passes > 9e9' \
	--format junit after.db >junit.xml
grep -v -e '^status' -e '^probe:' junit.xml |
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.read())' && cat junit.xml
echo "== no rule is broken"
for format in table github markdown junit; do
	check --fail-on 'line.conflicts > 9e9' --format $format before.db
done
echo "== hostile names"
sql planted.db <<'END'
UPDATE rocpd_info_kernel_symbol_t SET display_name = 'a|b<script>,:' || char(10) || '::error::"&]]>' || char(27) WHERE id = 1;
UPDATE probe_site SET file = 'dir, with:%' || char(10) || 'x.hip';
END
for format in github markdown junit; do
	check --fail-on 'line.conflicts > 0' --format $format planted.db
done
probe-report check --fail-on 'line.conflicts > 0' --format sarif planted.db 2>/dev/null |
	jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri'
echo "== a gate fails without counts, and for a partial run"
database bare.db
check --fail-on 'line.conflicts > 0' bare.db
check --baseline bare.db --fail-on 'line.conflicts > +0' before.db
check -k nosuch --fail-on 'line.conflicts > 0' before.db
sql after.db <<END
UPDATE probe_run SET value = 1 WHERE key = 'partial';
END
check --fail-on 'line.conflicts > 9e9' after.db
echo "== the verdict is a document also if a run cannot be judged"
for format in csv json sarif github markdown junit; do
	probe-report check --fail-on 'line.conflicts > 9e9' --format $format after.db 2>/dev/null | grep -v '^"version'
	probe-report check --fail-on 'line.conflicts > 9e9' --format $format nosuch.db >"unread.$format" 2>/dev/null
	grep -o 'not judged: cannot open nosuch.db' "unread.$format"
done
jq -e '.runs[0].invocations[0] | .executionSuccessful == false and (.toolExecutionNotifications | length) == 1' unread.sarif
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("unread.junit")'
echo "== kernels that were not counted are not judged, unless -k leaves them out"
sample part.db
sql part.db <<END
UPDATE probe_dispatch SET verdict = 2 WHERE kernel_id = 2;
DELETE FROM probe_memory_site WHERE kernel = 2;
INSERT INTO probe_run VALUES ('filters', '--kernel-include-regex transpose');
END
kernel part.db 3 __amd_rocclr_copyBuffer __amd_rocclr_copyBuffer
dispatch part.db 4 3 3
check --fail-on 'line.conflicts > 991' part.db
check --fail-on 'line.conflicts > 992' --fail-on 'kernel.vgprs > 9' part.db
check -k transpose --fail-on 'line.conflicts > 992' part.db
check --baseline before.db --fail-on 'line.conflicts > +0' --format csv -f rule,kernel,metric,after,note part.db
check --baseline part.db --fail-on 'line.conflicts > +0' --format markdown before.db
check --fail-on 'line.conflicts > 992' --format sarif part.db | grep -A1 invocations
check --fail-on 'line.conflicts > 991' --format junit part.db
check --fail-on 'line.conflicts > 992' --format github part.db
echo "== a kernel in which nothing can be counted"
sql part.db <<END
UPDATE probe_dispatch SET verdict = 3 WHERE kernel_id = 2;
INSERT INTO probe_account VALUES ('dispatches', 'no_clone.empty', 2);
END
check --fail-on 'line.conflicts > 992' part.db
echo "== part of the work"
sample groups.db
sql groups.db <<END
INSERT INTO probe_run VALUES ('filters', '--kernel-include-regex . --filter-x 0:1');
END
check --fail-on 'line.conflicts > 992' groups.db
check --baseline groups.db --fail-on 'line.conflicts > +0' groups.db
check --baseline before.db --fail-on 'line.conflicts > +0' groups.db
echo "== times: of originals only; an absolute rule knows no noise"
sample times.db
check --fail-on 'kernel.time_ns > 1' -k transpose times.db
for id in 5 6 7; do
	dispatch times.db $id 1 1
done
check --baseline before.db --fail-on 'kernel.time_ns > +1' -k transpose times.db
check --baseline times.db --fail-on 'kernel.time_ns > 1' --format csv -f variant,before,after,noise,note -k transpose times.db
check --baseline times.db --fail-on 'kernel.time_ns > +1' -k transpose times.db
check --fail-on 'kernel.time_ns > 1' --format csv -f variant,before,after,note -k transpose times.db
echo "== as many launches, fewer of them as clones"
check --baseline before.db --fail-on 'kernel.dispatches > +0' -k copy times.db
sql times.db <<END
UPDATE probe_dispatch SET verdict = 10 WHERE kernel_id = 2;
END
check --baseline before.db --fail-on 'kernel.dispatches > +0' -k copy times.db
check --baseline before.db --fail-on 'kernel.dispatches > +2' -k transpose --format csv -f before,after times.db
echo "== accesses without a line match each other; equal lines have different fingerprints"
sample noline.db
sql noline.db <<END
UPDATE probe_site SET file = '', line = 0, "column" = 0 WHERE site IN (1, 2, 4);
UPDATE probe_site SET access = 1 WHERE site = 1;
END
check --baseline noline.db --fail-on 'line.lines128_excess > +0' noline.db
probe-report diff noline.db noline.db | tail -1
check --fail-on 'line.executions > 4' --format sarif noline.db 2>/dev/null |
	jq -c '.runs[0].results[]? | [.partialFingerprints["probe/v1"], .locations[0].physicalLocation.artifactLocation.uri, .locations[0].physicalLocation.region]' 2>/dev/null
kernel noline.db 9 "$(printf 'f%0150d\303\244%020d' 0 0)" long
dispatch noline.db 9 9 1
check --fail-on 'kernel.vgprs > 7' -k f0 --format github noline.db
echo "== usage"
for rule in 'conflicts > 0' 'line.conflicts = 0' 'line.conflicts > many' 'line.conflicts > 5%' \
	'line.conflicts > 0 0' 'line.conflicts > +5%' 'line.conflicts > inf'; do
	check --fail-on "$rule" before.db | head -1
done
check before.db | head -1
check --fail-on 'line.conflicts > 0' before.db after.db | head -1
probe-report lines --fail-on 'line.conflicts > 0' before.db 2>&1 | head -1
