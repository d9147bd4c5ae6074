/* SPDX-License-Identifier: MIT */
/*
 * LDS: reads and writes of every width, the lane crossbar, faults, and bank conflicts against
 * tests/data/lds_oracle.csv (counts measured on MI300X and MI250, and rows derived from them) and
 * against a plain recount.
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

enum snippet {
	READ_32,
	READ_64,
	READ_96,
	READ_128,
	READ2_32,
	READ2ST_32,
	READ2_64,
	READ2ST_64,
	READ_U8,
	READ_I8,
	READ_U16,
	READ_I16,
	READ_U8_D16,
	READ_U8_D16_HI,
	READ_I8_D16,
	READ_I8_D16_HI,
	READ_U16_D16,
	READ_U16_D16_HI,
	READ_ADDTID,
	WRITE_32,
	WRITE_64,
	WRITE_96,
	WRITE_128,
	WRITE2_32,
	WRITE2ST_32,
	WRITE2_64,
	WRITE2ST_64,
	WRITE_8,
	WRITE_8_HI,
	WRITE_16,
	WRITE_16_HI,
	WRITE_ADDTID,
	BPERMUTE,
	PERMUTE,
	SWIZZLE_QUAD,
	SWIZZLE_MASK,
	SWIZZLE_ROTATE,
	SWIZZLE_FFT_32,
	SWIZZLE_FFT_16,
	SWIZZLE_FFT_NONE,
	PLAIN_READ_32,
	PLAIN_READ_64,
	PLAIN_READ_128,
	PLAIN_WRITE_32,
	PLAIN_WRITE_64,
	PLAIN_WRITE_128,
	ADD_32,
	GWS,
	SNIPPETS,
};

static const char *const text[SNIPPETS] = {
	[READ_32] = "ds_read_b32 v8, v2 offset:20",
	[READ_64] = "ds_read_b64 v[8:9], v2 offset:20",
	[READ_96] = "ds_read_b96 v[8:10], v2 offset:20",
	[READ_128] = "ds_read_b128 v[8:11], v2 offset:20",
	[READ2_32] = "ds_read2_b32 v[8:9], v2 offset0:5 offset1:9",
	[READ2ST_32] = "ds_read2st64_b32 v[8:9], v2 offset0:5 offset1:9",
	[READ2_64] = "ds_read2_b64 v[8:11], v2 offset0:5 offset1:9",
	[READ2ST_64] = "ds_read2st64_b64 v[8:11], v2 offset0:5 offset1:9",
	[READ_U8] = "ds_read_u8 v8, v2 offset:20",
	[READ_I8] = "ds_read_i8 v8, v2 offset:20",
	[READ_U16] = "ds_read_u16 v8, v2 offset:20",
	[READ_I16] = "ds_read_i16 v8, v2 offset:20",
	[READ_U8_D16] = "ds_read_u8_d16 v8, v2 offset:20",
	[READ_U8_D16_HI] = "ds_read_u8_d16_hi v8, v2 offset:20",
	[READ_I8_D16] = "ds_read_i8_d16 v8, v2 offset:20",
	[READ_I8_D16_HI] = "ds_read_i8_d16_hi v8, v2 offset:20",
	[READ_U16_D16] = "ds_read_u16_d16 v8, v2 offset:20",
	[READ_U16_D16_HI] = "ds_read_u16_d16_hi v8, v2 offset:20",
	[READ_ADDTID] = "s_movk_i32 m0, 0x40\nds_read_addtid_b32 v8 offset:20",
	[WRITE_32] = "ds_write_b32 v2, v8 offset:20",
	[WRITE_64] = "ds_write_b64 v2, v[8:9] offset:20",
	[WRITE_96] = "ds_write_b96 v2, v[8:10] offset:20",
	[WRITE_128] = "ds_write_b128 v2, v[8:11] offset:20",
	[WRITE2_32] = "ds_write2_b32 v2, v8, v9 offset0:5 offset1:9",
	[WRITE2ST_32] = "ds_write2st64_b32 v2, v8, v9 offset0:5 offset1:9",
	[WRITE2_64] = "ds_write2_b64 v2, v[8:9], v[10:11] offset0:5 offset1:9",
	[WRITE2ST_64] = "ds_write2st64_b64 v2, v[8:9], v[10:11] offset0:5 offset1:9",
	[WRITE_8] = "ds_write_b8 v2, v8 offset:20",
	[WRITE_8_HI] = "ds_write_b8_d16_hi v2, v8 offset:20",
	[WRITE_16] = "ds_write_b16 v2, v8 offset:20",
	[WRITE_16_HI] = "ds_write_b16_d16_hi v2, v8 offset:20",
	[WRITE_ADDTID] = "s_movk_i32 m0, 0x40\nds_write_addtid_b32 v8 offset:20",
	[BPERMUTE] = "ds_bpermute_b32 v8, v2, v10 offset:4",
	[PERMUTE] = "ds_permute_b32 v8, v2, v10 offset:4",
	[SWIZZLE_QUAD] = "ds_swizzle_b32 v8, v10 offset:swizzle(QUAD_PERM,3,1,0,2)",
	[SWIZZLE_MASK] = "ds_swizzle_b32 v8, v10 offset:swizzle(BITMASK_PERM,\"01pi0\")",
	[SWIZZLE_ROTATE] = "ds_swizzle_b32 v8, v10 offset:0xc060",
	[SWIZZLE_FFT_32] = "ds_swizzle_b32 v8, v10 offset:0xe000",
	[SWIZZLE_FFT_16] = "ds_swizzle_b32 v8, v10 offset:0xe010",
	[SWIZZLE_FFT_NONE] = "ds_swizzle_b32 v8, v10 offset:0xe01f",
	[PLAIN_READ_32] = "ds_read_b32 v8, v2",
	[PLAIN_READ_64] = "ds_read_b64 v[8:9], v2",
	[PLAIN_READ_128] = "ds_read_b128 v[8:11], v2",
	[PLAIN_WRITE_32] = "ds_write_b32 v2, v8",
	[PLAIN_WRITE_64] = "ds_write_b64 v2, v[8:9]",
	[PLAIN_WRITE_128] = "ds_write_b128 v2, v[8:11]",
	[ADD_32] = "ds_add_u32 v2, v8",
	[GWS] = "ds_gws_barrier v2 offset:3 gds",
};

/* Snippets that read or write: element bytes, offsets of the one or two elements. */
static const struct shape {
	enum snippet snippet;
	bool write, sign, low, high;
	unsigned int bytes, first, second; /* second 0: one element */
} shapes[] = {
	{READ_32, false, false, false, false, 4, 20, 0},
	{READ_64, false, false, false, false, 8, 20, 0},
	{READ_96, false, false, false, false, 12, 20, 0},
	{READ_128, false, false, false, false, 16, 20, 0},
	{READ2_32, false, false, false, false, 4, 20, 36},
	{READ2ST_32, false, false, false, false, 4, 1280, 2304},
	{READ2_64, false, false, false, false, 8, 40, 72},
	{READ2ST_64, false, false, false, false, 8, 2560, 4608},
	{READ_U8, false, false, false, false, 1, 20, 0},
	{READ_I8, false, true, false, false, 1, 20, 0},
	{READ_U16, false, false, false, false, 2, 20, 0},
	{READ_I16, false, true, false, false, 2, 20, 0},
	{READ_U8_D16, false, false, true, false, 1, 20, 0},
	{READ_U8_D16_HI, false, false, false, true, 1, 20, 0},
	{READ_I8_D16, false, true, true, false, 1, 20, 0},
	{READ_I8_D16_HI, false, true, false, true, 1, 20, 0},
	{READ_U16_D16, false, false, true, false, 2, 20, 0},
	{READ_U16_D16_HI, false, false, false, true, 2, 20, 0},
	{WRITE_32, true, false, false, false, 4, 20, 0},
	{WRITE_64, true, false, false, false, 8, 20, 0},
	{WRITE_96, true, false, false, false, 12, 20, 0},
	{WRITE_128, true, false, false, false, 16, 20, 0},
	{WRITE2_32, true, false, false, false, 4, 20, 36},
	{WRITE2ST_32, true, false, false, false, 4, 1280, 2304},
	{WRITE2_64, true, false, false, false, 8, 40, 72},
	{WRITE2ST_64, true, false, false, false, 8, 2560, 4608},
	{WRITE_8, true, false, false, false, 1, 20, 0},
	{WRITE_8_HI, true, false, false, true, 1, 20, 0},
	{WRITE_16, true, false, false, false, 2, 20, 0},
	{WRITE_16_HI, true, false, false, true, 2, 20, 0},
};

