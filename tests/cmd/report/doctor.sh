# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
echo "== the tool was never called"
database none.db
probe-report doctor none.db
echo "== no problem, except one kernel without a clone"
sample run.db
sql run.db <<END
INSERT INTO probe_run VALUES ('hsa_table_major', 1), ('hsa_table_minor', 48), ('probe_version', 'VERSION');
INSERT INTO probe_account VALUES ('dispatches', 'no_clone.plain', 0);
END
probe-report doctor --format csv run.db
echo "== HIP's own kernels need no clone; source lines, filters, samples, losses"
sql run.db <<END
UPDATE rocpd_info_kernel_symbol_t SET kernel_name = '__amd_rocclr_copyBuffer' WHERE id = 2;
UPDATE probe_account SET value = 0 WHERE name = 'swapped';
INSERT INTO probe_account VALUES ('dispatches', 'refused.filtered', 2), ('host', 'dropped.full', 7);
UPDATE probe_site SET line = 0;
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
END
probe-report doctor --format json -f check,status,found,remedy run.db | jq -c '.[]'
clones_and_filters()
{
	probe-report doctor --format json -f check,status,found,remedy "$1" |
		jq -c '.[] | select(.check == "clones" or .check == "filters")'
}
echo "== a kernel of no known code object"
sample unknown.db
sql unknown.db <<END
UPDATE probe_dispatch SET verdict = CASE dispatch_id WHEN 1 THEN 0 ELSE 4 END;
END
clones_and_filters unknown.db
echo "== one dispatch has nothing to probe, two kernels have no clone of the kind"
sample kinds.db
sql kinds.db <<END
UPDATE probe_dispatch SET verdict = 3;
INSERT INTO probe_account VALUES ('dispatches', 'no_clone.empty', 1), ('dispatches', 'no_clone.kind', 2);
INSERT INTO probe_run VALUES ('no_clone.kind', 'compile with PROBE_KINDS=trace,memory');
END
clones_and_filters kinds.db
echo "== one of three dispatches ran without probes, as requested"
sample off.db
sql off.db <<END
UPDATE probe_dispatch SET verdict = CASE dispatch_id WHEN 1 THEN 1 ELSE 0 END;
END
clones_and_filters off.db
echo "== all workgroups are excluded"
sample groups.db
sql groups.db <<END
UPDATE probe_dispatch SET verdict = 0;
UPDATE probe_account SET value = 0 WHERE stream = 'counters';
INSERT INTO probe_run VALUES ('filters', '--filter-x 99:100');
END
clones_and_filters groups.db
echo "== kernels for another GPU"
sql groups.db <<END
INSERT INTO probe_run VALUES ('foreign_code', 'none of its kernels could run: WHY');
END
probe-report doctor --format json -f check,status,found,remedy groups.db | jq -c '.[] | select(.check == "device")'
