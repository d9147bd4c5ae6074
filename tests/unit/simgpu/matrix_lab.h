/* SPDX-License-Identifier: MIT */
/* Elements of matrices in registers, for the tests of matrix instructions. */
#ifndef PROBE_TESTS_SIMGPU_MATRIX_LAB_H
#define PROBE_TESTS_SIMGPU_MATRIX_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/unit/simgpu/program_lab.h"

/* The first registers of each operand; of a sparse product, C holds the indices. */
enum {
	A = 100,
	B = 110,
	C = 32,
	D = 64,
};

/* Of an element: the register behind its operand's first, the lane, the lowest bit. */
struct place {
	unsigned int reg, lane, bit;
};

static inline void put(unsigned int base, struct place p, uint64_t bits)
{
	lab.wave->vgpr[base + p.reg][p.lane] |= (uint32_t)bits << p.bit;
	if (bits >> 32)
		lab.wave->vgpr[base + p.reg + 1][p.lane] |= (uint32_t)(bits >> 32);
}

static inline uint64_t get(bool is_double, unsigned int base, struct place p)
{
	uint64_t low = lab.wave->vgpr[base + p.reg][p.lane];

	return is_double ? low | (uint64_t)lab.wave->vgpr[base + p.reg + 1][p.lane] << 32 : low;
}

static inline unsigned int nonzero(unsigned int base, unsigned int regs)
{
	unsigned int n = 0;

	for (unsigned int r = 0; r < regs; r++)
		for (unsigned int l = 0; l < 64; l++)
			n += lab.wave->vgpr[base + r][l] != 0;
	return n;
}

/* Writes "v7" or "v[7:9]" to @to, which is returned. */
static inline const char *range(unsigned int first, unsigned int n, char *to)
{
	if (n == 1)
		sprintf(to, "v%u", first);
	else
		sprintf(to, "v[%u:%u]", first, first + n - 1);
	return to;
}

#endif
