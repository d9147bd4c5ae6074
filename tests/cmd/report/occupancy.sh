# SPDX-License-Identifier: MIT
. "$(dirname "$0")/database.inc"
sample run.db
sql run.db <<END
UPDATE rocpd_info_kernel_symbol_t SET arch_vgpr_count = 96, sgpr_count = 32 WHERE id = 1;
UPDATE rocpd_info_kernel_symbol_t SET group_segment_size = 40000, private_segment_size = 16 WHERE id = 2;
END
probe-report occupancy run.db | sed -n 4,6p
probe-report occupancy -k copy --format json -f kernel,waves,waves_max,limit,advice,scratch,target run.db | jq -c '.[]'
echo "== a target with unknown registers"
sql run.db <<END
UPDATE rocpd_info_agent_t SET name = 'gfx1030' WHERE id = 1;
END
probe-report occupancy --format csv -f kernel,waves,limit run.db
