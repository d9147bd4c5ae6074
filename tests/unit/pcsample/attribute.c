/* SPDX-License-Identifier: MIT */
/*
 * Attribution over made streams: packet indices that wrap, samples that arrive late or backwards,
 * code objects that come and go at one address, random bytes. Always: received = sum of the rest.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pcsample/attribute.h"

enum {
	QUEUE = 64, /* packets of the ring */
	BASE = 0x10000,
	SIZE = 0x4000,
	DOORBELL = 3,
};

static const struct probe_pcs_layout layout = {PROBE_PCS_GFX9, PROBE_PCS_STOCHASTIC, 0};

struct bench {
	struct probe_pcs_attributor attributor;
	struct probe_pcs_rows rows;
	uint64_t samples_of[4096]; /* by dispatch id, when it retired */
	uint64_t retired;
};

static void on_retired(void *user, const struct probe_dispatch_entry *entry)
{
	struct bench *bench = user;

	bench->samples_of[entry->dispatch] += entry->samples;
	bench->retired++;
}

static void load(struct bench *bench, uint64_t id, struct probe_pcs_rows *rows)
{
	struct probe_code_range range = {
		.base = BASE, .size = SIZE, .delta = BASE, .id = id, .user = rows};

	assert_int_equal(probe_pcs_rows_init(rows, SIZE), 0);
	assert_int_equal(probe_code_map_load(&bench->attributor.code, &range), 0);
}

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench || probe_pcs_attributor_init(&bench->attributor, &layout))
		return -1;
	bench->attributor.dispatches.retired = on_retired;
	bench->attributor.dispatches.user = bench;
	load(bench, 1, &bench->rows);
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;
	const struct probe_pcs_counts *c = &bench->attributor.counts;

	assert_int_equal(c->received, c->attributed + c->no_dispatch + c->no_code + c->foreign +
					      c->misaligned + c->invalid + c->skipped + c->dropped);
	probe_pcs_attributor_destroy(&bench->attributor);
	probe_pcs_rows_destroy(&bench->rows);
	free(bench);
	return 0;
}

static void sample_at(uint8_t *record, uint64_t pc, uint64_t packet, bool issued)
{
	struct probe_pc_sample sample = {
		.pc = pc,
		.exec = 0xff,
		.correlation = packet % QUEUE | (uint64_t)DOORBELL << 32,
		.issued = issued,
		.type = PROBE_PCS_TYPE_VALU,
		.reason = PROBE_PCS_REASON_WAITCNT,
		.wave_count = 4,
	};

	probe_pcs_encode(&layout, &sample, record);
}

static void give(struct bench *bench, uint64_t pc, uint64_t packet, bool issued)
{
	uint8_t record[PROBE_PCS_RECORD_SIZE];

	sample_at(record, pc, packet, issued);
	probe_pcs_attribute(&bench->attributor, record, 1);
}

static uint64_t key(uint64_t packet)
{
	return probe_dispatch_key_of(packet, QUEUE, DOORBELL);
}

static void test_rows(void **state)
{
	struct bench *bench = *state;
	struct probe_dispatch_map *map = &bench->attributor.dispatches;
	struct probe_pcs_row row;

	assert_int_equal(probe_dispatch_map_add(map, key(0), 1), 0);
	give(bench, BASE + 8, 0, true);
	give(bench, BASE + 8, 0, false);
	give(bench, BASE + 8, 0, false);
	give(bench, BASE + SIZE - 4, 0, true);
	assert_true(probe_pcs_rows_at(&bench->rows, 2, &row));
	assert_int_equal(row.issued[PROBE_PCS_TYPE_VALU], 1);
	assert_int_equal(row.stalled[PROBE_PCS_REASON_WAITCNT], 2);
	assert_int_equal(row.lanes, 24);
	assert_int_equal(row.waves, 12);
	assert_true(probe_pcs_rows_at(&bench->rows, SIZE / 4 - 1, &row));
	assert_false(probe_pcs_rows_at(&bench->rows, 3, &row));
	assert_false(probe_pcs_rows_at(&bench->rows, SIZE / 4, &row));
	assert_int_equal(bench->attributor.counts.attributed, 4);
}

