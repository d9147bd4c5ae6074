/* SPDX-License-Identifier: MIT */
/*
 * gfx942's matrix instructions. tests/data/mfma_layout_gfx942.csv holds, for entries (block, i, j,
 * k) of every instruction, where A[i][k], B[k][j], D[i][j] and the index of a sparse A[i][k] lie,
 * as AMD's matrix instruction calculator prints them for CDNA3. One product at a time shows that we
 * agree; then random matrices are compared with MMA-Sim's arithmetic, written a second time.
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

#include "simgpu/isa/opcodes.h"
#include "tests/unit/simgpu/matrix_lab.h"
#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

enum { ROWS_MAX = 512 };

struct entry {
	char name[48];
	unsigned int cbsz, abid, blgp, block, i, j, k;
	struct place a, b, d, index;
};

static struct entry entries[ROWS_MAX];
static unsigned int count;
static char texts[ROWS_MAX][160];
static const char *text[ROWS_MAX];

static bool is_sparse(const struct entry *e)
{
	return !strncmp(e->name, "v_smfmac", 8);
}

/* The type of A, or of B. */
static const char *type_of(const struct entry *e, bool b)
{
	static const char *const two[] = {"bf8_bf8", "bf8_fp8", "fp8_bf8", "fp8_fp8"};
	static const char *const types[] = {"bf8", "fp8"};

	for (unsigned int n = 0; n < 4; n++)
		if (strstr(e->name, two[n]))
			return types[b ? n & 1 : n >> 1];
	return strrchr(e->name, '_') + 1;
}

static unsigned int bits_of(const char *type)
{
	static const struct {
		const char *type;
		unsigned int bits;
	} types[] = {{"f64", 64},  {"f32", 32}, {"xf32", 32}, {"f16", 16},
		     {"bf16", 16}, {"i8", 8},	{"fp8", 8},   {"bf8", 8}};

	for (unsigned int n = 0; n < sizeof(types) / sizeof(types[0]); n++)
		if (!strcmp(types[n].type, type))
			return types[n].bits;
	fail_msg("type %s", type);
	return 0;
}

struct shape {
	unsigned int m, k, blocks, regs_a, regs_b, regs_d;
};

static struct shape shape_of(const struct entry *e)
{
	unsigned int per_lane, bits = bits_of(type_of(e, false));
	const char *at = strchr(e->name + 3, '_') + 5; /* behind "_f32_" */
	struct shape s = {.blocks = 1};

	assert_int_equal(sscanf(at, "%ux%*ux%u", &s.m, &s.k), 2);
	at = strchr(at, '_');
	if (at && sscanf(at, "_%ub_", &s.blocks) != 1)
		s.blocks = 1;
	per_lane = s.m * s.k * s.blocks / 64;
	s.regs_b = (per_lane * bits + 31) / 32;
	s.regs_a = is_sparse(e) ? s.regs_b / 2 : s.regs_b;
	s.regs_d = s.m * s.m * s.blocks / 64 * (bits == 64 ? 2 : 1);
	return s;
}

static void add_entry(const char *line)
{
	struct entry *e = &entries[count];
	char a[16], b[16], c[16], d[16], fields[48] = "";
	struct shape s;

	assert_true(count < ROWS_MAX);
	assert_int_equal(sscanf(line, "%47[^,],%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u",
				e->name, &e->cbsz, &e->abid, &e->blgp, &e->block, &e->i, &e->j,
				&e->k, &e->a.reg, &e->a.lane, &e->a.bit, &e->b.reg, &e->b.lane,
				&e->b.bit, &e->d.reg, &e->d.lane, &e->index.lane, &e->index.bit),
			 18);
	s = shape_of(e);
	if (e->abid)
		snprintf(fields, sizeof(fields), " abid:%u", e->abid);
	snprintf(texts[count], sizeof(texts[0]), "%s %s, %s, %s, %s%s", e->name,
		 range(D, s.regs_d, d), range(A, s.regs_a, a), range(B, s.regs_b, b),
		 range(C, is_sparse(e) ? 1 : s.regs_d, c), fields);
	text[count] = texts[count];
	count++;
}

static int setup(void **state)
{
	FILE *file = fopen(TEST_DATA "/mfma_layout_gfx942.csv", "r");
	char line[256];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file))
		add_entry(line);
	fclose(file);
	sim_choose_instruction_set(SIM_GFX942);
	lab_open(&lab, text, count);
	return 0;
}

