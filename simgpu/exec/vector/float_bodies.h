/* SPDX-License-Identifier: MIT */
/* Scalar parts of floating-point bodies, single and double precision. */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_FLOAT_BODIES_H
#define PROBE_SIMGPU_EXEC_VECTOR_FLOAT_BODIES_H

#include "simgpu/exec/vector/lane_rows.h"

/* A denormal becomes zero with the same sign. */
static inline f32 flush32(f32 v)
{
	u32 bits = float_bits(v);

	return bits & 0x7f800000 ? v : bits_float(bits & 0x80000000);
}

static inline u32 quiet32(u32 bits)
{
	return bits | 0x400000;
}

static inline bool nan32(u32 bits)
{
	return (bits & 0x7fffffff) > 0x7f800000;
}

static inline bool snan32(u32 bits)
{
	return nan32(bits) && !(bits & 0x400000);
}

/*
 * With several NaN operands the result is the first one, quieted. Compilers swap factors and
 * summands, so the host's instructions do not guarantee this; otherwise the result is r.
 */
static inline f32 nan_first32(f32 x, f32 r)
{
	return x != x ? bits_float(quiet32(float_bits(x))) : r;
}

static inline f32 add32(f32 x, f32 y)
{
	return nan_first32(x, x + y);
}

static inline f32 mul32(f32 x, f32 y)
{
	return nan_first32(x, x * y);
}

static inline f32 fma32(f32 x, f32 y, f32 z)
{
	return nan_first32(x, nan_first32(y, fmaf(x, y, z)));
}

/* Order of floats as integers: -0 below +0. */
static inline i32 order32(u32 bits)
{
	return (i32)(bits ^ (u32)((i32)bits >> 31) >> 1);
}

static inline u64 quiet64(u64 bits)
{
	return bits | 1ull << 51;
}

static inline bool nan64(u64 bits)
{
	return (bits & ~(1ull << 63)) > 0x7ffull << 52;
}

static inline bool snan64(u64 bits)
{
	return nan64(bits) && !(bits >> 51 & 1);
}

static inline f64 nan_first64(f64 x, f64 r)
{
	return x != x ? bits_double(quiet64(double_bits(x))) : r;
}

static inline f64 add64(f64 x, f64 y)
{
	return nan_first64(x, x + y);
}

static inline f64 mul64(f64 x, f64 y)
{
	return nan_first64(x, x * y);
}

static inline f64 fma64(f64 x, f64 y, f64 z)
{
	return nan_first64(x, nan_first64(y, fma(x, y, z)));
}

static inline i64 order64(u64 bits)
{
	return (i64)(bits ^ (u64)((i64)bits >> 63) >> 1);
}

/*
 * Minimum and maximum in IEEE mode: a signalling NaN is quieted and wins, a quiet NaN loses to a
 * number, -0 < +0. Compute kernels always run in IEEE mode.
 */
static inline u32 min32(u32 x, u32 y)
{
	u32 r = order32(x) < order32(y) ? x : y;

	r = nan32(y) ? x : r;
	r = nan32(x) ? y : r;
	r = snan32(y) ? quiet32(y) : r;
	return snan32(x) ? quiet32(x) : r;
}

static inline u32 max32(u32 x, u32 y)
{
	u32 r = order32(x) > order32(y) ? x : y;

	r = nan32(y) ? x : r;
	r = nan32(x) ? y : r;
	r = snan32(y) ? quiet32(y) : r;
	return snan32(x) ? quiet32(x) : r;
}

static inline u64 min64(u64 x, u64 y)
{
	u64 r = order64(x) < order64(y) ? x : y;

	r = nan64(y) ? x : r;
	r = nan64(x) ? y : r;
	r = snan64(y) ? quiet64(y) : r;
	return snan64(x) ? quiet64(x) : r;
}

static inline u64 max64(u64 x, u64 y)
{
	u64 r = order64(x) > order64(y) ? x : y;

	r = nan64(y) ? x : r;
	r = nan64(x) ? y : r;
	r = snan64(y) ? quiet64(y) : r;
	return snan64(x) ? quiet64(x) : r;
}

static inline u32 med3_32(u32 x, u32 y, u32 z)
{
	if (nan32(x) || nan32(y) || nan32(z))
		return min32(min32(x, y), z);
	return max32(min32(x, y), min32(max32(x, y), z));
}

/*
 * Scaling by 2^n, saturated so that one chain of multiplications is exact up to the last rounding.
 */
static inline f32 scale32(f32 v, i32 n)
{
	return (f32)ldexp((f64)v, n > 400 ? 400 : n < -400 ? -400 : n);
}

static inline f64 scale64(f64 v, i32 n)
{
	return ldexp(v, n > 4400 ? 4400 : n < -4400 ? -4400 : n);
}

static inline i32 frexp_exp32(f32 v)
{
	i32 e = 0;

	if (isfinite(v) && v != 0)
		frexpf(v, &e);
	return e;
}

static inline f32 frexp_mant32(f32 v)
{
	i32 e;

	return isfinite(v) ? frexpf(v, &e) : v;
}

static inline i32 frexp_exp64(f64 v)
{
	i32 e = 0;

	if (isfinite(v) && v != 0)
		frexp(v, &e);
	return e;
}

static inline f64 frexp_mant64(f64 v)
{
	i32 e;

	return isfinite(v) ? frexp(v, &e) : v;
}

#endif
