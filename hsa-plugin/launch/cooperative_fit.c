/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/cooperative_fit.h"

#include "common/occupancy.h"

bool probe_cooperative_fits(const struct probe_cooperative_launch *launch)
{
	uint32_t before = probe_occupancy_waves(launch->target, launch->vgprs, launch->agprs);
	uint32_t after =
		probe_occupancy_waves(launch->target, launch->clone_vgprs, launch->clone_agprs);
	uint64_t fit;

	if (launch->clone_vgprs <= launch->vgprs && launch->clone_agprs <= launch->agprs)
		return true;
	if (!after)
		return false;
	if (after >= before)
		return true;
	/* A compute unit of all targets in the table has four SIMDs, for waves of 64. */
	fit = 4 * after / ((launch->items + 63) / 64);
	if (launch->group_size && launch->lds_max / launch->group_size < fit)
		fit = launch->lds_max / launch->group_size;
	return launch->groups <= fit * launch->compute_units;
}
