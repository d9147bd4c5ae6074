/* SPDX-License-Identifier: MIT */
/*
 * The 8-bit floats of gfx942: fp8 (4 bits of exponent, 3 of mantissa) and bf8 (5 and 2), in the
 * variant without infinities and without a negative zero ("FNUZ"): 0x80 is the only NaN, and the
 * exponent's bias is one more than usual. "AMD Instinct MI300" ISA manual, chapter "FP8".
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_FP8_H
#define PROBE_SIMGPU_EXEC_VECTOR_FP8_H

#include "simgpu/exec/vector/float_bodies.h"

enum fp8_format {
	FP8_MANTISSA = 3,
	BF8_MANTISSA = 2,
	FP8_NAN = 0x80,
};

static inline i32 fp8_bias(enum fp8_format mantissa)
{
	return mantissa == FP8_MANTISSA ? 8 : 16;
}

static inline f32 fp8_to_float(u32 v, enum fp8_format mantissa)
{
	i32 exponent = (i32)(v & 0x7f) >> mantissa, bias = fp8_bias(mantissa);
	i32 value = (i32)(v & ((1u << mantissa) - 1));

	if (v == FP8_NAN)
		return bits_float(0x7fc00000);
	if (exponent)
		value |= 1 << mantissa;
	else
		exponent = 1;
	return ldexpf(v & 0x80 ? (f32)-value : (f32)value, exponent - bias - (i32)mantissa);
}

/* Rounded to nearest even, or cut. What is too large becomes NaN. */
static inline u32 fp8_of_float(f32 x, enum fp8_format mantissa, bool cut)
{
	i32 bias = fp8_bias(mantissa), exponent = ((i32)float_bits(x) >> 23 & 0xff) - 127;
	u32 sign = float_bits(x) >> 24 & 0x80, code;
	f32 scaled;

	if (exponent == 128)
		return FP8_NAN;
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	scaled = ldexpf(fabsf(x), (i32)mantissa - exponent);
	code = (u32)(exponent + bias - 1) << mantissa;
	code += (u32)(cut ? floorf(scaled) : nearbyintf(scaled));
	if (code > 0x7f)
		return FP8_NAN;
	return code ? sign | code : 0;
}

/*
 * Rounded by chance: random bits are added below what is kept, and the sum is cut. The manual adds
 * as many of the seed's highest bits as the mantissa loses.
 */
static inline u32 fp8_of_float_by_chance(f32 x, u32 seed, enum fp8_format mantissa)
{
	u32 bits = float_bits(x);

	if ((bits & 0x7f800000) == 0x7f800000)
		return FP8_NAN;
	return fp8_of_float(bits_float(bits + (seed >> (9 + mantissa))), mantissa, true);
}

#endif
