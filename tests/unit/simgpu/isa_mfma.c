/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions. tests/data/mfma_layout.csv holds, for entries (block, i, j, k) of every
 * instruction, where A[i][k], B[k][j] and D[i][j] lie, as AMD's matrix instruction calculator
 * prints them for CDNA2, with and without the broadcast fields. One product at a time shows that
 * we agree; then dense matrices are multiplied and compared with plain sums.
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

#include "tests/unit/simgpu/matrix_lab.h"
#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

enum { ROWS_MAX = 2048 };

struct entry {
	char name[48];
	unsigned int cbsz, abid, blgp, block, i, j, k;
	struct place a, b, d;
	unsigned int snippet;
};

static struct entry entries[ROWS_MAX];
static unsigned int count, snippets;
static char texts[ROWS_MAX][160];
static const char *text[ROWS_MAX];

struct shape {
	unsigned int m, k, blocks, regs_ab, regs_d;
	bool f64, i8;
};

/* v_mfma_<d>_<m>x<n>x<k><type>: the blocks follow from the number of elements per lane. */
static struct shape shape_of(const char *name)
{
	unsigned int n, per_lane;
	struct shape s = {0};
	char type[32];

	assert_int_equal(sscanf(name, "v_mfma_%*3c_%ux%ux%u%31s", &s.m, &n, &s.k, type), 4);
	s.f64 = !strcmp(type, "f64");
	s.i8 = !strcmp(type, "i8");
	s.regs_ab = s.f64 || !strcmp(type, "f16") || !strcmp(type, "bf16_1k") ? 2 : 1;
	per_lane = s.f64 || !strcmp(type, "f32") ? 1 : s.i8 ? 4 : 2 * s.regs_ab;
	s.blocks = 64 * per_lane / (s.m * s.k);
	s.regs_d = s.m * n * s.blocks / 64 * (s.f64 ? 2 : 1);
	return s;
}

static void add_entry(const char *line)
{
	struct entry *e = &entries[count];
	char a[16], b[16], c[16], d[16], fields[48] = "";
	struct shape s;

	assert_true(count < ROWS_MAX);
	assert_int_equal(sscanf(line, "%47[^,],%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u",
				e->name, &e->cbsz, &e->abid, &e->blgp, &e->block, &e->i, &e->j,
				&e->k, &e->a.reg, &e->a.lane, &e->a.bit, &e->b.reg, &e->b.lane,
				&e->b.bit, &e->d.reg, &e->d.lane),
			 16);
	s = shape_of(e->name);
	if (e->cbsz || e->blgp)
		snprintf(fields, sizeof(fields), " cbsz:%u abid:%u blgp:%u", e->cbsz, e->abid,
			 e->blgp);
	snprintf(texts[snippets], sizeof(texts[0]), "%s %s, %s, %s, %s%s", e->name,
		 range(D, s.regs_d, d), range(A, s.regs_ab, a), range(B, s.regs_ab, b),
		 range(C, s.regs_d, c), fields);
	if (!snippets || strcmp(texts[snippets], texts[snippets - 1])) {
		text[snippets] = texts[snippets];
		snippets++;
	}
	e->snippet = snippets - 1;
	count++;
}

static int setup(void **state)
{
	FILE *file = fopen(TEST_DATA "/mfma_layout.csv", "r");
	char line[256];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file))
		add_entry(line);
	fclose(file);
	/* Accumulation registers, a constant C, and EXEC, which must not matter. */
	text[snippets++] = "s_mov_b64 exec, 0\nv_mfma_f32_4x4x1f32 a[4:7], v100, v110, 1.0\n"
			   "s_mov_b64 exec, -1\nv_accvgpr_read_b32 v64, a4\n";
	text[snippets++] = "v_mfma_f64_4x4x4f64 v[64:65], v[100:101], v[110:111], 1.0\n";
	text[snippets++] =
		"v_mfma_f64_4x4x4f64 v[64:65], v[100:101], v[110:111], v[32:33] blgp:5\n";
	lab_open(&lab, text, snippets);
	return 0;
}

