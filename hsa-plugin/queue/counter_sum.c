/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/counter_sum.h"

#include <stddef.h>

#include <probe/wire.h>

void probe_counters_sum(uint64_t *table, uint32_t replicas, uint32_t sites)
{
	size_t words = (size_t)sites * PROBE_COUNTERS;

	for (uint32_t replica = 1; replica < replicas; replica++) {
		const uint64_t *from = table + replica * words;

		for (size_t i = 0; i < words; i++) {
			if (i % PROBE_COUNTERS < PROBE_C_ADDED)
				table[i] += from[i];
			else if (from[i] > table[i])
				table[i] = from[i];
		}
	}
}
