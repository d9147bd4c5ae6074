/* SPDX-License-Identifier: MIT */
/*
 * Transcendental functions in double precision from sums and products only, so that every vector
 * level and every host gives the same bits. They are series with a truncation error below 2^-52;
 * rounded to single or half precision, the result is within 0.5001 ulp (the hardware documents 1
 * ulp).
 *
 * The single-precision instructions neither read nor produce denormals, whatever MODE says (LLVM's
 * AMDGPU back end: "v_rcp_f32 and v_rsq_f32 do not support denormals", and the scaling that it
 * generates around v_exp_f32, v_log_f32 and v_sqrt_f32). Those of half precision do.
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_TRANSCENDENTAL_H
#define PROBE_SIMGPU_EXEC_VECTOR_TRANSCENDENTAL_H

#include "simgpu/exec/vector/float_bodies.h"

/* 2^v by the series of exp(f ln 2), |f| <= 1/2; v within +-2000. */
static inline f64 exp2_finite(f64 v)
{
	f64 n = floor(v + 0.5), f = (v - n) * 0x1.62e42fefa39efp-1, r;

	r = 1.0 / 6227020800.0;
	r = r * f + 1.0 / 479001600.0;
	r = r * f + 1.0 / 39916800.0;
	r = r * f + 1.0 / 3628800.0;
	r = r * f + 1.0 / 362880.0;
	r = r * f + 1.0 / 40320.0;
	r = r * f + 1.0 / 5040.0;
	r = r * f + 1.0 / 720.0;
	r = r * f + 1.0 / 120.0;
	r = r * f + 1.0 / 24.0;
	r = r * f + 1.0 / 6.0;
	r = r * f + 0.5;
	r = r * f + 1.0;
	r = r * f + 1.0;
	return r * bits_double((u64)((i64)n + 1023) << 52);
}

static inline f64 exp2_any(f64 v)
{
	f64 near = v > 1000 ? 1000 : v < -1000 ? -1000 : v;

	return v != v ? v : exp2_finite(near == near ? near : 0);
}

/* log2 of a positive normal double: exponent and 2 artanh(s) / ln 2, s = (m - 1) / (m + 1). */
static inline f64 log2_finite(f64 v)
{
	u64 bits = double_bits(v);
	/* Normalises the mantissa to the range from sqrt(1/2) to sqrt(2). */
	u64 shifted = bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
	f64 e = (f64)((i32)(shifted >> 52) - 1023), m, s, z, r;

	m = bits_double((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
	s = (m - 1) / (m + 1);
	z = s * s;
	r = 1.0 / 23;
	r = r * z + 1.0 / 21;
	r = r * z + 1.0 / 19;
	r = r * z + 1.0 / 17;
	r = r * z + 1.0 / 15;
	r = r * z + 1.0 / 13;
	r = r * z + 1.0 / 11;
	r = r * z + 1.0 / 9;
	r = r * z + 1.0 / 7;
	r = r * z + 1.0 / 5;
	r = r * z + 1.0 / 3;
	r = r * z + 1.0;
	return e + s * r * 0x1.71547652b82fep+1;
}

static inline f64 log2_any(f64 v)
{
	f64 r = log2_finite(v > 0 && v < INFINITY ? v : 1);

	r = v == INFINITY ? v : r;
	r = v == 0 ? -INFINITY : r;
	return v < 0 || v != v ? NAN : r;
}

/* sin and cos of 2 pi r for |r| <= 1/8. */
static inline f64 sin_eighth(f64 r)
{
	f64 a = r * 0x1.921fb54442d18p+2, z = a * a, s;

	s = 1.0 / 355687428096000.0;
	s = s * z - 1.0 / 1307674368000.0;
	s = s * z + 1.0 / 6227020800.0;
	s = s * z - 1.0 / 39916800.0;
	s = s * z + 1.0 / 362880.0;
	s = s * z - 1.0 / 5040.0;
	s = s * z + 1.0 / 120.0;
	s = s * z - 1.0 / 6.0;
	return a + a * z * s;
}

static inline f64 cos_eighth(f64 r)
{
	f64 a = r * 0x1.921fb54442d18p+2, z = a * a, s;

	s = 1.0 / 20922789888000.0;
	s = s * z - 1.0 / 87178291200.0;
	s = s * z + 1.0 / 479001600.0;
	s = s * z - 1.0 / 3628800.0;
	s = s * z + 1.0 / 40320.0;
	s = s * z - 1.0 / 720.0;
	s = s * z + 1.0 / 24.0;
	s = s * z - 0.5;
	return 1 + z * s;
}

/* The argument is in turns; `ahead` quarter turns are added (1: cosine). Infinity gives NaN. */
static inline f64 sin_quarters(f64 v, i32 ahead)
{
	f64 turn = v - floor(v + 0.5), quarter = floor(4 * turn + 0.5), r = turn - 0.25 * quarter;
	i32 q = ((quarter == quarter ? (i32)quarter : 0) + ahead) & 3;
	f64 y = q & 1 ? cos_eighth(r) : sin_eighth(r);

	return q & 2 ? 0 - y : y; /* never -0 */
}

static inline f64 sin_turns(f64 v)
{
	return v == 0 ? v : sin_quarters(v, 0);
}

static inline f64 cos_turns(f64 v)
{
	return sin_quarters(v, 1);
}

#endif
