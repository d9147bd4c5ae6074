# SPDX-License-Identifier: MIT
# Sampled without probes: the originals run, and the verb that is suggested at the end shows
# samples.
cat >"$PROBE/lib/probe/probe-agents" <<'END'
#!/bin/sh
printf 'provider\tsimulated\nagent\t1\tgpu\tgfx90a:sramecc+:xnack-\tMI210\n'
printf 'sampling\t1\t1\t1\t256\t2147483648\t1\n'
END
chmod +x "$PROBE/lib/probe/probe-agents"
probe-run --pc-sampling-method stochastic --pc-sampling-unit cycles --pc-sampling-interval 256 -o only.db \
	sh -c 'echo "instrumented: $PROBE_INSTRUMENTED"; exec "$FAKE_APP" connect announce=x sampler=1 samples=80 exit-record'