static uint32_t old[12][64];

static int setup(void **state)
{
	(void)state;
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static void fill(uint64_t exec)
{
	lab_reset(&lab);
	lab.wave->exec = exec;
	for (unsigned int i = 0; i < LAB_LDS; i++)
		lab.lds[i] = (uint8_t)lab_random();
	for (unsigned int r = 0; r < 12; r++)
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[r][l] = old[r][l] = (uint32_t)lab_random();
}

static void check_read(const struct shape *s, unsigned int lane)
{
	const uint32_t *addr = lab.wave->vgpr[2];
	uint32_t want[4];

	for (unsigned int i = 0; i < 4; i++)
		want[i] = old[8 + i][lane];
	if (s->bytes >= 4) {
		memcpy(want, lab.lds + addr[lane] + s->first, s->bytes);
		if (s->second)
			memcpy(want + s->bytes / 4, lab.lds + addr[lane] + s->second, s->bytes);
	} else {
		uint32_t v = 0, top = 1u << (8 * s->bytes - 1);

		memcpy(&v, lab.lds + addr[lane] + s->first, s->bytes);
		if (s->sign && v & top)
			v |= -top;
		want[0] = s->low    ? (want[0] & 0xffff0000) | (v & 0xffff)
			  : s->high ? (want[0] & 0xffff) | v << 16
				    : v;
	}
	for (unsigned int i = 0; i < 4; i++)
		if (lab.wave->vgpr[8 + i][lane] != want[i])
			fail_msg("%s: lane %u register %u: got %08x, want %08x", text[s->snippet],
				 lane, i, lab.wave->vgpr[8 + i][lane], want[i]);
}

/* The first elements of all lanes go before the second ones. */
static void apply_write(const struct shape *s, unsigned int lane, bool second, uint8_t *to)
{
	uint32_t value[4], at = lab.wave->vgpr[2][lane];

	for (unsigned int i = 0; i < 4; i++)
		value[i] = lab.wave->vgpr[8 + i][lane];
	if (s->high)
		value[0] >>= 16;
	if (!second)
		memcpy(to + at + s->first, value, s->bytes);
	else if (s->second)
		memcpy(to + at + s->second, value + s->bytes / 4, s->bytes);
}

/* Runs it with the wave's addresses and EXEC. */
static void check_shape(const struct shape *s)
{
	const uint64_t exec = lab.wave->exec;
	uint8_t want[LAB_LDS];

	memcpy(want, lab.lds, LAB_LDS);
	for (unsigned int i = 0; s->write && i < 128; i++)
		if (exec >> i % 64 & 1)
			apply_write(s, i % 64, i >= 64, want);
	lab_run_to_end(&lab, s->snippet);
	if (s->write) {
		assert_memory_equal(lab.lds, want, LAB_LDS);
		return;
	}
	for (unsigned int l = 0; l < 64; l++) {
		if (exec >> l & 1)
			check_read(s, l);
		else
			assert_int_equal(lab.wave->vgpr[8][l], old[8][l]);
	}
}

static void shape_case(const struct shape *s, uint64_t exec, bool contiguous)
{
	fill(exec);
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[2][l] = contiguous ? 64 + s->bytes * l
						  : (uint32_t)(lab_random() % (LAB_LDS - 8192));
	check_shape(s);
}

/* Lanes at the same distances as last time, from another address and then past the end. */
static void repeated_case(const struct shape *s, const int32_t *distance)
{
	static const uint32_t from[] = {4096, 4096, 4100, 5000, 4099, 4103};

	for (unsigned int i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		fill(~0ull);
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] = from[i] + (uint32_t)distance[l];
		check_shape(s);
	}
	fill(~0ull);
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[2][l] = LAB_LDS + 3 + (uint32_t)(distance[l] - distance[0]);
	assert_int_equal(lab_run(&lab, s->snippet), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.lane, 0);
}

