/* SPDX-License-Identifier: MIT */
/* Trace records into batches: their meaning, where parsing stops, and malformed bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/trace_parser.h"

#define SITES 10

static _Alignas(8) unsigned char bytes[65536];
static size_t len;
static struct probe_access accesses[64];
static struct probe_wave_info waves[4];
static struct probe_trace_batch batch;
static struct probe_trace_ring ring;
static struct probe_trace_counts counts;
static size_t pos;

static int setup(void **state)
{
	(void)state;
	len = pos = 0;
	batch = (struct probe_trace_batch){
		.access = accesses, .capacity = 64, .waves = waves, .wave_capacity = 4};
	ring = (struct probe_trace_ring){0};
	counts = (struct probe_trace_counts){0};
	return 0;
}

static void add(const void *record, size_t size)
{
	memcpy(bytes + len, record, size);
	len += size;
}

static void add_wave(uint64_t dispatch, uint32_t group)
{
	struct probe_rec_wave wave = {
		.word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT,
		.wave = 3,
		.dispatch = dispatch,
		.group = {group, 1, 2},
		.hw_id = 77,
		.time = 123,
		.exec = ~0ull,
	};

	add(&wave, sizeof(wave));
}

static void add_affine(uint32_t site, int32_t stride, uint64_t exec, uint64_t base)
{
	struct probe_rec_affine rec = {site | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT, stride, exec,
				       base};

	add(&rec, sizeof(rec));
}

static void add_lanes(unsigned form, uint32_t site, uint64_t exec, uint64_t base, const void *items,
		      size_t size)
{
	struct probe_rec_lanes rec = {site | form << PROBE_FORM_SHIFT,
				      (uint32_t)(sizeof(rec) + ((size + 7) & ~7u)), exec, base};

	add(&rec, sizeof(rec));
	memset(bytes + len, 0, (size + 7) & ~7u);
	memcpy(bytes + len, items, size);
	len += (size + 7) & ~7u;
}

static enum probe_trace_stop parse(void)
{
	struct trace_piece piece = {bytes, len, pos};
	enum probe_trace_stop stop = probe_trace_parse(&piece, SITES, &ring, &batch, &counts);

	pos = piece.pos;
	return stop;
}

static void reads_the_three_forms(void **state)
{
	static const int32_t near[] = {0, -8, 400};
	static const uint64_t full[] = {0x1000, 0xffffffffffffff00ull};
	uint64_t out[64];

	(void)state;
	add_wave(5, 9);
	add_affine(1, -16, 0xf0, 0x8000);
	add_lanes(PROBE_FORM_NEAR, 2, 0x8000000000000011ull, 0x4000, near, sizeof(near));
	add_lanes(PROBE_FORM_FULL, 3, 0x3, 0, full, sizeof(full));
	assert_int_equal(parse(), PROBE_TRACE_SWITCH);
	assert_int_equal(ring.dispatch, 5);
	assert_int_equal(parse(), PROBE_TRACE_END);
	assert_int_equal(pos, len);
	assert_int_equal(batch.count, 3);
	assert_int_equal(counts.records, 4);
	assert_int_equal(counts.invalid, 0);
	assert_int_equal(probe_access_expand(&batch.access[0], out), 4);
	assert_int_equal(out[3], 0x8000 - 48);
	assert_int_equal(probe_access_expand(&batch.access[1], out), 3);
	assert_int_equal(out[1], 0x4000 - 8);
	assert_int_equal(probe_access_expand(&batch.access[2], out), 2);
	assert_true(out[1] == 0xffffffffffffff00ull);
	assert_int_equal(batch.access[2].wave->group[0], 9);
	assert_int_equal(batch.access[2].wave->wave, 3);
	assert_ptr_equal(batch.access[0].wave, batch.access[2].wave);
}

/* A barrier is counted as a record and in its wave, and is no access. */
static void counts_barriers(void **state)
{
	(void)state;
	add_wave(1, 0);
	add_affine(0, 4, 1, 0);
	add_affine(PROBE_SITE_BARRIER, 0, ~0ull, 0);
	add_affine(PROBE_SITE_BARRIER, 0, ~0ull, 0);
	add_affine(1, 4, 1, 0);
	add_affine(2, 4, 1, 0);
	add_wave(1, 1);
	add_affine(0, 4, 1, 0);
	assert_int_equal(parse(), PROBE_TRACE_SWITCH);
	assert_int_equal(parse(), PROBE_TRACE_END);
	assert_int_equal(counts.records, 8);
	assert_int_equal(counts.invalid, 0);
	assert_int_equal(batch.count, 4);
	assert_int_equal(batch.access[0].wave->barriers, 0);
	assert_int_equal(batch.access[1].wave->barriers, 2);
	assert_ptr_equal(batch.access[1].wave, batch.access[2].wave);
	assert_int_equal(batch.access[3].wave->barriers, 0);
	/* Cut short, it is no record. */
	pos = 0;
	len = sizeof(struct probe_rec_wave) + sizeof(struct probe_rec_affine) + 8;
	assert_int_equal(parse(), PROBE_TRACE_BAD);
}

static void pads_end_a_piece(void **state)
{
	(void)state;
	add_wave(1, 0);
	add_affine(0, 4, 1, 0);
	memset(bytes + len, 0xff, 40); /* the device leaves the rest as it was */
	memset(bytes + len, 0, 4);
	len += 40;
	parse();
	assert_int_equal(parse(), PROBE_TRACE_END);
	assert_int_equal(pos, len);
	assert_int_equal(counts.records, 2);
}

