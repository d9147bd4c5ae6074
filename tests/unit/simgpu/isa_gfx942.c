/* SPDX-License-Identifier: MIT */
/* What gfx942 has and gfx90a has not, matrix instructions apart. */
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
#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/reference_arithmetic.h"

enum snippet {
	MOV_B64,
	MOV_B64_DPP,
	LSHL_ADD,
	FMAMK,
	FMAAK,
	F32_FP8,
	F32_BF8,
	F32_FP8_BYTE,
	PK_F32_FP8,
	PK_F32_BF8_HIGH,
	PK_FP8,
	PK_FP8_HIGH,
	PK_BF8,
	SR_FP8,
	SR_BF8_BYTE,
	DS_F16,
	DS_F16_RTN,
	DS_BF16,
	DS_BF16_RTN,
	FLAT_F32,
	FLAT_F16,
	FLAT_BF16,
	GLOBAL_BF16,
	LDS_DWORD,
	LDS_UBYTE,
	LDS_SBYTE,
	LDS_USHORT,
	LDS_SSHORT,
	SCRATCH,
	SCRATCH_BOTH,
	SCRATCH_LDS_DWORD,
	SCRATCH_LDS_UBYTE,
	SCRATCH_LDS_SBYTE,
	SCRATCH_LDS_USHORT,
	SCRATCH_LDS_SSHORT,
	CACHES,
	DIE,
	SNIPPETS,
};

static const char *const text[SNIPPETS] = {
	[MOV_B64] = "v_mov_b64 v[4:5], v[8:9]",
	[MOV_B64_DPP] = "v_mov_b64_dpp v[4:5], v[8:9] row_newbcast:3 row_mask:0xf bank_mask:0xf",
	[LSHL_ADD] = "v_lshl_add_u64 v[4:5], v[8:9], 3, v[10:11]",
	[FMAMK] = "v_fmamk_f32 v4, v8, 0x40490fdb, v9",
	[FMAAK] = "v_fmaak_f32 v4, v8, v9, 0x40490fdb",
	[F32_FP8] = "v_cvt_f32_fp8 v4, v8",
	[F32_BF8] = "v_cvt_f32_bf8 v4, v8",
	[F32_FP8_BYTE] = "v_cvt_f32_fp8_sdwa v4, v8 src0_sel:BYTE_2",
	[PK_F32_FP8] = "v_cvt_pk_f32_fp8 v[4:5], v8",
	[PK_F32_BF8_HIGH] = "v_cvt_pk_f32_bf8_sdwa v[4:5], v8 src0_sel:WORD_1",
	[PK_FP8] = "v_cvt_pk_fp8_f32 v4, v8, -v9",
	[PK_FP8_HIGH] = "v_cvt_pk_fp8_f32 v4, v8, v9 op_sel:[0,0,1]",
	[PK_BF8] = "v_cvt_pk_bf8_f32 v4, v8, v9",
	[SR_FP8] = "v_cvt_sr_fp8_f32 v4, v8, v10",
	[SR_BF8_BYTE] = "v_cvt_sr_bf8_f32 v4, v8, v10 op_sel:[0,0,1,1]",
	[DS_F16] = "ds_pk_add_f16 v2, v8",
	[DS_F16_RTN] = "ds_pk_add_rtn_f16 v4, v2, v8",
	[DS_BF16] = "ds_pk_add_bf16 v2, v8",
	[DS_BF16_RTN] = "ds_pk_add_rtn_bf16 v4, v2, v8",
	[FLAT_F32] = "flat_atomic_add_f32 v4, v[2:3], v8 sc0",
	[FLAT_F16] = "flat_atomic_pk_add_f16 v4, v[2:3], v8 sc0",
	[FLAT_BF16] = "flat_atomic_pk_add_bf16 v4, v[2:3], v8 sc0",
	[GLOBAL_BF16] = "global_atomic_pk_add_bf16 v[2:3], v8, off",
	[LDS_DWORD] = "s_mov_b32 m0, 0x100\nglobal_load_lds_dword v[2:3], off offset:16",
	[LDS_UBYTE] = "s_mov_b32 m0, 0x100\nglobal_load_lds_ubyte v[2:3], off",
	[LDS_SBYTE] = "s_mov_b32 m0, 0x100\nglobal_load_lds_sbyte v[2:3], off",
	[LDS_USHORT] = "s_mov_b32 m0, 0x100\nglobal_load_lds_ushort v[2:3], off",
	[LDS_SSHORT] = "s_mov_b32 m0, 0x100\nglobal_load_lds_sshort v[2:3], off",
	[SCRATCH] = "scratch_store_dword off, v8, off offset:8\n"
		    "scratch_load_dword v4, off, off offset:8",
	[SCRATCH_BOTH] = "s_mov_b32 s8, 64\nscratch_store_dwordx2 v2, v[8:9], s8 offset:4\n"
			 "s_mov_b32 s8, 68\nscratch_load_dwordx2 v[4:5], v2, s8",
	[SCRATCH_LDS_DWORD] = "scratch_store_dword off, v8, off\ns_mov_b32 m0, 0x100\n"
			      "scratch_load_lds_dword off, off",
	[SCRATCH_LDS_UBYTE] = "scratch_store_dword off, v8, off\ns_mov_b32 m0, 0x100\n"
			      "scratch_load_lds_ubyte off, off",
	[SCRATCH_LDS_SBYTE] = "scratch_store_dword off, v8, off\ns_mov_b32 m0, 0x100\n"
			      "scratch_load_lds_sbyte off, off",
	[SCRATCH_LDS_USHORT] = "scratch_store_dword off, v8, off\ns_mov_b32 m0, 0x100\n"
			       "scratch_load_lds_ushort off, off",
	[SCRATCH_LDS_SSHORT] = "scratch_store_dword off, v8, off\ns_mov_b32 m0, 0x100\n"
			       "scratch_load_lds_sshort off, off",
	[CACHES] = "buffer_wbl2 sc1\nbuffer_inv sc1\nbuffer_inv sc0 sc1",
	[DIE] = "s_getreg_b32 s8, hwreg(HW_REG_XCC_ID, 0, 4)",
};

