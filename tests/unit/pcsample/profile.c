/* SPDX-License-Identifier: MIT */
/*
 * Samples of one dispatch: sums against a plain count, packed and unpacked again, damaged bytes;
 * and what the attributor hands on against what it counts without dispatches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pcsample/profile.h"

enum { INDEXES = 5000, EVENTS = 20000, BASE = 0x10000 };

static uint64_t random_of(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

struct plain {
	uint64_t samples, lanes, waves, dual;
};

static struct plain plain[INDEXES][PROBE_PCS_STATES];

static uint64_t make_event(uint64_t *seed, uint64_t spread)
{
	uint64_t index = random_of(seed) % spread, state = random_of(seed) % PROBE_PCS_STATES;
	uint64_t lanes = random_of(seed) % 3 ? 64 : random_of(seed) % 65;
	uint64_t waves = random_of(seed) % 64, dual = random_of(seed) % 2;
	struct plain *sum = &plain[index][state];

	sum->samples++;
	sum->lanes += lanes;
	sum->waves += waves;
	sum->dual += dual;
	return lanes | waves << PROBE_PCS_EVENT_WAVES | dual << PROBE_PCS_EVENT_DUAL |
	       state << PROBE_PCS_EVENT_STATE | index << PROBE_PCS_EVENT_INDEX;
}

static void check_rows(const struct probe_pcs_profile *profile)
{
	size_t at = 0;

	for (uint32_t index = 0; index < INDEXES; index++) {
		for (uint8_t state = 0; state < PROBE_PCS_STATES; state++) {
			const struct plain *sum = &plain[index][state];
			const struct probe_pcs_profile_row *row = &profile->rows[at];

			if (!sum->samples)
				continue;
			assert_true(at++ < profile->count);
			assert_int_equal(row->index, index);
			assert_int_equal(row->state, state);
			assert_int_equal(row->samples, sum->samples);
			assert_int_equal(row->lanes, sum->lanes);
			assert_int_equal(row->waves, sum->waves);
			assert_int_equal(row->dual, sum->dual);
		}
	}
	assert_int_equal(at, profile->count);
}

static void check_packed(const struct probe_pcs_profile *profile, uint64_t dispatch)
{
	uint8_t *bytes = malloc(PROBE_PCS_PACK_ROOM(profile->count));
	size_t size = probe_pcs_profile_pack(profile, dispatch, 7, bytes);
	struct probe_pcs_unpack unpack = {.pos = bytes, .end = bytes + size};

	assert_true(size <= PROBE_PCS_PACK_ROOM(profile->count));
	for (size_t i = 0; i < profile->count; i++) {
		assert_true(probe_pcs_unpack_next(&unpack));
		assert_int_equal(unpack.dispatch, dispatch);
		assert_int_equal(unpack.code_object, 7);
		assert_int_equal(unpack.row.index, profile->rows[i].index);
		assert_int_equal(unpack.row.state, profile->rows[i].state);
		assert_int_equal(unpack.row.samples, profile->rows[i].samples);
		assert_int_equal(unpack.row.lanes, profile->rows[i].lanes);
	}
	assert_false(probe_pcs_unpack_next(&unpack));
	assert_false(unpack.bad);
	free(bytes);
}

static void test_sums(void **state)
{
	static const size_t counts[] = {0, 1, 2, 63, 64, 65, 1000, EVENTS};
	static const uint64_t spreads[] = {1, 40, INDEXES};
	struct probe_pcs_profile profile = {0};
	uint64_t seed = 42, *events = malloc(EVENTS * sizeof(*events));

	(void)state;
	for (size_t s = 0; s < 3; s++) {
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			memset(plain, 0, sizeof(plain));
			for (size_t i = 0; i < counts[c]; i++)
				events[i] = make_event(&seed, spreads[s]);
			assert_true(probe_pcs_profile_make(&profile, events, counts[c]));
			check_rows(&profile);
			check_packed(&profile, c % 2 ? 1 : UINT64_MAX);
		}
	}
	probe_pcs_profile_destroy(&profile);
	free(events);
}

/* Damaged bytes end, inside their bounds, with rows that can be added up. */
static void test_damage(void **state)
{
	struct probe_pcs_profile profile = {0};
	uint64_t seed = 4711, events[200], good = 0, bad = 0;
	uint8_t bytes[PROBE_PCS_PACK_ROOM(200)];
	size_t size;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		events[i] = make_event(&seed, INDEXES);
	assert_true(probe_pcs_profile_make(&profile, events, 200));
	for (int i = 0; i < 20000; i++) {
		struct probe_pcs_unpack unpack;
		uint8_t *copy;

		size = probe_pcs_profile_pack(&profile, 3, 1, bytes);
		size -= random_of(&seed) % 4 ? 0 : random_of(&seed) % size;
		copy = malloc(size);
		memcpy(copy, bytes, size);
		for (int k = 0; k < 3; k++)
			copy[random_of(&seed) % size] = (uint8_t)random_of(&seed);
		unpack = (struct probe_pcs_unpack){.pos = copy, .end = copy + size};
		while (probe_pcs_unpack_next(&unpack)) {
			assert_true(unpack.row.state < PROBE_PCS_STATES);
			assert_true(unpack.row.samples &&
				    unpack.row.lanes <= 64 * unpack.row.samples);
		}
		*(unpack.bad ? &bad : &good) += 1;
		free(copy);
	}
	assert_true(good > 100 && bad > 100);
	probe_pcs_profile_destroy(&profile);
}

