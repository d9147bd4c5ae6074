/* SPDX-License-Identifier: MIT */
/*
 * Floating point beyond one instruction: division as compiled code does it must round like the
 * host's, for all kinds of operands; MODE's rounding and denormal bits; transcendental functions
 * within the tolerance the ISA promises.
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
	DIV_F32,
	DIV_F64,
	DIV_FLUSHED,
	SCALE_F32,
	SCALE_F64,
	ADD_MODE_F32,
	ADD_MODE_F64,
	SIN,
	COS,
	EXP,
	LOG,
	RSQ,
	TRIG,
	RTZ,
	SNIPPETS,
};

/* num v[2:3], den v[4:5], quotient v[8:9]: the sequences that LLVM emits. */
static const char *const text[SNIPPETS] = {
	[DIV_F32] = "v_div_scale_f32 v10, s[20:21], v4, v4, v2\n"
		    "v_div_scale_f32 v11, vcc, v2, v4, v2\n"
		    "v_rcp_f32 v12, v10\n"
		    "v_fma_f32 v13, -v10, v12, 1.0\n"
		    "v_fmac_f32 v12, v13, v12\n"
		    "v_mul_f32 v13, v11, v12\n"
		    "v_fma_f32 v14, -v10, v13, v11\n"
		    "v_fmac_f32 v13, v14, v12\n"
		    "v_fma_f32 v10, -v10, v13, v11\n"
		    "v_div_fmas_f32 v10, v10, v12, v13\n"
		    "v_div_fixup_f32 v8, v10, v4, v2\n",
	[DIV_F64] = "v_div_scale_f64 v[10:11], s[20:21], v[4:5], v[4:5], v[2:3]\n"
		    "v_div_scale_f64 v[20:21], vcc, v[2:3], v[4:5], v[2:3]\n"
		    "v_rcp_f64 v[12:13], v[10:11]\n"
		    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
		    "v_fmac_f64 v[12:13], v[12:13], v[14:15]\n"
		    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
		    "v_fmac_f64 v[12:13], v[12:13], v[14:15]\n"
		    "v_mul_f64 v[14:15], v[20:21], v[12:13]\n"
		    "v_fma_f64 v[10:11], -v[10:11], v[14:15], v[20:21]\n"
		    "v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[14:15]\n"
		    "v_div_fixup_f64 v[8:9], v[10:11], v[4:5], v[2:3]\n",
	/* As LLVM 15 does it while denormals are off: on for the refinement. */
	[DIV_FLUSHED] = "v_div_scale_f32 v10, s[20:21], v4, v4, v2\n"
			"v_div_scale_f32 v11, vcc, v2, v4, v2\n"
			"v_rcp_f32 v12, v10\n"
			"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n"
			"v_fma_f32 v13, -v10, v12, 1.0\n"
			"v_fmac_f32 v12, v13, v12\n"
			"v_mul_f32 v13, v11, v12\n"
			"v_fma_f32 v14, -v10, v13, v11\n"
			"v_fmac_f32 v13, v14, v12\n"
			"v_fma_f32 v10, -v10, v13, v11\n"
			"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
			"v_div_fmas_f32 v10, v10, v12, v13\n"
			"v_div_fixup_f32 v8, v10, v4, v2\n",
	[SCALE_F32] =
		"v_div_scale_f32 v8, vcc, v4, v4, v2\nv_div_scale_f32 v10, s[20:21], v2, v4, v2\n",
	[SCALE_F64] = ("v_div_scale_f64 v[8:9], vcc, v[4:5], v[4:5], v[2:3]\n"
		       "v_div_scale_f64 v[10:11], s[20:21], v[2:3], v[4:5], v[2:3]\n"),
	[ADD_MODE_F32] = "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s4\nv_add_f32 v8, v2, v4\n",
	[ADD_MODE_F64] = ("s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s4\n"
			  "v_add_f64 v[8:9], v[2:3], v[4:5]\n"),
	[SIN] = "v_sin_f32 v8, v2\n",
	[COS] = "v_cos_f32 v8, v2\n",
	[EXP] = "v_exp_f32 v8, v2\n",
	[LOG] = "v_log_f32 v8, v2\n",
	[RSQ] = "v_rsq_f32 v8, v2\n",
	[TRIG] = "v_trig_preop_f64 v[8:9], v[2:3], 0\nv_trig_preop_f64 v[10:11], v[2:3], 1\n",
	[RTZ] = "v_cvt_pkrtz_f16_f32 v8, v2, v4\n",
};