static int setup(void **state)
{
	(void)state;
	sim_choose_instruction_set(SIM_GFX942);
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

/* Random v8 to v11, all ones in the result's registers. */
static void begin(void)
{
	lab_reset(&lab);
	for (unsigned int l = 0; l < 64; l++) {
		for (unsigned int r = 8; r < 12; r++)
			lab.wave->vgpr[r][l] = (uint32_t)lab_random();
		lab.wave->vgpr[4][l] = lab.wave->vgpr[5][l] = ~0u;
	}
}

static uint64_t pair(unsigned int reg, unsigned int lane)
{
	return lab.wave->vgpr[reg][lane] | (uint64_t)lab.wave->vgpr[reg + 1][lane] << 32;
}

static void test_integers(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 8; round++) {
		begin();
		lab_run_to_end(&lab, MOV_B64);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(pair(4, l) == pair(8, l));
		lab_run_to_end(&lab, MOV_B64_DPP);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(pair(4, l) == pair(8, (l & 48) + 3));
		lab_run_to_end(&lab, LSHL_ADD);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(pair(4, l) == (pair(8, l) << 3) + pair(10, l));
	}
}

static void test_constant_operands(void **state)
{
	const float k = f32(0x40490fdb);

	(void)state;
	begin();
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[8][l] = (uint32_t)b32((float)l * 1.25f - 7);
		lab.wave->vgpr[9][l] = (uint32_t)b32(3 - (float)l);
	}
	lab_run_to_end(&lab, FMAMK);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[4][l],
				 b32(fmaf((float)l * 1.25f - 7, k, 3 - (float)l)));
	lab_run_to_end(&lab, FMAAK);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[4][l],
				 b32(fmaf((float)l * 1.25f - 7, 3 - (float)l, k)));
}

