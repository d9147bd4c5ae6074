/* SPDX-License-Identifier: MIT */
/*
 * Typed buffers, images, scalar atomics and scratch, loads to LDS, append and consume. Formats are
 * checked twice: loads against channels cut out of the bytes by the format's name, stores by
 * bringing back the bytes that were loaded.
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

#include "simgpu_isa_lab.h"
#include "simgpu_isa_ref.h"

enum {
	VDATA = 8,
	VADDR = 2,
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

/* name, new value from the old one m and the data x, y (of either size) */
#define SCALAR_ATOMICS(X)                                                                          \
	X(swap, x)                                                                                 \
	X(cmpswap, m == y ? x : m)                                                                 \
	X(add, m + x)                                                                              \
	X(sub, m - x)                                                                              \
	X(smin, wide ? ((s64)m < (s64)x ? m : x) : ((s32)m < (s32)x ? m : x))                      \
	X(umin, m < x ? m : x)                                                                     \
	X(smax, wide ? ((s64)m > (s64)x ? m : x) : ((s32)m > (s32)x ? m : x))                      \
	X(umax, m > x ? m : x)                                                                     \
	X(and, m &x)                                                                               \
	X(or, m | x)                                                                               \
	X(xor, m ^ x)                                                                              \
	X(inc, m >= x ? 0 : m + 1)                                                                 \
	X(dec, m == 0 || m > x ? x : m - 1)
#define FUNCTION(name, expr)                                                                       \
	static uint64_t next_##name(uint64_t m, uint64_t x, uint64_t y, bool wide)                 \
	{                                                                                          \
		(void)m, (void)y, (void)wide;                                                      \
		return expr;                                                                       \
	}
SCALAR_ATOMICS(FUNCTION)
static const struct {
	const char *name;
	uint64_t (*next)(uint64_t m, uint64_t x, uint64_t y, bool wide);
} atomics[] = {
#define ENTRY(name, expr) {#name, next_##name},
	SCALAR_ATOMICS(ENTRY)};

enum {
	ATOMICS = sizeof(atomics) / sizeof(atomics[0]),
	TYPED_LOAD = 0,
	TYPED_STORE = TYPED_LOAD + DATA_FORMATS * NUMBERS,
	WIDTHS = TYPED_STORE + DATA_FORMATS * NUMBERS,
	FORMS = 4, /* buffer and tbuffer, load and store */
	WIDTH_COUNT = 9,
	ATOMIC = WIDTHS + WIDTH_COUNT * FORMS,
	IMAGE_ATOMIC = ATOMIC + ATOMICS * 4,
	FIXED = IMAGE_ATOMIC + ATOMICS * 2,
};

enum fixed {
	LDS_LOAD = FIXED,
	LDS_LOAD_SBYTE,
	GLOBAL_LDS_LOAD,
	LDS_STORE,
	APPEND,
	CONSUME,
	S_SCRATCH_LOAD,
	S_SCRATCH_LOAD2,
	S_SCRATCH_LOAD4,
	S_SCRATCH_STORE,
	S_SCRATCH_STORE2,
	S_SCRATCH_STORE4,
	QUIET, /* cache controls */
	IMAGE_LOAD,
	IMAGE_LOAD_MIP,
	IMAGE_LOAD_PCK,
	IMAGE_LOAD_PCK_SGN,
	IMAGE_LOAD_MIP_PCK,
	IMAGE_LOAD_MIP_PCK_SGN,
	IMAGE_STORE,
	IMAGE_STORE_MIP,
	IMAGE_STORE_PCK,
	IMAGE_STORE_MIP_PCK,
	IMAGE_RESINFO,
	IMAGE_SAMPLE,
	S_PLAIN,
	SCRATCH_STORE = S_PLAIN + 11,
	GWS = SCRATCH_STORE + 8,
	SNIPPETS = GWS + 5,
};