/* The bits of a number that the type holds exactly. */
static uint64_t bits_for(const char *type, float v)
{
	int exponent;
	float fraction = frexpf(fabsf(v), &exponent); /* in [0.5, 1) */
	unsigned int mantissa = !strcmp(type, "fp8") ? 3 : 2, bias = mantissa == 3 ? 8 : 16;

	if (!strcmp(type, "f64"))
		return b64(v);
	if (!strcmp(type, "bf16"))
		return b32(v) >> 16;
	if (!strcmp(type, "f16"))
		return b16(v);
	if (!strcmp(type, "i8"))
		return (uint8_t)(int)v;
	if (strlen(type) > 3 || type[0] == 'f')
		if (strcmp(type, "fp8"))
			return b32(v);
	if (v == 0)
		return 0;
	return (v < 0) << 7 | (unsigned int)(exponent - 1 + (int)bias) << mantissa |
	       (unsigned int)((2 * fraction - 1) * (float)(1 << mantissa));
}

static const char *result_type(const struct entry *e)
{
	return strstr(e->name, "f64") ? "f64" : strstr(e->name, "i32") ? "i32" : "f32";
}

static uint64_t result(const struct entry *e, float v)
{
	return strcmp(result_type(e), "i32") ? bits_for(result_type(e), v) : (uint32_t)(int)v;
}

static uint64_t entry_result(const struct entry *e)
{
	return get(!strcmp(result_type(e), "f64"), D, e->d);
}

/*
 * One non-zero element in A, B and C: one product, in the right place. A sparse element is the
 * first of its two, and the index says which of four it is; a wrong index must miss B's element.
 */
static void test_layout(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];

		for (unsigned int miss = 0; miss <= is_sparse(e); miss++) {
			lab_reset(&lab);
			put(A, e->a, bits_for(type_of(e, false), 3));
			put(B, e->b, bits_for(type_of(e, true), -5));
			put(is_sparse(e) ? D : C, e->d, result(e, 7));
			if (is_sparse(e))
				lab.wave->vgpr[C][e->index.lane] |= ((e->k + miss) & 3)
								    << e->index.bit;
			lab_run_to_end(&lab, n);
			if (entry_result(e) != result(e, miss ? 7 : 7 - 15))
				fail_msg("%s block %u i %u j %u k %u: got %lx", text[n], e->block,
					 e->i, e->j, e->k, entry_result(e));
			assert_int_equal(nonzero(D, shape_of(e).regs_d), 1);
		}
	}
	printf("%u entries\n", count);
	assert_in_range(count, 460, ROWS_MAX);
}

/* ---- MMA-Sim's arithmetic of CDNA3 ------------------------------------------------------------
 */

static long double value_of(const char *type, uint32_t bits)
{
	unsigned int mantissa = !strcmp(type, "fp8") ? 3 : 2;
	int exponent = (int)(bits & 0x7f) >> mantissa, bias = mantissa == 3 ? 8 : 16;
	long double v = (long double)(bits & ((1u << mantissa) - 1)) / (1 << mantissa);

	if (!strcmp(type, "bf16"))
		return f32((uint64_t)bits << 16);
	if (!strcmp(type, "f16"))
		return f16(bits);
	if (!strcmp(type, "xf32"))
		return f32(bits & 0xffffe000);
	v = exponent ? ldexpl(1 + v, exponent - bias) : ldexpl(v, 1 - bias);
	return bits & 0x80 ? -v : v;
}

static int exponent_of(const char *type, long double v)
{
	int least = !strcmp(type, "f16")   ? -14
		    : !strcmp(type, "fp8") ? -7
		    : !strcmp(type, "bf8") ? -15
					   : -126;
	int exponent;

	if (v == 0)
		return -126;
	frexpl(v, &exponent);
	return exponent - 1 < least ? least : exponent - 1;
}

struct term {
	long double value;
	int exponent;
};

static long double cut_to(long double v, int exponent, int fraction, bool down)
{
	long double scaled = ldexpl(v, fraction - exponent);

	return ldexpl(down ? floorl(scaled) : truncl(scaled), exponent - fraction);
}

static struct term sum_terms(const struct term *term, unsigned int n, unsigned int step)
{
	struct term sum = {0, term[0].exponent};

	for (unsigned int i = 0; i < n; i += step)
		sum.exponent = term[i].exponent > sum.exponent ? term[i].exponent : sum.exponent;
	for (unsigned int i = 0; i < n; i += step)
		sum.value += cut_to(term[i].value, sum.exponent, 24, false);
	return sum;
}

static float add_terms(const struct term *term, unsigned int n, bool fp8, float c)
{
	struct term sum = sum_terms(term, n, fp8 ? 2 : 1), odd;
	int least = exponent_of("f32", c), most;

	if (fp8) {
		odd = sum_terms(term + 1, n - 1, 2);
		most = sum.exponent > odd.exponent ? sum.exponent : odd.exponent;
		sum.value = cut_to(sum.value, most, 24, true) + cut_to(odd.value, most, 24, true);
		sum.exponent = most;
	}
	most = sum.exponent > least ? sum.exponent : least;
	sum.value = cut_to(sum.value, most, 31, true);
	if (!fp8 || least >= most - 25)
		sum.value += cut_to(c, most, 24, true);
	return (float)sum.value;
}

