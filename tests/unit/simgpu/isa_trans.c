/* SPDX-License-Identifier: MIT */
/*
 * Transcendental functions against the host's extended precision: single precision over random
 * and special arguments, half precision over all of them. Results are within 0.501 units of the
 * last place (the hardware promises 1); single precision neither takes nor gives denormals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

static const long double two_pi = 6.283185307179586476925286766559L;

/* Reduced in turns first, so that large arguments keep their period and zeros are exact. */
static long double sin_turn(long double v)
{
	long double r = v - rintl(v);

	return fabsl(r) == 0.5L ? 0 : sinl(two_pi * r);
}

static long double cos_turn(long double v)
{
	long double r = v - rintl(v);

	return fabsl(r) == 0.25L ? 0 : cosl(two_pi * r);
}

static long double rcp(long double v)
{
	return 1 / v;
}

static long double rsq(long double v)
{
	return 1 / sqrtl(v);
}

static const struct function {
	const char *text;
	long double (*reference)(long double v);
	bool half;
} functions[] = {
	{"v_rcp_f32 v8, v2", rcp, false},      {"v_rcp_iflag_f32 v8, v2", rcp, false},
	{"v_rsq_f32 v8, v2", rsq, false},      {"v_sqrt_f32 v8, v2", sqrtl, false},
	{"v_exp_f32 v8, v2", exp2l, false},    {"v_exp_legacy_f32 v8, v2", exp2l, false},
	{"v_log_f32 v8, v2", log2l, false},    {"v_log_legacy_f32 v8, v2", log2l, false},
	{"v_sin_f32 v8, v2", sin_turn, false}, {"v_cos_f32 v8, v2", cos_turn, false},
	{"v_rcp_f16 v8, v2", rcp, true},       {"v_rsq_f16 v8, v2", rsq, true},
	{"v_sqrt_f16 v8, v2", sqrtl, true},    {"v_exp_f16 v8, v2", exp2l, true},
	{"v_log_f16 v8, v2", log2l, true},     {"v_sin_f16 v8, v2", sin_turn, true},
	{"v_cos_f16 v8, v2", cos_turn, true},
};

enum {
	FUNCTIONS = sizeof(functions) / sizeof(functions[0]),
};

static int setup(void **state)
{
	const char *text[FUNCTIONS];

	(void)state;
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		text[i] = functions[i].text;
	lab_open(&lab, text, FUNCTIONS);
	return 0;
}

/* Whether got is within the tolerance of want in a format of p bits and least exponent low. */
static bool near(long double got, long double want, int p, int low)
{
	int e;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || want == 0)
		return got == want;
	frexpl(want, &e);
	e = e < low ? low : e;
	/* Beyond the largest number by less than half a unit rounds to it, else to infinity. */
	if (isinf(got))
		return fabsl(want) >= ldexpl(1, 3 - low) * (1 - ldexpl(1, -p - 1)) &&
		       signbit(got) == signbit(want);
	return fabsl(got - want) <= 0.501L * ldexpl(1, e - p);
}

static unsigned int check(unsigned int n, unsigned int lane, uint32_t in)
{
	const struct function *f = &functions[n];
	uint32_t out = lab.wave->vgpr[8][lane];
	long double x, got, want;
	bool ok;

	if (f->half) {
		x = (long double)f16(in);
		got = (long double)f16(out);
		want = f->reference(x);
		ok = !(out >> 16) && near(got, want, 11, -13);
	} else {
		x = (long double)flushed(f32(in));
		got = (long double)f32(out);
		want = f->reference(x);
		if (fabsl(want) < 0x1p-126L && want != 0)
			ok = got == 0 || fabsl(got) == 0x1p-126L;
		else
			ok = near(got, want, 24, -125);
	}
	if (!ok)
		print_error("%s: f(%La) = %La, want %La\n", f->text, x, got, want);
	return !ok;
}

static void test_half(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < FUNCTIONS; n++)
		for (uint32_t in = 0; functions[n].half && in < 0x10000; in += 64) {
			lab_reset(&lab);
			for (unsigned int l = 0; l < 64; l++)
				lab.wave->vgpr[2][l] = in + l;
			lab_run_to_end(&lab, n);
			for (unsigned int l = 0; l < 64 && bad < 20; l++)
				bad += check(n, l, in + l);
		}
	assert_int_equal(bad, 0);
}

/* Any bits; numbers of ordinary size; and what is special. */
static uint32_t argument(unsigned int lane)
{
	uint64_t r = lab_random();

	switch (lane & 3) {
	case 0:
		return (uint32_t)r;
	case 1:
		return (uint32_t)b32((float)((double)(r >> 11) * 0x1p-53 * 300 - 150));
	case 2:
		return (uint32_t)b32((float)((double)(r >> 11) * 0x1p-53 * 4 - 2));
	default:
		return lab_edge32();
	}
}

static void test_single(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < FUNCTIONS; n++)
		for (unsigned int round = 0; !functions[n].half && round < 600; round++) {
			lab_reset(&lab);
			for (unsigned int l = 0; l < 64; l++)
				lab.wave->vgpr[2][l] = argument(l);
			lab_run_to_end(&lab, n);
			for (unsigned int l = 0; l < 64 && bad < 20; l++)
				bad += check(n, l, lab.wave->vgpr[2][l]);
		}
	assert_int_equal(bad, 0);
}

/* MODE has no effect on single precision: rounding and denormals do not change. */
static void test_mode(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < FUNCTIONS; n++)
		for (uint32_t mode = 0; !functions[n].half && mode < 256; mode += 17) {
			uint32_t want[64];

			lab_reset(&lab);
			for (unsigned int l = 0; l < 64; l++)
				lab.wave->vgpr[2][l] = argument(l);
			lab_run_to_end(&lab, n);
			memcpy(want, lab.wave->vgpr[8], sizeof(want));
			lab.wave->mode = 0x200 | mode;
			lab_run_to_end(&lab, n);
			assert_memory_equal(want, lab.wave->vgpr[8], sizeof(want));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_mode),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
