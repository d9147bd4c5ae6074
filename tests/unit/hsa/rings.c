/* SPDX-License-Identifier: MIT */
/* Trace rings: each GPU's share, the states in its memory, failures, discarding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/queue/rings.h"
#include "tests/unit/hsa/fake_hsa.h"
#include "wire/ring_states.h"

enum { GUARD_BYTES = 64 << 10 };

static void add_gpu(void)
{
	probe_tool.agents[2] = probe_tool.agents[1];
	probe_tool.agents[2].handle.handle = 3;
	probe_tool.agents[2].index = 2;
	probe_tool.agent_count = 3;
}

static const struct probe_ring_state *states_of(const struct probe_agent *gpu)
{
	return (const struct probe_ring_state *)(uintptr_t)gpu->rings[0].ring_states;
}

static void one_gpu_has_all_rings(void **state)
{
	uint32_t kind = *(const uint32_t *)*state;
	const struct probe_seg_header *header = &probe_tool.segment.header;
	struct probe_agent *gpu = fake_gpu();
	const struct probe_ctx *ctx;

	fake_hsa_init(kind, 1 << 16);
	probe_rings_init(&probe_tool, gpu);
	ctx = &gpu->rings[0];
	assert_int_equal(gpu->ring_count, 8);
	assert_int_equal(gpu->large_count, 0);
	assert_int_equal(ctx->ring_mask, 7);
	assert_int_equal(ctx->ring_size, 4096);
	assert_int_equal(ctx->ring_data, (uintptr_t)probe_tool.segment.base + header->data_offset);
	assert_int_equal(ctx->ring_heads,
			 (uintptr_t)probe_tool.segment.base + header->heads_offset);
	assert_int_equal(ctx->when_full, PROBE_FULL_DROP);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t slot_mask = kind == PROBE_KIND_TRACE ? ctx->ring_slot_mask : ctx->ring_mask;
		struct probe_ring_state expected;

		assert_true(probe_ring_state_make(ctx, states_of(gpu)[0].ctx, i, kind, &expected));
		assert_memory_equal(&states_of(gpu)[probe_ring_slot(slot_mask, i)], &expected,
				    sizeof(expected));
	}
	fake_hsa_deinit();
}

static void gpus_share_rings(void **state)
{
	struct probe_agent *first = fake_gpu(), *second = first + 1;

	(void)state;
	fake_hsa_init(PROBE_KIND_TRACE, 1 << 16);
	add_gpu();
	probe_rings_init(&probe_tool, first);
	probe_rings_init(&probe_tool, second);
	assert_int_equal(first->ring_count, 4);
	assert_int_equal(second->ring_count, 4);
	assert_int_equal(second->rings[0].ring_data, first->rings[0].ring_data + 4 * 4096);
	assert_int_equal(second->rings[0].ring_heads,
			 first->rings[0].ring_heads + 4 * sizeof(struct probe_ring));
	assert_ptr_not_equal(states_of(first), states_of(second));
	fake_hsa_deinit();
}

/* Half of them large: for launches of few waves. */
static void large_rings_are_separate(void **state)
{
	struct probe_seg_header *header = &probe_tool.segment.header;
	struct probe_agent *gpu = fake_gpu();

	(void)state;
	fake_hsa_init(PROBE_KIND_TRACE, 1 << 16);
	header->ring_count = 4;
	header->large_count = 2;
	header->large_size = 8192;
	probe_rings_init(&probe_tool, gpu);
	assert_int_equal(gpu->ring_count, 4);
	assert_int_equal(gpu->large_count, 2);
	assert_int_equal(gpu->rings[1].ring_size, 8192);
	assert_int_equal(gpu->rings[1].ring_data, gpu->rings[0].ring_data + 4 * 4096);
	assert_int_equal(gpu->rings[1].ring_heads,
			 gpu->rings[0].ring_heads + 4 * sizeof(struct probe_ring));
	fake_hsa_deinit();
}

static void too_few_rings_are_none(void **state)
{
	(void)state;
	fake_hsa_init(PROBE_KIND_TRACE, 1 << 16);
	add_gpu();
	probe_tool.segment.header.ring_count = 1;
	probe_rings_init(&probe_tool, fake_gpu());
	assert_int_equal(fake_gpu()->ring_count, 0);
	assert_int_equal(fake.live, 0);
	fake_hsa_deinit();
}

/* Any failure means no rings, and nothing left behind; it is not tried again. */
static void failures_mean_no_rings(void **state)
{
	unsigned n = 0, calls;

	(void)state;
	do {
		fake_hsa_init(PROBE_KIND_TRACE, 1 << 16);
		fake.fail_at = ++n;
		probe_rings_init(&probe_tool, fake_gpu());
		calls = fake.calls;
		if (calls >= n) {
			assert_int_equal(fake_gpu()->ring_count, 0);
			assert_int_equal(fake.live, 0);
			probe_rings_init(&probe_tool, fake_gpu());
			assert_int_equal(fake.calls, calls);
		}
		fake_hsa_deinit();
	} while (calls >= n);
	/* Three allocations with access, two ranges, a signal and a copy. */
	assert_int_equal(n, 11);
}

/* A kernel may wait for space in a full ring. Others may still be read (probe-run --recover). */
static void discarding_empties_full_rings(void **state)
{
	const struct probe_seg_header *header = &probe_tool.segment.header;
	struct probe_ring *rings;

	(void)state;
	fake_hsa_init(PROBE_KIND_TRACE, 1 << 16);
	rings = (struct probe_ring *)(void *)(probe_tool.segment.base +
					      probe_tool.segment.header.heads_offset);
	for (uint32_t i = 0; i < 8; i++)
		rings[i].head = i % 2 ? header->ring_size - 1000 : 1000 + i;
	probe_rings_discard();
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(rings[i].tail, i % 2 ? header->ring_size - 1000 : 0);
	/* No recorder will. */
	probe_tool.segment.ring->reader = PROBE_READER_ENDED;
	probe_rings_discard();
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(rings[i].tail, rings[i].head);
	fake_hsa_deinit();
}

int main(void)
{
	static uint32_t trace = PROBE_KIND_TRACE, time = PROBE_KIND_TIME;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(one_gpu_has_all_rings, &trace),
		cmocka_unit_test_prestate(one_gpu_has_all_rings, &time),
		cmocka_unit_test(gpus_share_rings),
		cmocka_unit_test(large_rings_are_separate),
		cmocka_unit_test(too_few_rings_are_none),
		cmocka_unit_test(failures_mean_no_rings),
		cmocka_unit_test(discarding_empties_full_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
