/* SPDX-License-Identifier: MIT */
/* Addresses and costs of LDS instructions, shared by exec_lds.c and exec_lds_atomic.c. */
#ifndef PROBE_SIMGPU_LDS_ACCESS_H
#define PROBE_SIMGPU_LDS_ACCESS_H

#include "mem_access.h"

#include "lds_banks.h"

/*
 * Offsets of an access of `bytes` at vaddr + extra by the active lanes; checked against the
 * group's LDS and counted. False: the wave is stopped with a fault. exec must not be 0.
 */
static inline bool lds_prepare(struct sim_wave *w, const struct sim_inst *ip, u32 *offset,
			       u32 extra, unsigned int bytes, enum lds_kind kind)
{
	const u32 *row = w->vgpr[ip->vsrc[0]];
	struct lds_cost cost;
	u64 max = 0;

	LANES offset[l] = row[l] + extra;
	EACH_LANE(l, w->exec)
	{
		u64 end = (u64)row[l] + extra + bytes;

		max = end > max ? end : max;
	}
	if (max > w->group->lds_size) {
		EACH_LANE(l, w->exec)
		{
			if ((u64)row[l] + extra + bytes <= w->group->lds_size)
				continue;
			sim_fault(w, ip, SIM_FAULT_LDS, (u64)row[l] + extra, bytes, (int)l);
			return false;
		}
	}
	cost = lds_bank_cost(offset, w->exec, bytes, kind);
	w->group->counters->lds_passes += cost.passes;
	w->group->counters->lds_conflicts += cost.conflicts;
	return true;
}

#endif
