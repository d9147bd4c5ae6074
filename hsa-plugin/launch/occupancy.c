/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/occupancy.h"

#include <stddef.h>
#include <string.h>

struct registers {
	const char *target; /* or how those of a family begin */
	uint32_t total, granule, waves;
};

static const struct registers table[] = {
	{"gfx90a", 512, 8, 8},
	{"gfx94", 512, 8, 8},
	{"gfx90", 256, 4, 10},
};

uint32_t probe_occupancy_waves(const char *target, uint32_t vgprs, uint32_t agprs)
{
	/* gfx908 has two files, of which a kernel gets as much of each; the count of a gfx90a is of
	 * both. */
	uint32_t used = vgprs > agprs ? vgprs : agprs;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct registers *row = &table[i];
		uint32_t taken, waves;

		if (strncmp(target, row->target, strlen(row->target)))
			continue;
		taken = (used + row->granule - 1) / row->granule * row->granule;
		waves = taken ? row->total / taken : row->waves;
		return waves < row->waves ? waves : row->waves;
	}
	return 0;
}

bool probe_occupancy_keeps(const struct probe_occupancy_launch *launch)
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