/* The value of an 8-bit float, from its definition; NaN for 0x80. */
static float value_of(unsigned int bits, unsigned int mantissa)
{
	int bias = mantissa == 3 ? 8 : 16, exponent = (int)(bits & 0x7f) >> mantissa;
	float v = (float)(bits & ((1u << mantissa) - 1)) / (float)(1 << mantissa);

	if (bits == 0x80)
		return NAN;
	v = exponent ? ldexpf(1 + v, exponent - bias) : ldexpf(v, 1 - bias);
	return bits & 0x80 ? -v : v;
}

static bool same(uint32_t got, float want)
{
	return isnan(want) ? isnan(f32(got)) : got == b32(want);
}

static void test_fp8_to_float(void **state)
{
	(void)state;
	for (unsigned int first = 0; first < 256; first += 64) {
		begin();
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[8][l] = (first + l) * 0x01010101u ^ 0x55005500;
		lab_run_to_end(&lab, F32_FP8);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(same(lab.wave->vgpr[4][l], value_of(first + l, 3)));
		lab_run_to_end(&lab, F32_BF8);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(same(lab.wave->vgpr[4][l], value_of(first + l, 2)));
		lab_run_to_end(&lab, F32_FP8_BYTE);
		for (unsigned int l = 0; l < 64; l++)
			assert_true(same(lab.wave->vgpr[4][l], value_of(first + l, 3)));
		lab_run_to_end(&lab, PK_F32_FP8);
		for (unsigned int l = 0; l < 64; l++) {
			assert_true(same(lab.wave->vgpr[4][l], value_of(first + l, 3)));
			assert_true(same(lab.wave->vgpr[5][l], value_of((first + l) ^ 0x55, 3)));
		}
		lab_run_to_end(&lab, PK_F32_BF8_HIGH);
		for (unsigned int l = 0; l < 64; l++) {
			assert_true(same(lab.wave->vgpr[4][l], value_of(first + l, 2)));
			assert_true(same(lab.wave->vgpr[5][l], value_of((first + l) ^ 0x55, 2)));
		}
	}
}

/* The nearest 8-bit float, of two equally near the even one; NaN for what is beyond all. */
static unsigned int nearest(float v, unsigned int mantissa)
{
	unsigned int best = 0;
	double distance = INFINITY;
	double most = value_of(0x7f, mantissa), step = most - value_of(0x7e, mantissa);

	if (isnan(v) || fabs((double)v) >= most + step / 2)
		return 0x80;
	for (unsigned int bits = 0; bits < 128; bits++) {
		double d = fabs(fabs((double)v) - value_of(bits, mantissa));

		if (d < distance || (d == distance && !(bits & 1))) {
			best = bits;
			distance = d;
		}
	}
	return best && signbit(v) ? best | 0x80 : best;
}

/* Numbers around those that the format holds, and halfway between them. */
static float near_fp8(unsigned int mantissa)
{
	uint64_t r = lab_random();
	float v = value_of(r & 0x7f, mantissa), next = value_of(((r & 0x7f) + 1) & 0x7f, mantissa);

	switch (r >> 8 & 3) {
	case 0:
		return v;
	case 1:
		return -(v + next) / 2;
	case 2:
		return nextafterf((v + next) / 2, r >> 16 & 1 ? 0 : INFINITY);
	default:
		return f32((uint32_t)(r >> 32));
	}
}

static void fill_floats(unsigned int mantissa)
{
	begin();
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[8][l] = (uint32_t)b32(near_fp8(mantissa));
		lab.wave->vgpr[9][l] = (uint32_t)b32(near_fp8(mantissa));
	}
}