static const char *const fixed_text[SNIPPETS - FIXED] = {
	"s_mov_b32 m0, 64\nbuffer_load_ushort v2, s[0:3], 0 offen offset:4 lds",
	"s_mov_b32 m0, 64\nbuffer_load_sbyte v2, s[0:3], 0 offen lds",
	"s_mov_b32 m0, 128\nglobal_load_dword v[2:3], off offset:8 lds",
	"s_mov_b32 m0, 64\nbuffer_store_lds_dword s[0:3], s32 offset:16 lds",
	"s_mov_b32 m0, 32\nds_append v8 offset:4",
	"s_mov_b32 m0, 32\nds_consume v8 offset:4",
	"s_scratch_load_dword s8, s[4:5], s6",
	"s_scratch_load_dwordx2 s[8:9], s[4:5], 0x10",
	"s_scratch_load_dwordx4 s[8:11], s[4:5], 0x20",
	"s_scratch_store_dword s8, s[4:5], s6",
	"s_scratch_store_dwordx2 s[8:9], s[4:5], 0x10",
	"s_scratch_store_dwordx4 s[8:11], s[4:5], 0x20",
	"s_dcache_discard s[4:5], 0x0\ns_dcache_discard_x2 s[4:5], 0x0\n"
	"s_atc_probe 0, s[4:5], 0x0\ns_atc_probe_buffer 0, s[0:3], 0x0",
	"image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm",
	"image_load_mip v[8:9], v[2:4], s[8:15] dmask:0xa unorm",
	"image_load_pck v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_load_pck_sgn v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_load_mip_pck v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_load_mip_pck_sgn v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_store v[8:11], v[2:3], s[8:15] dmask:0xf unorm",
	"image_store_mip v[8:11], v[2:4], s[8:15] dmask:0xf unorm",
	"image_store_pck v8, v[2:3], s[8:15] dmask:0x1 unorm",
	"image_store_mip_pck v8, v[2:4], s[8:15] dmask:0x1 unorm",
	"image_get_resinfo v[8:11], v2, s[8:15] dmask:0xf unorm",
	"image_sample v[8:11], v[2:3], s[8:15], s[16:19] dmask:0xf",
	"s_load_dword s8, s[4:5], 0x40",
	"s_load_dwordx8 s[8:15], s[4:5], 0x40",
	"s_buffer_load_dword s8, s[0:3], 0x40",
	"s_buffer_load_dwordx2 s[8:9], s[0:3], 0x40",
	"s_buffer_load_dwordx8 s[8:15], s[0:3], 0x40",
	"s_buffer_load_dwordx16 s[8:23], s[0:3], 0x40",
	"s_store_dword s8, s[4:5], 0x40",
	"s_store_dwordx4 s[8:11], s[4:5], 0x40",
	"s_buffer_store_dword s8, s[0:3], 0x40",
	"s_buffer_store_dwordx2 s[8:9], s[0:3], 0x40",
	"s_buffer_store_dwordx4 s[8:11], s[0:3], 0x40",
	"scratch_store_byte v2, v8, off offset:4",
	"scratch_store_byte_d16_hi v2, v8, off offset:4",
	"scratch_store_short v2, v8, off offset:4",
	"scratch_store_short_d16_hi v2, v8, off offset:4",
	"scratch_store_dword v2, v8, off offset:4",
	"scratch_store_dwordx2 v2, v[8:9], off offset:4",
	"scratch_store_dwordx3 v2, v[8:10], off offset:4",
	"scratch_store_dwordx4 v2, v[8:11], off offset:4",
	"ds_gws_init v8 offset:3 gds",
	"ds_gws_sema_br v8 offset:3 gds",
	"ds_gws_sema_p offset:3 gds",
	"ds_gws_sema_v offset:3 gds",
	"ds_gws_sema_release_all offset:3 gds",
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
static struct lab lab;

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

static void atomic_texts(void)
{
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int form = 0; form < 4; form++) {
			bool two = !strcmp(atomics[a].name, "cmpswap"), wide = form & 1;
			unsigned int dwords = (two ? 2 : 1) * (wide ? 2 : 1);

			snprintf(texts[ATOMIC + a * 4 + form], sizeof(texts[0]),
				 "s_%satomic_%s%s %s, s[%s], 0x8 glc", form & 2 ? "buffer_" : "",
				 atomics[a].name, wide ? "_x2" : "",
				 dwords == 1   ? "s8"
				 : dwords == 2 ? "s[8:9]"
					       : "s[8:11]",
				 form & 2 ? "0:3" : "4:5");
			if (form > 1)
				continue;
			snprintf(texts[IMAGE_ATOMIC + a * 2 + form], sizeof(texts[0]),
				 "image_atomic_%s v[8:%u], v[2:3], s[8:15] dmask:0x%x unorm glc",
				 atomics[a].name, 7 + dwords,
				 dwords == 1   ? 1
				 : dwords == 2 ? 3
					       : 15);
			if (dwords == 1)
				snprintf(texts[IMAGE_ATOMIC + a * 2 + form], sizeof(texts[0]),
					 "image_atomic_%s v8, v[2:3], s[8:15] dmask:0x1 unorm glc",
					 atomics[a].name);
		}
}

