/* SPDX-License-Identifier: MIT */
/*
 * The MODE register: rounding and denormals of both kinds, IEEE, DX10_CLAMP and FP16_OVFL, with
 * output modifiers. Single and double precision are compared with the host under its own rounding
 * modes, half precision with exact sums rounded by hand.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

enum {
	DX10_CLAMP = 1 << 8,
	IEEE = 1 << 9,
	FP16_OVFL = 1 << 23,
};

static uint32_t mode; /* of the running case */

/* GPU rounding modes: nearest, up, down, zero. */
static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static bool keeps(unsigned int bit)
{
	return mode >> bit & 1;
}

/* Sources and results of each format: denormals become zero unless MODE keeps them. */
static float in32(uint64_t bits)
{
	return keeps(4) ? f32(bits) : flushed(f32(bits));
}

static float out32(float v)
{
	return keeps(5) ? v : flushed(v);
}

static double flushed64(double v)
{
	return fabs(v) < 0x1p-1022 ? copysign(0, v) : v;
}

static double in64(uint64_t bits)
{
	return keeps(6) ? f64(bits) : flushed64(f64(bits));
}

static double out64(double v)
{
	return keeps(7) ? v : flushed64(v);
}

static long double in16(uint64_t bits)
{
	double v = f16(bits & 0xffff);

	return keeps(6) || !(fabs(v) < 0x1p-14) ? (long double)v : copysignl(0, (long double)v);
}

static uint64_t out16(uint64_t bits)
{
	return keeps(7) || bits & 0x7c00 ? bits : bits & 0x8000;
}

static long double to_units(long double v, unsigned int direction)
{
	switch (direction) {
	case 1:
		return ceill(v);
	case 2:
		return floorl(v);
	case 3:
		return truncl(v);
	default:
		fesetround(FE_TONEAREST);
		return rintl(v);
	}
}

/* Exact value (or one with a sticky last bit) to half precision. */
static uint64_t round16(long double v)
{
	unsigned int direction = mode >> 2 & 3;
	uint64_t sign = signbit(v) ? 0x8000 : 0;
	long double r;
	int e;

	if (isnan(v))
		return 0x7e00;
	if (isinf(v) || v == 0)
		return sign | (isinf(v) ? 0x7c00 : 0);
	frexpl(v, &e);
	e = e < -13 ? -13 : e;
	r = ldexpl(to_units(ldexpl(v, 11 - e), direction), e - 11);
	if (r == 0)
		return sign;
	if (fabsl(r) >= 65536) {
		bool toward_zero = direction == 3 || direction == (sign ? 1 : 2);

		return sign | (mode & FP16_OVFL || toward_zero ? 0x7bff : 0x7c00);
	}
	return out16(b16(r));
}

/* x * y + z of halves as an exact multiple of 2^-48, cut to 62 bits with a sticky one. */
static uint64_t fma16_round(long double x, long double y, long double z)
{
	s128 sum, magnitude;
	int scale = -48;
	long double v;

	if (!isfinite(x) || !isfinite(y) || !isfinite(z))
		return round16(x * y + z);
	sum = (s128)(s64)ldexpl(x, 24) * (s64)ldexpl(y, 24) + (s128)(s64)ldexpl(z, 24) * (1 << 24);
	if (sum == 0) { /* the host knows the sign */
		volatile float p = (float)(x * y), q = (float)z;

		return round16((long double)(p + q));
	}
	magnitude = sum < 0 ? -sum : sum;
	for (; magnitude >> 62; scale++)
		magnitude = magnitude >> 1 | (magnitude & 1);
	v = ldexpl((long double)(s64)magnitude, scale);
	return round16(sum < 0 ? -v : v);
}

static uint64_t add32(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float x = in32(a), y = in32(b), r = x + y;

	(void)c;
	return b32(out32(r));
}

static uint64_t mul32(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float x = in32(a), y = in32(b), r = x * y;

	(void)c;
	return b32(out32(r));
}

static uint64_t fma32(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float r = fmaf(in32(a), in32(b), in32(c));

	return b32(out32(r));
}