static int setup(void **state)
{
	(void)state;
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static void put(unsigned int reg, unsigned int lane, uint64_t v)
{
	lab.wave->vgpr[reg][lane] = (uint32_t)v;
	lab.wave->vgpr[reg + 1][lane] = (uint32_t)(v >> 32);
}

static uint64_t get(unsigned int reg, unsigned int lane)
{
	return lab.wave->vgpr[reg][lane] | (uint64_t)lab.wave->vgpr[reg + 1][lane] << 32;
}

/* Wrong quotients of v2 / v4; with `flush` denormals count as zero. */
static unsigned int wrong_f32(unsigned int snippet, bool flush)
{
	unsigned int bad = 0;

	lab_run_to_end(&lab, snippet);
	for (unsigned int l = 0; l < 64; l++) {
		uint32_t a = lab.wave->vgpr[2][l], b = lab.wave->vgpr[4][l];
		uint64_t got = lab.wave->vgpr[8][l];
		float want = flush ? flushed(flushed(f32(a)) / flushed(f32(b))) : f32(a) / f32(b);

		if (got == b32(want) || (isnan(f32(got)) && isnan(want)))
			continue;
		print_error("%08x / %08x: got %08lx, want %08lx\n", a, b, got, b32(want));
		bad++;
	}
	return bad;
}

static void test_divide_f32(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int round = 0; round < 16000 && bad < 20; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			/* Every second: any exponent at all. */
			lab.wave->vgpr[2][l] = l & 1 ? (uint32_t)lab_random() : lab_edge32();
			lab.wave->vgpr[4][l] = l & 1 ? (uint32_t)lab_random() : lab_edge32();
		}
		bad += wrong_f32(DIV_F32, false);
	}
	assert_int_equal(bad, 0);
}

/* Every pair of exponents, with random and with extreme fractions. */
static void test_divide_exponents(void **state)
{
	static const uint32_t fractions[] = {0, 1, 0x7fffff, 0x400000};
	unsigned int bad = 0;

	(void)state;
	for (uint32_t n = 0; n < 65536 && bad < 20; n += 16) {
		lab_reset(&lab);
		for (uint32_t l = 0; l < 64; l++) {
			uint32_t pair = n + l / 4, r = (uint32_t)lab_random();
			uint32_t fa = l & 1 ? r & 0x7fffff : fractions[r >> 28 & 3];
			uint32_t fb = l & 2 ? r >> 5 & 0x7fffff : fractions[r >> 30];

			lab.wave->vgpr[2][l] = (pair & 255) << 23 | fa | (r & 1u << 31);
			lab.wave->vgpr[4][l] = pair >> 8 << 23 | fb;
		}
		bad += wrong_f32(DIV_F32, false);
	}
	assert_int_equal(bad, 0);
}

/* Denormals off: what LLVM emits keeps them on between scaling and fixup only. */
static void test_divide_flushed(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int round = 0; round < 4000 && bad < 20; round++) {
		lab_reset(&lab);
		lab.wave->mode &= ~0x30u;
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[2][l] = l & 1 ? (uint32_t)lab_random() : lab_edge32();
			lab.wave->vgpr[4][l] = l & 2 ? (uint32_t)lab_random() : lab_edge32();
		}
		bad += wrong_f32(DIV_FLUSHED, true);
		assert_int_equal(lab.wave->mode & 0x30, 0);
	}
	assert_int_equal(bad, 0);
}

