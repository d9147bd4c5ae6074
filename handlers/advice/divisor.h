/* SPDX-License-Identifier: MIT */
/* The greatest common divisor. */
#ifndef PROBE_HANDLERS_DIVISOR_H
#define PROBE_HANDLERS_DIVISOR_H

#include <stdint.h>

/* Of 0 and n it is n. */
static inline uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
