# SPDX-License-Identifier: MIT
# --twice writes one database; the program's output and exit status are shown once; its input is
# available both times.
cat >"$PROBE/lib/probe/probe-agents" <<'END'
#!/bin/sh
printf 'provider\tsimulated\nagent\t1\tgpu\tgfx90a:sramecc+:xnack-\tMI210\n'
printf 'sampling\t1\t1\t1\t256\t2147483648\t1\n'
END
chmod +x "$PROBE/lib/probe/probe-agents"
cat >app <<'END'
read -r word
echo "read $word"
if [ "$PROBE_INSTRUMENTED" = 0 ]; then
	exec "$FAKE_APP" connect announce=x sampler=1 samples=80 samples=8 exit-record err=sampled
fi
echo "$word" >again
exec "$FAKE_APP" connect announce=x memory=3 exit-record out=twice err=twice exit=${SECOND:-0}
END
echo hello >input
probe-run --twice sh app <input
echo "status $?, read again: $(cat again)"
ls probe-out/* | grep -c .
sqlite3 probe-out/*/*.db "SELECT dispatch_id, kind, verdict FROM probe_dispatch;
	SELECT sum(samples) FROM probe_sample; SELECT count(*) FROM probe_counter;
	SELECT key, value FROM probe_run WHERE key IN ('sampled_from', 'partial');
	SELECT name, value FROM probe_account WHERE stream = 'dispatches' AND name = 'seen';
	SELECT * FROM probe_sampled; PRAGMA integrity_check; PRAGMA application_id"
echo "== without input"
echo hello | probe-run -q --twice -o pipe.db sh app
echo "status $?, read again: $(cat again)"
echo "== the second run fails"
SECOND=7 probe-run --twice -o second.db sh app <input
echo "status $?"
echo "== neither run is recorded"
probe-run --twice false
echo "status $?"
echo "== killed"
probe-run -q --twice sh -c 'kill -9 $$'
echo "status $?"
echo "== killed, with an older database"
probe-run -q --twice --force -o second.db sh -c 'kill -9 $$'
echo "status $?, $(find . -name "second.db*" | grep -c .) files"