static int setup(void **state)
{
	(void)state;
	typed_texts();
	width_texts();
	atomic_texts();
	for (unsigned int i = 0; i < SNIPPETS; i++)
		text[i] = i < FIXED ? texts[i] : fixed_text[i - FIXED];
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lab_close(&lab);
	return 0;
}

static void put_pair(unsigned int sgpr, uint64_t v)
{
	lab.wave->sgpr[sgpr] = (uint32_t)v;
	lab.wave->sgpr[sgpr + 1] = (uint32_t)(v >> 32);
}

/* Random memory and registers; a buffer of records over the memory; lane l's index is 63 - l. */
static void fill(unsigned int stride, unsigned int records, unsigned int data, unsigned int number)
{
	uint32_t *s = lab.wave->sgpr;

	lab_reset(&lab);
	for (unsigned int i = 0; i < 65536; i += 8)
		*(uint64_t *)(lab.memory + i) = lab_random();
	for (unsigned int i = 0; i < 4096; i += 8)
		*(uint64_t *)(lab.lds + i) = lab_random();
	for (unsigned int r = 0; r < 8; r++)
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[VDATA + r][l] = (uint32_t)lab_random();
	put_pair(0, (uint64_t)lab.memory);
	put_pair(4, (uint64_t)lab.memory);
	s[1] |= stride << 16;
	s[2] = records;
	s[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | number << 12 | data << 15;
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[VADDR][l] = 63 - l;
}

/* ---- Formats -------------------------------------------------------------------------------- */

/* Widths of the channels, the one in the low bits first: the name tells the high one first. */
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
			fill(sum / 8, 60, d, n);
			lab_run_to_end(&lab, TYPED_LOAD + d * NUMBERS + n);
			for (unsigned int l = 0; l < 64; l++) {
				const uint8_t *from = lab.memory + (63 - l) * sum / 8;
				uint32_t want = 0, got;

				for (unsigned int c = 0, at = 0; c < 4; at += bits[c++]) {
					got = lab.wave->vgpr[VDATA + c][l];
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
			fill(sum / 8, 64, d, n);
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
					    is_nan(lab.wave->vgpr[VDATA + c][63 - l]))
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
		fill(1, 64, 1, cases[i].number);
		lab.wave->vgpr[VDATA][63] = cases[i].value;
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
			fill(8, 64, 12, 5); /* 16_16_16_16 SINT */
			for (unsigned int i = 0; i < 4; i++)
				old[i] = lab.wave->vgpr[VDATA + i][5];
			lab_run_to_end(&lab, WIDTHS + w * FORMS + typed);
			for (unsigned int c = 0; c < 4; c++) {
				int16_t raw;
				uint32_t got = lab.wave->vgpr[VDATA + c][5], want = old[c];

				memcpy(&raw, lab.memory + 58 * 8 + 2 * c, 2);
				if (!widths[w].half) {
					want = c < widths[w].count ? (uint32_t)raw : old[c];
				} else {
					got = lab.wave->vgpr[VDATA + c / 2][5] >> 16 * (c % 2) &
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
			fill(8, 62, 12, 5);
			for (unsigned int i = 0; i < 4; i++)
				lab.wave->vgpr[VDATA + i][5] = 0x12340056 + i + (i << 16);
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
	fill(4, 64, 10, 4); /* 8_8_8_8 UINT: w, 1, x, 0 */
	lab.wave->sgpr[3] = 7 | 1 << 3 | 4 << 6 | 0 << 9 | 4 << 12 | 10 << 15;
	lab_run_to_end(&lab, WIDTHS + 3 * FORMS);
	for (unsigned int l = 0; l < 64; l++) {
		const uint8_t *from = lab.memory + 4 * (63 - l);

		assert_int_equal(lab.wave->vgpr[VDATA][l], from[3]);
		assert_int_equal(lab.wave->vgpr[VDATA + 1][l], 1);
		assert_int_equal(lab.wave->vgpr[VDATA + 2][l], from[0]);
		assert_int_equal(lab.wave->vgpr[VDATA + 3][l], 0);
	}
}

/* ---- LDS ------------------------------------------------------------------------------------ */

static void test_lds_loads(void **state)
{
	const uint64_t exec = 0xf0f0ffff0000ff01;
	static uint8_t lds[LAB_LDS];

	(void)state;
	fill(0, 4096, 4, 4);
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

		lab.wave->vgpr[VADDR][l] = (uint32_t)addr;
		lab.wave->vgpr[VADDR + 1][l] = (uint32_t)(addr >> 32);
		memcpy(lds + 128 + 8 + 4 * l, lab.memory + 100 * l + 8, 4);
	}
	lab_run_to_end(&lab, GLOBAL_LDS_LOAD);
	assert_memory_equal(lab.lds, lds, LAB_LDS);
}

static void test_lds_store(void **state)
{
	uint32_t want;

	(void)state;
	fill(0, 4096, 4, 4);
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
	fill(0, 4096, 4, 4);
	*counter = 100;
	lab.wave->exec = 0xff00000000000003;
	lab_run_to_end(&lab, APPEND);
	assert_int_equal(lab.wave->vgpr[VDATA][1], 100);
	assert_int_equal(lab.wave->vgpr[VDATA][60], 100);
	assert_int_not_equal(lab.wave->vgpr[VDATA][2], 100);
	assert_int_equal(*counter, 110);
	lab.wave->exec = 7;
	lab_run_to_end(&lab, CONSUME);
	assert_int_equal(lab.wave->vgpr[VDATA][2], 110);
	assert_int_equal(*counter, 107);
}

/* ---- Scalar memory -------------------------------------------------------------------------- */

static void test_scalar_atomics(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int i = 0; i < 4 * 20; i++) {
			unsigned int form = i % 4, dwords = form & 1 ? 2 : 1;
			uint64_t mask = form & 1 ? ~0ull : 0xffffffff;
			uint64_t m = lab_edge64() & mask, x = lab_edge64() & mask;
			uint64_t y = i & 8 ? m : lab_edge64() & mask, got = 0, want;

			fill(0, 4096, 4, 4);
			memcpy(lab.memory + 8, &m, 4 * dwords);
			memcpy(&lab.wave->sgpr[8], &x, 4 * dwords);
			if (!strcmp(atomics[a].name, "cmpswap"))
				memcpy(&lab.wave->sgpr[8 + dwords], &y, 4 * dwords);
			lab_run_to_end(&lab, ATOMIC + a * 4 + form);
			want = atomics[a].next(m, x, y, form & 1) & mask;
			memcpy(&got, lab.memory + 8, 4 * dwords);
			if (got != want)
				fail_msg("%s: memory %llx, should be %llx",
					 text[ATOMIC + a * 4 + form], (unsigned long long)got,
					 (unsigned long long)want);
			got = 0;
			memcpy(&got, &lab.wave->sgpr[8], 4 * dwords);
			assert_true(got == m);
		}
	/* Beyond the end of the buffer nothing happens. */
	fill(0, 8, 4, 4);
	lab.wave->sgpr[8] = 5;
	*(uint32_t *)(lab.memory + 8) = 77;
	lab_run_to_end(&lab, ATOMIC + 2 * 4 + 2);
	assert_int_equal(*(uint32_t *)(lab.memory + 8), 77);
}

/* Scratch of a wave: scalar offsets count 64 times. */
static void test_scalar_scratch(void **state)
{
	(void)state;
	fill(0, 4096, 4, 4);
	lab.wave->sgpr[6] = 12;
	lab_run_to_end(&lab, S_SCRATCH_LOAD);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 64 * 12, 4);
	lab_run_to_end(&lab, S_SCRATCH_LOAD2);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 16, 8);
	lab_run_to_end(&lab, S_SCRATCH_LOAD4);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 32, 16);
	for (unsigned int i = 0; i < 4; i++)
		lab.wave->sgpr[8 + i] = 0x1000 + i;
	lab_run_to_end(&lab, S_SCRATCH_STORE);
	lab_run_to_end(&lab, S_SCRATCH_STORE2);
	lab_run_to_end(&lab, S_SCRATCH_STORE4);
	assert_int_equal(*(uint32_t *)(lab.memory + 64 * 12), 0x1000);
	assert_memory_equal(lab.memory + 16, &lab.wave->sgpr[8], 8);
	assert_memory_equal(lab.memory + 32, &lab.wave->sgpr[8], 16);
	lab_run_to_end(&lab, QUIET);
}

