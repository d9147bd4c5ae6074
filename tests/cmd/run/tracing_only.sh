# SPDX-License-Identifier: MIT
# Traced without probes: the verb that is suggested at the end shows what was traced.
for options in --kernel-trace --memory-copy-trace --marker-trace --hip-trace '--hip-trace --hsa-trace' \
	--call-stacks --sys-trace --no-instrumented; do
	# shellcheck disable=SC2086 # several options
	probe-run $options --force -o traced.db "$FAKE_APP" connect announce=x exit-record 2>&1 | grep -o 'view it with.*'
done
