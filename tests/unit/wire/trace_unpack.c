/* SPDX-License-Identifier: MIT */
/*
 * Unpacking the trace bytes of older databases: as they were before the packer of those versions,
 * which is here, and malformed bytes are rejected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <probe/wire.h>

#include "wire/trace_unpack.h"

#define BYTES 16384u
/*
 * Upper bound of the packed size. The worst case alternates 24 bytes of an affine record (25
 * packed) with 8 other bytes (10 packed).
 */
#define PACK_MAX(size) ((size) + (size) / 8 + 32)

enum {
	SLOTS = 64,
	TOKEN_AGAIN = 0x00,
	TOKEN_STEP = 0x40,
	TOKEN_AFFINE = 0x80,
	TOKEN_BYTES = 0x81,
};

/* The last affine record of a slot, and the change of its base. An empty slot has word0 0. */
struct slot {
	struct probe_rec_affine last;
	uint64_t step;
};

static size_t put_number(unsigned char *out, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

static uint64_t zigzag(uint64_t value)
{
	return value << 1 ^ (0 - (value >> 63));
}

static size_t pack_affine(const struct probe_rec_affine *rec, struct slot *slots,
			  unsigned char *out)
{
	unsigned s = rec->word0 % SLOTS;
	struct slot *slot = &slots[s];
	uint64_t step = rec->base - slot->last.base;
	size_t n;

	if (rec->word0 != slot->last.word0 || rec->stride != slot->last.stride ||
	    rec->exec != slot->last.exec) {
		*slot = (struct slot){.last = *rec};
		out[0] = TOKEN_AFFINE;
		memcpy(out + 1, rec, sizeof(*rec));
		return 1 + sizeof(*rec);
	}
	slot->last.base = rec->base;
	if (step == slot->step) {
		out[0] = (unsigned char)(TOKEN_AGAIN + s);
		return 1;
	}
	slot->step = step;
	out[0] = (unsigned char)(TOKEN_STEP + s);
	n = put_number(out + 1, zigzag(step));
	return 1 + n;
}

/* Size of the record at `at`, which is not affine; all remaining bytes if its size is unknown. */
static size_t other_size(const unsigned char *at, size_t left)
{
	uint32_t words[2];
	unsigned form;

	if (left < sizeof(words))
		return left;
	memcpy(words, at, sizeof(words));
	form = words[0] >> PROBE_FORM_SHIFT;
	if (form == PROBE_FORM_WAVE && left >= sizeof(struct probe_rec_wave))
		return sizeof(struct probe_rec_wave);
	if ((form == PROBE_FORM_NEAR || form == PROBE_FORM_FULL) && words[1] && words[1] % 8 == 0 &&
	    words[1] <= left)
		return words[1];
	return left;
}

static bool is_affine(const unsigned char *at, size_t left)
{
	return left >= sizeof(struct probe_rec_affine) &&
	       at[3] == PROBE_FORM_AFFINE; /* the form is the top byte of word 0 */
}

static size_t pack(const unsigned char *bytes, size_t size, unsigned char *out)
{
	struct slot slots[SLOTS] = {0};
	size_t n = 0, pos = 0;

	while (pos < size) {
		struct probe_rec_affine rec;
		size_t from = pos;

		for (; is_affine(bytes + pos, size - pos); pos += sizeof(rec)) {
			memcpy(&rec, bytes + pos, sizeof(rec));
			n += pack_affine(&rec, slots, out + n);
		}
		from = pos;
		while (pos < size && !is_affine(bytes + pos, size - pos))
			pos += other_size(bytes + pos, size - pos);
		if (pos == from)
			continue;
		out[n++] = TOKEN_BYTES;
		n += put_number(out + n, pos - from);
		memcpy(out + n, bytes + from, pos - from);
		n += pos - from;
	}
	return n;
}

static uint64_t state64 = 88172645463325252ull;

static uint64_t random64(void)
{
	state64 ^= state64 << 13;
	state64 ^= state64 >> 7;
	state64 ^= state64 << 17;
	return state64;
}

/* Packed, unpacked, compared; returns the packed size. Buffers are exactly as large as promised. */
static size_t check(const unsigned char *bytes, size_t size)
{
	unsigned char *packed = malloc(PACK_MAX(size));
	unsigned char *again = malloc(size + 1);
	size_t packed_size = pack(bytes, size, packed);

	assert_true(packed_size <= PACK_MAX(size));
	assert_true(probe_trace_unpack(packed, packed_size, again, size));
	assert_memory_equal(bytes, again, size);
	if (size) {
		assert_false(probe_trace_unpack(packed, packed_size, again, size - 1));
		assert_false(probe_trace_unpack(packed, packed_size, again, size + 1));
	}
	free(packed);
	free(again);
	return packed_size;
}

/* A loop of `sites` accesses, each with its own stride and step. */
static size_t make_loop(unsigned char *out, uint32_t sites)
{
	struct probe_rec_wave wave = {.word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT, .dispatch = 1};
	size_t n = sizeof(wave);

	memcpy(out, &wave, sizeof(wave));
	for (uint32_t i = 0; n + sizeof(struct probe_rec_affine) <= BYTES; i++) {
		uint32_t site = i % sites;
		struct probe_rec_affine rec = {
			.word0 = site | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT,
			.stride = (int32_t)(4 * site) - 8,
			.exec = ~0ull,
			.base = 0x7f0000000000ull + site * 0x100000ull - i / sites * 256ull,
		};

		memcpy(out + n, &rec, sizeof(rec));
		n += sizeof(rec);
	}
	return n;
}

static void loops_shrink(void **state)
{
	static unsigned char bytes[BYTES];
	size_t size = make_loop(bytes, 10);

	(void)state;
	assert_true(check(bytes, size) < size / 12);
	size = make_loop(bytes, 1);
	assert_true(check(bytes, size) < size / 18);
	/* More sites than slots: larger than nothing, but not larger than promised. */
	size = make_loop(bytes, 65);
	check(bytes, size);
}

static void any_bytes_pack(void **state)
{
	static unsigned char bytes[4096];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t size = random64() % sizeof(bytes);

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)random64();
		/* Forms and sizes that mean something, often. */
		for (size_t i = 3; i < size; i += 8)
			bytes[i] = (unsigned char)(random64() % 6);
		for (size_t i = 4; i + 4 < size && round % 2; i += 8)
			memcpy(bytes + i, &(uint32_t){(uint32_t)(random64() % 100)}, 4);
		check(bytes, size);
	}
	check(bytes, 0);
}