static void test_repeated(void **state)
{
	int32_t distance[64];

	(void)state;
	for (unsigned int n = 0; n < 8; n++) {
		for (unsigned int l = 0; l < 64; l++)
			distance[l] = n == 0   ? (int32_t)(l / 16 * 512)
				      : n == 1 ? (int32_t)(l / 16 * 512 + l % 16 * 4)
				      : n == 2 ? (int32_t)l * -16
					       : (int32_t)(lab_random() % 6000) - 3000;
		for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
			repeated_case(&shapes[i], distance);
	}
}

static void test_shapes(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (unsigned int n = 0; n < 10; n++) {
			shape_case(&shapes[i], n & 1 ? lab_random() : ~0ull, n & 2);
			shape_case(&shapes[i], 0, false);
		}
}

static void test_addtid(void **state)
{
	(void)state;
	fill(lab_random());
	lab_run_to_end(&lab, READ_ADDTID);
	for (unsigned int l = 0; l < 64; l++)
		if (lab.wave->exec >> l & 1)
			assert_memory_equal(&lab.wave->vgpr[8][l], lab.lds + 0x40 + 20 + 4 * l, 4);
	fill(lab_random());
	lab_run_to_end(&lab, WRITE_ADDTID);
	for (unsigned int l = 0; l < 64; l++)
		if (lab.wave->exec >> l & 1)
			assert_memory_equal(&lab.wave->vgpr[8][l], lab.lds + 0x40 + 20 + 4 * l, 4);
}

