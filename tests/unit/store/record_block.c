/* SPDX-License-Identifier: MIT */
/* Blocks of trace bytes: what was added comes back, and malformed rows are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "store/record_block.h"

#define SPANS 1000u

static uint64_t seed = 88172645463325252ull;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void free_packed(struct probe_packed *packed)
{
	free(packed->spans);
	free(packed->bytes);
}

/* Addresses as a ring has them. */
static void add_some(struct probe_block *block, unsigned count)
{
	uint64_t words[64];

	for (unsigned i = 0; i < count; i++) {
		struct probe_span span = {1 + i / 10, (uint32_t)(random64() % 5),
					  8 * (uint32_t)(1 + random64() % 64)};

		for (unsigned k = 0; k < span.size / 8; k++)
			words[k] = 0x7f0000000000ull + random64() % 4096 * 4;
		assert_true(probe_block_add(block, &span, words));
	}
}

static void blocks_come_back(void **state)
{
	struct probe_block block = {0}, again = {0};
	struct probe_packed packed;
	ZSTD_CCtx *context = ZSTD_createCCtx();

	(void)state;
	for (int round = 0; round < 20; round++) {
		block.size = block.span_count = 0;
		add_some(&block, (unsigned)(random64() % SPANS));
		assert_true(probe_block_pack(&block, context, &packed));
		assert_true(probe_block_unpack(&packed, block.size, &again));
		assert_int_equal(again.span_count, block.span_count);
		assert_int_equal(again.size, block.size);
		if (block.span_count) {
			assert_memory_equal(again.spans, block.spans,
					    block.span_count * sizeof(*block.spans));
			assert_memory_equal(again.bytes, block.bytes, block.size);
		}
		free_packed(&packed);
	}
	probe_block_deinit(&block);
	probe_block_deinit(&again);
	ZSTD_freeCCtx(context);
}

/* Consecutive bytes of a ring and dispatch are one span; arguments need not be whole words. */
static void spans_merge(void **state)
{
	static const struct probe_span added[] = {
		{7, PROBE_SPAN_ARGUMENTS, 12},
		{7, 3, 16},
		{7, 3, 8},
		{7, 4, 8},
		{8, 4, 8},
		{8, 4, 8},
	};
	static const uint64_t bytes[4] = {1, 2, 3, 4};
	struct probe_block block = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
		assert_true(probe_block_add(&block, &added[i], bytes));
	assert_int_equal(block.span_count, 4);
	assert_int_equal(block.size, 16 + 24 + 8 + 16);
	assert_int_equal(block.spans[0].size, 12);
	assert_int_equal(block.spans[1].size, 24);
	assert_int_equal(block.spans[3].size, 16);
	/* The padding of the arguments is zero. */
	assert_int_equal(block.bytes[12] | block.bytes[15], 0);
	probe_block_deinit(&block);
}

/* Rows with anything changed: rejected, or other bytes of the stated size; never out of bounds. */
static void damage_is_survived(void **state)
{
	struct probe_block block = {0}, again = {0};
	struct probe_packed packed;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	int refused = 0;

	(void)state;
	add_some(&block, 50);
	assert_true(probe_block_pack(&block, context, &packed));
	assert_false(probe_block_unpack(&packed, block.size + 8, &again));
	assert_false(probe_block_unpack(&packed, block.size - 8, &again));
	assert_false(probe_block_unpack(&packed, UINT64_MAX, &again));
	for (int round = 0; round < 3000; round++) {
		struct probe_packed copy = packed;
		bool spans = round % 2;
		size_t *size = spans ? &copy.spans_size : &copy.bytes_size;
		unsigned char *bytes = malloc(*size);

		memcpy(bytes, spans ? packed.spans : packed.bytes, *size);
		bytes[random64() % *size] ^= (unsigned char)(1 + random64() % 255);
		if (spans)
			copy.spans = bytes;
		else
			copy.bytes = bytes;
		if (round % 3 == 0)
			*size = random64() % *size;
		refused += !probe_block_unpack(&copy, block.size, &again);
		free(bytes);
	}
	assert_true(refused > 1000);
	free_packed(&packed);
	probe_block_deinit(&block);
	probe_block_deinit(&again);
	ZSTD_freeCCtx(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_come_back),
		cmocka_unit_test(spans_merge),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
