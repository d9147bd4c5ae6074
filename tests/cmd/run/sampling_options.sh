# SPDX-License-Identifier: MIT
# Options without effect, and options that conflict, are rejected; filters without probes give a
# warning.
sampling="--pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256"
probe-run --twice --no-instrumented true || echo "status $?"
probe-run --twice --pc-sampling-clones $sampling true || echo "status $?"
probe-run $sampling --no-instrumented --pc-sampling-clones true || echo "status $?"
for interval in 9223372036854775 9223372036854776 18446744073709551615; do
	probe-run --pc-sampling-method host_trap --pc-sampling-unit time --pc-sampling-interval $interval \
		--print-env true >/dev/null && echo "$interval is taken"
done
cat >"$PROBE/lib/probe/probe-agents" <<'END'
#!/bin/sh
printf 'provider\tsimulated\nagent\t1\tgpu\tgfx90a:sramecc+:xnack-\tMI210\n'
printf 'sampling\t1\t1\t1\t256\t2147483648\t1\n'
END
chmod +x "$PROBE/lib/probe/probe-agents"
probe-run --pc-sampling-raw -o raw.db "$FAKE_APP" connect announce=x exit-record
probe-run $sampling -k copy -o filtered.db "$FAKE_APP" connect announce=x sampler=1 exit-record
