/* SPDX-License-Identifier: MIT */
/*
 * Operand modifiers: SDWA selects, DPP permutations with their masks, op_sel of 16-bit results,
 * and the instructions between lanes and scalars.
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

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

enum {
	SDWA_CASES = 7 * 3 * 7 * 7, /* every destination with every pair of sources */
	DPP_CASES = 13 * 256,	    /* every control of every kind */
	SDWA_FIRST = 0,
	DPP_FIRST = SDWA_CASES,
	OTHERS = DPP_FIRST + DPP_CASES,
};

enum other {
	READFIRST = OTHERS,
	READLANE_S,
	READLANE_CONST,
	WRITELANE,
	CMPX,
	CMPX_E64,
	CMP_SDWA,
	SDWA_FLOAT,
	DPP_NEG,
	DPP_F64,
	OPSEL_FMA,
	MIXHI,
	CNDMASK_NEG,
	FLAG_CHAIN,
	INDEX_CMP,
	SNIPPETS,
};

static const char *const sel_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
					"WORD_0", "WORD_1", "DWORD"};
static const char *const unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

static struct sdwa {
	unsigned int dst_sel, unused, sel[2];
	bool sext[2];
} sdwa[SDWA_CASES];

enum dpp_kind {
	QUAD,
	ROW_SHL,
	ROW_SHR,
	ROW_ROR,
	WAVE_SHL,
	WAVE_ROL,
	WAVE_SHR,
	WAVE_ROR,
	ROW_MIRROR,
	ROW_HALF_MIRROR,
	ROW_BCAST15,
	ROW_BCAST31,
	ROW_NEWBCAST,
	DPP_KINDS,
};

static struct dpp {
	enum dpp_kind kind;
	unsigned int n, row_mask, bank_mask;
	bool bound_zero;
} dpp[DPP_CASES];

static char texts[SNIPPETS][200];
static const char *text[SNIPPETS];
static uint32_t old[16][64];

static unsigned int pick(unsigned int n)
{
	return (unsigned int)(lab_random() >> 20) % n;
}

static void make_sdwa(unsigned int i)
{
	struct sdwa *s = &sdwa[i];
	char src[2][32];

	*s = (struct sdwa){
		.dst_sel = i % 7,
		.unused = i / 7 % 3,
		.sel = {i / 21 % 7, i / 147},
		.sext = {pick(2), pick(2)},
	};
	for (unsigned int n = 0; n < 2; n++)
		sprintf(src[n], s->sext[n] ? "sext(v%u)" : "v%u", 2 + 2 * n);
	snprintf(texts[i], sizeof(texts[i]),
		 "v_add_u32_sdwa v8, %s, %s dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s",
		 src[0], src[1], sel_names[s->dst_sel], unused_names[s->unused],
		 sel_names[s->sel[0]], sel_names[s->sel[1]]);
}

static void make_dpp(unsigned int i)
{
	static const char *const formats[DPP_KINDS] = {
		"quad_perm:[%u,%u,%u,%u]",
		"row_shl:%u",
		"row_shr:%u",
		"row_ror:%u",
		"wave_shl:1",
		"wave_rol:1",
		"wave_shr:1",
		"wave_ror:1",
		"row_mirror",
		"row_half_mirror",
		"row_bcast:15",
		"row_bcast:31",
		"row_newbcast:%u",
	};
	struct dpp *d = &dpp[i];
	char control[64];

	*d = (struct dpp){
		.kind = i % DPP_KINDS,
		.n = 1 + i / DPP_KINDS % 15,
		.row_mask = pick(2) ? 15 : pick(16),
		.bank_mask = pick(2) ? 15 : pick(16),
		.bound_zero = pick(2),
	};
	if (d->kind == QUAD) {
		d->n = i / DPP_KINDS;
		snprintf(control, sizeof(control), formats[QUAD], d->n & 3, d->n >> 2 & 3,
			 d->n >> 4 & 3, d->n >> 6);
	} else {
		if (d->kind == ROW_NEWBCAST)
			d->n = i / DPP_KINDS % 16;
		snprintf(control, sizeof(control), formats[d->kind], d->n);
	}
	snprintf(texts[DPP_FIRST + i], sizeof(texts[0]),
		 "v_sub_u32_dpp v8, v2, v4 %s row_mask:0x%x bank_mask:0x%x%s", control, d->row_mask,
		 d->bank_mask, d->bound_zero ? " bound_ctrl:0" : "");
}