static uint64_t pk_fma32(uint64_t a, uint64_t b, uint64_t c)
{
	return fma32(a, b, c) | fma32(a >> 32, b >> 32, c >> 32) << 32;
}

static uint64_t pk_add32(uint64_t a, uint64_t b, uint64_t c)
{
	return add32(a, b, c) | add32(a >> 32, b >> 32, c) << 32;
}

static uint64_t add64(uint64_t a, uint64_t b, uint64_t c)
{
	volatile double x = in64(a), y = in64(b), r = x + y;

	(void)c;
	return b64(out64(r));
}

static uint64_t mul64(uint64_t a, uint64_t b, uint64_t c)
{
	volatile double x = in64(a), y = in64(b), r = x * y;

	(void)c;
	return b64(out64(r));
}

static uint64_t fma64(uint64_t a, uint64_t b, uint64_t c)
{
	volatile double r = fma(in64(a), in64(b), in64(c));

	return b64(out64(r));
}

static uint64_t add16(uint64_t a, uint64_t b, uint64_t c)
{
	long double x = in16(a), y = in16(b);

	(void)c;
	if (x + y == 0)
		return fma16_round(x, 1, y);
	return round16(x + y);
}

static uint64_t mul16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return round16(in16(a) * in16(b));
}

static uint64_t fmah(uint64_t a, uint64_t b, uint64_t c)
{
	return fma16_round(in16(a), in16(b), in16(c));
}

static uint64_t pk_add16(uint64_t a, uint64_t b, uint64_t c)
{
	return add16(a, b, c) | add16(a >> 16, b >> 16, c) << 16;
}

static uint64_t pk_mul16(uint64_t a, uint64_t b, uint64_t c)
{
	return mul16(a, b, c) | mul16(a >> 16, b >> 16, c) << 16;
}

static uint64_t pk_fma16(uint64_t a, uint64_t b, uint64_t c)
{
	return fmah(a, b, c) | fmah(a >> 16, b >> 16, c >> 16) << 16;
}

static uint64_t cvt_f16_f32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	return round16((long double)in32(a));
}

static uint64_t cvt_f16_u16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	return round16((long double)(a & 0xffff));
}

static uint64_t cvt_f32_f16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	return b32((float)in16(a));
}

/* Narrowing rounds by the field of double precision. */
static uint64_t cvt_f32_f64(uint64_t a, uint64_t b, uint64_t c)
{
	volatile double x = in64(a);
	volatile float r;

	(void)b, (void)c;
	fesetround(directions[mode >> 2 & 3]);
	r = (float)x;
	return b32(out32(r));
}

static uint64_t cvt_f64_f32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	return b64((double)in32(a));
}

static uint64_t cvt_f32_u32(uint64_t a, uint64_t b, uint64_t c)
{
	volatile uint32_t x = (uint32_t)a;
	volatile float r = (float)x;

	(void)b, (void)c;
	return b32(r);
}

/* The sum rounds as a single, the conversion as a half. */
static uint64_t mixlo(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float r = fmaf((float)in16(a), in32(b), (float)in16(c >> 16));

	return round16((long double)r);
}

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float r = fmaf((float)in16(a), in32(b), (float)in16(c >> 16));

	return b32(out32(r));
}

static uint64_t ldexp32(uint64_t a, uint64_t b, uint64_t c)
{
	volatile float r;
	volatile double x = (double)in32(a);

	(void)c;
	x = ldexp(x, sx(b, 9));
	r = (float)x;
	return b32(out32(r));
}

/* In IEEE mode a signalling NaN wins; else it counts as any NaN and the number wins. */
static uint64_t min32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	if (mode & IEEE && (snan(a) || snan(b)))
		return b32(NAN);
	return b32(out32((float)minnum((double)in32(a), (double)in32(b))));
}

static uint64_t max64(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	if (mode & IEEE && (snan64(a) || snan64(b)))
		return b64(NAN);
	return b64(out64(maxnum(in64(a), in64(b))));
}

static uint64_t max16(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	if (mode & IEEE && (snan16(a) || snan16(b)))
		return 0x7e00;
	return out16(b16((long double)maxnum((double)in16(a), (double)in16(b))));
}

