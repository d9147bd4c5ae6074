/* SPDX-License-Identifier: MIT */
/*
 * Vector ALU against the host: one row per instruction with its assembler text, what kind of
 * numbers it takes and gives, and the result of one lane from sources a (v2), b (v4), c (v6), the
 * old destination d (v8) and, for 64-bit operands, their pairs. Every row runs with all lanes and
 * with some lanes off; those must keep their value.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/snippet_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

struct row {
	const char *text;
	enum kind in, out;
	uint64_t (*expect)(uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned int lane,
			   unsigned int carry);
};

#define ROW(id, text, in, out, expr)                                                               \
	static uint64_t expect_##id(uint64_t a, uint64_t b, uint64_t c, uint64_t d,                \
				    unsigned int lane, unsigned int carry)                         \
	{                                                                                          \
		(void)a, (void)b, (void)c, (void)d, (void)lane, (void)carry;                       \
		return (uint64_t)(expr);                                                           \
	}
#include "tests/unit/simgpu/isa_valu.inc"
#undef ROW

#define ROW(id, text, in, out, expr) {text, in, out, expect_##id},
static const struct row rows[] = {
#include "tests/unit/simgpu/isa_valu.inc"
};
#undef ROW

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	ROUNDS = 8,
};

static uint64_t number(enum kind kind)
{
	switch (kind) {
	case K16:
	case F16:
		return lab_edge16();
	case K32:
	case F32:
		return lab_edge32();
	case PF16:
		return lab_edge16() | lab_edge16() << 16;
	case PF32:
		return lab_edge32() | (uint64_t)lab_edge32() << 32;
	default:
		return lab_edge64();
	}
}

/* Two results are one if their bits are, or if both are not a number. */
static bool same(uint64_t x, uint64_t y, enum kind kind)
{
	if (kind == PF32)
		return same(x & 0xffffffff, y & 0xffffffff, F32) && same(x >> 32, y >> 32, F32);
	if (kind == PF16)
		return same(x & 0xffff, y & 0xffff, F16) &&
		       same(x >> 16 & 0xffff, y >> 16 & 0xffff, F16);
	if (kind == F32)
		return (uint32_t)x == (uint32_t)y || (isnan(f32(x)) && isnan(f32(y)));
	if (kind == F64)
		return x == y || (isnan(f64(x)) && isnan(f64(y)));
	if (kind == F16)
		return (uint32_t)x == (uint32_t)y ||
		       (isnan(f16(x)) && isnan(f16(y)) && (uint32_t)x >> 16 == (uint32_t)y >> 16);
	return kind == K64 ? x == y : (uint32_t)x == (uint32_t)y;
}

static unsigned int report(const struct row *row, unsigned int lane, const uint64_t *in,
			   uint64_t got, uint64_t want)
{
	print_error("%s: lane %u: a %lx b %lx c %lx d %lx carry %lu: got %lx, want %lx\n",
		    row->text, lane, in[0], in[1], in[2], in[3], in[4], got, want);
	return 1;
}

/* 1 and a line of text for a wrong result. */
static unsigned int check_row(struct lab *lab, unsigned int n, uint64_t exec)
{
	uint64_t in[4][64], carry = lab_random();
	struct sim_wave *w = lab->wave;

	lab_reset(lab);
	w->exec = exec;
	w->vcc = carry;
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int s = 0; s < 4; s++) {
			in[s][l] = s < 3 ? number(rows[n].in) : lab_random();
			w->vgpr[2 + 2 * s][l] = (uint32_t)in[s][l];
			w->vgpr[3 + 2 * s][l] = (uint32_t)(in[s][l] >> 32);
		}
	lab_run_to_end(lab, n);
	for (unsigned int l = 0; l < 64; l++) {
		uint64_t got = w->vgpr[8][l] | (uint64_t)w->vgpr[9][l] << 32, want = in[3][l];
		enum kind out = exec >> l & 1 ? rows[n].out : K64;

		if (out == MASK)
			got = w->vcc >> l & 1;
		if (exec >> l & 1)
			want = rows[n].expect(in[0][l], in[1][l], in[2][l], in[3][l], l,
					      carry >> l & 1);
		else if (rows[n].out == MASK)
			continue;
		if (!same(got, want, out))
			return report(&rows[n], l,
				      (uint64_t[]){in[0][l], in[1][l], in[2][l], in[3][l],
						   carry >> l & 1},
				      got, want);
	}
	return 0;
}

#include "tests/unit/simgpu/program_lab.h" /* here: names it `lab` */

static int setup(void **state)
{
	(void)state;
	lab_open_rows(&lab, &rows[0].text, sizeof(rows[0]), ROWS);
	return 0;
}

static void test_all_lanes(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < ROWS; n++)
		for (unsigned int i = 0; i < ROUNDS; i++)
			bad += check_row(&lab, n, ~0ull);
	assert_int_equal(bad, 0);
	printf("%u rows\n", (unsigned int)ROWS);
}

static void test_some_lanes(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < ROWS; n++)
		for (unsigned int i = 0; i < ROUNDS; i++)
			bad += check_row(&lab, n, lab_random());
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_lanes),
		cmocka_unit_test(test_some_lanes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