static int setup(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < SDWA_CASES; i++)
		make_sdwa(i);
	for (unsigned int i = 0; i < DPP_CASES; i++)
		make_dpp(i);
	for (unsigned int i = 0; i < OTHERS; i++)
		text[i] = texts[i];
	text[READFIRST] = "v_readfirstlane_b32 s8, v2";
	text[READLANE_S] = "v_readlane_b32 s8, v2, s6";
	text[READLANE_CONST] = "v_readlane_b32 s8, v2, 41";
	text[WRITELANE] = "v_writelane_b32 v8, s6, 41";
	text[CMPX] = "v_cmpx_lt_u32 vcc, v2, v4";
	text[CMPX_E64] = "v_cmpx_lt_u32_e64 s[8:9], v2, v4";
	text[CMP_SDWA] = "v_cmp_eq_u32_sdwa s[8:9], v2, v4 src0_sel:BYTE_1 src1_sel:WORD_1";
	text[SDWA_FLOAT] = "v_mul_f32_sdwa v8, -v2, |v4| dst_sel:DWORD dst_unused:UNUSED_PAD "
			   "src0_sel:DWORD src1_sel:DWORD";
	text[DPP_NEG] = "v_add_f32_dpp v8, -v2, |v4| row_ror:4 row_mask:0xf bank_mask:0xf";
	text[DPP_F64] =
		"v_mov_b32 v8, 0\nv_mov_b32 v9, 0\n"
		"v_fmac_f64_dpp v[8:9], v[2:3], v[4:5] row_newbcast:3 row_mask:0xf bank_mask:0xf";
	text[OPSEL_FMA] = "v_fma_f16 v8, v2, v4, v6 op_sel:[1,0,1,1]";
	text[MIXHI] = "v_fma_mixhi_f16 v8, v2, v4, v6 op_sel_hi:[0,0,0]";
	text[CNDMASK_NEG] = "v_cndmask_b32_e64 v8, -v2, |v4|, vcc";
	text[FLAG_CHAIN] = "v_cmp_gt_i32 vcc, v2, v4\ns_and_saveexec_b64 s[8:9], vcc\n"
			   "v_mov_b32 v8, 1\ns_xor_b64 exec, exec, s[8:9]\nv_mov_b32 v8, 2\n"
			   "s_mov_b64 exec, s[8:9]";
	text[INDEX_CMP] = "s_mov_b32 s20, 4\ns_set_gpr_idx_on s20, 2\nv_add_u32 v8, v2, v4\n"
			  "s_set_gpr_idx_mode 4\ns_set_gpr_idx_off";
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static void fill(void)
{
	lab_reset(&lab);
	lab.wave->exec = lab_random();
	for (unsigned int r = 0; r < 16; r++)
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[r][l] = old[r][l] = (uint32_t)lab_random();
	for (unsigned int s = 0; s < 32; s++)
		lab.wave->sgpr[s] = (uint32_t)lab_random();
	lab.wave->vcc = lab_random();
}

static uint32_t selected(uint32_t v, unsigned int sel, bool sext)
{
	if (sel < 4)
		return sext ? (uint32_t)(int8_t)(v >> 8 * sel) : v >> 8 * sel & 255;
	if (sel < 6)
		return sext ? (uint32_t)(int16_t)(v >> 16 * (sel - 4))
			    : v >> 16 * (sel - 4) & 0xffff;
	return v;
}

static uint32_t placed(uint32_t v, uint32_t before, unsigned int sel, unsigned int unused)
{
	uint8_t bytes[4], in[4];
	unsigned int first = sel < 4 ? sel : sel < 6 ? 2 * (sel - 4) : 0;
	unsigned int n = sel < 4 ? 1 : sel < 6 ? 2 : 4;
	bool negative = v >> (8 * n - 1) & 1;

	memcpy(bytes, &before, 4);
	memcpy(in, &v, 4);
	for (unsigned int i = 0; i < 4; i++) {
		if (i >= first && i < first + n)
			bytes[i] = in[i - first];
		else if (unused != 2)
			bytes[i] = unused == 1 && i > first && negative ? 255 : 0;
	}
	memcpy(&v, bytes, 4);
	return v;
}

