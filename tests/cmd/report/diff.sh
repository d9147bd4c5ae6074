# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
. "$(dirname "$0")/compare.inc"
two_runs
echo "== as text"
probe-report diff before.db after.db
echo "== a run compared with itself"
probe-report diff before.db before.db | tail -1
echo "== one metric of one kernel, as data"
probe-report diff -k transpose --format json -f line,line_before,metric,before,after,change,percent,note \
	before.db after.db | jq -c '.[] | select(.metric == "conflicts")'
probe-report diff --format csv -f scope,file,line,kernel,metric,note,source before.db after.db |
	grep -e '^scope' -e conflicts
echo "== times: five dispatches before and after, with their noise"
for db in before after; do
	cp $db.db $db-times.db
	sql $db-times.db <<END
DELETE FROM probe_dispatch;
DELETE FROM rocpd_kernel_dispatch_t;
END
	for id in 1 2 3 4 5; do
		dispatch $db-times.db $id 1 1
	done
done
sql after-times.db <<END
UPDATE rocpd_kernel_dispatch_t SET "end" = "end" + 100;
END
probe-report diff --format csv -f scope,metric,variant,before,after,noise,note \
	before-times.db after-times.db | grep time_ns
sql after-times.db <<END
UPDATE rocpd_kernel_dispatch_t SET "end" = "end" + 10000;
END
probe-report diff --format csv -f scope,metric,variant,before,after,noise,note \
	before-times.db after-times.db | grep time_ns
echo "== a kernel that the newer run did not count"
sample part.db
sql part.db <<END
UPDATE probe_dispatch SET verdict = 2 WHERE kernel_id = 2;
DELETE FROM probe_memory_site WHERE kernel = 2;
END
probe-report diff --format csv -f scope,line,metric,variant,before,after,change,percent,note before.db part.db
probe-report diff --format csv -f scope,line,metric,note part.db before.db | grep executions
echo "== rejected"
probe-report diff before.db 2>&1
probe-report diff before.db after.db before.db 2>&1
probe-report diff before.db nosuch.db 2>&1
probe-report diff -f nosuch before.db after.db 2>&1
sample other.db
sql other.db <<END
UPDATE rocpd_info_kernel_symbol_t SET display_name = 'other_' || display_name;
END
probe-report diff before.db other.db 2>&1
echo "== fills of the HIP runtime are in every program"
for db in before.db other.db; do
	kernel $db 40 __amd_rocclr_fillBufferAligned __amd_rocclr_fillBufferAligned
	dispatch $db 40 40 1
done
probe-report diff before.db other.db 2>&1