/* The bits of a small whole number as an element of A or B, and of C or D. */
static uint64_t element(const struct entry *e, int v)
{
	if (strstr(e->name, "f64"))
		return b64(v);
	if (strstr(e->name, "bf16"))
		return b32((float)v) >> 16;
	if (strstr(e->name, "i8"))
		return (uint8_t)v;
	return strstr(e->name + 10, "f16") ? b16(v) : b32((float)v);
}

static uint64_t result(const struct entry *e, double v)
{
	if (strstr(e->name, "f64"))
		return b64(v);
	return strstr(e->name, "i32") ? (uint32_t)(int)v : b32((float)v);
}

static uint64_t entry_result(const struct entry *e)
{
	return get(strstr(e->name, "f64"), D, e->d);
}

/* One non-zero element in A, B and C: one product, in the right place. */
static void test_layout(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];
		bool plain = !e->cbsz && !e->blgp;
		uint64_t got;

		lab_reset(&lab);
		put(A, e->a, element(e, 3));
		put(B, e->b, element(e, -5));
		put(C, e->d, result(e, 7));
		lab_run_to_end(&lab, e->snippet);
		got = entry_result(e);
		if (got != result(e, 7 - 15))
			fail_msg("%s block %u i %u j %u k %u: got %lx", text[e->snippet], e->block,
				 e->i, e->j, e->k, got);
		if (plain)
			assert_int_equal(nonzero(D, 32), 1);
	}
	printf("%u entries\n", count);
	assert_in_range(count, 1000, ROWS_MAX);
}

/*
 * Dense: with A and B of small whole numbers every sum is exact, so its value at the places of
 * the table must be C + sum over k, whatever the order of the hardware.
 */
static void test_dense(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];
		struct shape s = shape_of(e->name);
		double sum = 11;

		if (e->cbsz || e->blgp)
			continue;
		lab_reset(&lab);
		for (unsigned int r = 0; r < s.regs_ab; r++)
			for (unsigned int l = 0; l < 64; l++) {
				uint32_t one = (uint32_t)element(e, 2),
					 two = (uint32_t)element(e, 3);
				unsigned int bits = s.i8 ? 8 : s.f64 || one >> 16 ? 32 : 16;

				for (unsigned int at = 0; at < 32 && !s.f64; at += bits) {
					lab.wave->vgpr[A + r][l] |= one << at;
					lab.wave->vgpr[B + r][l] |= two << at;
				}
				if (s.f64) {
					lab.wave->vgpr[A + r][l] = r ? (uint32_t)(b64(2) >> 32) : 0;
					lab.wave->vgpr[B + r][l] = r ? (uint32_t)(b64(3) >> 32) : 0;
				}
			}
		put(C, e->d, result(e, 11));
		lab_run_to_end(&lab, e->snippet);
		sum += 6 * s.k;
		assert_true(entry_result(e) == result(e, sum));
	}
}

/* Half precision and bfloat16 in MMA-Sim's order: pairs of a group, then C; denormals are zero. */
static float half_at(const char *name, unsigned int base, unsigned int lane, unsigned int e)
{
	uint32_t bits = lab.wave->vgpr[base + e / 2][lane] >> 16 * (e % 2) & 0xffff;
	float v = strstr(name, "bf16") ? f32((uint64_t)bits << 16) : (float)f16(bits);
	float least = strstr(name, "bf16") ? 0x1p-126f : 0x1p-14f;

	return fabsf(v) < least ? 0 : v;
}

