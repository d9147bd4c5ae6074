/* SPDX-License-Identifier: MIT */
/*
 * Typed buffers, loads to LDS, append and consume. Formats are checked twice: loads against
 * channels cut out of the bytes by the format's name, stores by bringing back the bytes that were
 * loaded.
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

enum {
	DATA_FORMATS = 15,
	NUMBERS = 8,
};

static const char *const data_formats[DATA_FORMATS] = {
	NULL,	   "8",	       "16",	      "8_8",	    "32",
	"16_16",   "10_11_11", "11_11_10",    "10_10_10_2", "2_10_10_10",
	"8_8_8_8", "32_32",    "16_16_16_16", "32_32_32",   "32_32_32_32",
};
static const char *const numbers[NUMBERS] = {"UNORM", "SNORM", "USCALED", "SSCALED",
					     "UINT",  "SINT",  NULL,	  "FLOAT"};

enum {
	TYPED_LOAD = 0,
	TYPED_STORE = TYPED_LOAD + DATA_FORMATS * NUMBERS,
	WIDTHS = TYPED_STORE + DATA_FORMATS * NUMBERS,
	FORMS = 4, /* buffer and tbuffer, load and store */
	WIDTH_COUNT = 9,
	FIXED = WIDTHS + WIDTH_COUNT * FORMS,
};

enum fixed {
	LDS_LOAD = FIXED,
	LDS_LOAD_SBYTE,
	GLOBAL_LDS_LOAD,
	LDS_STORE,
	APPEND,
	CONSUME,
	SNIPPETS,
};

static const char *const fixed_text[SNIPPETS - FIXED] = {
	"s_mov_b32 m0, 64\nbuffer_load_ushort v2, s[0:3], 0 offen offset:4 lds",
	"s_mov_b32 m0, 64\nbuffer_load_sbyte v2, s[0:3], 0 offen lds",
	"s_mov_b32 m0, 128\nglobal_load_dword v[2:3], off offset:8 lds",
	"s_mov_b32 m0, 64\nbuffer_store_lds_dword s[0:3], s32 offset:16 lds",
	"s_mov_b32 m0, 32\nds_append v8 offset:4",
	"s_mov_b32 m0, 32\nds_consume v8 offset:4",
};

static const struct {
	const char *suffix, *registers;
	unsigned int count;
	bool half, high, untyped;
} widths[WIDTH_COUNT] = {
	{"x", "v8", 1, false, false, false},	      {"xy", "v[8:9]", 2, false, false, false},
	{"xyz", "v[8:10]", 3, false, false, false},   {"xyzw", "v[8:11]", 4, false, false, false},
	{"d16_x", "v8", 1, true, false, false},	      {"d16_xy", "v8", 2, true, false, false},
	{"d16_xyz", "v[8:9]", 3, true, false, false}, {"d16_xyzw", "v[8:9]", 4, true, false, false},
	{"d16_hi_x", "v8", 1, true, true, true},
};

static char texts[SNIPPETS][128];
static const char *text[SNIPPETS];
/* There are floats of 32, 16, 11 and 10 bits only. */
static bool format_exists(unsigned int data, unsigned int number)
{
	return data && numbers[number] && !(number == 7 && strchr(data_formats[data], '8')) &&
	       !(number == 7 && strchr(data_formats[data], '2') && data >= 8 && data <= 9);
}

static void typed_texts(void)
{
	for (unsigned int d = 0; d < DATA_FORMATS; d++)
		for (unsigned int n = 0; n < NUMBERS; n++)
			for (unsigned int store = 0; store < 2; store++)
				snprintf(
					texts[(store ? TYPED_STORE : TYPED_LOAD) + d * NUMBERS + n],
					sizeof(texts[0]),
					format_exists(d, n)
						? "tbuffer_%s_format_xyzw v[8:11], v2, s[0:3], 0 "
						  "format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s] idxen"
						: "s_nop 0",
					store ? "store" : "load", d ? data_formats[d] : "",
					numbers[n] ? numbers[n] : "");
}

static void width_texts(void)
{
	for (unsigned int w = 0; w < WIDTH_COUNT; w++)
		for (unsigned int form = 0; form < FORMS; form++) {
			bool typed = form & 1;

			snprintf(texts[WIDTHS + w * FORMS + form], sizeof(texts[0]),
				 typed && widths[w].untyped
					 ? "s_nop 0"
					 : "%s_%s_format_%s %s, v2, s[0:3], 0%s idxen",
				 typed ? "tbuffer" : "buffer", form & 2 ? "store" : "load",
				 widths[w].suffix, widths[w].registers,
				 typed ? " format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_SINT]"
				       : "");
		}
}