/* Loads, then stores, of so many dwords at offset 64. */
static void test_scalar_widths(void **state)
{
	static const unsigned int dwords[] = {1, 8, 1, 2, 8, 16, 1, 4, 1, 2, 4};

	(void)state;
	for (unsigned int i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++) {
		uint32_t old;

		fill(0, 4096, 4, 4);
		for (unsigned int r = 8; r < 32; r++)
			lab.wave->sgpr[r] = (uint32_t)lab_random();
		old = i < 6 ? lab.wave->sgpr[8 + dwords[i]]
			    : *(uint32_t *)(lab.memory + 64 + 4 * dwords[i]);
		lab_run_to_end(&lab, S_PLAIN + i);
		assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 64, 4 * dwords[i]);
		assert_int_equal(i < 6 ? lab.wave->sgpr[8 + dwords[i]]
				       : *(uint32_t *)(lab.memory + 64 + 4 * dwords[i]),
				 old);
	}
}

static void test_scratch_stores(void **state)
{
	static const struct {
		unsigned int bytes, shift;
	} cases[] = {{1, 0}, {1, 16}, {2, 0}, {2, 16}, {4, 0}, {8, 0}, {12, 0}, {16, 0}};

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		fill(0, 4096, 4, 4);
		memset(lab.scratch, 0x5a, LAB_SCRATCH_LANE * SIM_LANES);
		lab_run_to_end(&lab, SCRATCH_STORE + i);
		for (unsigned int l = 0; l < 64; l++)
			for (unsigned int b = 0; b < 20; b++) {
				unsigned int at = 63 - l + 4 + b;
				uint32_t v = lab.wave->vgpr[VDATA + b / 4][l] >> cases[i].shift;
				uint8_t got = lab.scratch[at / 4 * 256 + 4 * l + at % 4];

				assert_int_equal(got, b < cases[i].bytes ? (uint8_t)(v >> b % 4 * 8)
									 : 0x5a);
			}
	}
}

