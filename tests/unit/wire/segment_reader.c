/* SPDX-License-Identifier: MIT */
/* The supervisor's end of a segment: what it accepts; nothing in the mapping is trusted. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/crc32.h"
#include "common/err.h"
#include "wire/segment_reader_file.h"

#define HOST_BYTES  65536u
#define RING_BYTES  4096u
#define LARGE_BYTES 16384u

static int setup(void **state)
{
	struct segment_reader *seg = calloc(1, sizeof(*seg));
	const struct segment_rings rings = {
		.count = 4, .size = RING_BYTES, .large_count = 2, .large_size = LARGE_BYTES};

	if (!seg || segment_reader_create(HOST_BYTES, &rings, false, seg))
		return -1;
	*state = seg;
	return 0;
}

static int teardown(void **state)
{
	segment_reader_destroy(*state);
	free(*state);
	return 0;
}

/* The writer of these tests: a record at `at`, as segment_writer.c leaves it. */
static uint32_t put_at(struct segment_reader *seg, uint64_t at, uint32_t type, const void *payload,
		       uint32_t size)
{
	uint32_t total = (uint32_t)(sizeof(struct probe_host_rec) + size + 7) & ~7u;
	unsigned char *to = seg->host_data + (at & (seg->host_size - 1));
	struct probe_host_rec rec = {.size = total, .type = type, .tid = 7, .time = at};

	memcpy(to + sizeof(rec), payload, size);
	rec.commit = PROBE_COMMIT ^ probe_crc32(0, to + sizeof(rec), total - sizeof(rec));
	memcpy(to, &rec, sizeof(rec));
	return total;
}

static void put(struct segment_reader *seg, uint32_t type, const void *payload, uint32_t size)
{
	seg->host->head += put_at(seg, seg->host->head, type, payload, size);
	seg->host->emitted++;
}

static void takes_records_in_order(void **state)
{
	struct segment_reader *seg = *state;
	struct segment_record rec;

	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_EMPTY);
	put(seg, 3, "abcdefgh", 8);
	put(seg, 4, "xy", 2);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_RECORD);
	assert_int_equal(rec.type, 3);
	assert_int_equal(rec.size, 8);
	assert_memory_equal(rec.payload, "abcdefgh", 8);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_RECORD);
	assert_int_equal(rec.type, 4);
	assert_int_equal(rec.size, 8);
	assert_memory_equal(rec.payload, "xy\0\0\0\0\0", 8);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_EMPTY);
	assert_int_equal(seg->host->tail, seg->host->head);
	/* Freed as zeros: commit words begin as 0 when the ring wraps. */
	for (uint64_t i = 0; i < seg->host_tail; i++)
		assert_int_equal(seg->host_data[i], 0);
}

/*
 * Many times around the ring, with every remainder at its end: PAD if a header fits, else nothing.
 */
static void wraps(void **state)
{
	struct segment_reader *seg = *state;
	unsigned char payload[256];
	struct segment_record rec;

	memset(payload, 0x5a, sizeof(payload));
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t size = 8 * (i % 29);
		uint64_t at = seg->host->head & (HOST_BYTES - 1), rest = HOST_BYTES - at;

		if (rest < sizeof(struct probe_host_rec) + size) {
			if (rest >= sizeof(struct probe_host_rec)) {
				struct probe_host_rec pad = {.size = (uint32_t)rest,
							     .commit = PROBE_COMMIT};

				memcpy(seg->host_data + at, &pad, sizeof(pad));
			}
			seg->host->head += rest;
		}
		payload[0] = (unsigned char)i;
		put(seg, 1 + i % 13, payload, size);
		assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_RECORD);
		assert_int_equal(rec.type, 1 + i % 13);
		assert_int_equal(rec.size, size);
		if (size)
			assert_int_equal(rec.payload[0], (unsigned char)i);
	}
	assert_int_equal(seg->loss.corrupt + seg->loss.uncommitted, 0);
	assert_true(seg->host_tail > 20 * HOST_BYTES);
}

