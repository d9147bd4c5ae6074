/* SPDX-License-Identifier: MIT */
#include "wire/trace_rows.h"

enum {
	LANES = 64,
	SHORT = 8, /* with shorter rows, most lanes would be stored */
};

uint64_t probe_trace_rows(const uint32_t grid[3], const uint32_t group[3])
{
	uint32_t x = group[0];
	uint64_t rows = 3;

	if (!x)
		return 0;
	if (x < SHORT || (group[1] <= 1 && group[2] <= 1 && x % LANES == 0))
		return rows;
	/* The last workgroup of a row is partial and has shorter rows. */
	if (grid[0] % x)
		return 0;
	if (x % LANES == 0)
		return rows;
	if (LANES % x)
		return 0;
	for (uint32_t lane = x; lane < LANES; lane += x)
		rows |= 3ull << lane;
	return rows;
}

uint32_t probe_trace_wave(const uint32_t group[3], uint32_t item)
{
	uint32_t x = item & 0x3ff, y = item >> 10 & 0x3ff, z = item >> 20 & 0x3ff;

	return (x + group[0] * (y + group[1] * z)) / LANES;
}