static void test_float_to_fp8(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 16; round++) {
		fill_floats(3);
		lab_run_to_end(&lab, PK_FP8);
		for (unsigned int l = 0; l < 64; l++) {
			float x = f32(lab.wave->vgpr[8][l]), y = f32(lab.wave->vgpr[9][l]);

			assert_int_equal(lab.wave->vgpr[4][l],
					 0xffff0000 | nearest(x, 3) | nearest(-y, 3) << 8);
		}
		begin();
		fill_floats(3);
		lab_run_to_end(&lab, PK_FP8_HIGH);
		for (unsigned int l = 0; l < 64; l++) {
			float x = f32(lab.wave->vgpr[8][l]), y = f32(lab.wave->vgpr[9][l]);

			assert_int_equal(lab.wave->vgpr[4][l],
					 0xffff | nearest(x, 3) << 16 | nearest(y, 3) << 24);
		}
		fill_floats(2);
		lab_run_to_end(&lab, PK_BF8);
		for (unsigned int l = 0; l < 64; l++) {
			float x = f32(lab.wave->vgpr[8][l]), y = f32(lab.wave->vgpr[9][l]);

			assert_int_equal(lab.wave->vgpr[4][l],
					 0xffff0000 | nearest(x, 2) | nearest(y, 2) << 8);
		}
	}
}

/* Rounded by chance: one of the two neighbours, the upper one as often as the number is near it. */
static void test_chance(void **state)
{
	unsigned int up = 0, total = 0;

	(void)state;
	for (unsigned int round = 0; round < 64; round++) {
		begin();
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[8][l] = (uint32_t)b32(l & 1 ? 1.0f : 1.03125f);
		lab_run_to_end(&lab, SR_FP8);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t got = lab.wave->vgpr[4][l];
			float v = value_of(got & 0xff, 3);

			assert_int_equal(got >> 8, 0xffffff);
			assert_true(v == 1 || (!(l & 1) && v == 1.125f));
			up += v > 1;
			total += !(l & 1);
		}
		lab_run_to_end(&lab, SR_BF8_BYTE);
		for (unsigned int l = 0; l < 64; l++) {
			float v = value_of(lab.wave->vgpr[4][l] >> 24, 2);

			assert_true(v == 1 || (!(l & 1) && v == 1.25f));
		}
	}
	/* 1.03125 is a quarter of the way; the seeds are fixed. */
	assert_in_range(up, total / 5, total * 3 / 10);
}

static uint32_t add_bf16(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;

	for (unsigned int at = 0; at < 32; at += 16) {
		uint32_t whole = (uint32_t)b32(f32(a >> at << 16) + f32(b >> at << 16));

		whole += 0x7fff + (whole >> 16 & 1);
		sum |= whole >> 16 << at;
	}
	return sum;
}

static uint32_t add_f16(uint32_t a, uint32_t b)
{
	return (uint32_t)b16(f16(a & 0xffff) + f16(b & 0xffff)) |
	       (uint32_t)b16(f16(a >> 16) + f16(b >> 16)) << 16;
}

static uint32_t add_f32(uint32_t a, uint32_t b)
{
	return (uint32_t)b32(f32(a) + f32(b));
}