/* Each sample that cannot be attributed has its reason. */
static void test_reasons(void **state)
{
	struct bench *bench = *state;
	struct probe_pcs_counts *c = &bench->attributor.counts;
	uint8_t record[PROBE_PCS_RECORD_SIZE];
	struct probe_pcs_row row;

	give(bench, BASE - 4, 0, true);
	give(bench, BASE + SIZE, 0, true);
	assert_int_equal(c->foreign, 2);
	assert_int_equal(probe_dispatch_map_add(&bench->attributor.dispatches, key(9), 9), 0);
	give(bench, BASE + SIZE, 9, true);
	assert_int_equal(c->no_code, 1);
	give(bench, BASE + 2, 0, true);
	assert_int_equal(c->misaligned, 1);
	give(bench, BASE, 0, true);
	assert_int_equal(c->no_dispatch, 1);
	/* A sample of the runtime's own kernel is part of the truth: its row is kept. */
	assert_true(probe_pcs_rows_at(&bench->rows, 0, &row));
	sample_at(record, BASE, 0, true);
	record[0x24] &= 0xfe;
	probe_pcs_attribute(&bench->attributor, record, 1);
	assert_int_equal(c->invalid, 1);
}

/*
 * The packet index wraps. A slot whose dispatch is still live is refused until a flush; samples
 * that arrive after the completion still find their dispatch.
 */
static void test_wrap(void **state)
{
	struct bench *bench = *state;
	struct probe_dispatch_map *map = &bench->attributor.dispatches;

	for (uint64_t packet = 0; packet < 1000; packet++) {
		int err = probe_dispatch_map_add(map, key(packet), packet + 1);

		if (packet >= QUEUE && err) {
			assert_int_equal(err, -EBUSY);
			probe_dispatch_map_delivered(map, true);
			err = probe_dispatch_map_add(map, key(packet), packet + 1);
		}
		assert_int_equal(err, 0);
		for (uint64_t i = 0; i <= packet % 7; i++)
			give(bench, BASE + 4 * i, packet, true);
		assert_int_equal(probe_dispatch_map_complete(map, key(packet)), 0);
		/* Late ones. */
		give(bench, BASE, packet, true);
	}
	assert_int_equal(bench->attributor.counts.no_dispatch, 0);
	probe_dispatch_map_destroy(map);
	assert_int_equal(bench->retired, 1000);
	for (uint64_t packet = 0; packet < 1000; packet++)
		assert_int_equal(bench->samples_of[packet + 1], packet % 7 + 2);
}

/* Two deliveries by themselves retire what has completed, and nothing that has not. */
static void test_retire(void **state)
{
	struct bench *bench = *state;
	struct probe_dispatch_map *map = &bench->attributor.dispatches;

	probe_dispatch_map_add(map, key(1), 11);
	probe_dispatch_map_add(map, key(2), 12);
	probe_dispatch_map_complete(map, key(1));
	probe_dispatch_map_delivered(map, false);
	assert_int_equal(bench->retired, 0);
	assert_non_null(probe_dispatch_map_find(map, key(1)));
	probe_dispatch_map_delivered(map, false);
	assert_int_equal(bench->retired, 1);
	assert_null(probe_dispatch_map_find(map, key(1)));
	probe_dispatch_map_delivered(map, true);
	assert_non_null(probe_dispatch_map_find(map, key(2)));
	assert_int_equal(probe_dispatch_map_add(map, key(2), 13), -EBUSY);
	assert_int_equal(probe_dispatch_map_complete(map, key(5)), -ENOENT);
	assert_int_equal(probe_dispatch_map_add(map, key(5), 0), -EINVAL);
}

/* Many live dispatches of many queues, retired in every order: all are found until then. */
static void test_many(void **state)
{
	struct bench *bench = *state;
	struct probe_dispatch_map *map = &bench->attributor.dispatches;

	for (uint64_t i = 0; i < 4000; i++)
		assert_int_equal(probe_dispatch_map_add(
					 map, probe_dispatch_key_of(i, 1 << 20, i % 1024), i + 1),
				 0);
	for (uint64_t step = 0; step < 4; step++) {
		for (uint64_t i = step; i < 4000; i += 4)
			probe_dispatch_map_complete(map,
						    probe_dispatch_key_of(i, 1 << 20, i % 1024));
		probe_dispatch_map_delivered(map, true);
		for (uint64_t i = 0; i < 4000; i++) {
			struct probe_dispatch_entry *entry = probe_dispatch_map_find(
				map, probe_dispatch_key_of(i, 1 << 20, i % 1024));

			if (i % 4 <= step) {
				assert_null(entry);
			} else {
				assert_non_null(entry);
				assert_int_equal(entry->dispatch, i + 1);
			}
		}
	}
	assert_int_equal(bench->retired, 4000);
}

/* The last waves of the last dispatch first, in buffers that end anywhere: nothing depends on
 * order. */
