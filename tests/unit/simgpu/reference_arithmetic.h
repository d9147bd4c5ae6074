/* SPDX-License-Identifier: MIT */
/* Host-side arithmetic for expected values; independent of simgpu/. */
#ifndef PROBE_TESTS_UNIT_SIMGPU_REFERENCE_ARITHMETIC_H
#define PROBE_TESTS_UNIT_SIMGPU_REFERENCE_ARITHMETIC_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of numbers: bits, floats, a lane mask, packed halves and singles. */
enum kind {
	K16,
	K32,
	K64,
	F16,
	F32,
	F64,
	PF16,
	PF32,
	MASK,
};

typedef int32_t s32;
typedef int64_t s64;
typedef __int128 s128;

static inline float f32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float v;

	memcpy(&v, &low, sizeof(v));
	return v;
}

static inline uint64_t b32(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static inline double f64(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline uint64_t b64(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* Half precision by its definition, in double precision. */
static inline double f16(uint64_t bits)
{
	int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
	double v;

	if (e == 31)
		v = m ? NAN : INFINITY;
	else
		v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return bits & 0x8000 ? -v : v;
}

static inline uint64_t b16(long double v)
{
	uint64_t sign = signbit(v) ? 0x8000 : 0;
	long double a = fabsl(v), ulps;
	int e;

	if (isnan(v))
		return 0x7e00;
	if (a == 0)
		return sign;
	if (isinf(v))
		return sign | 0x7c00;
	frexpl(a, &e);
	e = e < -13 ? -13 : e;
	ulps = rintl(ldexpl(a, 11 - e)); /* units of the last place, to nearest even */
	a = ldexpl(ulps, e - 11);
	if (a == 0)
		return sign;
	if (a >= 65520)
		return sign | 0x7c00;
	frexpl(a, &e);
	if (e < -13)
		return sign | (uint64_t)ldexpl(a, 24);
	return sign | (uint64_t)(e + 14) << 10 | ((uint64_t)ldexpl(a, 11 - e) & 1023);
}

static inline s64 clamp(s64 v, s64 lo, s64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static inline s64 clamp128(s128 v, s64 lo, s64 hi)
{
	return v < lo ? lo : v > hi ? hi : (s64)v;
}

static inline uint64_t least(uint64_t x, uint64_t y)
{
	return x < y ? x : y;
}

/* Float to integer: truncate, saturate, NaN is 0. */
static inline s64 fix(double v, double lo, double hi)
{
	if (isnan(v))
		return 0;
	return (s64)(v < lo ? lo : v > hi ? hi : v);
}

static inline s32 sx(uint64_t v, unsigned int bits)
{
	return (s32)((uint32_t)v << (32 - bits)) >> (32 - bits);
}

/* IEEE 754-2008 minNum and maxNum with the sign of zero, numbers only; NaN: the other one. */
static inline double minnum(double x, double y)
{
	if (x == 0 && y == 0)
		return signbit(x) ? x : y;
	return isnan(x) ? y : isnan(y) ? x : fmin(x, y);
}

static inline double maxnum(double x, double y)
{
	if (x == 0 && y == 0)
		return signbit(x) ? y : x;
	return isnan(x) ? y : isnan(y) ? x : fmax(x, y);
}

/* Signalling NaN inputs make the result NaN in IEEE mode. */
static inline int snan(uint64_t v)
{
	return isnan(f32(v)) && !(v & 0x400000);
}

static inline int snan64(uint64_t v)
{
	return isnan(f64(v)) && !(v >> 51 & 1);
}

static inline double fmin32(uint64_t x, uint64_t y)
{
	return snan(x) || snan(y) ? NAN : minnum((double)f32(x), (double)f32(y));
}

static inline double fmax32(uint64_t x, uint64_t y)
{
	return snan(x) || snan(y) ? NAN : maxnum((double)f32(x), (double)f32(y));
}

static inline int snan16(uint64_t v)
{
	return isnan(f16(v & 0xffff)) && !(v & 0x200);
}

/* Denormals to zero of the same sign. */
static inline float flushed(float v)
{
	return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v;
}

/* x * y + z of halves with one rounding: extended precision holds the sum. */
static inline uint64_t fma16(double x, double y, double z)
{
	return b16((long double)x * y + z);
}

/* Quotient x of z / y with its special cases, whose values IEEE division gives. */
static inline uint64_t fixup16(uint64_t x, uint64_t y, uint64_t z)
{
	double q = f16(z) / f16(y);

	if (isnan(q) || isinf(f16(y)) || isinf(f16(z)) || f16(y) == 0 || f16(z) == 0)
		return b16(q);
	return (x & 0x7fff) | ((y ^ z) & 0x8000);
}

/* [lo, 1] to an integer of full scale `scale`, to nearest even; NaN is 0. */
static inline s64 norm(float v, float lo, float scale)
{
	return isnan(v) ? 0 : (s64)nearbyintf((v < lo ? lo : v > 1 ? 1 : v) * scale);
}

/* x * y + z of halves, rounded twice, with denormals taken as zero everywhere. */
static inline double flushed16(double v)
{
	return fabs(v) < 0x1p-14 ? copysign(0, v) : v;
}

static inline uint64_t mad16(double x, double y, double z)
{
	double p = flushed16(f16(b16((long double)flushed16(x) * flushed16(y))));

	return b16((long double)flushed16(f16(b16((long double)p + flushed16(z)))));
}

/* V_DOT2_F32_F16: c, then the low product, then the high one; denormals in and out are zero. */
static inline float dot2(uint64_t a, uint64_t b, float c)
{
	float sum = flushed(c);

	for (unsigned int at = 0; at < 32; at += 16) {
		double p = f16(a >> at & 0xffff), q = f16(b >> at & 0xffff);

		p = fabs(p) < 0x1p-14 ? 0 : p;
		q = fabs(q) < 0x1p-14 ? 0 : q;
		sum = flushed((float)((long double)sum + (long double)(p * q)));
	}
	return sum;
}

/* Sum of absolute differences of the bytes of x and y where y has one. */
static inline uint64_t msad(uint64_t x, uint64_t y)
{
	uint64_t sum = 0;

	for (unsigned int at = 0; at < 32; at += 8) {
		long p = (long)(x >> at & 255), q = (long)(y >> at & 255);

		sum += q ? (uint64_t)labs(p - q) : 0;
	}
	return sum;
}

/* v with byte n replaced by a float, truncated and saturated. */
static inline uint64_t with_byte(uint64_t v, uint64_t n, float f)
{
	unsigned int at = 8 * (unsigned int)(n & 3);

	return (v & ~(255ull << at)) | (uint64_t)fix((double)f, 0, 255) << at;
}

/* The shader engines of a screen rectangle, tile by tile (four engines, tiles modulo 4). */
static inline unsigned int engines(unsigned int x0, unsigned int y0, unsigned int x1,
				   unsigned int y1)
{
	static const unsigned char of_tile[4][4] = {
		/* by y, then x: { x[0] ^ y[1], y[0] ^ x[1] } */
		{0, 2, 1, 3},
		{1, 3, 0, 2},
		{2, 0, 3, 1},
		{3, 1, 2, 0},
	};
	unsigned int mask = 0;

	for (unsigned int x = x0;; x = (x + 1) & 3) {
		for (unsigned int y = y0;; y = (y + 1) & 3) {
			mask |= 1u << of_tile[y][x];
			if (y == y1)
				break;
		}
		if (x == x1)
			return mask;
	}
}

/* A direction's cube map: face, S, T and twice the major axis. */
static inline double cube(unsigned int what, double x, double y, double z)
{
	double ax = fabs(x), ay = fabs(y), az = fabs(z), out[4];
	int face;

	if (az >= ax && az >= ay)
		face = z < 0 ? 5 : 4;
	else if (ay >= ax)
		face = y < 0 ? 3 : 2;
	else
		face = x < 0 ? 1 : 0;
	out[0] = face;
	out[1] = (const double[]){-z, z, x, x, x, -x}[face];
	out[2] = (const double[]){-y, -y, z, -z, -y, -y}[face];
	out[3] = 2 * (const double[]){x, x, y, y, z, z}[face];
	return out[what];
}

static inline unsigned int bits_set(uint64_t v)
{
	unsigned int n = 0;

	for (; v; v >>= 1)
		n += v & 1;
	return n;
}

static inline uint32_t reversed(uint32_t v)
{
	uint32_t r = 0;

	for (unsigned int i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

/* Class mask of a float with the given field widths (v_cmp_class). */
static inline unsigned int class_of(uint64_t v, unsigned int ebits, unsigned int mbits)
{
	uint64_t sign = v >> (ebits + mbits) & 1, m = v & ((1ull << mbits) - 1);
	uint64_t e = v >> mbits & ((1ull << ebits) - 1), top = (1ull << ebits) - 1;

	if (e == top)
		return m ? (m >> (mbits - 1) ? 2 : 1) : sign ? 4 : 512;
	if (e)
		return sign ? 8 : 256;
	return m ? (sign ? 16 : 128) : sign ? 32 : 64;
}

#endif