/* The machine does what they ask for: they stop with their opcode and offset. */
static void test_gws(void **state)
{
	static const unsigned int opcodes[] = {153, 155, 156, 154, 152};

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		fill(0, 4096, 4, 4);
		assert_int_equal(lab_run(&lab, GWS + i), SIM_STOP_GWS);
		assert_int_equal(lab.wave->stop_arg & 0xff,
				 lab.code[lab.start[GWS + i]] >> 17 & 0xff);
		assert_int_equal(lab.wave->stop_arg & 0xff, opcodes[i]);
		assert_int_equal(lab.wave->stop_arg >> 8, 3);
	}
}

/* ---- Images --------------------------------------------------------------------------------- */

enum {
	IMAGE_W = 20,
	IMAGE_H = 10,
	IMAGE_PITCH = 24,
};

/* A 2D image over the memory; lane l at (l % 23, l / 8 + 3), some of it outside. */
static void fill_image(unsigned int data, unsigned int number)
{
	uint64_t base;
	uint32_t *s = lab.wave->sgpr + 8;

	fill(0, 4096, 4, 4);
	base = (uint64_t)lab.memory >> 8;
	s[0] = (uint32_t)base;
	s[1] = (uint32_t)(base >> 32) | data << 20 | number << 26;
	s[2] = (IMAGE_W - 1) | (IMAGE_H - 1) << 14;
	s[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | 9u << 28;
	s[4] = (IMAGE_PITCH - 1) << 13;
	memset(s + 5, 0, 12);
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[VADDR][l] = l % 23;
		lab.wave->vgpr[VADDR + 1][l] = l / 8 + 3;
		lab.wave->vgpr[VADDR + 2][l] = 0;
	}
}

