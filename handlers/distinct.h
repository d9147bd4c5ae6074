/* SPDX-License-Identifier: MIT */
/*
 * Which of a few numbers are the same? For handlers that count the lines of a wave's access, most
 * often all different: two loops without branches that depend on them.
 */
#ifndef PROBE_HANDLERS_DISTINCT_H
#define PROBE_HANDLERS_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

enum { DISTINCT_MAX = 128, DISTINCT_BITS = 12 };

/* Scratch space: needs no beginning, one per thread. */
struct distinct {
	uint8_t slot[1 << DISTINCT_BITS]; /* by hash: the lowest place that has it */
};

/*
 * Those whose slot another number has: their first places, from each other. Returns how many of
 * `others` are no first ones.
 */
static inline unsigned distinct_settle(const uint64_t *number, const uint8_t *others,
				       unsigned count, uint8_t *first)
{
	unsigned again = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = 0;

		while (number[others[k]] != number[others[i]])
			k++;
		first[others[i]] = others[k];
		again += k != i;
	}
	return again;
}

/*
 * first[i]: the lowest place that has the number of place i. Returns how many different ones there
 * are. At most DISTINCT_MAX numbers.
 */
static inline unsigned distinct_find(struct distinct *distinct, const uint64_t *number,
				     unsigned count, uint8_t *first)
{
	uint8_t others[DISTINCT_MAX + 1];
	uint32_t hash[DISTINCT_MAX];
	unsigned other = 0, found = 0;

	for (unsigned i = 0; i < count; i++)
		hash[i] = (uint32_t)number[i] * 0x9e3779b1u >> (32 - DISTINCT_BITS);
	for (unsigned i = count; i--;)
		distinct->slot[hash[i]] = (uint8_t)i;
	for (unsigned i = 0; i < count; i++) {
		unsigned at = distinct->slot[hash[i]];

		first[i] = (uint8_t)at;
		found += at == i;
		others[other] = (uint8_t)i;
		other += number[at] != number[i];
	}
	return other ? found + other - distinct_settle(number, others, other, first) : found;
}

#endif
