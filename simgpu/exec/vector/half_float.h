/* SPDX-License-Identifier: MIT */
/*
 * IEEE half precision computed in single precision. Sums, differences and products of two halves
 * rounded first to single and then to half are correctly rounded (24 >= 2 * 11 + 2 bits). A fused
 * multiply-add is not; see half_fma().
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_HALF_FLOAT_H
#define PROBE_SIMGPU_EXEC_VECTOR_HALF_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline float bits_float(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline uint64_t double_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline double bits_double(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Exact. Selects replace branches, so that loops vectorise. */
static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
	/* Denormals: mag * 2^-24, exact in single precision. */
	float small = (float)(int32_t)mag * 0x1p-24f;
	uint32_t normal = (mag << 13) + (112u << 23);
	uint32_t special = (mag << 13) | 0x7f800000;
	uint32_t bits = mag >= 0x7c00 ? special : mag >= 0x400 ? normal : float_bits(small);

	return bits_float(bits | sign);
}

/* To nearest even; overflow to infinity; NaN stays quiet with its high payload bits. */
static inline uint16_t float_to_half(float v)
{
	uint32_t bits = float_bits(v), sign = bits >> 16 & 0x8000, mag = bits & 0x7fffffff;
	/* Below 2^-14 the sum with 0.5 rounds at the half denormal's last bit. */
	uint32_t small = float_bits(bits_float(mag < 0x38800000 ? mag : 0) + 0.5f) - 0x3f000000;
	uint32_t normal = (mag - (112u << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
	uint32_t nan = 0x7e00 | (mag >> 13 & 0x3ff);
	uint32_t half = mag < 0x38800000 ? small : normal;

	half = mag >= 0x477ff000 ? 0x7c00 : half;
	half = mag > 0x7f800000 ? nan : half;
	return (uint16_t)(half | sign);
}

/* Double to half with one rounding: a sticky bit is kept in the intermediate single. */
static inline uint16_t double_to_half(double v)
{
	float f = (float)v;
	uint32_t bits = float_bits(f);

	/* Round to odd: an inexact single with an even last bit moves towards v. */
	if ((double)f != v && v == v && !(bits & 1) && (bits & 0x7fffffff) != 0x7f800000) {
		double af = fabs((double)f), av = fabs(v);

		bits = af < av ? bits | 1 : bits - 1;
	}
	return float_to_half(bits_float(bits));
}

/* x * y + z of three halves, rounded once; of several NaNs the first. */
static inline uint16_t half_fma(float x, float y, float z)
{
	double p = (double)x * y; /* exact: 22 bits */
	double s = p + z, bb = s - p;
	double err = (p - (s - bb)) + (z - bb); /* exact error of s (Knuth's two-sum) */
	uint64_t bits = double_bits(s);
	uint16_t half;

	/* Round to odd as above, one level higher. */
	if (err != 0 && err == err && !(bits & 1)) {
		if ((err > 0) == (s > 0))
			bits |= 1;
		else
			bits -= 1;
	}
	half = double_to_half(bits_double(bits));
	return s != s ? float_to_half(x != x ? x : y != y ? y : z != z ? z : NAN) : half;
}

#endif