struct sink {
	struct probe_pcs_profile profile;
	struct probe_pcs_rows *rows;
	uint64_t spills;
};

static void spill(void *user, const struct probe_dispatch_entry *entry)
{
	struct sink *sink = user;

	sink->spills++;
	assert_true(probe_pcs_profile_make(&sink->profile, entry->events, entry->event_count));
	for (size_t i = 0; i < sink->profile.count; i++) {
		const struct probe_pcs_profile_row *row = &sink->profile.rows[i];
		struct probe_pcs_row sums = {
			.dual = row->dual, .lanes = row->lanes, .waves = row->waves};

		assert_true(probe_pcs_rows_add(sink->rows, row->index, row->state, row->samples,
					       &sums));
	}
}

static void attribute(const uint8_t *records, size_t count, struct sink *sink,
		      struct probe_pcs_rows *rows)
{
	static const struct probe_pcs_layout layout = {PROBE_PCS_GFX9, PROBE_PCS_STOCHASTIC, 0};
	struct probe_pcs_attributor attributor;
	struct probe_code_range range = {.base = BASE, .size = 0x4000, .id = 1, .user = rows};

	assert_int_equal(probe_pcs_attributor_init(&attributor, &layout), 0);
	assert_int_equal(probe_pcs_rows_init(rows, range.size), 0);
	assert_int_equal(probe_code_map_load(&attributor.code, &range), 0);
	/* Dispatch 3 is not known. */
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(probe_dispatch_map_add(&attributor.dispatches, i, i + 1), 0);
	if (sink) {
		sink->rows = rows;
		attributor.spill = attributor.dispatches.retired = spill;
		attributor.spill_user = attributor.dispatches.user = sink;
	}
	probe_pcs_attribute(&attributor, records, count);
	assert_int_equal(attributor.counts.received, count);
	assert_int_equal(attributor.counts.attributed + attributor.counts.no_dispatch, count);
	assert_true(attributor.counts.no_dispatch > count / 8);
	probe_pcs_attributor_destroy(&attributor);
}

static void test_same_as_without(void **state)
{
	enum { COUNT = 5 * PROBE_PCS_EVENTS };
	struct probe_pcs_layout layout = {PROBE_PCS_GFX9, PROBE_PCS_STOCHASTIC, 0};
	uint8_t *records = malloc((size_t)COUNT * PROBE_PCS_RECORD_SIZE);
	struct probe_pcs_rows with, without;
	struct probe_pcs_row a, b;
	struct sink sink = {0};
	uint64_t seed = 99;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		struct probe_pc_sample sample = {
			.pc = BASE + 4 * (random_of(&seed) % 900),
			.exec = random_of(&seed),
			.correlation = random_of(&seed) % 4,
			.issued = random_of(&seed) % 2,
			.type = (uint8_t)(1 + random_of(&seed) % 9),
			.reason = (uint8_t)(1 + random_of(&seed) % 8),
			.dual = random_of(&seed) % 5 == 0,
			.wave_count = random_of(&seed) % 33,
		};

		probe_pcs_encode(&layout, &sample, records + i * PROBE_PCS_RECORD_SIZE);
	}
	attribute(records, COUNT, &sink, &with);
	attribute(records, COUNT, NULL, &without);
	assert_true(sink.spills > 3);
	for (uint64_t i = 0; i < with.count; i++) {
		bool one = probe_pcs_rows_at(&with, i, &a),
		     other = probe_pcs_rows_at(&without, i, &b);

		assert_int_equal(one, other);
		if (one)
			assert_memory_equal(&a, &b, sizeof(a));
	}
	probe_pcs_profile_destroy(&sink.profile);
	probe_pcs_rows_destroy(&with);
	probe_pcs_rows_destroy(&without);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_same_as_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
