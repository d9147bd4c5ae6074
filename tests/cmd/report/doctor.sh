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
UPDATE probe_account SET value = 1 WHERE name = 'no_clone.plain';
UPDATE probe_account SET value = 0 WHERE name = 'swapped';
INSERT INTO probe_account VALUES ('dispatches', 'refused.filtered', 2), ('host', 'dropped.full', 7);
UPDATE probe_site SET line = 0;
INSERT INTO probe_sampler VALUES (1, 1, 1, 1048576, 'simulated');
END
probe-report doctor --format json -f check,status,found,remedy run.db | jq -c '.[]'
