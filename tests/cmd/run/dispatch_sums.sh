# SPDX-License-Identifier: MIT
# The sums of dispatches that a recording ends with are those of its dispatches, and reports are the same from
# both: of clones, of originals, of dispatches that never ended; of one run and of two runs in one file.
cp "$PROBE_BIN/probe-report" "$PROBE/bin/"
cat >"$PROBE/lib/probe/probe-agents" <<'END'
#!/bin/sh
printf 'provider\tsimulated\nagent\t1\tgpu\tgfx90a:sramecc+:xnack-\tMI210\n'
printf 'sampling\t1\t1\t1\t256\t2147483648\t1\n'
END
chmod +x "$PROBE/lib/probe/probe-agents"
sum="SELECT p.kernel_id, p.launched_kernel_id, p.kind, p.verdict, p.agent, p.grid_x, p.grid_y, p.grid_z, p.group_x,
	p.group_y, p.group_z, min(p.dispatch_id), count(*), count(r.id), sum(r.\"end\" - r.start)
	FROM probe_dispatch p LEFT JOIN rocpd_kernel_dispatch r ON r.id = p.dispatch_id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
report()
{
	"$PROBE/bin/probe-report" kernels --format csv -f kernel,dispatches,instrumented,launch_shape,original_ns,clone_ns,loads "$1"
	"$PROBE/bin/probe-report" summary "$1"
	"$PROBE/bin/probe-report" lines --all --format csv "$1"
}
compare()
{
	sqlite3 "$1" "SELECT dispatches, timed FROM probe_dispatchsum ORDER BY 1;
		SELECT count(*) || ' differ' FROM (SELECT * FROM (SELECT * FROM probe_dispatchsum EXCEPT $sum)
		UNION ALL SELECT * FROM ($sum EXCEPT SELECT * FROM probe_dispatchsum))"
	report "$1" >sums 2>&1
	cp "$1" without.db
	sqlite3 without.db "DELETE FROM probe_dispatchsum"
	report without.db 2>&1 | sed "s/without.db/$1/" | diff sums - && echo "same report"
}
echo "== one run"
probe-run -q -d . -o one.db -- "$FAKE_APP" connect announce=x memory=7 refused=20 begin=3 exit-record
compare one.db
echo "== two runs"
probe-run -q -d . -o two.db --twice -- sh -c 'if [ "$PROBE_INSTRUMENTED" = 0 ]; then
	exec "$FAKE_APP" connect announce=x sampler=1 samples=80 samples=8 exit-record; fi
	exec "$FAKE_APP" connect announce=x memory=3 exit-record'
compare two.db