static void test_sdwa(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < SDWA_CASES; i++) {
		const struct sdwa *s = &sdwa[i];

		fill();
		lab_run_to_end(&lab, SDWA_FIRST + i);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t sum = selected(old[2][l], s->sel[0], s->sext[0]) +
				       selected(old[4][l], s->sel[1], s->sext[1]);
			uint32_t want = placed(sum, old[8][l], s->dst_sel, s->unused);

			if (!(lab.wave->exec >> l & 1))
				want = old[8][l];
			if (lab.wave->vgpr[8][l] != want)
				fail_msg("%s: lane %u: got %08x, want %08x", texts[i], l,
					 lab.wave->vgpr[8][l], want);
		}
	}
}

/* Lane read by lane l; -1: none. */
static int dpp_lane(const struct dpp *d, int l)
{
	int row = l / 16 * 16, at = l % 16, n = (int)d->n;

	switch (d->kind) {
	case QUAD:
		return l / 4 * 4 + (int)(d->n >> 2 * (l % 4) & 3);
	case ROW_SHL:
		return at + n > 15 ? -1 : l + n;
	case ROW_SHR:
		return at - n < 0 ? -1 : l - n;
	case ROW_ROR:
		return row + (at + 16 - n) % 16;
	case WAVE_SHL:
		return l == 63 ? -1 : l + 1;
	case WAVE_ROL:
		return (l + 1) % 64;
	case WAVE_SHR:
		return l - 1;
	case WAVE_ROR:
		return (l + 63) % 64;
	case ROW_MIRROR:
		return row + 15 - at;
	case ROW_HALF_MIRROR:
		return l / 8 * 8 + 7 - l % 8;
	case ROW_BCAST15:
		return row ? row - 1 : -1;
	case ROW_BCAST31:
		return l < 32 ? -1 : 31;
	default:
		return row + n;
	}
}

static void test_dpp(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < DPP_CASES; i++) {
		const struct dpp *d = &dpp[i];

		fill();
		if (i & 1)
			lab.wave->exec = ~0ull;
		lab_run_to_end(&lab, DPP_FIRST + i);
		for (unsigned int l = 0; l < 64; l++) {
			int from = dpp_lane(d, (int)l);
			bool valid = from >= 0 && lab.wave->exec >> from & 1;
			bool on = lab.wave->exec >> l & 1 && d->row_mask >> l / 16 & 1 &&
				  d->bank_mask >> l % 16 / 4 & 1;
			uint32_t want = (valid ? old[2][from] : 0) - old[4][l];

			if (!on || (!valid && !d->bound_zero))
				want = old[8][l];
			if (lab.wave->vgpr[8][l] != want)
				fail_msg("%s: lane %u: got %08x, want %08x", texts[DPP_FIRST + i],
					 l, lab.wave->vgpr[8][l], want);
		}
	}
}

static void test_lane_and_scalar(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 50; n++) {
		fill();
		lab.wave->exec = n ? lab_random() << n : 0;
		lab_run_to_end(&lab, READFIRST);
		/* With no lane active, lane 0 is read. */
		assert_int_equal(lab.wave->sgpr[8],
				 old[2][lab.wave->exec ? __builtin_ctzll(lab.wave->exec) : 0]);
		lab_run_to_end(&lab, READLANE_S);
		assert_int_equal(lab.wave->sgpr[8], old[2][lab.wave->sgpr[6] % 64]);
		lab_run_to_end(&lab, READLANE_CONST);
		assert_int_equal(lab.wave->sgpr[8], old[2][41]);
		lab_run_to_end(&lab, WRITELANE);
		for (unsigned int l = 0; l < 64; l++)
			assert_int_equal(lab.wave->vgpr[8][l],
					 l == 41 ? lab.wave->sgpr[6] : old[8][l]);
	}
}