/* The lane whose value lane l must have; -1: 0. */
static int source_of(enum snippet snippet, unsigned int l)
{
	static const unsigned int quad[] = {3, 1, 0, 2};
	/* The manual's tables for patterns 0x00 and 0x10; its lanes count from 1. */
	static const unsigned char fft[2][32] = {
		{0x01, 0x11, 0x09, 0x19, 0x05, 0x15, 0x0d, 0x1d, 0x03, 0x13, 0x0b,
		 0x1b, 0x07, 0x17, 0x0f, 0x1f, 0x02, 0x12, 0x0a, 0x1a, 0x06, 0x16,
		 0x0e, 0x1e, 0x04, 0x14, 0x0c, 0x1c, 0x08, 0x18, 0x10, 0x20},
		{0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f, 0x02, 0x0a, 0x06,
		 0x0e, 0x04, 0x0c, 0x08, 0x10, 0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b,
		 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20},
	};
	unsigned int at = l & 31;

	switch (snippet) {
	case BPERMUTE:
		return (int)((lab.wave->vgpr[2][l] + 4) / 4 % 64);
	case PERMUTE:
		for (int from = 63; from >= 0; from--)
			if (lab.wave->exec >> from & 1 &&
			    (lab.wave->vgpr[2][from] + 4) / 4 % 64 == l)
				return from;
		return -1;
	case SWIZZLE_QUAD:
		return (int)((l & ~3u) + quad[l & 3]);
	case SWIZZLE_MASK: /* bit 4 zero, bit 3 one, bit 2 kept, bit 1 inverted, bit 0 zero */
		return (int)((l & 32) | 8 | (at & 4) | (~at & 2));
	case SWIZZLE_FFT_32:
	case SWIZZLE_FFT_16:
		return (int)((l & 32) + fft[snippet - SWIZZLE_FFT_32][at] - 1);
	case SWIZZLE_FFT_NONE:
		return (int)l;
	default: /* rotate by 3 among 32 */
		return (int)((l & 32) | ((at + 3) & 31));
	}
}

