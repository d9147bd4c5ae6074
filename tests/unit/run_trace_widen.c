/* SPDX-License-Identifier: MIT */
/* Short trace records written out, against the addresses they were made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/trace_widen.h"

enum { GROUP = 20, SITES = 5, BASES = 2, LANES = 64 };

static _Alignas(8) unsigned char bytes[1 << 16], out[PROBE_TRACE_WIDE_ROOM * 2];
static size_t len;
static struct probe_trace_group group;
static const struct probe_trace_group *by_site[GROUP + BASES + 1];
static const struct probe_trace_groups groups = {by_site, GROUP + BASES + 1};
static const struct probe_trace_key key = {.groups = &groups};
static struct probe_trace_wide wide;
static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed ^ seed >> 29;
}

static int setup(void **state)
{
	(void)state;
	len = 0;
	wide = (struct probe_trace_wide){0};
	assert_true(probe_trace_group_read(GROUP, "10:0+0,1+0,0+16,1-4,0-2147483648", &group));
	for (uint32_t i = 0; i <= BASES; i++)
		by_site[GROUP + i] = &group;
	return 0;
}

static void add(const void *record, size_t size)
{
	memcpy(bytes + len, record, size);
	len += size;
}

static void add_wave(uint64_t rows)
{
	struct probe_rec_wave wave = {.word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT, .dispatch = 1};
	struct probe_rec_rows rec = {.word0 = PROBE_FORM_ROWS << PROBE_FORM_SHIFT, .lanes = rows};

	add(&wave, sizeof(wave));
	add(&rec, sizeof(rec));
}

static size_t widen(void)
{
	size_t pos = 0, size;

	wide = (struct probe_trace_wide){0};
	size = probe_trace_widen(bytes, len, &pos, &key, &wide, out, sizeof(out));
	assert_int_equal(pos, len);
	return size;
}

/* Addresses of one written-out record of all lanes. */
static size_t read_record(const unsigned char *at, uint32_t *ret_site, uint64_t address[LANES])
{
	const struct probe_rec_affine *affine = (const void *)at;
	const struct probe_rec_lanes *lanes = (const void *)at;
	unsigned form = affine->word0 >> PROBE_FORM_SHIFT;

	*ret_site = affine->word0 & PROBE_SITE_MASK;
	assert_int_equal(affine->exec, UINT64_MAX);
	for (unsigned i = 0; i < LANES; i++)
		if (form == PROBE_FORM_AFFINE)
			address[i] = affine->base + (uint64_t)((int64_t)affine->stride * i);
		else if (form == PROBE_FORM_NEAR)
			address[i] =
				lanes->base + (uint64_t)(int64_t)((const int32_t *)(lanes + 1))[i];
		else
			address[i] = ((const uint64_t *)(lanes + 1))[i];
	return form == PROBE_FORM_AFFINE ? sizeof(*affine) : lanes->size;
}

/* Addresses that the device may shorten so: by rows, the low half at one stride within each. */
static void make(uint64_t rows, uint64_t address[LANES])
{
	unsigned kind = (unsigned)(random64() % 4);
	uint64_t start = random64() >> (kind ? 20 : 0), stride = random64() % 4096 - 2048;

	if (kind == 3)
		stride = (uint32_t)random64();
	for (unsigned i = 0; i < LANES; i++) {
		bool begins = rows >> i & 1 && !(i && rows >> (i - 1) & 1 && i != 1);

		if (!i || (begins && i > 1 && kind))
			address[i] = i && kind == 2 ? random64() : start + i * (i ? 77 : 0);
		else if (rows >> i & 1)
			address[i] = address[i - 1] + stride;
		else
			address[i] = (address[i - 1] & ~(uint64_t)UINT32_MAX) |
				     (uint32_t)(2 * address[i - 1] - address[i - 2]);
	}
}

