/* SPDX-License-Identifier: MIT */
#include "model/launch.h"

#include "common/kernel_argument.h"
#include "common/regular_waves.h"

bool launch_packet_field(const struct model_launch *launch, uint32_t offset, uint64_t *ret)
{
	/* hsa_kernel_dispatch_packet_t (HSA Runtime specification, 2.6.2) */
	switch (offset) {
	case 4:
	case 6:
	case 8:
		*ret = launch->group[(offset - 4) / 2];
		return true;
	case 12:
	case 16:
	case 20:
		*ret = launch->grid[(offset - 12) / 4];
		return true;
	default:
		return false;
	}
}

bool launch_argument(const struct model_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret)
{
	return probe_kernel_argument(launch->arguments, launch->argument_bytes, offset, bytes, ret);
}

void launch_group_ids(const struct model_launch *launch, int axis, uint64_t groups,
		      uint64_t *ret_first, uint64_t *ret_end)
{
	uint64_t first = 0, end = groups;

	if (launch->groups) {
		first = launch->groups->first[axis];
		end = (uint64_t)launch->groups->last[axis] + 1;
		end = end < groups ? end : groups;
	}
	*ret_first = first < end ? first : end;
	*ret_end = end;
}

static uint64_t count_ids(const struct model_launch *launch, int axis, uint64_t groups)
{
	uint64_t first, end;

	launch_group_ids(launch, axis, groups, &first, &end);
	return end - first;
}

/* Workgroups along one axis: complete ones, and the partial one at the grid's end. */
struct part {
	uint64_t groups, items;
};

static void divide_axis(const struct model_launch *launch, int axis, struct part ret[2])
{
	uint32_t group = launch->group[axis];
	uint32_t whole = launch->grid[axis] / group, rest = launch->grid[axis] % group;

	ret[0] = (struct part){count_ids(launch, axis, whole), group};
	/* Only the last workgroup is partial. */
	ret[1] = (struct part){rest ? count_ids(launch, axis, whole + 1ull) - ret[0].groups : 0,
			       rest};
}

void launch_count_waves(const struct model_launch *launch, uint64_t *ret_waves, uint64_t *ret_lanes)
{
	uint32_t lanes = launch->lanes ? launch->lanes : 64;
	struct part part[3][2];

	*ret_waves = 0;
	*ret_lanes = 0;
	for (int i = 0; i < 3; i++)
		if (!launch->group[i])
			return;
	for (int i = 0; i < 3; i++)
		divide_axis(launch, i, part[i]);
	for (int i = 0; i < 8; i++) {
		const struct part *x = &part[0][i & 1], *y = &part[1][i >> 1 & 1],
				  *z = &part[2][i >> 2];
		uint64_t groups = x->groups * y->groups * z->groups;
		uint64_t items = x->items * y->items * z->items;

		*ret_waves += groups * ((items + lanes - 1) / lanes);
		*ret_lanes += groups * items;
	}
}

uint64_t launch_full_waves(const struct model_launch *launch, uint64_t *ret_waves)
{
	const uint32_t *grid = launch->grid, *group = launch->group;
	uint64_t exec = probe_regular_exec(grid, group, ret_waves);

	if (!exec)
		return 0;
	/* All workgroups are complete, and have the same number of waves. */
	for (int i = 0; i < 3; i++)
		*ret_waves /= grid[i] / group[i];
	for (int i = 0; i < 3; i++)
		*ret_waves *= count_ids(launch, i, grid[i] / group[i]);
	return exec;
}