/* omod: only with neither IEEE nor result denormals; -0 becomes +0. */
static uint64_t omod32(uint64_t bits, float factor)
{
	volatile float v = f32(bits), f = factor;

	if (mode & IEEE || keeps(5))
		return bits;
	v = flushed(v * f);
	return b32(v == 0 ? 0 : v);
}

static uint64_t add32_x4(uint64_t a, uint64_t b, uint64_t c)
{
	return omod32(add32(a, b, c), 4);
}

static uint64_t mul32_half(uint64_t a, uint64_t b, uint64_t c)
{
	return omod32(mul32(a, b, c), 0.5f);
}

static uint64_t fma64_x2(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t bits = fma64(a, b, c);
	volatile double v = f64(bits), two = 2;

	if (mode & IEEE || keeps(7))
		return bits;
	v = flushed64(v * two);
	return b64(v == 0 ? 0 : v);
}

static uint64_t add32_clamp(uint64_t a, uint64_t b, uint64_t c)
{
	float v = f32(add32(a, b, c));

	if (isnan(v))
		return b32(mode & DX10_CLAMP ? 0 : v);
	return b32(v > 0 ? v < 1 ? v : 1 : 0);
}

static uint64_t add16_clamp(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t bits = add16(a, b, c);
	double v = f16(bits);

	if (isnan(v))
		return mode & DX10_CLAMP ? 0 : bits;
	return v > 0 ? v < 1 ? bits : 0x3c00 : 0;
}

static uint64_t less32(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return in32(a) < in32(b) ? 1 : 0;
}

static const struct test {
	const char *text;
	enum kind in, out;
	uint64_t (*expect)(uint64_t a, uint64_t b, uint64_t c);
} rows[] = {
	{"v_add_f32 v8, v2, v4", F32, F32, add32},
	{"v_mul_f32 v8, v2, v4", F32, F32, mul32},
	{"v_fma_f32 v8, v2, v4, v6", F32, F32, fma32},
	{"v_pk_add_f32 v[8:9], v[2:3], v[4:5]", PF32, PF32, pk_add32},
	{"v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7]", PF32, PF32, pk_fma32},
	{"v_add_f64 v[8:9], v[2:3], v[4:5]", F64, F64, add64},
	{"v_mul_f64 v[8:9], v[2:3], v[4:5]", F64, F64, mul64},
	{"v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]", F64, F64, fma64},
	{"v_add_f16 v8, v2, v4", F16, F16, add16},
	{"v_mul_f16 v8, v2, v4", F16, F16, mul16},
	{"v_fma_legacy_f16 v8, v2, v4, v6", F16, F16, fmah},
	{"v_pk_add_f16 v8, v2, v4", PF16, PF16, pk_add16},
	{"v_pk_mul_f16 v8, v2, v4", PF16, PF16, pk_mul16},
	{"v_pk_fma_f16 v8, v2, v4, v6", PF16, PF16, pk_fma16},
	{"v_cvt_f16_f32 v8, v2", F32, F16, cvt_f16_f32},
	{"v_cvt_f16_u16 v8, v2", K16, F16, cvt_f16_u16},
	{"v_cvt_f32_f16 v8, v2", F16, F32, cvt_f32_f16},
	{"v_cvt_f32_f64 v8, v[2:3]", F64, F32, cvt_f32_f64},
	{"v_cvt_f64_f32 v[8:9], v2", F32, F64, cvt_f64_f32},
	{"v_cvt_f32_u32 v8, v2", K32, F32, cvt_f32_u32},
	{"v_mov_b32 v8, 0\nv_fma_mixlo_f16 v8, v2, v4, v6 op_sel:[0,0,1] op_sel_hi:[1,0,1]", F32,
	 F16, mixlo},
	{"v_fma_mix_f32 v8, v2, v4, v6 op_sel:[0,0,1] op_sel_hi:[1,0,1]", F32, F32, mix},
	{"v_bfe_i32 v4, v4, 0, 9\nv_ldexp_f32 v8, v2, v4", F32, F32, ldexp32},
	{"v_min_f32 v8, v2, v4", F32, F32, min32},
	{"v_max_f64 v[8:9], v[2:3], v[4:5]", F64, F64, max64},
	{"v_max_f16 v8, v2, v4", F16, F16, max16},
	{"v_add_f32 v8, v2, v4 mul:4", F32, F32, add32_x4},
	{"v_mul_f32 v8, v2, v4 div:2", F32, F32, mul32_half},
	{"v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7] mul:2", F64, F64, fma64_x2},
	{"v_add_f32 v8, v2, v4 clamp", F32, F32, add32_clamp},
	{"v_add_f16_e64 v8, v2, v4 clamp", F16, F16, add16_clamp},
	{"v_cmp_lt_f32 vcc, v2, v4\nv_cndmask_b32 v8, 0, 1, vcc", F32, K32, less32},
};

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	ROUNDS = 150,
};