static void blocks_mean_their_addresses(void **state)
{
	static const uint64_t rows[] = {3,
					0x0003000300030003ull,
					0x0303030303030303ull,
					0x0000000300000003ull,
					0x8c63180000000003ull,
					UINT64_MAX};

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		uint64_t mask = rows[turn % 6], address[BASES][LANES], got[LANES];
		struct probe_rec_block rec = {GROUP | PROBE_FORM_BLOCK << PROBE_FORM_SHIFT, BASES};
		size_t size, pos = sizeof(struct probe_rec_wave);

		len = 0;
		add_wave(mask);
		add(&rec, sizeof(rec));
		for (unsigned b = 0; b < BASES; b++)
			make(mask, address[b]);
		for (unsigned i = 0; i < LANES; i++)
			for (unsigned b = 0; mask >> i & 1 && b < BASES; b++)
				add(&address[b][i], 8);
		size = widen();
		for (uint32_t s = 0; s < SITES; s++) {
			uint32_t site;

			assert_true(pos < size);
			pos += read_record(out + pos, &site, got);
			assert_int_equal(site, 10 + s);
			for (unsigned i = 0; i < LANES; i++)
				assert_true(got[i] ==
					    address[group.site[s].base][i] +
						    (uint64_t)(int64_t)group.site[s].distance);
		}
		assert_int_equal(pos, size);
	}
}

/* Where lanes are missing, the bases come one by one; their sites are told in order all the same.
 */
static void bases_stand_for_their_sites(void **state)
{
	struct probe_rec_affine first = {(GROUP + 1) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT, 4, 7,
					 1000};
	struct probe_rec_affine second = {(GROUP + 2) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT, 8, 7,
					  5000};
	static const uint64_t want[SITES] = {1000, 5000, 1016, 4996, 1000 - (1ull << 31)};
	const struct probe_rec_affine *got = (const void *)(out + sizeof(struct probe_rec_wave));

	(void)state;
	add_wave(3);
	add(&first, sizeof(first));
	add(&second, sizeof(second));
	assert_int_equal(widen(), sizeof(struct probe_rec_wave) + SITES * sizeof(*got));
	for (uint32_t i = 0; i < SITES; i++) {
		assert_int_equal(got[i].word0, (10 + i) | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT);
		assert_true(got[i].base == want[i] && got[i].exec == 7);
	}
	/* The other base's record was lost: those of one base. */
	len -= sizeof(second);
	assert_int_equal(widen(), sizeof(struct probe_rec_wave) + 3 * sizeof(*got));
}

static void refuses_names(void **state)
{
	static const char *const names[] = {"",		 "1",	  ":0+0",	    "1:",
					    "1:0",	 "1:8+0", "1:0+",	    "1:0+0,",
					    "1:0+0;1+0", "x:0+0", "1:0+2147483648", "16777216:0+0"};
	struct probe_trace_group got;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(probe_trace_group_read(1, names[i], &got));
}

/* Whatever the bytes are: in bounds, to the end. */
static void takes_anything(void **state)
{
	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		size_t pos = 0, size = random64() % 64 * 8;
		unsigned char *copy = malloc(size + 1);

		for (size_t i = 0; i < size; i += 8) {
			uint64_t word = random64();

			if (turn % 2)
				word = (word & 0xffffffff00000000ull) | GROUP |
				       (word % 13) << PROBE_FORM_SHIFT;
			memcpy(copy + i, &word, 8);
		}
		wide = (struct probe_trace_wide){.rows = turn % 3 ? 3 : random64()};
		while (size - pos >= 8) {
			size_t before = pos;

			assert_true(probe_trace_widen(copy, size, &pos, &key, &wide, out,
						      sizeof(out)) <= sizeof(out));
			assert_true(pos > before);
		}
		free(copy);
	}
}

/* Its two stamps, side by side; half a record is none. */
static void spans_are_two_stamps(void **state)
{
	const struct probe_rec_span span = {
		.word0 = 7 | (uint32_t)PROBE_FORM_SPAN << PROBE_FORM_SHIFT,
		.lanes = 33,
		.begin = 1000,
		.end = 1ull << 40,
	};
	const struct probe_rec_stamp want[] = {
		{7 | (uint32_t)PROBE_FORM_BEGIN << PROBE_FORM_SHIFT, 33 | PROBE_STAMP_SPAN, 1000},
		{7 | (uint32_t)PROBE_FORM_END << PROBE_FORM_SHIFT, 33 | PROBE_STAMP_SPAN,
		 1ull << 40},
	};

	(void)state;
	add(&span, sizeof(span));
	assert_int_equal(widen(), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	len -= 8;
	assert_int_equal(widen(), len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(blocks_mean_their_addresses, setup),
		cmocka_unit_test_setup(bases_stand_for_their_sites, setup),
		cmocka_unit_test_setup(spans_are_two_stamps, setup),
		cmocka_unit_test_setup(refuses_names, setup),
		cmocka_unit_test_setup(takes_anything, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