static void waits_at_a_hole_then_steps_over_it(void **state)
{
	struct segment_reader *seg = *state;
	struct segment_record rec;

	put(seg, 1, "first", 5);
	*(uint32_t *)(seg->host_data + seg->host->head) = 48; /* its size is written */
	seg->host->head += 48;
	put(seg, 2, "second", 6);
	seg->host->head += 40; /* not even that */
	put(seg, 3, "third", 5);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_RECORD);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_WAIT);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_WAIT);
	assert_int_equal(segment_reader_next(seg, true, &rec), SEGMENT_RECORD);
	assert_int_equal(rec.type, 2);
	assert_int_equal(segment_reader_next(seg, true, &rec), SEGMENT_RECORD);
	assert_int_equal(rec.type, 3);
	assert_int_equal(segment_reader_next(seg, true, &rec), SEGMENT_EMPTY);
	assert_int_equal(seg->loss.uncommitted, 2);
	assert_int_equal(seg->loss.corrupt, 0);
}

static void counts_a_damaged_record(void **state)
{
	struct segment_reader *seg = *state;
	struct segment_record rec;

	put(seg, 1, "first", 5);
	seg->host_data[sizeof(struct probe_host_rec)] ^= 1;
	put(seg, 2, "second", 6);
	assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_RECORD);
	assert_int_equal(rec.type, 2);
	assert_int_equal(seg->loss.corrupt, 1);
}

/* Wrong sizes: none is followed while others write, and all are skipped at the end. */
static void rejects_wrong_sizes(void **state)
{
	static const uint32_t sizes[] = {
		1, 23, 25, 28, 0xfffffff8, 0x7fffffff, HOST_BYTES, HOST_BYTES * 2, 1u << 21};
	struct segment_reader *seg = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct segment_record rec;
		uint64_t at = seg->host->head & (HOST_BYTES - 1);

		put(seg, 1, "liar", 4);
		*(uint32_t *)(seg->host_data + at) = sizes[i];
		put(seg, 9, "honest", 6);
		assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_WAIT);
		assert_int_equal(segment_reader_next(seg, true, &rec), SEGMENT_RECORD);
		assert_int_equal(rec.type, 9);
		assert_int_equal(seg->loss.corrupt, i + 1);
	}
}

static void survives_any_head(void **state)
{
	static const uint64_t heads[] = {1, HOST_BYTES + 8, 1ull << 63, ~0ull, ~0ull - 7};
	struct segment_reader *seg = *state;
	struct segment_record rec;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		seg->host->head = heads[i];
		assert_int_equal(segment_reader_next(seg, false, &rec), SEGMENT_WAIT);
	}
	seg->host->head = 1ull << 40;
	assert_int_equal(segment_reader_next(seg, true, &rec), SEGMENT_EMPTY);
	assert_int_equal(seg->loss.corrupt, 1);
}

/* A whole ring of noise, many times: it ends, within bounds (sanitizers watch), and reports it. */
static void survives_noise(void **state)
{
	struct segment_reader *seg = *state;
	uint64_t random = 88172645463325252ull;

	for (int round = 0; round < 40; round++) {
		struct segment_record rec;
		int taken = 0;

		for (uint32_t i = 0; i < HOST_BYTES; i += 4) {
			uint32_t word;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			word = (uint32_t)random;
			/* Every other word a plausible size. */
			if (i % 8 == 0)
				word = (word % 512) & ~7u;
			memcpy(seg->host_data + i, &word, 4);
		}
		seg->host->head = seg->host_tail + HOST_BYTES;
		while (segment_reader_next(seg, true, &rec) == SEGMENT_RECORD)
			taken++;
		assert_int_equal(seg->host_tail, seg->host->head);
		assert_true(taken < 3);
	}
	assert_true(seg->loss.corrupt > 40);
}