static bool in_image(unsigned int l)
{
	return l % 23 < IMAGE_W && l / 8 + 3 < IMAGE_H;
}

static uint8_t *image_at(unsigned int l, unsigned int bytes)
{
	return lab.memory + ((l / 8 + 3) * IMAGE_PITCH + l % 23) * bytes;
}

static void test_image_loads(void **state)
{
	static const enum fixed raw[] = {IMAGE_LOAD_PCK, IMAGE_LOAD_MIP_PCK, IMAGE_LOAD_PCK_SGN,
					 IMAGE_LOAD_MIP_PCK_SGN};

	(void)state;
	fill_image(10, 0); /* 8_8_8_8 UNORM */
	lab_run_to_end(&lab, IMAGE_LOAD);
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int c = 0; c < 4; c++)
			assert_int_equal(lab.wave->vgpr[VDATA + c][l],
					 in_image(l) ? b32(image_at(l, 4)[c] / 255.0f) : 0);
	fill_image(10, 4);
	lab_run_to_end(&lab, IMAGE_LOAD_MIP); /* channels 1 and 3 */
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int c = 0; c < 2; c++)
			assert_int_equal(lab.wave->vgpr[VDATA + c][l],
					 in_image(l) ? image_at(l, 4)[2 * c + 1] : 0);
	for (unsigned int i = 0; i < 4; i++) {
		fill_image(1, 0);
		lab_run_to_end(&lab, raw[i]);
		for (unsigned int l = 0; l < 64; l++) {
			uint32_t want = *image_at(l, 1);

			if (i > 1)
				want = (uint32_t)(int8_t)want;
			assert_int_equal(lab.wave->vgpr[VDATA][l], in_image(l) ? want : 0);
		}
	}
}

static void test_image_stores(void **state)
{
	static const enum fixed forms[] = {IMAGE_STORE, IMAGE_STORE_MIP, IMAGE_STORE_PCK,
					   IMAGE_STORE_MIP_PCK};
	static uint8_t want[65536];

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		fill_image(10, 4); /* 8_8_8_8 UINT */
		memcpy(want, lab.memory, sizeof(want));
		for (unsigned int l = 0; l < 64; l++) {
			for (unsigned int c = 0; c < 4; c++)
				lab.wave->vgpr[VDATA + c][l] &= 0xff;
			for (unsigned int c = 0; c < 4 && in_image(l); c++)
				want[image_at(l, 4) - lab.memory + c] =
					i < 2 ? (uint8_t)lab.wave->vgpr[VDATA + c][l]
					: c   ? 0
					      : (uint8_t)lab.wave->vgpr[VDATA][l];
		}
		lab_run_to_end(&lab, forms[i]);
		assert_memory_equal(lab.memory, want, sizeof(want));
	}
}

static void test_image_atomics(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int wide = 0; wide < 2; wide++) {
			unsigned int bytes = wide ? 8 : 4, dwords = bytes / 4;
			uint64_t m[64] = {0}, x[64] = {0}, y[64] = {0}, got;
			bool two = !strcmp(atomics[a].name, "cmpswap");

			fill_image(wide ? 11 : 4, 4);
			for (unsigned int l = 0; l < 64; l++) {
				memcpy(&m[l], image_at(l, bytes), bytes);
				for (unsigned int i = 0; i < dwords; i++) {
					x[l] |= (uint64_t)lab.wave->vgpr[VDATA + i][l] << 32 * i;
					if (two && l & 1)
						lab.wave->vgpr[VDATA + dwords + i][l] =
							(uint32_t)(m[l] >> 32 * i);
					y[l] |= (uint64_t)lab.wave->vgpr[VDATA + dwords + i][l]
						<< 32 * i;
				}
			}
			lab_run_to_end(&lab, IMAGE_ATOMIC + a * 2 + wide);
			for (unsigned int l = 0; l < 64; l++) {
				uint64_t want = atomics[a].next(m[l], x[l], y[l], wide);

				if (!in_image(l))
					continue;
				got = 0;
				memcpy(&got, image_at(l, bytes), bytes);
				if (got != (wide ? want : (uint32_t)want))
					fail_msg("%s: lane %u", text[IMAGE_ATOMIC + a * 2 + wide],
						 l);
				assert_int_equal(lab.wave->vgpr[VDATA][l], (uint32_t)m[l]);
			}
		}
}