static void test_crossbar(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 200; n++) {
		enum snippet snippet = BPERMUTE + n % 8;

		fill(n & 16 ? lab_random() : ~0ull);
		lab_run_to_end(&lab, snippet);
		for (unsigned int l = 0; l < 64; l++) {
			int from = source_of(snippet, l);
			uint32_t want = from >= 0 && lab.wave->exec >> from & 1 ? old[10][from] : 0;

			if (!(lab.wave->exec >> l & 1))
				want = old[8][l];
			if (lab.wave->vgpr[8][l] != want)
				fail_msg("%s: lane %u: got %08x, want %08x", text[snippet], l,
					 lab.wave->vgpr[8][l], want);
		}
		assert_int_equal(lab.counters.lds_passes, 0);
	}
}

static void test_faults(void **state)
{
	(void)state;
	fill(~0ull);
	memset(lab.wave->vgpr[2], 0, sizeof(lab.wave->vgpr[2]));
	lab.wave->vgpr[2][9] = LAB_LDS - 23; /* 20 behind is one byte over the end */
	assert_int_equal(lab_run(&lab, READ_32), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_LDS);
	assert_int_equal(lab.wave->fault.lane, 9);
	assert_int_equal(lab.wave->fault.addr, LAB_LDS - 3);
	lab.wave->vgpr[2][9] = 0xffffffea; /* wraps to -2 */
	assert_int_equal(lab_run(&lab, WRITE_32), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.lane, 9);
	lab.wave->exec = ~(1ull << 9);
	lab_run_to_end(&lab, WRITE_32);
	assert_int_equal(lab_run(&lab, GWS), SIM_STOP_GWS);
	assert_int_equal(lab.wave->stop_arg, 157 | 3 << 8);
}

/* vaddr and the offset are added in 32 bits: compilers step through an array from below. */
static void test_wraps(void **state)
{
	const uint32_t *lds = (const uint32_t *)lab.lds;

	(void)state;
	fill(~0ull);
	for (unsigned int l = 0; l < 64; l++)
		lab.wave->vgpr[2][l] = 4 * l - 20u;
	lab_run_to_end(&lab, READ_128);
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int i = 0; i < 4; i++)
			assert_int_equal(lab.wave->vgpr[8 + i][l], lds[l + i]);
	lab_run_to_end(&lab, READ2_32);
	for (unsigned int l = 0; l < 64; l++) {
		assert_int_equal(lab.wave->vgpr[8][l], lds[l]);
		assert_int_equal(lab.wave->vgpr[9][l], lds[l + 4]);
	}
}

/* One row of the oracle: "stride_bytes=S", "active_lanes=N;stride_bytes=S" or "tile16x4;...". */
static bool oracle_addresses(const char *pattern)
{
	unsigned int lanes = 64, stride, pitch;

	if (sscanf(pattern, "active_lanes=%u;stride_bytes=%u", &lanes, &stride) == 2 ||
	    sscanf(pattern, "stride_bytes=%u", &stride) == 1) {
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] = l * stride;
	} else if (sscanf(pattern, "tile16x4;addr=(lane%%16)*%u", &pitch) == 1) {
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] = l % 16 * pitch + l / 16 * 16;
	} else {
		return false;
	}
	lab.wave->exec = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
	return true;
}

static enum snippet oracle_snippet(unsigned int bits, bool write)
{
	unsigned int width = bits == 32 ? 0 : bits == 64 ? 1 : 2;

	return (write ? PLAIN_WRITE_32 : PLAIN_READ_32) + width;
}

/* gfx942 rows hold for gfx90a, which has the same banks and phases. */
static void test_oracle(void **state)
{
	FILE *file = fopen(TEST_DATA "/lds_oracle.csv", "r");
	unsigned int rows = 0, measured = 0;
	char line[512];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		char arch[16], direction[16], pattern[128];
		unsigned int bits, conflicts;

		assert_int_equal(sscanf(line, "%15[^,],%u,%15[^,],%127[^,],%u", arch, &bits,
					direction, pattern, &conflicts),
				 5);
		fill(~0ull);
		if (!oracle_addresses(pattern))
			fail_msg("pattern not understood: %s", pattern);
		lab_run_to_end(&lab, oracle_snippet(bits, direction[0] == 'w'));
		if (lab.counters.lds_conflicts != conflicts)
			fail_msg("%s: counted %lu conflicts", line, lab.counters.lds_conflicts);
		assert_int_equal(lab.counters.lds_passes, conflicts + (bits == 32   ? 2
								       : bits == 64 ? 4
										    : 8));
		rows++;
		measured += strstr(line, "measured-on-hardware") != NULL;
	}
	fclose(file);
	printf("%u rows, %u measured\n", rows, measured);
	assert_int_equal(rows, 54);
	assert_int_equal(measured, 23);
}