static void test_reversed(void **state)
{
	enum { DISPATCHES = 16, WAVES = 61, BUFFER = 37 };
	struct bench *bench = *state;
	uint8_t records[BUFFER][PROBE_PCS_RECORD_SIZE];
	uint32_t filled = 0;

	for (uint64_t d = 0; d < DISPATCHES; d++)
		assert_int_equal(
			probe_dispatch_map_add(&bench->attributor.dispatches, key(d), d + 1), 0);
	for (uint64_t d = DISPATCHES; d-- > 0;) {
		for (uint64_t wave = WAVES; wave-- > 0;) {
			sample_at(records[filled], BASE + 4 * wave, d, wave & 1);
			if (++filled < BUFFER)
				continue;
			probe_pcs_attribute(&bench->attributor, records[0], filled);
			filled = 0;
		}
	}
	probe_pcs_attribute(&bench->attributor, records[0], filled);
	assert_int_equal(bench->attributor.counts.attributed, DISPATCHES * WAVES);
	for (uint64_t d = 0; d < DISPATCHES; d++)
		probe_dispatch_map_complete(&bench->attributor.dispatches, key(d));
	probe_dispatch_map_delivered(&bench->attributor.dispatches, true);
	for (uint64_t d = 0; d < DISPATCHES; d++)
		assert_int_equal(bench->samples_of[d + 1], WAVES);
	for (uint64_t wave = 0; wave < WAVES; wave++) {
		struct probe_pcs_row row;

		assert_true(probe_pcs_rows_at(&bench->rows, wave, &row));
		assert_int_equal(wave & 1 ? row.issued[PROBE_PCS_TYPE_VALU]
					  : row.stalled[PROBE_PCS_REASON_WAITCNT],
				 DISPATCHES);
	}
}

/* A code object is unloaded and another loaded at its address: samples count for the loaded one. */
static void test_reload(void **state)
{
	struct bench *bench = *state;
	struct probe_code_map *code = &bench->attributor.code;
	struct probe_code_range again = {.base = BASE + 0x100, .size = 16, .id = 9};
	struct probe_pcs_rows second;
	struct probe_pcs_row row;

	give(bench, BASE, 0, true);
	assert_int_equal(probe_code_map_load(code, &again), -EEXIST);
	again.size = 0;
	assert_int_equal(probe_code_map_load(code, &again), -EINVAL);
	assert_int_equal(probe_code_map_unload(code, 1), 0);
	assert_int_equal(probe_code_map_unload(code, 1), -ENOENT);
	give(bench, BASE, 0, true);
	load(bench, 2, &second);
	give(bench, BASE, 0, true);
	give(bench, BASE, 0, true);
	assert_true(probe_pcs_rows_at(&bench->rows, 0, &row));
	assert_int_equal(row.issued[PROBE_PCS_TYPE_VALU], 1);
	assert_true(probe_pcs_rows_at(&second, 0, &row));
	assert_int_equal(row.issued[PROBE_PCS_TYPE_VALU], 2);
	assert_int_equal(bench->attributor.counts.foreign, 1);
	probe_pcs_rows_destroy(&second);
}

static void test_map(void **state)
{
	struct probe_code_map map = {0};

	(void)state;
	assert_null(probe_code_map_find(&map, 0));
	for (uint64_t i = 0; i < 100; i++) {
		/* Not in order of address. */
		uint64_t n = i * 37 % 100;
		struct probe_code_range range = {.base = n * 4096, .size = 4096, .id = n};

		assert_int_equal(probe_code_map_load(&map, &range), 0);
	}
	for (uint64_t pc = 0; pc < 100 * 4096; pc += 511)
		assert_int_equal(probe_code_map_find(&map, pc)->id, pc / 4096);
	assert_null(probe_code_map_find(&map, 100 * 4096));
	for (uint64_t i = 0; i < 100; i += 2)
		assert_int_equal(probe_code_map_unload(&map, i), 0);
	for (uint64_t pc = 0; pc < 100 * 4096; pc += 511) {
		const struct probe_code_range *range = probe_code_map_find(&map, pc);

		if (pc / 4096 % 2)
			assert_int_equal(range->id, pc / 4096);
		else
			assert_null(range);
	}
	probe_code_map_destroy(&map);
	/* The last byte of the address space. */
	assert_int_equal(probe_code_map_load(
				 &map, &(struct probe_code_range){.base = -4096ull, .size = 4096}),
			 0);
	assert_non_null(probe_code_map_find(&map, UINT64_MAX));
	assert_int_equal(
		probe_code_map_load(&map, &(struct probe_code_range){.base = -64ull, .size = 65}),
		-EINVAL);
	probe_code_map_destroy(&map);
}

