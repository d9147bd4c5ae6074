# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
# Without a file: the newest database in ./probe-out; --last uses several, the newest last.
echo "== none yet"
probe-report 2>&1 | head -1
mkdir -p probe-out/one probe-out/two
n=0
for db in one/a two/b one/c; do
	n=$((n + 1))
	sample probe-out/$db.db
	sql probe-out/$db.db <<END
UPDATE probe_run SET value = './app $db' WHERE key = 'command';
END
	touch -d "2024-01-0$n" probe-out/$db.db
done
touch -d 2024-01-09 probe-out/two/b.db
echo "== the newest"
probe-report | head -1
probe-report lines | head -1
probe-report lines -k copy --format csv -f line
echo "== the newest two are one table"
probe-report lines --last 2 --format csv -f line
echo "== more than exist"
probe-report kernels --last 9 --format csv -f kernel | cut -d, -f 1 | uniq
echo "== a kernel, no file"
probe-report annotate nosuch 2>&1
echo "== rejected"
probe-report lines --last 0 2>&1 | head -1
probe-report lines --last 2 probe-out/one/a.db 2>&1 | head -1
probe-report nosuch 2>&1 | head -1
echo "== no such kernel"
probe-report kernels -k nosuch
probe-report kernels -k nosuch --format csv -f kernel 2>&1