static void reads_rings_by_piece(void **state)
{
	struct segment_reader *seg = *state;
	unsigned char out[RING_BYTES];

	assert_false(segment_reader_snapshot(seg));
	memset(seg->data + RING_BYTES, 0xab, RING_BYTES);
	seg->heads[1].head = 4000;
	assert_true(segment_reader_snapshot(seg));
	assert_int_equal(segment_reader_ring_peek(seg, 0, out), 0);
	assert_int_equal(segment_reader_ring_peek(seg, 1, out), 4000);
	assert_int_equal(out[3999], 0xab);
	seg->heads[1].head = 4096 + 96; /* written since: not part of this snapshot */
	segment_reader_ring_consume(seg, 1, 4000);
	assert_int_equal(segment_reader_ring_peek(seg, 1, out), 0);
	assert_int_equal(seg->heads[1].tail, 4000);
	assert_true(segment_reader_snapshot(seg));
	assert_int_equal(segment_reader_ring_peek(seg, 1, out), 96); /* up to the end ... */
	segment_reader_ring_consume(seg, 1, 96);
	assert_int_equal(segment_reader_ring_peek(seg, 1, out), 96); /* ... then from the start */
	segment_reader_ring_consume(seg, 1, 96);
	assert_false(segment_reader_snapshot(seg));
}

/* They lie behind the small ones, in numbers and in bytes. */
static void reads_large_rings(void **state)
{
	struct segment_reader *seg = *state;
	unsigned char out[LARGE_BYTES];

	assert_int_equal(seg->ring_count, 6);
	assert_int_equal(segment_reader_ring_size(seg, 3), RING_BYTES);
	assert_int_equal(segment_reader_ring_size(seg, 4), LARGE_BYTES);
	memset(seg->data + 4 * RING_BYTES + LARGE_BYTES, 0xcd, LARGE_BYTES);
	seg->heads[5].head = LARGE_BYTES;
	seg->heads[3].head = RING_BYTES + 8; /* more than such a ring has */
	assert_true(segment_reader_snapshot(seg));
	assert_true(seg->rings[3].broken && !seg->rings[5].broken);
	assert_int_equal(segment_reader_ring_peek(seg, 5, out), LARGE_BYTES);
	assert_true(out[0] == 0xcd && out[LARGE_BYTES - 1] == 0xcd);
	segment_reader_ring_consume(seg, 5, LARGE_BYTES);
	assert_int_equal(seg->heads[5].tail, LARGE_BYTES);
	assert_true(seg->data + 4 * RING_BYTES + 2 * LARGE_BYTES <= seg->map + seg->size);
}

static void stops_reading_a_broken_ring(void **state)
{
	static const uint64_t heads[] = {RING_BYTES + 8, 4, ~0ull};
	struct segment_reader *seg = *state;
	unsigned char out[RING_BYTES];

	for (uint32_t i = 0; i < 3; i++) {
		seg->heads[i].head = heads[i];
		assert_false(segment_reader_snapshot(seg));
		assert_true(seg->rings[i].broken);
		seg->heads[i].head = 8;
		assert_false(segment_reader_snapshot(seg));
		assert_int_equal(segment_reader_ring_peek(seg, i, out), 0);
	}
	seg->heads[3].head = 8; /* the others' trouble is not its own */
	assert_true(segment_reader_snapshot(seg));
}

static void refuses_odd_shapes(void **state)
{
	static const struct {
		uint64_t host;
		struct segment_rings rings;
	} shapes[] = {{0, {0}},
		      {4096, {0}},
		      {100000, {0}},
		      {65536, {.count = 3, .size = 4096}},
		      {65536, {.count = 4, .size = 1000}},
		      {65536, {.count = 4, .size = 2048}},
		      {65536, {.count = 4, .size = 4096, .large_count = 3, .large_size = 8192}},
		      {65536, {.count = 4, .size = 4096, .large_count = 2, .large_size = 100}},
		      {65536, {.count = 1u << 17, .size = 4096}},
		      {65536, {.count = 65536, .size = 1u << 20}}};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct segment_reader seg;
		struct probe_err *err =
			segment_reader_create(shapes[i].host, &shapes[i].rings, false, &seg);

		assert_non_null(err);
		probe_err_destroy(err);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(takes_records_in_order),
		TEST(wraps),
		TEST(waits_at_a_hole_then_steps_over_it),
		TEST(counts_a_damaged_record),
		TEST(rejects_wrong_sizes),
		TEST(survives_any_head),
		TEST(survives_noise),
		TEST(reads_rings_by_piece),
		TEST(reads_large_rings),
		TEST(stops_reading_a_broken_ring),
		cmocka_unit_test(refuses_odd_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