static int setup(void **state)
{
	(void)state;
	lab_open_rows(&lab, &rows[0].text, sizeof(rows[0]), ROWS);
	return 0;
}

/* Numbers that are often small or near another's magnitude. */
static uint64_t number(enum kind kind, unsigned int lane)
{
	uint64_t r = lab_random();

	switch (kind) {
	case K16:
	case F16:
		return lane & 1 ? (r & 0x83ff) | (r >> 20 & 0x0c00) : lab_edge16();
	case F64:
		return lane & 1 ? (r & 0x803fffffffffffff) : lab_edge64();
	case PF32:
		return number(F32, lane) | number(F32, lane) << 32;
	case PF16:
		return number(F16, lane) | number(F16, lane) << 16;
	default:
		return lane & 1 ? (uint32_t)r & 0x81ffffff : lab_edge32();
	}
}

static bool same(uint64_t x, uint64_t y, enum kind kind)
{
	if (kind == PF32)
		return same(x & 0xffffffff, y & 0xffffffff, F32) && same(x >> 32, y >> 32, F32);
	if (kind == PF16)
		return same(x & 0xffff, y & 0xffff, F16) &&
		       same(x >> 16 & 0xffff, y >> 16 & 0xffff, F16);
	if (kind == F64)
		return x == y || (isnan(f64(x)) && isnan(f64(y)));
	x &= 0xffffffff;
	if (kind == F32)
		return x == y || (isnan(f32(x)) && isnan(f32(y)));
	return x == y || (kind == F16 && isnan(f16(x)) && isnan(f16(y)));
}

static unsigned int check(const struct test *row, unsigned int lane, const uint64_t *in)
{
	uint64_t got = lab.wave->vgpr[8][lane] | (uint64_t)lab.wave->vgpr[9][lane] << 32, want;
	enum kind in_kind = row->in;
	bool single = in_kind == F32 || in_kind == PF32 || in_kind == K32;

	fesetround(directions[(single ? mode : mode >> 2) & 3]);
	want = row->expect(in[0], in[1], in[2]);
	fesetround(FE_TONEAREST);
	if (same(got, want, row->out))
		return 0;
	print_error("%s: mode %x lane %u: a %lx b %lx c %lx: got %lx, want %lx\n", row->text, mode,
		    lane, in[0], in[1], in[2], got, want);
	return 1;
}

static uint32_t any_mode(void)
{
	uint32_t r = (uint32_t)lab_random();

	return (r & 0xff) | (r & (DX10_CLAMP | IEEE)) | (r >> 12 & 1 ? FP16_OVFL : 0);
}

static void test_modes(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < ROWS; n++)
		for (unsigned int i = 0; i < ROUNDS && bad < 30; i++) {
			uint64_t in[64][3];

			mode = any_mode();
			lab_reset(&lab);
			lab.wave->mode = mode;
			for (unsigned int l = 0; l < 64; l++)
				for (unsigned int s = 0; s < 3; s++) {
					in[l][s] = number(rows[n].in, l >> s);
					lab.wave->vgpr[2 + 2 * s][l] = (uint32_t)in[l][s];
					lab.wave->vgpr[3 + 2 * s][l] = (uint32_t)(in[l][s] >> 32);
				}
			lab_run_to_end(&lab, n);
			for (unsigned int l = 0; l < 64; l++)
				bad += check(&rows[n], l, in[l]);
		}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