/* The element k of a row of A or a column of B. */
static uint32_t element(unsigned int base, unsigned int m, unsigned int line, unsigned int per_lane,
			unsigned int k, unsigned int bits)
{
	unsigned int lane = line + m * (k / per_lane), at = k % per_lane * bits;

	return lab.wave->vgpr[base + at / 32][lane] >> at % 32 &
	       (bits == 32 ? ~0u : (1u << bits) - 1);
}

static float reference(const struct entry *e, float c)
{
	struct shape s = shape_of(e);
	const char *a = type_of(e, false), *b = type_of(e, true);
	unsigned int bits = bits_of(a), per_lane = s.m * s.k / 64;
	unsigned int kept = is_sparse(e) ? s.k / 2 : s.k,
		     stored = is_sparse(e) ? per_lane / 2 : per_lane;
	unsigned int group = bits == 8 ? 16 : bits == 32 ? 4 : kept < 8 ? kept : 8;
	struct term term[16];

	for (unsigned int k = 0; k < kept; k += group) {
		for (unsigned int n = 0; n < group; n++) {
			unsigned int at = k + n, in_b = at;
			long double x = value_of(a, element(A, s.m, e->i, stored, at, bits)), y;

			if (is_sparse(e)) {
				uint32_t index = lab.wave->vgpr[C][e->i + s.m * (at / stored)];

				index >>= 2 * stored * e->abid + 2 * (at % stored);
				in_b = at / 2 * 4 + (index & 3);
			}
			y = value_of(b, element(B, s.m, e->j, per_lane, in_b, bits));
			term[n] = (struct term){x * y, exponent_of(a, x) + exponent_of(b, y)};
		}
		c = add_terms(term, group, bits == 8, c);
	}
	return c;
}

/* Random bits without infinities and NaN, of exponents near each other. */
static uint32_t random_elements(const char *type)
{
	uint32_t v = (uint32_t)lab_random();

	if (!strcmp(type, "f16"))
		return v & ((v & 0x4000) ? 0xffffbfff : ~0u) &
		       ((v & 0x40000000) ? 0xbfffffff : ~0u);
	if (!strcmp(type, "bf16"))
		return (v & 0x87ff87ff) | 0x38003800;
	if (!strcmp(type, "xf32"))
		return (v & 0x87ffffff) | 0x38000000;
	for (unsigned int at = 0; at < 32; at += 8)
		if ((v >> at & 0xff) == 0x80)
			v ^= 0x80u << at;
	return v;
}

static void test_arithmetic(void **state)
{
	unsigned int checked = 0;

	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];
		struct shape s = shape_of(e);
		const char *a = type_of(e, false), *b = type_of(e, true);
		float c, want;

		if (!strcmp(a, "f64") || !strcmp(a, "f32") || !strcmp(a, "i8") || s.blocks > 1)
			continue;
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			for (unsigned int r = 0; r < s.regs_a; r++)
				lab.wave->vgpr[A + r][l] = random_elements(a);
			for (unsigned int r = 0; r < s.regs_b; r++)
				lab.wave->vgpr[B + r][l] = random_elements(b);
			for (unsigned int r = 0; r < s.regs_d; r++)
				lab.wave->vgpr[C + r][l] = lab.wave->vgpr[D + r][l] =
					((uint32_t)lab_random() & 0x87ffffff) | 0x38000000;
		}
		c = f32(lab.wave->vgpr[is_sparse(e) ? D + e->d.reg : C + e->d.reg][e->d.lane]);
		want = reference(e, c);
		lab_run_to_end(&lab, n);
		if (entry_result(e) != b32(want))
			fail_msg("%s i %u j %u: %a, not %a", e->name, e->i, e->j,
				 f32(entry_result(e)), want);
		checked++;
	}
	printf("%u results\n", checked);
	assert_in_range(checked, 200, ROWS_MAX);
}

/* Whole numbers of eight bits, and the wide sums of floats: exact, in any order. */
static void test_exact(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];
		struct shape s = shape_of(e);
		uint32_t one = (uint32_t)bits_for(type_of(e, false), 2);
		uint32_t two = (uint32_t)bits_for(type_of(e, true), 3);
		unsigned int bits = bits_of(type_of(e, false));

		if (bits == 64)
			continue;
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++)
			for (unsigned int at = 0; at < 32; at += bits) {
				for (unsigned int r = 0; r < s.regs_a; r++)
					lab.wave->vgpr[A + r][l] |= one << at;
				for (unsigned int r = 0; r < s.regs_b; r++)
					lab.wave->vgpr[B + r][l] |= two << at;
			}
		put(is_sparse(e) ? D : C, e->d, result(e, 11));
		lab_run_to_end(&lab, n);
		assert_true(entry_result(e) ==
			    result(e, 11 + 6.0f * (float)(is_sparse(e) ? s.k / 2 : s.k)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_arithmetic),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