static float half_sum(const char *name, struct shape s, unsigned int i, unsigned int j, float c)
{
	unsigned int n = 2 * s.regs_ab;
	float sum = fabsf(c) < 0x1p-126f ? 0 : c;

	for (unsigned int k = 0; k < s.k; k += n) {
		unsigned int la = i + s.m * s.blocks * (k / n), lb = j + s.m * s.blocks * (k / n);
		volatile float p[4] = {0};

		for (unsigned int e = 0; e < n; e++)
			p[e] = flushed(fmaf(half_at(name, A, la, e), half_at(name, B, lb, e), 0));
		p[0] = flushed(p[0] + p[1]);
		p[2] = flushed(p[2] + p[3]);
		if (n == 4)
			p[0] = flushed(p[0] + p[2]);
		p[0] = sum + p[0];
		sum = flushed(p[0]);
	}
	return sum;
}

/* Bits of any kind for bf16 near the smallest numbers, for half precision any finite number. */
static uint32_t pair_of_halves(const char *name)
{
	uint32_t v = (uint32_t)lab_random();

	if (!strstr(name, "bf16"))
		return v & ((v & 0x4000) ? 0xffffbfff : ~0u) &
		       ((v & 0x40000000) ? 0xbfffffff : ~0u);
	return (v & 0x8fff8fff) | (lab_random() & 1 ? 0x20002000 : 0x10001000);
}

static void test_half_order(void **state)
{
	unsigned int checked = 0;

	(void)state;
	for (unsigned int n = 0; n < count; n++) {
		const struct entry *e = &entries[n];
		struct shape s = shape_of(e->name);

		if (e->cbsz || e->blgp || e->block || s.i8 || s.f64 || !strstr(e->name + 10, "f16"))
			continue;
		lab_reset(&lab);
		for (unsigned int l = 0; l < 64; l++) {
			for (unsigned int r = 0; r < s.regs_ab; r++) {
				lab.wave->vgpr[A + r][l] = pair_of_halves(e->name);
				lab.wave->vgpr[B + r][l] = pair_of_halves(e->name);
			}
			for (unsigned int r = 0; r < s.regs_d; r++)
				lab.wave->vgpr[C + r][l] = (uint32_t)lab_random() & 0x9fffffff;
		}
		lab_run_to_end(&lab, e->snippet);
		if (entry_result(e) != b32(half_sum(e->name, s, e->i, e->j,
						    f32(lab.wave->vgpr[C + e->d.reg][e->d.lane]))))
			fail_msg("%s i %u j %u", e->name, e->i, e->j);
		checked++;
	}
	assert_in_range(checked, 50, ROWS_MAX);
}

static void test_accumulators(void **state)
{
	(void)state;
	lab_reset(&lab);
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[A][l] = (uint32_t)b32((float)(l % 4 + 1));
		lab.wave->vgpr[B][l] = (uint32_t)b32((float)(l % 4 + 1));
	}
	lab_run_to_end(&lab, snippets - 3);
	/* Row i = 0: 1 * (j + 1) + the constant 1. */
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[64][l], b32((float)(l % 4 + 2)));
}

static void test_f64_forms(void **state)
{
	(void)state;
	lab_reset(&lab);
	for (unsigned int l = 0; l < 64; l++) {
		uint64_t two = b64(2);

		lab.wave->vgpr[A + 1][l] = lab.wave->vgpr[B + 1][l] = (uint32_t)(two >> 32);
		lab.wave->vgpr[C + 1][l] = (uint32_t)(b64(5) >> 32);
	}
	lab_run_to_end(&lab, snippets - 2);
	assert_true(f64(lab.wave->vgpr[64][9] | (uint64_t)lab.wave->vgpr[65][9] << 32) == 17);
	lab_run_to_end(&lab, snippets - 1);
	assert_true(f64(lab.wave->vgpr[64][9] | (uint64_t)lab.wave->vgpr[65][9] << 32) == -21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),	   cmocka_unit_test(test_dense),
		cmocka_unit_test(test_half_order), cmocka_unit_test(test_accumulators),
		cmocka_unit_test(test_f64_forms),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
