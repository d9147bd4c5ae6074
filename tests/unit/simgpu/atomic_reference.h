/* SPDX-License-Identifier: MIT */
/* What scalar and image atomics must do, written a second time, independently. */
#ifndef PROBE_TESTS_UNIT_SIMGPU_ATOMIC_REFERENCE_H
#define PROBE_TESTS_UNIT_SIMGPU_ATOMIC_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/simgpu/reference_arithmetic.h"

/* name, new value from the old one m and the data x, y (of either size) */
#define SCALAR_ATOMICS(X)                                                                          \
	X(swap, x)                                                                                 \
	X(cmpswap, m == y ? x : m)                                                                 \
	X(add, m + x)                                                                              \
	X(sub, m - x)                                                                              \
	X(smin, wide ? ((s64)m < (s64)x ? m : x) : ((s32)m < (s32)x ? m : x))                      \
	X(umin, m < x ? m : x)                                                                     \
	X(smax, wide ? ((s64)m > (s64)x ? m : x) : ((s32)m > (s32)x ? m : x))                      \
	X(umax, m > x ? m : x)                                                                     \
	X(and, m &x)                                                                               \
	X(or, m | x)                                                                               \
	X(xor, m ^ x)                                                                              \
	X(inc, m >= x ? 0 : m + 1)                                                                 \
	X(dec, m == 0 || m > x ? x : m - 1)
#define FUNCTION(name, expr)                                                                       \
	static uint64_t next_##name(uint64_t m, uint64_t x, uint64_t y, bool wide)                 \
	{                                                                                          \
		(void)m, (void)y, (void)wide;                                                      \
		return expr;                                                                       \
	}
SCALAR_ATOMICS(FUNCTION)
static const struct {
	const char *name;
	uint64_t (*next)(uint64_t m, uint64_t x, uint64_t y, bool wide);
} atomics[] = {
#define ENTRY(name, expr) {#name, next_##name},
	SCALAR_ATOMICS(ENTRY)};
enum { ATOMICS = sizeof(atomics) / sizeof(atomics[0]) };

#endif