static void test_random(void **state)
{
	struct bench *bench = *state;
	uint64_t seed = 88172645463325252u;
	uint8_t record[100 * PROBE_PCS_RECORD_SIZE];
	struct probe_pcs_row row;
	uint64_t hits = 0;

	for (uint64_t i = 0; i < 64; i++)
		probe_dispatch_map_add(&bench->attributor.dispatches, key(i), i + 1);
	for (int round = 0; round < 1000; round++) {
		for (size_t i = 0; i < sizeof(record); i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			record[i] = (uint8_t)seed;
		}
		/* Let half of them point into the code object. */
		for (size_t i = 0; i < sizeof(record); i += 2 * PROBE_PCS_RECORD_SIZE)
			memcpy(record + i + 2, "\1\0\0\0\0\0", 6);
		probe_pcs_attribute(&bench->attributor, record, 100);
	}
	for (uint64_t i = 0; i < SIZE / 4; i++)
		hits += probe_pcs_rows_at(&bench->rows, i, &row);
	assert_int_equal(bench->attributor.counts.received, 100000);
	assert_true(hits > 100);
	assert_true(bench->attributor.counts.invalid > 10000);
}

/* The table for gfx9 and the full decoder agree on every snapshot. */
static void test_table(void **state)
{
	struct bench *bench = *state;

	for (uint32_t bits = 0; bits < 2048; bits++) {
		uint32_t data = (bits & 1023) | bits >> 10 << 26;
		uint8_t record[PROBE_PCS_RECORD_SIZE];
		struct probe_pcs_row row;
		bool hit;
		struct probe_pc_sample sample;
		uint64_t at = BASE + 4 * bits;

		sample_at(record, at, 0, true);
		memcpy(record + 0x24, &data, 4);
		probe_pcs_attribute(&bench->attributor, record, 1);
		hit = probe_pcs_rows_at(&bench->rows, bits, &row);
		if (probe_pcs_decode(&layout, record, &sample) != PROBE_PCS_VALID) {
			assert_false(hit);
			continue;
		}
		assert_true(hit);
		if (sample.issued)
			assert_int_equal(row.issued[sample.type], 1);
		else
			assert_int_equal(row.stalled[sample.reason], 1);
		assert_int_equal(row.dual, sample.issued && sample.dual);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* More pages than are counted at once, so that samples wait in them; some of them overflow. */
enum { WIDE = 64 * PROBE_PCS_PAGE_ROWS, WIDE_SAMPLES = 300000 };

static void test_many_pages(void **state)
{
	struct bench *bench = *state;
	struct probe_pcs_row *want = calloc(WIDE, sizeof(*want)), got;
	struct probe_code_range range = {.base = 0x1000000, .size = 4ull * WIDE, .id = 2};
	struct probe_pcs_rows rows;
	uint64_t seed = 88172645463325252ull;

	assert_non_null(want);
	range.user = &rows;
	assert_int_equal(probe_pcs_rows_init(&rows, range.size), 0);
	assert_int_equal(probe_code_map_load(&bench->attributor.code, &range), 0);
	for (unsigned i = 0; i < WIDE_SAMPLES; i++) {
		struct probe_pc_sample sample = {0};
		uint8_t record[PROBE_PCS_RECORD_SIZE];
		uint64_t at;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		/* Half of the samples are in one page. */
		at = seed & 1 ? seed >> 8 & 255 : (seed >> 8) % WIDE;
		sample.pc = range.base + 4 * at;
		sample.exec = ~0ull >> (seed >> 40 & 63);
		sample.issued = seed >> 50 & 1;
		sample.dual = sample.issued && seed >> 51 & 1;
		sample.type = sample.issued ? PROBE_PCS_TYPE_VALU : 0;
		sample.reason = sample.issued ? 0 : PROBE_PCS_REASON_WAITCNT;
		sample.wave_count = seed >> 52 & 63;
		want[at].issued[PROBE_PCS_TYPE_VALU] += sample.issued;
		want[at].stalled[PROBE_PCS_REASON_WAITCNT] += !sample.issued;
		want[at].dual += sample.dual;
		want[at].lanes += (unsigned)__builtin_popcountll(sample.exec);
		want[at].waves += sample.wave_count;
		probe_pcs_encode(&layout, &sample, record);
		probe_pcs_attribute(&bench->attributor, record, 1);
		/* Reading in between changes nothing. */
		if (i % 1000 == 0 && probe_pcs_rows_at(&rows, at, &got))
			assert_memory_equal(&got, &want[at], sizeof(got));
	}
	for (unsigned i = 0; i < WIDE; i++)
		if (probe_pcs_rows_at(&rows, i, &got))
			assert_memory_equal(&got, &want[i], sizeof(got));
		else
			assert_int_equal(want[i].lanes, 0);
	assert_int_equal(bench->attributor.counts.no_dispatch, WIDE_SAMPLES);
	probe_pcs_rows_destroy(&rows);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows),
		TEST(test_reasons),
		TEST(test_wrap),
		TEST(test_retire),
		TEST(test_many),
		TEST(test_reload),
		TEST(test_reversed),
		TEST(test_random),
		TEST(test_table),
		TEST(test_many_pages),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