/* Edges, and exponents about which the scaling decides. */
static uint64_t near_edge64(unsigned int lane)
{
	static const uint16_t exponents[] = {0,	   1,	 2,    52,   53,   54,	 127,  128,
					     129,  255,	 256,  767,  768,  769,	 1022, 1023,
					     1024, 1150, 1151, 1791, 1792, 2044, 2045, 2046};
	uint64_t r = lab_random(), fraction = lab_random() >> 12;

	if (lane & 2)
		return lab_edge64();
	if (r & 0x300)
		fraction = r & 0x100 ? 0 : 0xfffffffffffffull;
	return (uint64_t)exponents[(r >> 32) % 24] << 52 | fraction | (r & 1) << 63;
}

static void test_divide_f64(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int round = 0; round < 16000; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			put(2, l, l & 1 ? lab_random() : near_edge64(l));
			put(4, l, l & 1 ? lab_random() : near_edge64(l >> 1));
		}
		lab_run_to_end(&lab, DIV_F64);
		for (unsigned int l = 0; l < 64; l++) {
			uint64_t a = get(2, l), b = get(4, l), got = get(8, l);
			uint64_t want = b64(f64(a) / f64(b));

			if (got == want || (isnan(f64(got)) && isnan(f64(want))))
				continue;
			if (bad++ < 10)
				print_error("%016lx / %016lx: got %016lx, want %016lx\n", a, b, got,
					    want);
		}
	}
	assert_int_equal(bad, 0);
}

/*
 * V_DIV_SCALE by the manual's cases, in extended precision; `up` is the scaling exponent (64 or
 * 128), `huge` the difference of exponents near overflow, `tiny` the numerator's exponent below
 * which both are scaled, `least` the least normal number. Returns whether VCC is set.
 */
static bool scaled(long double den, long double num, int up, int huge, int tiny, long double least,
		   long double *ret_den, long double *ret_num)
{
	int ed, en, exponent_den, exponent_num;
	bool inverse_tiny = fabsl(1 / den) < least, quotient_tiny = fabsl(num / den) < least;

	frexpl(den, &ed);
	frexpl(num, &en);
	/* The exponent field: 0 for denormals. */
	frexpl(least, &exponent_den);
	exponent_num = en < exponent_den ? 0 : en - exponent_den + 1;
	exponent_den = ed < exponent_den ? 0 : ed - exponent_den + 1;
	*ret_den = den;
	*ret_num = num;
	if (exponent_num - exponent_den >= huge) {
		*ret_den = ldexpl(den, up);
		return true;
	}
	if (exponent_den == 0) {
		*ret_den = ldexpl(den, up);
		*ret_num = ldexpl(num, up);
		return false;
	}
	if (inverse_tiny && quotient_tiny) { /* the manual says up, which would be infinite */
		*ret_den = ldexpl(den, -up);
		return true;
	}
	if (inverse_tiny) {
		*ret_den = ldexpl(den, -up);
		*ret_num = ldexpl(num, -up);
		return false;
	}
	if (quotient_tiny) {
		*ret_num = ldexpl(num, up);
		return true;
	}
	if (exponent_num <= tiny) {
		*ret_den = ldexpl(den, up);
		*ret_num = ldexpl(num, up);
	}
	return false;
}

static void test_scale_f32(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[2][l] = (uint32_t)lab_random() & 0xff800000;
			lab.wave->vgpr[4][l] = (uint32_t)lab_random() & 0xff800000;
			if (l & 1) /* not at the edge of "quotient is denormal" by rounding */
				lab.wave->vgpr[2][l] |= 0x00600000;
		}
		lab_run_to_end(&lab, SCALE_F32);
		for (unsigned int l = 0; l < 64; l++) {
			float num = f32(lab.wave->vgpr[2][l]), den = f32(lab.wave->vgpr[4][l]);
			long double want_den, want_num;
			bool flag;

			if (num == 0 || den == 0) {
				assert_true(isnan(f32(lab.wave->vgpr[8][l])));
				continue;
			}
			if (!isfinite(num) || !isfinite(den))
				continue;
			flag = scaled((long double)den, (long double)num, 64, 96, 23, 0x1p-126L,
				      &want_den, &want_num);
			assert_int_equal(lab.wave->vcc >> l & 1, flag);
			assert_int_equal(lab.wave->vgpr[8][l], b32((float)want_den));
			assert_int_equal(lab.wave->vgpr[10][l], b32((float)want_num));
		}
		assert_true((lab.wave->sgpr[20] | (uint64_t)lab.wave->sgpr[21] << 32) ==
			    lab.wave->vcc);
	}
}