static void stops_when_full_and_goes_on(void **state)
{
	size_t total = 0;

	(void)state;
	add_wave(1, 4);
	for (int i = 0; i < 200; i++)
		add_affine((uint32_t)i % SITES, 4, ~0ull, (uint64_t)i);
	parse();
	while (parse() == PROBE_TRACE_FULL) {
		for (size_t i = 0; i < batch.count; i++) {
			assert_int_equal(batch.access[i].base, total++);
			assert_int_equal(batch.access[i].wave->group[0], 4);
		}
		probe_trace_reset(&batch);
	}
	assert_int_equal(total + batch.count, 200);
	assert_int_equal(pos, len);
}

/* More waves than the batch has places: full, not lost. */
static void a_full_wave_array_stops(void **state)
{
	int full = 0;

	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		add_wave(1, i);
		add_affine(0, 4, 1, i);
	}
	parse();
	for (enum probe_trace_stop stop; (stop = parse()) == PROBE_TRACE_FULL; full++) {
		for (size_t i = 0; i < batch.count; i++)
			assert_int_equal(batch.access[i].wave->group[0], batch.access[i].base);
		probe_trace_reset(&batch);
	}
	assert_int_equal(full, 2);
	assert_int_equal(batch.count, 1);
	assert_int_equal(counts.records, 18);
}

static void reports_a_change_of_dispatch(void **state)
{
	(void)state;
	add_wave(1, 0);
	add_affine(0, 4, 1, 10);
	add_wave(1, 1); /* same dispatch: no stop */
	add_affine(0, 4, 1, 11);
	add_wave(2, 0);
	add_affine(0, 4, 1, 20);
	assert_int_equal(parse(), PROBE_TRACE_SWITCH);
	assert_int_equal(parse(), PROBE_TRACE_SWITCH);
	assert_int_equal(ring.dispatch, 2);
	assert_int_equal(batch.count, 2);
	probe_trace_reset(&batch);
	assert_int_equal(parse(), PROBE_TRACE_END);
	assert_int_equal(batch.count, 1);
	assert_int_equal(batch.access[0].base, 20);
}

static void counts_what_it_cannot_deliver(void **state)
{
	(void)state;
	add_affine(0, 4, 1, 0); /* before any wave */
	add_wave(1, 0);
	add_affine(SITES, 4, 1, 0);
	add_affine(0, 4, 0, 0); /* no lane */
	add_affine(SITES - 1, 4, 1, 0);
	assert_int_equal(parse(), PROBE_TRACE_SWITCH);
	assert_int_equal(parse(), PROBE_TRACE_END);
	assert_int_equal(counts.records, 5);
	assert_int_equal(counts.invalid, 3);
	assert_int_equal(batch.count, 1);
}

static void rejects_malformed_bytes(void **state)
{
	static const int32_t items[3];

	(void)state;
	for (int change = 0; change < 6; change++) {
		size_t from;

		setup(NULL);
		add_wave(1, 0);
		from = len;
		add_lanes(PROBE_FORM_NEAR, 1, 0x7, 0, items, sizeof(items));
		if (change == 0)
			bytes[from + 3] = 9; /* no such form */
		if (change == 1)
			((uint32_t *)(bytes + from))[1] += 8; /* size does not fit the lanes */
		if (change == 2)
			bytes[from + 8] = 0xff; /* lanes do not fit the size */
		if (change == 3)
			len -= 8; /* cut */
		if (change == 4)
			len = from + 8;
		if (change == 5)
			memset(bytes + from, 0, 4), bytes[from] = 5; /* a pad that is none */
		parse();
		assert_int_equal(parse(), PROBE_TRACE_BAD);
		assert_int_equal(pos, from);
		assert_int_equal(batch.count, 0);
	}
}

/* Every truncation of a valid piece: never past the end, and complete records are parsed. */
static void takes_every_truncation(void **state)
{
	static const uint64_t full[] = {1, 2, 3};
	size_t whole;

	(void)state;
	add_wave(1, 0);
	add_affine(1, 4, 3, 0);
	add_lanes(PROBE_FORM_FULL, 2, 0x7, 0, full, sizeof(full));
	add_affine(1, 4, 3, 0);
	whole = len;
	for (size_t cut = 0; cut <= whole; cut++) {
		/* Exactly as large: a sanitizer sees a byte too many. */
		unsigned char *copy = aligned_alloc(8, (cut + 7) & ~(size_t)7);
		struct trace_piece piece = {copy, cut, 0};
		enum probe_trace_stop stop;

		memcpy(copy, bytes, cut);
		batch.count = batch.wave_count = 0;
		ring = (struct probe_trace_ring){0};
		counts = (struct probe_trace_counts){0};
		do
			stop = probe_trace_parse(&piece, SITES, &ring, &batch, &counts);
		while (stop == PROBE_TRACE_SWITCH);
		if (cut == 0 || cut == 48 || cut == 72 || cut == 120 || cut == whole)
			assert_int_equal(stop, PROBE_TRACE_END);
		else
			assert_int_equal(stop, PROBE_TRACE_BAD);
		assert_true(piece.pos <= cut);
		free(copy);
	}
	assert_int_equal(counts.records, 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		TEST(reads_the_three_forms),
		TEST(pads_end_a_piece),
		TEST(counts_barriers),
		TEST(stops_when_full_and_goes_on),
		TEST(a_full_wave_array_stops),
		TEST(reports_a_change_of_dispatch),
		TEST(counts_what_it_cannot_deliver),
		TEST(rejects_malformed_bytes),
		TEST(takes_every_truncation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