static void test_resinfo(void **state)
{
	(void)state;
	fill_image(10, 0);
	lab_run_to_end(&lab, IMAGE_RESINFO);
	assert_int_equal(lab.wave->vgpr[VDATA][9], IMAGE_W);
	assert_int_equal(lab.wave->vgpr[VDATA + 1][9], IMAGE_H);
	assert_int_equal(lab.wave->vgpr[VDATA + 2][9], 1);
	assert_int_equal(lab.wave->vgpr[VDATA + 3][9], 1);
}

/* One channel of one element, clamped to the edges. */
static double sampled(int x, int y)
{
	float v;

	x = x < 0 ? 0 : x >= IMAGE_W ? IMAGE_W - 1 : x;
	y = y < 0 ? 0 : y >= IMAGE_H ? IMAGE_H - 1 : y;
	memcpy(&v, lab.memory + (y * IMAGE_PITCH + x) * 4, 4);
	return v;
}

/* Normalised coordinates, clamped; nearest, then linear at 256ths, which is exact. */
static void test_sample(void **state)
{
	(void)state;
	for (unsigned int linear = 0; linear < 2; linear++) {
		fill_image(4, 7); /* 32 FLOAT */
		memset(&lab.wave->sgpr[16], 0, 16);
		lab.wave->sgpr[16] = 2 | 2 << 3 | 1 << 15; /* clamp; coordinates in elements */
		lab.wave->sgpr[18] = linear * (1 << 20 | 1 << 22);
		for (unsigned int i = 0; i < IMAGE_PITCH * IMAGE_H; i++)
			((float *)lab.memory)[i] = (float)(lab_random() % 4096);
		for (unsigned int l = 0; l < 64; l++) {
			lab.wave->vgpr[VADDR][l] = b32((float)(lab_random() % (24 * 16)) / 16 - 2);
			lab.wave->vgpr[VADDR + 1][l] =
				b32((float)(lab_random() % (14 * 16)) / 16 - 2);
		}
		lab_run_to_end(&lab, IMAGE_SAMPLE);
		for (unsigned int l = 0; l < 64; l++) {
			double x = f32(lab.wave->vgpr[VADDR][l]) - 0.5 * linear;
			double y = f32(lab.wave->vgpr[VADDR + 1][l]) - 0.5 * linear;
			double fx = (x - floor(x)) * linear, fy = (y - floor(y)) * linear;
			int ix = (int)floor(x), iy = (int)floor(y);
			double want = (1 - fx) * (1 - fy) * sampled(ix, iy) +
				      fx * (1 - fy) * sampled(ix + 1, iy) +
				      (1 - fx) * fy * sampled(ix, iy + 1) +
				      fx * fy * sampled(ix + 1, iy + 1);

			assert_true(f32(lab.wave->vgpr[VDATA][l]) == (float)want);
			assert_int_equal(lab.wave->vgpr[VDATA + 1][l], 0);
			assert_int_equal(lab.wave->vgpr[VDATA + 3][l], 0x3f800000);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_formats),   cmocka_unit_test(test_store_formats),
		cmocka_unit_test(test_store_limits),   cmocka_unit_test(test_widths),
		cmocka_unit_test(test_store_widths),   cmocka_unit_test(test_selects),
		cmocka_unit_test(test_lds_loads),      cmocka_unit_test(test_lds_store),
		cmocka_unit_test(test_append),	       cmocka_unit_test(test_scalar_atomics),
		cmocka_unit_test(test_scalar_scratch), cmocka_unit_test(test_scalar_widths),
		cmocka_unit_test(test_scratch_stores), cmocka_unit_test(test_gws),
		cmocka_unit_test(test_image_loads),    cmocka_unit_test(test_image_stores),
		cmocka_unit_test(test_image_atomics),  cmocka_unit_test(test_resinfo),
		cmocka_unit_test(test_sample),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