static void test_scale_f64(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			put(2, l, near_edge64(0) & 0xfff0000000000000);
			put(4, l, (l & 1 ? lab_random() : near_edge64(0)) & 0xfff0000000000000);
		}
		lab_run_to_end(&lab, SCALE_F64);
		for (unsigned int l = 0; l < 64; l++) {
			double num = f64(get(2, l)), den = f64(get(4, l));
			long double want_den, want_num;
			bool flag;

			if (num == 0 || den == 0) {
				assert_true(isnan(f64(get(8, l))));
				continue;
			}
			if (!isfinite(num) || !isfinite(den))
				continue;
			flag = scaled((long double)den, (long double)num, 128, 768, 53, 0x1p-1022L,
				      &want_den, &want_num);
			assert_int_equal(lab.wave->vcc >> l & 1, flag);
			assert_true(get(8, l) == b64((double)want_den));
			assert_true(get(10, l) == b64((double)want_num));
		}
	}
}

/* GPU rounding modes: nearest, up, down, zero. */
static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static float flushed_if(float v, bool flush)
{
	return flush ? flushed(v) : v;
}

static float add_rounded(float x, float y, int mode)
{
	volatile float vx = x, vy = y, r;

	fesetround(mode);
	r = vx + vy;
	fesetround(FE_TONEAREST);
	return r;
}

static double add_rounded64(double x, double y, int mode)
{
	volatile double vx = x, vy = y, r;

	fesetround(mode);
	r = vx + vy;
	fesetround(FE_TONEAREST);
	return r;
}

static void test_mode_f32(void **state)
{
	(void)state;
	for (uint32_t mode = 0; mode < 256; mode++) {
		bool flush_in = !(mode >> 4 & 1), flush_out = !(mode >> 5 & 1);

		lab_reset(&lab);
		lab.wave->sgpr[4] = mode;
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[2][l] = l & 1 ? lab_edge32() : (uint32_t)lab_random() >> 8;
			lab.wave->vgpr[4][l] =
				l & 2 ? lab_edge32() : (uint32_t)lab_random() >> 8 | 1u << 31;
		}
		lab_run_to_end(&lab, ADD_MODE_F32);
		for (unsigned int l = 0; l < 64; l++) {
			float x = flushed_if(f32(lab.wave->vgpr[2][l]), flush_in);
			float y = flushed_if(f32(lab.wave->vgpr[4][l]), flush_in);
			float want = flushed_if(add_rounded(x, y, rounding[mode & 3]), flush_out);

			if (isnan(want))
				assert_true(isnan(f32(lab.wave->vgpr[8][l])));
			else
				assert_int_equal(lab.wave->vgpr[8][l], b32(want));
		}
	}
}

static void test_mode_f64(void **state)
{
	(void)state;
	for (uint32_t mode = 0; mode < 256; mode++) {
		bool flush_in = !(mode >> 6 & 1), flush_out = !(mode >> 7 & 1);

		lab_reset(&lab);
		lab.wave->sgpr[4] = mode;
		for (unsigned int l = 0; l < 64; l++) {
			put(2, l, l & 1 ? lab_edge64() : lab_random() >> 11);
			put(4, l, l & 2 ? lab_edge64() : lab_random() >> 11 | 1ull << 63);
		}
		lab_run_to_end(&lab, ADD_MODE_F64);
		for (unsigned int l = 0; l < 64; l++) {
			double x = f64(get(2, l)), y = f64(get(4, l)), want;

			x = flush_in && fabs(x) < 0x1p-1022 ? copysign(0, x) : x;
			y = flush_in && fabs(y) < 0x1p-1022 ? copysign(0, y) : y;
			want = add_rounded64(x, y, rounding[mode >> 2 & 3]);
			want = flush_out && fabs(want) < 0x1p-1022 ? copysign(0, want) : want;
			if (isnan(want))
				assert_true(isnan(f64(get(8, l))));
			else
				assert_true(get(8, l) == b64(want));
		}
	}
}

