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
shares()
{
	probe-report kernels --format csv -f kernel,time_share,time_of,counted_ns,counted,original_ns,clone_ns run.db
}
echo "== shares of time: originals stand for most of what was instrumented"
shares
echo "== all that was instrumented ran only as clones: a copy of the runtime has no share"
kernel run.db 3 __amd_rocclr_copyBuffer __amd_rocclr_copyBuffer
sql run.db <<END
DELETE FROM probe_dispatch WHERE dispatch_id = 3;
DELETE FROM rocpd_kernel_dispatch_t WHERE id = 3;
END
dispatch run.db 4 3 3
shares
echo "== two runs: only the uninstrumented one counts"
dispatch run.db 5 1 1
dispatch run.db 6 2 1
dispatch run.db 7 3 1
sql run.db <<END
INSERT INTO probe_run VALUES ('sampled_from', 4);
END
shares