static void test_compare_exec(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 50; n++) {
		uint64_t want = 0, narrow = 0, exec;

		fill();
		exec = lab.wave->exec;
		for (unsigned int l = 0; l < 64; l++) {
			want |= (uint64_t)(old[2][l] < old[4][l]) << l;
			narrow |= (uint64_t)((old[2][l] >> 8 & 255) == old[4][l] >> 16) << l;
		}
		lab_run_to_end(&lab, CMPX);
		assert_true(lab.wave->vcc == (want & exec));
		assert_true(lab.wave->exec == (want & exec));
		lab.wave->exec = exec;
		lab_run_to_end(&lab, CMPX_E64);
		assert_true(lab.wave->exec == (want & exec));
		assert_int_equal(lab.wave->sgpr[8], (uint32_t)(want & exec));
		assert_int_equal(lab.wave->sgpr[9], (uint32_t)((want & exec) >> 32));
		lab.wave->exec = exec;
		lab.wave->vgpr[4][7] = old[2][7] << 8 & 0xff0000;
		narrow |= 1ull << 7;
		lab_run_to_end(&lab, CMP_SDWA);
		assert_int_equal(lab.wave->sgpr[8], (uint32_t)(narrow & exec));
		fill();
		exec = lab.wave->exec;
		lab_run_to_end(&lab, FLAG_CHAIN);
		for (unsigned int l = 0; l < 64; l++)
			assert_int_equal(lab.wave->vgpr[8][l],
					 !(exec >> l & 1)			   ? old[8][l]
					 : (int32_t)old[2][l] > (int32_t)old[4][l] ? 1
										   : 2);
	}
}

static bool same_float(uint32_t got, float want)
{
	return got == b32(want) || (isnan(f32(got)) && isnan(want));
}

static void test_float_modifiers(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 50; n++) {
		fill();
		lab.wave->exec = ~0ull;
		lab_run_to_end(&lab, SDWA_FLOAT);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(same_float(lab.wave->vgpr[8][l],
					       -f32(old[2][l]) * fabsf(f32(old[4][l]))));
		lab_run_to_end(&lab, DPP_NEG);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(same_float(lab.wave->vgpr[8][l],
					       -f32(old[2][l / 16 * 16 + (l + 12) % 16]) +
						       fabsf(f32(old[4][l]))));
		lab_run_to_end(&lab, CNDMASK_NEG);
		for (unsigned int l = 0; l < 64; l++)
			assert_int_equal(lab.wave->vgpr[8][l], lab.wave->vcc >> l & 1
								       ? old[4][l] & 0x7fffffff
								       : old[2][l] ^ 0x80000000);
		lab_run_to_end(&lab, DPP_F64);
		for (unsigned int l = 0; l < 64; l++) {
			unsigned int from = l / 16 * 16 + 3;
			double x = f64(old[2][from] | (uint64_t)old[3][from] << 32);
			double y = f64(old[4][l] | (uint64_t)old[5][l] << 32);
			uint64_t got = lab.wave->vgpr[8][l] | (uint64_t)lab.wave->vgpr[9][l] << 32;

			assert_true(got == b64(fma(x, y, 0)) || (isnan(f64(got)) && isnan(x * y)));
		}
	}
}

static void test_halves(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 50; n++) {
		fill();
		lab.wave->exec = ~0ull;
		lab_run_to_end(&lab, OPSEL_FMA);
		for (unsigned int l = 0; l < 64; l++) {
			uint64_t want = fma16(f16(old[2][l] >> 16), f16(old[4][l] & 0xffff),
					      f16(old[6][l] >> 16));
			uint32_t got = lab.wave->vgpr[8][l];

			assert_int_equal(got & 0xffff, old[8][l] & 0xffff);
			assert_true(got >> 16 == want || isnan(f16(want)));
		}
		fill();
		lab.wave->exec = ~0ull;
		lab_run_to_end(&lab, MIXHI);
		for (unsigned int l = 0; l < 64; l++) {
			float r = fmaf(f32(old[2][l]), f32(old[4][l]), f32(old[6][l]));
			uint32_t got = lab.wave->vgpr[8][l];

			assert_int_equal(got & 0xffff, old[8][l] & 0xffff);
			assert_true(got >> 16 == b16(r) || isnan(r));
		}
	}
}

/* Index mode on source 1 only, then the mode changed and switched off. */
static void test_index_mode(void **state)
{
	(void)state;
	fill();
	lab.wave->exec = ~0ull;
	lab_run_to_end(&lab, INDEX_CMP);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[8][l], old[2][l] + old[8][l]);
	assert_int_equal(lab.wave->gpr_idx, 0);
	assert_int_equal(lab.wave->sgpr[124], 0x4004);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sdwa),
		cmocka_unit_test(test_dpp),
		cmocka_unit_test(test_lane_and_scalar),
		cmocka_unit_test(test_compare_exec),
		cmocka_unit_test(test_float_modifiers),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_index_mode),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