static void test_atomics(void **state)
{
	static const struct {
		enum snippet snippet;
		uint32_t (*add)(uint32_t, uint32_t);
		bool lds, returns;
	} rows[] = {
		{DS_F16, add_f16, true, false},	    {DS_F16_RTN, add_f16, true, true},
		{DS_BF16, add_bf16, true, false},   {DS_BF16_RTN, add_bf16, true, true},
		{FLAT_F32, add_f32, false, true},   {FLAT_F16, add_f16, false, true},
		{FLAT_BF16, add_bf16, false, true}, {GLOBAL_BF16, add_bf16, false, false},
	};

	(void)state;
	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		uint8_t *memory = rows[n].lds ? lab.lds : lab.memory;
		uint32_t old[64], now[64];

		begin();
		for (unsigned int l = 0; l < 64; l++) {
			uint64_t address = (rows[n].lds ? 0 : (uint64_t)lab.memory) + 8 * l;

			old[l] = 0x3c003a00u + 0x00110007u * l;
			memcpy(memory + 8 * l, &old[l], 4);
			lab.wave->vgpr[2][l] = (uint32_t)address;
			lab.wave->vgpr[3][l] = (uint32_t)(address >> 32);
			lab.wave->vgpr[8][l] = 0x38003e00u + 0x00130005u * l;
		}
		lab_run_to_end(&lab, rows[n].snippet);
		for (unsigned int l = 0; l < 64; l++) {
			memcpy(&now[l], memory + 8 * l, 4);
			assert_int_equal(now[l], rows[n].add(old[l], lab.wave->vgpr[8][l]));
			assert_int_equal(lab.wave->vgpr[4][l], rows[n].returns ? old[l] : ~0u);
		}
	}
}

/* Bytes of a dword as a load of the type takes them. */
static uint32_t loaded(uint32_t v, enum snippet type)
{
	switch (type) {
	case LDS_UBYTE:
		return (uint8_t)v;
	case LDS_SBYTE:
		return (uint32_t)(int8_t)v;
	case LDS_USHORT:
		return (uint16_t)v;
	case LDS_SSHORT:
		return (uint32_t)(int16_t)v;
	default:
		return v;
	}
}

static void test_loads_to_lds(void **state)
{
	(void)state;
	for (enum snippet n = LDS_DWORD; n <= LDS_SSHORT; n++) {
		unsigned int offset = n == LDS_DWORD ? 16 : 0;

		begin();
		for (unsigned int l = 0; l < 64; l++) {
			uint64_t address = (uint64_t)lab.memory + 12 * (63 - l);

			lab.wave->vgpr[2][l] = (uint32_t)address;
			lab.wave->vgpr[3][l] = (uint32_t)(address >> 32);
		}
		for (unsigned int i = 0; i < 4096; i++)
			lab.memory[i] = (uint8_t)lab_random();
		lab_run_to_end(&lab, n);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t want, got;

			memcpy(&want, lab.memory + 12 * (63 - l) + offset, 4);
			memcpy(&got, lab.lds + 0x100 + offset + 4 * l, 4);
			assert_int_equal(got, loaded(want, n));
		}
	}
	for (enum snippet n = SCRATCH_LDS_DWORD; n <= SCRATCH_LDS_SSHORT; n++) {
		begin();
		lab_run_to_end(&lab, n);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t got;

			memcpy(&got, lab.lds + 0x100 + 4 * l, 4);
			assert_int_equal(got, loaded(lab.wave->vgpr[8][l],
						     n - SCRATCH_LDS_DWORD + LDS_DWORD));
		}
	}
}

/* No address at all, and the sum of a vector and a scalar one. */
static void test_scratch(void **state)
{
	(void)state;
	begin();
	lab_run_to_end(&lab, SCRATCH);
	for (unsigned int l = 0; l < 64; l++)
		assert_int_equal(lab.wave->vgpr[4][l], lab.wave->vgpr[8][l]);
	begin();
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[2][l] = 4 * (l % 7);
	lab_run_to_end(&lab, SCRATCH_BOTH);
	for (unsigned int l = 0; l < 64; l++)
		assert_true(pair(4, l) == pair(8, l));
}

static void test_caches_and_die(void **state)
{
	(void)state;
	begin();
	lab_run_to_end(&lab, CACHES);
	lab.wave->xcc = 5;
	lab_run_to_end(&lab, DIE);
	assert_int_equal(lab.wave->sgpr[8], 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),       cmocka_unit_test(test_constant_operands),
		cmocka_unit_test(test_fp8_to_float),   cmocka_unit_test(test_float_to_fp8),
		cmocka_unit_test(test_chance),	       cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_loads_to_lds),   cmocka_unit_test(test_scratch),
		cmocka_unit_test(test_caches_and_die),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
