/* SPDX-License-Identifier: MIT */
/* Words of a row that the device counts as sums of several counters (enum probe_counter). */
#ifndef PROBE_MODEL_COUNTER_SUMS_H
#define PROBE_MODEL_COUNTER_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

/* Has the row of such a site PROBE_C_FITTING and PROBE_C_SINGLE? */
static inline bool counter_sums_in(uint32_t access, uint32_t space)
{
	return !probe_site_is_row(access) && space != PROBE_SPACE_LDS && space != PROBE_SPACE_FLAT;
}

/* Replace them by the counters that they stand for. */
static inline void counter_sums_resolve(uint64_t value[PROBE_COUNTERS])
{
	uint64_t fitting = value[PROBE_C_FITTING], single = value[PROBE_C_SINGLE];

	value[PROBE_C_FITTING] = value[PROBE_C_SINGLE] = 0;
	value[PROBE_C_EXECUTIONS] += fitting + single;
	value[PROBE_C_NEEDED64] += fitting + single;
	value[PROBE_C_NEEDED128] += fitting + single;
	value[PROBE_C_EXCESS64] -= fitting;
	value[PROBE_C_EXCESS128] -= fitting;
	value[PROBE_C_LANES] += single;
	/* An address-unit cycle per quad, of which one has an active lane. */
	value[PROBE_C_QUADS] += 16 * single;
	value[PROBE_C_LINES64] += single;
	value[PROBE_C_LINES128] += single;
	value[PROBE_C_AFFINE] += single;
}

#endif
