/* SPDX-License-Identifier: MIT */
/*
 * Scalar instructions against the host: one row per instruction with its result in s[8:9] and SCC
 * from sources a (s[4:5]), b (s[6:7]), the old destination d, SCC, VCC and EXEC.
 */
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

/* A field of a register; what sticks out at the top is cut off. */
static uint64_t field_u(uint64_t v, uint64_t at, uint64_t width, unsigned int bits)
{
	uint64_t r = 0;

	for (uint64_t i = 0; i < width && at + i < bits; i++)
		r |= (v >> (at + i) & 1) << i;
	return r;
}

static uint64_t field_i(uint64_t v, uint64_t at, uint64_t width, unsigned int bits)
{
	uint64_t r = field_u(v, at, width, bits), used = at + width < bits ? width : bits - at;

	if (used && width && used < 64 && r >> (used - 1) & 1)
		r |= ~0ull << used;
	return r;
}

static uint64_t quads(uint64_t v)
{
	uint64_t r = 0;

	for (unsigned int q = 0; q < 64; q += 4)
		r |= v >> q & 15 ? 15ull << q : 0;
	return r;
}

static uint64_t quad_bits(uint64_t v)
{
	uint64_t r = 0;

	for (unsigned int q = 0; q < 16; q++)
		r |= v >> 4 * q & 15 ? 1ull << q : 0;
	return r;
}

static uint64_t doubled(uint32_t v)
{
	uint64_t r = 0;

	for (unsigned int i = 0; i < 64; i++)
		r |= (uint64_t)(v >> i / 2 & 1) << i;
	return r;
}

/* Number of the lowest set bit; -1 if none. */
static int lowest(uint64_t v)
{
	for (int i = 0; i < 64; i++)
		if (v >> i & 1)
			return i;
	return -1;
}

/* Number of zeros above the highest set bit; -1 if there is none. */
static int highest(uint64_t v, int bits)
{
	for (int i = 0; i < bits; i++)
		if (v >> (bits - 1 - i) & 1)
			return i;
	return -1;
}

struct state {
	uint64_t a, b, d, vcc, exec;
	unsigned int scc;
};

#define ROW(id, text, out, expr, newscc)                                                           \
	static uint64_t expect_##id(const struct state *s, unsigned int *scc_out)                  \
	{                                                                                          \
		uint64_t a = s->a, b = s->b, d = s->d, vcc = s->vcc, exec = s->exec;               \
		unsigned int scc = s->scc;                                                         \
                                                                                                   \
		(void)a, (void)b, (void)d, (void)vcc, (void)exec, (void)scc;                       \
		*scc_out = (newscc) ? 1 : 0;                                                       \
		return (uint64_t)(expr);                                                           \
	}
#include "tests/unit/simgpu/isa_salu.inc"
#undef ROW

static const struct row {
	const char *text;
	enum kind out;
	uint64_t (*expect)(const struct state *s, unsigned int *scc);
} rows[] = {
#define ROW(id, text, out, expr, newscc) {text, out, expect_##id},
#include "tests/unit/simgpu/isa_salu.inc"
#undef ROW
};

enum {
	ROWS = sizeof(rows) / sizeof(rows[0]),
	ROUNDS = 300,
};

static struct state random_state(void)
{
	struct state s = {
		.a = lab_edge64(),
		.b = lab_edge64(),
		.d = lab_edge64(),
		.vcc = lab_random() & 3 ? lab_random() : 0,
		.exec = lab_random() & 3 ? lab_random() : 0,
		.scc = lab_random() & 1,
	};

	/* Shift counts and fields worth having; equal operands now and then. */
	if (lab_random() & 1)
		s.b = (lab_random() & 63) | (lab_random() % 70) << 16;
	if (!(lab_random() & 7))
		s.a = s.b;
	return s;
}

static void put64(uint32_t *sgpr, uint64_t v)
{
	sgpr[0] = (uint32_t)v;
	sgpr[1] = (uint32_t)(v >> 32);
}

static unsigned int check_row(unsigned int n)
{
	struct state s = random_state();
	struct sim_wave *w = lab.wave;
	unsigned int scc;
	uint64_t want, got;

	lab_reset(&lab);
	put64(&w->sgpr[4], s.a);
	put64(&w->sgpr[6], s.b);
	put64(&w->sgpr[8], s.d);
	w->vcc = s.vcc;
	w->exec = s.exec;
	w->scc = s.scc;
	lab_run_to_end(&lab, n);
	got = w->sgpr[8] | (uint64_t)w->sgpr[9] << 32;
	want = rows[n].expect(&s, &scc);
	if (rows[n].out == K32)
		want = (uint32_t)want | (s.d & ~0xffffffffull);
	if (got == want && w->scc == scc)
		return 0;
	print_error(
		"%s: a %lx b %lx d %lx vcc %lx exec %lx scc %u: got %lx scc %d, want %lx scc %u\n",
		rows[n].text, s.a, s.b, s.d, s.vcc, s.exec, s.scc, got, w->scc, want, scc);
	return 1;
}

static int setup(void **state)
{
	(void)state;
	lab_open_rows(&lab, &rows[0].text, sizeof(rows[0]), ROWS);
	return 0;
}

static void test_rows(void **state)
{
	unsigned int bad = 0;

	(void)state;
	for (unsigned int n = 0; n < ROWS; n++)
		for (unsigned int i = 0; i < ROUNDS; i++)
			if (check_row(n)) {
				bad++;
				break;
			}
	printf("%u rows\n", (unsigned int)ROWS);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
