/* SPDX-License-Identifier: MIT */
/*
 * Rounding to half precision according to MODE: bits 3..2 (nearest even, up, down, to zero), and
 * bit 23 (FP16_OVFL), with which an overflow becomes the largest number. The input singles and
 * doubles were rounded in the same direction, so rounding twice does no harm.
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_HALF_MODE_H
#define PROBE_SIMGPU_EXEC_VECTOR_HALF_MODE_H

#include "simgpu/exec/scalar/mode_register.h"
#include "simgpu/exec/vector/half_float.h"

enum half_direction {
	HALF_NEAREST,
	HALF_UP,
	HALF_DOWN,
	HALF_ZERO,
};

/* True if the magnitude is rounded up: by the direction, or above the midpoint for "nearest". */
static inline bool half_grows(uint32_t kept, uint32_t rest, uint32_t middle, bool negative,
			      enum half_direction direction)
{
	switch (direction) {
	case HALF_NEAREST:
		return rest > middle || (rest == middle && kept & 1);
	case HALF_UP:
		return rest && !negative;
	case HALF_DOWN:
		return rest && negative;
	default:
		return false;
	}
}

static inline uint32_t half_round(float v, uint64_t mode)
{
	uint32_t bits = float_bits(v), sign = bits >> 16 & 0x8000, mag = bits & 0x7fffffff;
	enum half_direction direction = mode >> 2 & 3;
	uint32_t exponent = mag >> 23, shift = 13, half;

	if (mag >= 0x7f800000)
		return float_to_half(v);
	if (exponent < 113) { /* a half denormal: units of 2^-24 */
		mag = exponent ? (mag & 0x7fffff) | 0x800000 : mag;
		shift = 126 - (exponent ? exponent : 1);
		if (shift > 30) { /* below any unit: everything is remainder */
			mag = mag != 0;
			shift = 30;
		}
	} else {
		mag -= 112u << 23;
	}
	half = mag >> shift;
	half += half_grows(half, mag & ((1u << shift) - 1), 1u << (shift - 1), sign, direction);
	if (half < 0x7c00)
		return sign | half;
	if (mode & MODE_FP16_OVFL || direction == HALF_ZERO ||
	    direction == (sign ? HALF_UP : HALF_DOWN))
		return sign | 0x7bff;
	return sign | 0x7c00;
}

/* x * y + z of halves; the host's rounding mode is set according to MODE. */
static inline uint32_t half_fma_round(float x, float y, float z, uint64_t mode)
{
	uint32_t half;

	if (mode >> 2 & 3 && x == x && y == y && z == z)
		return half_round((float)((double)x * y + z), mode);
	half = half_fma(x, y, z);
	if (mode & MODE_FP16_OVFL && (half & 0x7fff) == 0x7c00 && isfinite(x) && isfinite(y) &&
	    isfinite(z))
		half--;
	return half;
}

#endif
