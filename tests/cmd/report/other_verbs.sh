# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
probe-report run.db
echo "== kernels"
probe-report kernels -f kernel,dispatches,instrumented,cycles,position run.db
echo "== dispatches"
probe-report dispatches run.db
echo "== json"
probe-report kernels --format json run.db | jq -c '.[0] | [.kernel, .cycles, .original_ns, .clone_ns]'
probe-report dispatches --format json run.db | jq -c '.[] | [.dispatch, .ran, .reason]'
probe-report summary --format json run.db | jq -c 'length'
