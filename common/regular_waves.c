/* SPDX-License-Identifier: MIT */
#include "common/regular_waves.h"

#include <probe/wire.h>

/* Do lanes of all waves have the same work-item ids, up to a constant per wave? */
static bool waves_have_equal_ids(const uint32_t group[3])
{
	uint64_t x = group[0], y = group[1], z = group[2];
	uint64_t rows = x ? 64 / x : 0;

	if (x * y * z <= 64 || (y == 1 && z == 1) || x % 64 == 0)
		return true;
	if (64 % x)
		return false;
	/* A wave has complete rows and, if it has more than a plane, complete planes. */
	return z == 1 || y % rows == 0 || rows % y == 0;
}

uint64_t probe_regular_exec(const uint32_t grid[3], const uint32_t group[3], uint64_t *ret_waves)
{
	uint64_t items = 1, groups = 1;

	*ret_waves = 0;
	for (int i = 0; i < 3; i++) {
		/* A partial workgroup at the grid's end has other dimensions. */
		if (!group[i] || grid[i] % group[i] || group[i] > 1024 ||
		    grid[i] > PROBE_REGULAR_GRID || grid[i] / group[i] > PROBE_REGULAR_GROUPS)
			return 0;
		items *= group[i];
		groups *= grid[i] / group[i];
	}
	if (!waves_have_equal_ids(group))
		return 0;
	*ret_waves = items < 64 ? groups : groups * (items / 64);
	return items < 64 ? (1ull << items) - 1 : ~0ull;
}

bool probe_launch_enumerable(const uint32_t grid[3], const uint32_t group[3])
{
	uint64_t items = 1, groups = 1;

	for (int i = 0; i < 3; i++) {
		if (!group[i] || grid[i] % group[i] || group[i] > 1024)
			return false;
		items *= group[i];
		groups *= grid[i] / group[i];
		/* Keeps the product within 64 bits. */
		if (groups > PROBE_ENUMERATED_WAVES)
			return false;
	}
	return items <= 1024 && groups * ((items + 63) / 64) <= PROBE_ENUMERATED_WAVES;
}
