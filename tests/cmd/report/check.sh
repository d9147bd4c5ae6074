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
check --baseline before.db --fail-on 'line.lines128_used > +24.9%' --format csv -f file,line,percent after.db
check --baseline before.db --fail-on 'line.lines128_used > +127' --format csv -f file,line,change after.db
check --baseline before.db --fail-on 'kernel.vgprs > +2' --format csv -f kernel,variant,before,after after.db
check --baseline before.db -k copy --fail-on 'line.lines128_used > +0' after.db
echo "== one conflict more on one line"
cp before.db planted.db
sql planted.db <<END
UPDATE probe_memory_site SET conflicts = 993 WHERE site = 0;
END
check --baseline before.db --fail-on 'line.conflicts > +0' --format csv -f file,line,change planted.db
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
echo "== usage"
for rule in 'conflicts > 0' 'line.conflicts = 0' 'line.conflicts > many' 'line.conflicts > 5%' \
	'line.conflicts > 0 0' 'line.conflicts > +5%' 'line.conflicts > inf'; do
	check --fail-on "$rule" before.db | head -1
done
check before.db | head -1
check --fail-on 'line.conflicts > 0' before.db after.db | head -1
probe-report lines --fail-on 'line.conflicts > 0' before.db 2>&1 | head -1