/* What grows most: see PACK_MAX(). */
static void the_worst_fits(void **state)
{
	static unsigned char bytes[32 * 512];
	size_t packed;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 32) {
		struct probe_rec_affine affine = {
			.word0 = (uint32_t)i | PROBE_FORM_AFFINE << PROBE_FORM_SHIFT,
			.exec = i,
		};
		uint32_t other[2] = {PROBE_FORM_NEAR << PROBE_FORM_SHIFT, 8};

		memcpy(bytes + i, &affine, sizeof(affine));
		memcpy(bytes + i + sizeof(affine), other, sizeof(other));
	}
	packed = check(bytes, sizeof(bytes));
	assert_int_equal(packed, 512 * 35);
}

/* Packed bytes changed anywhere: rejected or a different result, never out of bounds. */
static void damage_is_survived(void **state)
{
	static unsigned char bytes[BYTES], packed[PACK_MAX(BYTES)];
	size_t size = make_loop(bytes, 7), packed_size = pack(bytes, size, packed);
	unsigned char *out = malloc(size);
	int refused = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		unsigned char *copy = malloc(packed_size);
		size_t cut = round % 2 ? packed_size : random64() % packed_size;

		memcpy(copy, packed, packed_size);
		copy[random64() % packed_size] ^= (unsigned char)(1 + random64() % 255);
		refused += !probe_trace_unpack(copy, cut, out, size);
		free(copy);
	}
	assert_true(refused > 10000);
	free(out);
}

static void refuses_what_no_packer_writes(void **state)
{
	static const unsigned char empty_slot[] = {0x05}, new_step[] = {0x45, 0x02},
				   token[] = {0x82}, open_end[] = {0x81, 0xff},
				   long_number[] = {0x81, 0xff, 0xff, 0xff, 0xff, 0xff,
						    0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
				   huge[] = {0x81, 0xff, 0xff, 0xff, 0xff, 0x0f};
	unsigned char out[24];

	(void)state;
	assert_false(probe_trace_unpack(empty_slot, sizeof(empty_slot), out, 24));
	assert_false(probe_trace_unpack(new_step, sizeof(new_step), out, 24));
	assert_false(probe_trace_unpack(token, sizeof(token), out, 24));
	assert_false(probe_trace_unpack(open_end, sizeof(open_end), out, 24));
	assert_false(probe_trace_unpack(long_number, sizeof(long_number), out, 24));
	assert_false(probe_trace_unpack(huge, sizeof(huge), out, 24));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_shrink),
		cmocka_unit_test(any_bytes_pack),
		cmocka_unit_test(the_worst_fits),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(refuses_what_no_packer_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