/* The phase of a lane, as the table in the facts groups them. */
static unsigned int phase_of(unsigned int lane, unsigned int bytes, bool write)
{
	static const uint8_t read128[8] = {0, 1, 2, 3, 1, 0, 3, 2}; /* of quad 0..7 of a half */

	if (bytes <= 4)
		return lane / 32;
	if (bytes == 8)
		return lane / 16;
	return write ? lane / 8 : 4 * (lane / 32) + read128[lane % 32 / 4];
}

static unsigned int recount(const uint32_t *addr, uint64_t exec, unsigned int bytes, bool write,
			    bool atomic, unsigned int phases)
{
	unsigned int sum = 0;

	for (unsigned int p = 0; p < phases; p++) {
		unsigned int worst = 1;

		for (unsigned int bank = 0; bank < 32; bank++) {
			uint32_t seen[256];
			unsigned int n = 0;

			for (unsigned int l = 0; l < 64; l++) {
				if (!(exec >> l & 1) || phase_of(l, bytes, write) != p)
					continue;
				for (uint32_t d = addr[l] / 4; d <= (addr[l] + bytes - 1) / 4;
				     d++) {
					unsigned int i = 0;

					while (i < n && seen[i] != d)
						i++;
					if (d % 32 == bank && (i == n || atomic))
						seen[n++] = d;
				}
			}
			worst = n > worst ? n : worst;
		}
		sum += worst - 1;
	}
	return sum;
}

static void test_recount(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 600; n++) {
		static const enum snippet kinds[] = {
			PLAIN_READ_32,	PLAIN_READ_64,	 PLAIN_READ_128, PLAIN_WRITE_32,
			PLAIN_WRITE_64, PLAIN_WRITE_128, ADD_32};
		enum snippet snippet = kinds[n % 7];
		bool write = n % 7 >= 3, atomic = snippet == ADD_32;
		unsigned int bytes = atomic ? 4 : 4u << n % 7 % 3, range = n & 1 ? 256 : 8192;

		fill(n & 2 ? lab_random() : ~0ull);
		if (!lab.wave->exec)
			continue;
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] =
				(uint32_t)(lab_random() % range) & (n & 4 && !atomic ? ~0u : ~3u);
		lab_run_to_end(&lab, snippet);
		assert_int_equal(lab.counters.lds_conflicts,
				 recount(lab.wave->vgpr[2], lab.wave->exec, bytes, write, atomic,
					 bytes == 4   ? 2
					 : bytes == 8 ? 4
						      : 8));
	}
}

/* A repeated pattern comes from the memo: same lanes, another base, then other lanes. */
static void test_memo(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < 200; n++) {
		unsigned int stride = n % 3 ? 36 : 4 << n % 7;
		uint64_t conflicts;

		fill(n % 5 ? ~0ull : lab_random() | 1);
		for (unsigned int l = 0; l < 64; l++)
			lab.wave->vgpr[2][l] = 4 * (n % 50) + l * stride;
		conflicts = recount(lab.wave->vgpr[2], lab.wave->exec, 4, false, false, 2);
		for (unsigned int i = 1; i < 4; i++) {
			lab_run_to_end(&lab, PLAIN_READ_32);
			assert_int_equal(lab.counters.lds_conflicts, i * conflicts);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),	 cmocka_unit_test(test_addtid),
		cmocka_unit_test(test_crossbar), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_oracle),	 cmocka_unit_test(test_recount),
		cmocka_unit_test(test_memo),	 cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_repeated),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