static int setup(void **state)
{
	(void)state;
	typed_texts();
	width_texts();
	for (unsigned int i = 0; i < SNIPPETS; i++)
		text[i] = i < FIXED ? texts[i] : fixed_text[i - FIXED];
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

/* ---- Formats -------------------------------------------------------------------------------- */

/* Widths of the channels, the one in the low bits first: the name lists the high one first. */
static unsigned int format_bits(unsigned int data, unsigned int bits[4])
{
	const char *at = data_formats[data];
	unsigned int count = 0;

	memset(bits, 0, 4 * sizeof(*bits));
	for (; at; at = strchr(at, '_'), at = at ? at + 1 : NULL) {
		memmove(bits + 1, bits, 3 * sizeof(*bits));
		bits[0] = (unsigned int)atoi(at);
		count++;
	}
	return count;
}

static uint32_t take_bits(const uint8_t *bytes, unsigned int at, unsigned int count)
{
	uint32_t v = 0;

	for (unsigned int i = 0; i < count; i++)
		v |= (uint32_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return v;
}

/* Value of a small unsigned float with five bits of exponent. */
static double small_float(uint32_t raw, unsigned int mantissa)
{
	int exponent = (int)(raw >> mantissa) & 31;
	double m = raw & ((1u << mantissa) - 1);

	if (exponent == 31)
		return m != 0 ? NAN : INFINITY;
	return exponent ? ldexp(1 + ldexp(m, -(int)mantissa), exponent - 15)
			: ldexp(m, -14 - (int)mantissa);
}

static uint32_t channel(uint32_t raw, unsigned int bits, unsigned int number)
{
	int64_t sign = (int64_t)((uint64_t)raw << (64 - bits)) >> (64 - bits);
	double top = ldexp(1, (int)bits) - 1, high = ldexp(1, (int)bits - 1) - 1;

	switch (number) {
	case 0:
		return b32((float)(raw / top));
	case 1:
		return b32((float)fmax((double)sign / high, -1));
	case 2:
		return b32((float)raw);
	case 3:
		return b32((float)sign);
	case 4:
		return raw;
	case 5:
		return (uint32_t)sign;
	default:
		return bits == 32   ? raw
		       : bits == 16 ? b32((float)f16((uint16_t)raw))
				    : b32((float)small_float(raw, bits - 5));
	}
}

static bool is_nan(uint32_t v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

static void test_load_formats(void **state)
{
	(void)state;
	for (unsigned int d = 1; d < DATA_FORMATS; d++)
		for (unsigned int n = 0; n < NUMBERS; n++) {
			unsigned int bits[4], sum = 0;

			if (!format_exists(d, n))
				continue;
			format_bits(d, bits);
			for (unsigned int c = 0; c < 4; c++)
				sum += bits[c];
			lab_fill(&lab, sum / 8, 60, d, n);
			lab_run_to_end(&lab, TYPED_LOAD + d * NUMBERS + n);
			for (unsigned int l = 0; l < 64; l++) {
				const uint8_t *from = lab.memory + (63 - l) * sum / 8;
				uint32_t want = 0, got;

				for (unsigned int c = 0, at = 0; c < 4; at += bits[c++]) {
					got = lab.wave->vgpr[LAB_VDATA + c][l];
					want = bits[c] ? channel(take_bits(from, at, bits[c]),
								 bits[c], n)
					       : c < 3 ? 0
					       : n == 4 || n == 5 ? 1
								  : 0x3f800000;
					if (63 - l >= 60)
						want = 0;
					if (got != want && !(is_nan(got) && is_nan(want)))
						fail_msg("%s %s channel %u: got %08x, want %08x",
							 data_formats[d], numbers[n], c, got, want);
				}
			}
		}
}

/* Storing what was loaded brings the bytes back, but for NaNs and the lowest signed value. */
static void test_store_formats(void **state)
{
	static uint8_t before[4096];

	(void)state;
	for (unsigned int d = 1; d < DATA_FORMATS; d++)
		for (unsigned int n = 0; n < NUMBERS; n++) {
			unsigned int bits[4], sum = 0;

			/* 32-bit numbers do not fit a float. */
			if (!format_exists(d, n) || (n < 4 && strstr(data_formats[d], "32")))
				continue;
			format_bits(d, bits);
			for (unsigned int c = 0; c < 4; c++)
				sum += bits[c];
			lab_fill(&lab, sum / 8, 64, d, n);
			lab_run_to_end(&lab, TYPED_LOAD + d * NUMBERS + n);
			memcpy(before, lab.memory, sizeof(before));
			memset(lab.memory, 0xa5, 64 * sum / 8);
			lab_run_to_end(&lab, TYPED_STORE + d * NUMBERS + n);
			for (unsigned int l = 0; l < 64; l++)
				for (unsigned int c = 0, at = l * sum; c < 4; at += bits[c++]) {
					uint32_t got = take_bits(lab.memory, at, bits[c]);
					uint32_t want = take_bits(before, at, bits[c]);
					bool lowest = n == 1 && want == 1u << (bits[c] - 1);

					if (got == want || !bits[c] || lowest ||
					    is_nan(lab.wave->vgpr[LAB_VDATA + c][63 - l]))
						continue;
					fail_msg("%s %s: stored %x, was %x", data_formats[d],
						 numbers[n], got, want);
				}
			assert_memory_equal(lab.memory + 64 * sum / 8, before + 64 * sum / 8, 64);
		}
}

/* What a store clamps and rounds. */
static void test_store_limits(void **state)
{
	static const struct {
		unsigned int number;
		uint32_t value, want;
	} cases[] = {
		{0, 0x40000000, 255}, {0, 0xbf800000, 0},    {0, 0x7fc00000, 0},
		{0, 0x3f000000, 128}, {1, 0xc0000000, 0x81}, {1, 0x7fc00000, 0},
		{2, 0x44000000, 255}, {2, 0x40200000, 2},    {3, 0xc4000000, 0x80},
		{4, 256, 255},	      {5, 1000, 127},	     {5, 0x80000000, 0x80},
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lab_fill(&lab, 1, 64, 1, cases[i].number);
		lab.wave->vgpr[LAB_VDATA][63] = cases[i].value;
		lab_run_to_end(&lab, TYPED_STORE + 1 * NUMBERS + cases[i].number);
		assert_int_equal(lab.memory[0], cases[i].want);
	}
}

/* Channels by width of the instruction: how many, and two to a register with d16. */
static void test_widths(void **state)
{
	(void)state;
	for (unsigned int w = 0; w < WIDTH_COUNT; w++)
		for (unsigned int typed = 0; typed < 2; typed++) {
			uint32_t old[4];

			if (typed && widths[w].untyped)
				continue;
			lab_fill(&lab, 8, 64, 12, 5); /* 16_16_16_16 SINT */
			for (unsigned int i = 0; i < 4; i++)
				old[i] = lab.wave->vgpr[LAB_VDATA + i][5];
			lab_run_to_end(&lab, WIDTHS + w * FORMS + typed);
			for (unsigned int c = 0; c < 4; c++) {
				int16_t raw;
				uint32_t got = lab.wave->vgpr[LAB_VDATA + c][5], want = old[c];

				memcpy(&raw, lab.memory + 58 * 8 + 2 * c, 2);
				if (!widths[w].half) {
					want = c < widths[w].count ? (uint32_t)raw : old[c];
				} else {
					got = lab.wave->vgpr[LAB_VDATA + c / 2][5] >> 16 * (c % 2) &
					      0xffff;
					want = c < widths[w].count
						       ? (uint16_t)raw
						       : old[c / 2] >> 16 * (c % 2) & 0xffff;
				}
				if (widths[w].high && c < 2) {
					memcpy(&raw, lab.memory + 58 * 8, 2);
					want = c ? (uint16_t)raw : old[0] & 0xffff;
				}
				assert_int_equal(got, want);
			}
		}
}

static void test_store_widths(void **state)
{
	(void)state;
	for (unsigned int w = 0; w < WIDTH_COUNT; w++)
		for (unsigned int typed = 0; typed < 2; typed++) {
			if (typed && widths[w].untyped)
				continue;
			lab_fill(&lab, 8, 62, 12, 5);
			for (unsigned int i = 0; i < 4; i++)
				lab.wave->vgpr[LAB_VDATA + i][5] = 0x12340056 + i + (i << 16);
			lab_run_to_end(&lab, WIDTHS + w * FORMS + 2 + typed);
			for (unsigned int c = 0; c < 4; c++) {
				uint32_t want = c < widths[w].count ? 0x56 + c : 0;
				uint16_t got;

				memcpy(&got, lab.memory + 58 * 8 + 2 * c, 2);
				if (!widths[w].half && c < widths[w].count)
					want = 0x12340056 + c + (c << 16) > 0x7fff ? 0x7fff : want;
				else if (widths[w].high && !c)
					want = 0x1234;
				else if (widths[w].half && c < widths[w].count)
					want = c & 1 ? 0x1234 + c / 2 : 0x56 + c / 2;
				assert_int_equal(got, want);
			}
			/* Indices 62 and 63 are beyond the end. */
			assert_int_not_equal(*(uint64_t *)(lab.memory + 62 * 8), 0);
		}
}

static void test_selects(void **state)
{
	(void)state;
	lab_fill(&lab, 4, 64, 10, 4); /* 8_8_8_8 UINT: w, 1, x, 0 */
	lab.wave->sgpr[3] = 7 | 1 << 3 | 4 << 6 | 0 << 9 | 4 << 12 | 10 << 15;
	lab_run_to_end(&lab, WIDTHS + 3 * FORMS);
	for (unsigned int l = 0; l < 64; l++) {
		const uint8_t *from = lab.memory + 4 * (63 - l);

		assert_int_equal(lab.wave->vgpr[LAB_VDATA][l], from[3]);
		assert_int_equal(lab.wave->vgpr[LAB_VDATA + 1][l], 1);
		assert_int_equal(lab.wave->vgpr[LAB_VDATA + 2][l], from[0]);
		assert_int_equal(lab.wave->vgpr[LAB_VDATA + 3][l], 0);
	}
}

/* ---- LDS ------------------------------------------------------------------------------------ */

static void test_lds_loads(void **state)
{
	const uint64_t exec = 0xf0f0ffff0000ff01;
	static uint8_t lds[LAB_LDS];

	(void)state;
	lab_fill(&lab, 0, 4096, 4, 4);
	memcpy(lds, lab.lds, LAB_LDS);
	lab.wave->exec = exec;
	lab_run_to_end(&lab, LDS_LOAD);
	for (unsigned int l = 0; l < 64; l++) {
		uint32_t value = 0;

		memcpy(&value, lab.memory + 63 - l + 4, 2);
		if (exec >> l & 1)
			memcpy(lds + 64 + 4 + 4 * l, &value, 4);
	}
	assert_memory_equal(lab.lds, lds, LAB_LDS);
	lab_run_to_end(&lab, LDS_LOAD_SBYTE);
	for (unsigned int l = 0; l < 64; l++) {
		int32_t value = (int8_t)lab.memory[63 - l];

		if (exec >> l & 1)
			memcpy(lds + 64 + 4 * l, &value, 4);
	}
	assert_memory_equal(lab.lds, lds, LAB_LDS);
	lab.wave->exec = ~0ull;
	for (unsigned int l = 0; l < 64; l++) {
		uint64_t addr = (uint64_t)lab.memory + 100 * l;

		lab.wave->vgpr[LAB_VADDR][l] = (uint32_t)addr;
		lab.wave->vgpr[LAB_VADDR + 1][l] = (uint32_t)(addr >> 32);
		memcpy(lds + 128 + 8 + 4 * l, lab.memory + 100 * l + 8, 4);
	}
	lab_run_to_end(&lab, GLOBAL_LDS_LOAD);
	assert_memory_equal(lab.lds, lds, LAB_LDS);
}

static void test_lds_store(void **state)
{
	uint32_t want;

	(void)state;
	lab_fill(&lab, 0, 4096, 4, 4);
	lab.wave->sgpr[32] = 32;
	lab.wave->exec = 1ull << 17;
	memcpy(&want, lab.lds + 64 + 16 + 4 * 17, 4);
	lab_run_to_end(&lab, LDS_STORE);
	assert_int_equal(*(uint32_t *)(lab.memory + 32 + 16), want);
}

static void test_append(void **state)
{
	uint32_t *counter = (uint32_t *)(lab.lds + 36);

	(void)state;
	lab_fill(&lab, 0, 4096, 4, 4);
	*counter = 100;
	lab.wave->exec = 0xff00000000000003;
	lab_run_to_end(&lab, APPEND);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA][1], 100);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA][60], 100);
	assert_int_not_equal(lab.wave->vgpr[LAB_VDATA][2], 100);
	assert_int_equal(*counter, 110);
	lab.wave->exec = 7;
	lab_run_to_end(&lab, CONSUME);
	assert_int_equal(lab.wave->vgpr[LAB_VDATA][2], 110);
	assert_int_equal(*counter, 107);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_formats), cmocka_unit_test(test_store_formats),
		cmocka_unit_test(test_store_limits), cmocka_unit_test(test_widths),
		cmocka_unit_test(test_store_widths), cmocka_unit_test(test_selects),
		cmocka_unit_test(test_lds_loads),    cmocka_unit_test(test_lds_store),
		cmocka_unit_test(test_append),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
