/* SPDX-License-Identifier: MIT */
/* Inline constants and literals as ready-made source rows, shared by all decoded code. */
#ifndef PROBE_SIMGPU_ISA_INLINE_CONSTANTS_H
#define PROBE_SIMGPU_ISA_INLINE_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/isa/opcodes.h"

struct sim_constant_rows {
	_Alignas(64) uint32_t row[2][64]; /* low halves, high halves */
	uint64_t value;			  /* the same for scalar instructions */
};

/* The rows of a value; they are never freed. Thread-safe. NULL without memory. */
const struct sim_constant_rows *sim_constant_rows(uint64_t value);

/* Value of an inline constant (128..248) or literal for an operand. */
uint64_t sim_constant(uint32_t code, unsigned int dwords, enum sim_type type, uint32_t literal,
		      bool fp);

#endif