/* Distance in units of the last place of the reference. */
static double ulps(float got, double want)
{
	int e;

	if ((double)got == want || (isnan(got) && isnan(want)) || (float)want == got)
		return 0;
	frexp(want, &e);
	e = e < -125 ? -125 : e;
	return fabs((double)got - want) / ldexp(1, e - 24);
}

static void check_function(unsigned int snippet, double (*reference)(double), double scale)
{
	for (unsigned int round = 0; round < 100; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] = (uint32_t)b32(
				(float)(((double)(lab_random() >> 11) * 0x1p-53 - 0.25) * scale));
		lab_run_to_end(&lab, snippet);
		for (unsigned int l = 0; l < 64; l++) {
			float x = f32(lab.wave->vgpr[2][l]), got = f32(lab.wave->vgpr[8][l]);
			double want = reference((double)x);

			if (ulps(got, want) > 1)
				fail_msg("snippet %u: f(%a) = %a, want %a", snippet, (double)x,
					 (double)got, want);
		}
	}
}

static double sin_turn(double v)
{
	return sin(2 * M_PI * (v - floor(v)));
}

static double cos_turn(double v)
{
	return cos(2 * M_PI * (v - floor(v)));
}

static double rsq(double v)
{
	return 1 / sqrt(v);
}

static void test_functions(void **state)
{
	(void)state;
	check_function(SIN, sin_turn, 8);
	check_function(COS, cos_turn, 8);
	check_function(EXP, exp2, 200);
	check_function(LOG, log2, 1e6);
	check_function(RSQ, rsq, 1e6);
}

/* 2/pi in pieces of 53 bits, from where the exponent says. */
static void test_trig_preop(void **state)
{
	(void)state;
	lab_reset(&lab);
	put(2, 0, b64(1.0));
	put(2, 1, b64(0x1p200));
	lab_run_to_end(&lab, TRIG);
	assert_true(fabs(f64(get(8, 0)) - M_2_PI) < 0x1p-52);
	assert_true(fabs(f64(get(8, 0)) + f64(get(10, 0)) - M_2_PI) <= 0x1p-53);
	/* 0x1p200: biased exponent 1223, so the window starts 146 bits in: below 2^-146. */
	assert_true(fabs(f64(get(8, 1))) < 0x1p-145);
}

/* Round to zero never rounds up, is within one unit, and is exact for halves. */
static void test_pkrtz(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 200; round++) {
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[2][l] = (uint32_t)b32((float)f16(lab_edge16()));
			lab.wave->vgpr[4][l] = lab_edge32();
		}
		lab_run_to_end(&lab, RTZ);
		for (unsigned int l = 0; l < 64; l++) {
			float a = f32(lab.wave->vgpr[2][l]), b = f32(lab.wave->vgpr[4][l]);
			uint32_t lo = lab.wave->vgpr[8][l] & 0xffff,
				 hi = lab.wave->vgpr[8][l] >> 16;

			if (isnan(a))
				assert_true(isnan(f16(lo)));
			else
				assert_true(f16(lo) == (double)a);
			if (isnan(b)) {
				assert_true(isnan(f16(hi)));
				continue;
			}
			assert_int_equal(hi >> 15, signbit(b) ? 1 : 0);
			assert_true(fabs(f16(hi)) <= fabs((double)b));
			if (fabsf(b) < 65504)
				assert_true(fabs(f16(hi + 1)) > fabs((double)b));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divide_f32),
		cmocka_unit_test(test_divide_f64),
		cmocka_unit_test(test_divide_exponents),
		cmocka_unit_test(test_divide_flushed),
		cmocka_unit_test(test_scale_f32),
		cmocka_unit_test(test_scale_f64),
		cmocka_unit_test(test_mode_f32),
		cmocka_unit_test(test_mode_f64),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_trig_preop),
		cmocka_unit_test(test_pkrtz),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
